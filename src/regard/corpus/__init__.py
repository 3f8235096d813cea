"""From pairs to batches."""
