"""What can be set, and what is known of a chapter before anything of it is loaded."""
