import random

import pytest

from regard.recipe.data import TokenKind
from regard.text.symbols import EOS, UNK
from regard.text.tokens import Tokens

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
