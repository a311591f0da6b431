"""The rendered book, from stored runs, notebooks and prose; nothing here measures."""
