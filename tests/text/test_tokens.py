import random
from collections import Counter

import pytest

from regard.errors import RecipeError
from regard.recipe.data import TokenKind
from regard.text.symbols import EOS, UNK
from regard.text.tokens import LEAST, MOST, Tokens, characters, good_size, least_size

KINDS: list[TokenKind] = ["unigram", "bpe", "characters", "words"]
PIECES: list[TokenKind] = ["unigram", "bpe"]
STEMS = ["chat", "noir", "dort", "chien", "aboie", "maison", "rouge", "porte", "ferme", "jardin", "fleur", "pousse"]


def sentences(count: int, seed: int = 1) -> list[str]:
    """Made-up sentences: stems with endings, numbers, no-break spaces before signs."""
    rng = random.Random(seed)

    def word() -> str:
        return (
            rng.choice(STEMS) + rng.choice(["", "s", "e", "ment"]) if rng.random() < 0.9 else str(rng.randrange(9999))
        )

    return [
        " ".join(word() for _ in range(rng.randint(2, 9))).capitalize() + rng.choice([".", "\u00a0!", "\u202f?", ""])
        for _ in range(count)
    ]


TEXTS = sentences(701)
MADE = {
    kind: Tokens.train(TEXTS, kind, 0 if kind in ("characters", "words") else 211, kind in PIECES) for kind in KINDS
}


@pytest.mark.parametrize("kind", KINDS)
def test_text_comes_back(kind: TokenKind) -> None:
    tokens = MADE[kind]
    for text, ids in zip(TEXTS, tokens.encode_all(TEXTS), strict=True):
        assert tokens.decode(ids) == text or (kind == "words" and UNK in ids)
        assert ids == tokens.encode(text)
        assert min(ids) > EOS or kind == "words"


def test_a_size_is_chosen_by_hand() -> None:
    few, many = Counter("abcdefg"), Counter({chr(0x4E00 + i): 1 for i in range(2000)})
    assert [good_size([], "unigram", 4, few, count) for count in (10, 10_000, 10**9)] == [LEAST, 2800, MOST]
    assert good_size([], "bpe", 39, many, 10_000) == 39 + 2 * 2000
    assert good_size([], "characters", 4, few, 10) == 4 + 7
    assert good_size(["a b a", "b c"], "words", 4, few, 2) == 4 + 2  # what comes once is unknown
    assert good_size(["a b"], "words", 4, few, 1) == 4 + 2  # but not where all do


def test_the_least_size() -> None:
    alphabet = Counter("abcdefg")
    assert [least_size(kind, 39, alphabet) for kind in ("unigram", "bpe", "characters", "words")] == [46, 46, 40, 40]


def test_a_size_that_cannot_be() -> None:
    least = least_size("unigram", 4, characters(TEXTS))
    with pytest.raises(RecipeError, match=f"tokens.size is 11; these texts need at least {least}; or 0, to have it"):
        Tokens.train(TEXTS, "unigram", 11, symbols=False)
    with pytest.raises(RecipeError, match=r"tokens.size is 5003; these texts have \d+ at most by BPE; say so, or 0"):
        Tokens.train(TEXTS[:7], "bpe", 5003, symbols=False)
