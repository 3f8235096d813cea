"""Transformer, recurrent, convolutional, language, encoder, factorization; all behind interface.py."""
