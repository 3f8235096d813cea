import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus.align import Aligner, spans
from regard.corpus.phrases import Aligned, content, overlap, phrases

FRENCH, ENGLISH = "Le chat noir de Tom dort, n'est-ce pas ?", "Tom's black cat is asleep, isn't it?"
# le chat noir de Tom dort , n' est - ce pas ?        Tom 's black cat is asleep , isn 't it ?
LINKS = [(1, 3), (2, 2), (3, 1), (4, 0), (5, 4), (5, 5), (6, 6), (8, 7), (10, 9), (11, 8), (12, 10)]


def view(source, target, links):
    return Aligned((source, target), (spans(source), spans(target)), links)


@pytest.fixture
def cat():
    return view(FRENCH, ENGLISH, LINKS)


def texts(view, found):
    return [(view.text(0, source), view.text(1, target)) for source, target in found]


def test_by_hand(cat):
    assert texts(cat, phrases(cat, 1)) == [("chat", "cat"), ("noir", "black")]  # Tom's is one word to a reader
    assert texts(cat, phrases(cat, 4)) == [
        ("chat", "cat"), ("chat noir", "black cat"), ("chat noir de Tom", "Tom's black cat"), ("noir", "black"),
        ("noir de Tom", "Tom's black"), ("de Tom", "Tom's"), ("dort", "is asleep"), ("est-ce pas", "isn't it"),
    ]  # fmt: skip


def test_what_a_reader_would_not_mark_is_no_phrase():
    both = "e-mail l'eau"  # e - mail l' eau
    links = [(i, i) for i in range(5)]
    found = texts(view(both, both, links), phrases(view(both, both, links), 3))
    assert ("e-mail", "e-mail") in found
    assert not {"e", "mail", "l'", "-", "e-"} & {source for source, _ in found}
    assert ("eau", "eau") in found


def test_content_is_long_words_names_and_numbers():
    text = "the dogs of Bo ate 12 at the inn"
    links = [(i, i) for i in range(9)]
    assert [one for one, _ in texts(view(text, text, links), content(view(text, text, links)))] == ["dogs", "Bo", "12"]
    assert content(view("the dog", "le chien", [(1, 1)])) == []  # both sides have to be long


def test_once(cat):
    phrase = phrases(cat, 1)[0]
    assert cat.once(phrase)
    again = view("un chat, des chats", "a cat, cats", [(1, 1)])
    assert not again.once(((1, 2), (1, 2)))


def test_how_phrases_meet():
    one = ((0, 2), (3, 5))
    assert overlap(one, ((2, 3), (0, 3))) == "apart"
    assert overlap(one, ((0, 1), (4, 5))) == overlap(((0, 1), (4, 5)), one) == "within"
    assert overlap(one, ((1, 3), (3, 5))) == "across"
    assert overlap(one, ((2, 3), (4, 6))) == "across"
    assert overlap(one, one) == "across"


words = st.lists(st.sampled_from(["le", "chat", "Tom", ",", "l'", "-", "12"]), min_size=1, max_size=7).map(" ".join)
links = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


@given(words, words, links, st.integers(1, 4))
def test_a_phrase_is_linked_in_itself_alone(source, target, links, longest):
    places = spans(source), spans(target)
    inside = sorted((i, j) for i, j in links if i < len(places[0]) and j < len(places[1]))
    made = Aligned((source, target), places, inside)
    found = phrases(made, longest)
    assert len(found) == len(set(found))
    for (a, b), (c, d) in found:
        assert 0 < b - a <= longest
        assert 0 < d - c <= longest
        ours = {(i, j) for i, j in inside if a <= i < b}
        assert ours == {(i, j) for i, j in inside if c <= j < d}
        assert {a, b - 1} <= {i for i, _ in ours}
        assert {c, d - 1} <= {j for _, j in ours}
    for one in found:
        for other in found:
            assert overlap(one, other) == overlap(other, one)


def test_out_of_an_aligner():
    pairs = [("un chat", "a cat"), ("un chien", "a dog"), ("le chien", "the dog"), ("le chat", "the cat")]
    aligner = Aligner.train([(a.split(), b.split()) for a, b in pairs * 7])
    made = Aligned.of(("Le Chat", "The Cat"), aligner)
    assert made.links == [(0, 0), (1, 1)]
    assert texts(made, phrases(made, 2)) == [("Le", "The"), ("Le Chat", "The Cat"), ("Chat", "Cat")]
