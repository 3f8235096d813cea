"""From a source to the tokens of a target: greedy, beam and sampling over any model. Token ids in, steps out."""
