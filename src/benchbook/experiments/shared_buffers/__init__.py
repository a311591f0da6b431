"""Does a larger buffer pool make PostgreSQL faster, and how large is too large?"""
