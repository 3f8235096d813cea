"""A sentence and its tokens."""
