"""Chapters that measure with the probe of the key-value engines (probes/kv): a store filled anew, asked and checked."""
