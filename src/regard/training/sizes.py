"""What of a corpus a model must be made for."""

from regard.corpus.labels import Rated
from regard.corpus.prepare import Corpus
from regard.text.symbols import MASK


def sizes_of(corpus: Corpus) -> tuple[int, ...]:
    """How many tokens, labels, users and items there are, as models/build.py takes them."""
    if isinstance(corpus.labels, Rated):
        return len(corpus.labels.users), len(corpus.labels.items)
    assert corpus.vocabulary is not None
    source, target = map(len, corpus.vocabulary)
    if corpus.labels is not None:
        return source, len(corpus.labels)
    return (target,) if corpus.task in ("language", "fill") else (source, target)


def mask_of(corpus: Corpus) -> int:
    """The id of the symbol that hides a token; 0 where nothing is filled in."""
    if corpus.task != "fill" or corpus.vocabulary is None:
        return 0
    return corpus.vocabulary.target.symbol(MASK)
