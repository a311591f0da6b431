"""Badger's event suite: events saved by workers and in bursts, queries behind them, and the counters of its caches."""
