"""How large a model must be for what it learns from."""

import pytest

from lessons import MODELS, corpus_of, learn, lesson
from regard.model import load
from regard.text.symbols import MASK
from regard.training.sizes import mask_of, sizes_of


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    made = {}
    for task in MODELS:
        folder = tmp_path_factory.mktemp(task)
        made[task] = corpus_of(lesson(task, folder), folder)
    return made


def test_what_there_is_of_each(corpora):
    found = {task: sizes_of(corpus) for task, corpus in corpora.items()}
    known = {task: tuple(map(len, corpus.vocabulary)) for task, corpus in corpora.items() if corpus.vocabulary}
    assert found["translation"] == known["translation"]
    assert found["g2p"] == known["g2p"] == (4 + 7, 4 + 7)  # seven letters and sounds
    assert found["language"] == known["language"][1:]
    assert found["fill"] == known["fill"][1:]
    assert found["classify"] == (known["classify"][0], 2)
    assert found["ratings"] == (29, 31)


def test_a_mask_is_the_symbols_own_token(corpora):
    for task, corpus in corpora.items():
        if task == "fill":
            assert corpus.vocabulary.target.pieces([mask_of(corpus)]) == [MASK]
        else:
            assert mask_of(corpus) == 0


@pytest.mark.parametrize("kind", ["words", "characters", "bpe"])
def test_tokens_of_every_kind_can_be_hidden(tmp_path, kind):
    recipe = lesson("fill", tmp_path, tokens={"kind": kind}, training={"steps": 3, "warmup": 1})
    learn(recipe, tmp_path / "out")
    assert "___" not in load(tmp_path / "out").predict(["the ___ sees"])[0]
