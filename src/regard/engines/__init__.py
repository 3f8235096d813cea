"""Who runs a model: torch for any of them. Token ids in; hypotheses, labels, ratings and log-probabilities out."""
