"""Stored runs, notebooks and prose in, the rendered book out; nothing here measures."""
