"""What a cache of some size and policy would hold, for keys that are asked for in a known order."""
