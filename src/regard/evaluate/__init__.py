"""Figures of quality: texts in, figures out, with all that others need to arrive at the same ones."""
