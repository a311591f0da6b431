"""What is asked of an engine: which keys, how often, in which order."""

from benchbook.workloads.draws import hot_share, scattered, zipf, zipf_weights
from benchbook.workloads.keysets import KeySets, hash_keys

__all__ = ["KeySets", "hash_keys", "hot_share", "scattered", "zipf", "zipf_weights"]
