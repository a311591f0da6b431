"""Benchbook: published cache-tuning notes, measured again on real engines, with an interval on every number."""

__version__ = "0.11.0.dev0"
