"""The systems under test, each behind its own folder; nothing here knows an experiment."""
