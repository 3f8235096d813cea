from pathlib import Path

from regard.corpus.prepare import prepare
from regard.recipe import from_plain


def test_generated_pairs(tmp_path: Path) -> None:
    recipe = from_plain({"data": {"generate": "dates", "pairs": 503}, "tokens": {"kind": "characters"}, "model": {}})
    said: list[str] = []
    corpus = prepare(recipe, tmp_path / "data", said.append)
    assert said
    assert corpus.vocabulary
    assert len(corpus.train) > 400
    source, target = corpus.train.ids(7)
    assert corpus.train.lengths[7].tolist() == [len(source), len(target)]
    assert len(corpus.vocabulary.target.decode(target)) == len("2009-05-03")
    again = prepare(recipe, tmp_path / "data", said.append)
    assert again.valid == corpus.valid
