from itertools import islice

from regard.corpus.generate import strings


def test_strings_and_their_reversals():
    pairs = list(islice(strings("reverse", "abc", 2, 5, seed=1), 200))
    assert all(other == one[::-1] for one, other in pairs)
    assert {len(one) for one, _ in pairs} == {2, 3, 4, 5}
    assert {letter for one, _ in pairs for letter in one} == set("abc")


def test_copies():
    assert all(one == other for one, other in islice(strings("copy", "abc", 1, 5, seed=1), 50))


def test_the_same_seed_gives_the_same_strings():
    first, again, other = (list(islice(strings("copy", "abc", 3, 9, seed), 20)) for seed in (1, 1, 2))
    assert first == again != other
