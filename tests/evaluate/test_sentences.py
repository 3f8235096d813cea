import pytest

from regard.errors import InputError
from regard.evaluate.bleu import bleu
from regard.evaluate.sentences import Band, by_length, worst


def test_bands_by_hand():
    sources = ["", "one two", "a b c", "a b c d", "a b c d e f g"]
    hypotheses = ["", "x y", "p q r s", "p q r s t", "k l m n o"]
    references = [["z"], ["x y"], ["p q r s"], ["p q x s t"], ["k l m n o"]]
    got = by_length(sources, hypotheses, references, edges=(2, 5, 6))
    middle = bleu(hypotheses[2:4], references[2:4]).value
    # no translation of the first band has three words; one of its three wanted words is missing: exp(1 - 3/2)
    assert got == [
        Band(0, 2, 2, pytest.approx(100 * 2.718281828 ** (-1 / 2))),
        Band(3, 5, 2, pytest.approx(middle)),
        Band(7, None, 1, pytest.approx(100)),
    ]
    assert 20 < middle < 90


def test_every_sentence_is_in_one_band():
    sources = ["w " * n for n in range(53)]
    bands = by_length(sources, sources, [[source] for source in sources])
    assert [(band.shortest, band.longest, band.sentences) for band in bands] == [
        (0, 5, 6), (6, 10, 5), (11, 15, 5), (16, 20, 5), (21, 30, 10), (31, 40, 10), (41, None, 12),
    ]  # fmt: skip


def test_sources_and_hypotheses_go_together():
    with pytest.raises(InputError, match="1 sources, but 2 hypotheses"):
        by_length(["a"], ["a", "b"], [["a"], ["b"]])


def test_the_worst_come_first_and_equals_in_their_order():
    hypotheses = ["abcd", "xyz", "abcx", "", "abcd", "uvw"]
    references = [["abcd"], ["abcd"], ["abcd"], ["abcd"], ["xxxx", "abcd"], ["abcd"]]
    assert worst(hypotheses, references) == [1, 3, 5, 2, 0, 4]
    assert worst(hypotheses, references, 2) == [1, 3]
