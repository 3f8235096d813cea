"""Text to text: a translator, and who answers for the models of every other task."""
