"""Word vectors of one's own as a model's first embeddings."""

from collections.abc import Mapping
from pathlib import Path

from regard.models.embedding import Embedding
from regard.text.vectors import read_vectors


def begin_with(embedding: Embedding, vocabulary: Mapping[str, int], path: str | Path) -> int:
    """Puts the file's vectors in the place of the random ones, for the words that it knows; returns how many those are.

    The vectors are scaled to the embedding's own size, so that a recipe's rate and norms fit them as they are.
    """
    words, vectors = read_vectors(path, vocabulary)
    if words:
        own = float(embedding.weight.detach().square().mean().sqrt())
        theirs = float((vectors**2).mean() ** 0.5)
        embedding.set_rows([vocabulary[word] for word in words], vectors * (own / theirs if theirs else 1.0))
    return len(words)
