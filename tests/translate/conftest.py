"""What the tests of text to text share: tokens learnt in the process, and an engine that says what it is told."""

import pytest

from regard.search.steps import Hypothesis
from regard.text.tokens import Tokens, Vocabulary

SENTENCES = [
    "the cat sat on the mat",
    "a dog ran over the hill",
    "the dog and the cat saw a man",
    "a man sat there, on a hill.",
    "the mat ran out",
]


def hypothesis(ids, log_prob=-3.0):
    """One that ended."""
    count = len(ids) + 1
    return Hypothesis(tuple(ids), log_prob, (log_prob / count,) * count, log_prob / count, True)


class Told:
    """An engine that answers each source by what a function makes of it: lists of ids, best first."""

    longest = None

    def __init__(self, say):
        self.say, self.asked = say, []

    def search(self, sources, *, beam, n_best=1, **options):
        self.asked.append((beam, n_best, sources))
        return [[hypothesis(ids) for ids in self.say(source, beam)][:n_best] for source in sources]


@pytest.fixture(scope="session")
def vocabulary():
    tokens = Tokens.train(SENTENCES * 7, "unigram", 0, symbols=True)
    return Vocabulary(tokens, tokens)


@pytest.fixture(scope="session")
def sentences():
    return SENTENCES


@pytest.fixture(scope="session")
def told():
    return Told
