"""What of a corpus a model must be made for."""

from regard.corpus import labels
from regard.corpus.prepare import Corpus
from regard.text.symbols import MASK


def sizes_of(corpus: Corpus) -> tuple[int, ...]:
    """How many tokens, labels, users and items there are, as models/build.py takes them."""
    return labels.sizes_of(corpus.task, [len(tokens) for tokens in corpus.vocabulary or ()], corpus.labels)


def mask_of(corpus: Corpus) -> int:
    """The id of the symbol that hides a token; 0 where nothing is filled in."""
    if corpus.task != "fill" or corpus.vocabulary is None:
        return 0
    return corpus.vocabulary.target.symbol(MASK)
