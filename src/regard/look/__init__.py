"""Record a run and show it: what every word paid attention to."""
