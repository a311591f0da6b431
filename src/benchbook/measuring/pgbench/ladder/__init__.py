"""The ladder of settings of notes 002 and 003: its configurations, its servers, and its settings one at a time."""
