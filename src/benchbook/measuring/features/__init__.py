"""Feature serving: one row by key from each of many tables a request, timed one by one on a freshly started server."""
