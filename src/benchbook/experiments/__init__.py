"""The chapters, each found by its name; the families that share an engine; the shape that all have."""
