"""The pages that are written from records: their directives, and the pages and lines that Sphinx adds by itself."""
