import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.protect import find, protect, protect_pair, restore
from regard.text.symbols import CLOSING, MOST, OPENING, PLACEHOLDERS, TERM, is_symbol

P, O, C = PLACEHOLDERS, OPENING, CLOSING  # noqa: E741


def test_by_hand():
    text, kept = protect("Hi %s and %s, <b>{n} <i>new</i></b> mails<br/>for %s")
    assert text == f"Hi {P[0]} and {P[0]}, {O[0]}{P[1]} {O[1]}new{C[1]}{C[0]} mails{P[2]}for {P[0]}"
    assert kept == {
        P[0]: "%s", P[1]: "{n}", P[2]: "<br/>", O[0]: "<b>", C[0]: "</b>", O[1]: "<i>", C[1]: "</i>",
    }  # fmt: skip
    moved = f"{P[2]}{O[1]}neue{C[1]} {P[0]}"
    assert restore(moved, kept) == "<br/><i>neue</i> %s"


@pytest.mark.parametrize(
    "whole",
    [
        "%s", "%d", "%5.2f", "%-10s", "%1$s", "%ld", "%(name)s", "%(count)02d", "%%", "%1", "%L2", "%PRODUCTNAME",
        "%MOD1", "%user_name%", "%Y", "%{count}", "{}", "{0}", "{name}", "{name!r:>10}", "{0:,.2f}", "{:%d %B %Y}",
        "{user.name}", "{a[0].b}", "{{x}}", "{{ user.name }}", "{% if x %}", "${name}", "#{name}", "$1", "$name",
        "$user$", "$(ARG1)", "$[officename]", "{0, date, long}", "{count, number}",
        "{count, plural, one {# item} other {{n} items in {place}}}", "{sex,select,f{she}other{they}}",
        "https://example.org/a?b=c&d=%20#e", "http://localhost:8000/{id}", "www.example.org", "ftp://x.org/y.zip",
        "someone@example.org", "mailto:a.b+c@example.co.uk", "<br/>", "<br>", '<img src="a.png" alt="x y">', "</b>",
        "<b>", "<x id='1'/>", "<!-- no > word -->", "&amp;", "&#160;", "&#xA0;", "\ue000", "\ue0ff\ue030",
    ],
)  # fmt: skip
def test_one_placeholder(whole):
    assert protect(f"put {whole} here") == (f"put {P[0]} here", {P[0]: whole})
    assert protect(whole) == (P[0], {P[0]: whole})


@pytest.mark.parametrize(
    "text",
    [
        "50 % of it", "100% sure", "5%of", "a < b and c > d", "I <3 you", "<y and z>", "{a, b}", "{note: two words}",
        "$1.50", "$12", "$5 million", "Tom & Jerry; yes", "_File", "&File", "~File", "@home", "3/4", "1,000",
        "{count, pl", "a@b", "{n, plural, x", "<", "%", "$", "{",
    ],
)  # fmt: skip
def test_plain_text_stays(text):
    assert protect(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("See https://x.org/a, or (https://x.org/b).", f"See {P[0]}, or ({P[1]})."),
        ("<b>a</i>b</b>", f"{O[0]}a{P[0]}b{C[0]}"),
        ("<b>a<i>b</b>c</i>", f"{O[0]}a{P[0]}b{C[0]}c{P[1]}"),
        ("<p>a<br>b</p>", f"{O[0]}a{P[0]}b{C[0]}"),
        ("<b>a</b><b>b</b>", f"{O[0]}a{C[0]}{O[1]}b{C[1]}"),
        ("<a href='%s'>%s</a>", f"{O[0]}{P[0]}{C[0]}"),
        ("<0>a</0>%d%%", f"{O[0]}a{C[0]}{P[0]}{P[1]}"),
        ("{a, plural, one {x} {b}", f"{{a, plural, one {P[0]} {P[1]}"),  # a block that is never closed
    ],
)
def test_several(text, wanted):
    got, kept = protect(text)
    assert got == wanted
    assert restore(got, kept) == text


def test_what_is_too_many_stays():
    text = " ".join(f"{{x{i}}}" for i in range(MOST + 3)) + "<b>a</b>" * (MOST + 2)
    got, kept = protect(text)
    assert got == " ".join([*P, *(f"{{x{i}}}" for i in range(MOST, MOST + 3))]) + "".join(
        f"{o}a{c}" for o, c in zip(O, C, strict=True)
    ) + "<b>a</b>" * 2  # fmt: skip
    assert restore(got, kept) == text


def test_more_private_characters_than_symbols():
    wild = "x".join(chr(0xE000 + i) for i in range(MOST + 1)) + TERM
    assert protect(f"a {wild} b") == (f"a {P[0]} b", {P[0]: wild})


wild = st.lists(
    st.sampled_from([
        "%s", "%", "{", "}", "{0}", "{n, plural, other {", "<b>", "</b>", "<i>", "</i>", "<br/>", "<", ">", "&amp;",
        "&", "$1", "$", "http://a.b/c", "x@y.z", "{{", "}}", " ", "word", "\ue000", "\ue001", "\ue010", "\ue030", "\n",
    ])
    | st.characters(min_codepoint=0xE000, max_codepoint=0xE0FF)
    | st.text(max_size=3),
    max_size=60,
).map("".join)  # fmt: skip


@given(wild)
def test_restore_is_the_inverse(text):
    got, kept = protect(text)
    assert restore(got, kept) == text
    shown = [character for character in got if is_symbol(character)]
    assert set(shown) == set(kept)  # no symbol but ours, each of which is known
    assert all(shown.count(c) == 1 for c in (*O, *C) if c in kept)


@given(wild)
def test_tags_are_balanced(text):
    waiting = []
    for character in protect(text).text:
        if character in O:
            waiting.append(character)
        elif character in C:
            assert O[C.index(character)] == waiting.pop()
    assert not waiting


def test_a_pair_by_hand():
    source = "<b>%s</b> of {n}, <b>x</b> <i>y</i>"
    target = "<i>y</i> {n}: <b>%s</b> <b>x</b>"
    pair = protect_pair(source, target)
    assert pair is not None
    assert pair[0].text == f"{O[0]}{P[0]}{C[0]} of {P[1]}, {O[1]}x{C[1]} {O[2]}y{C[2]}"
    assert pair[1].text == f"{O[2]}y{C[2]} {P[1]}: {O[0]}{P[0]}{C[0]} {O[1]}x{C[1]}"
    assert pair[0].kept == pair[1].kept
    assert restore(*pair[1]) == target


@pytest.mark.parametrize(
    ("source", "target"),
    [("%s", "%d"), ("%s %s", "%s"), ("<b>a</b>", "<b>a"), ("<b>a</b>", "a"), ("a", "{0}"), ("\ue000", "\ue000")],
)
def test_a_pair_that_differs(source, target):
    assert protect_pair(source, target) is None


@given(wild, st.randoms())
def test_a_pair_of_shuffled_words(text, rng):
    words = text.split()
    source = " ".join(words)
    rng.shuffle(words)
    target = " ".join(words)
    pair = protect_pair(source, target)
    if pair is None:
        return
    assert [restore(*side) for side in pair] == [source, target]
    assert pair[0].kept == pair[1].kept
    assert sorted(filter(is_symbol, pair[0].text)) == sorted(filter(is_symbol, pair[1].text))


def test_a_plain_pair():
    assert protect_pair("a cat", "un chat") == (("a cat", {}), ("un chat", {}))


@pytest.mark.parametrize(
    "hostile", ["{a,plural,", "<a ", "<!--", "{%", "{{", "a.b-@", "<i>", "$1.", "%(", "www.", "\ue000a"]
)
def test_hostile_text_takes_no_longer_than_its_length(hostile):
    text = hostile * 5000
    assert restore(*protect(text)) == text  # seconds, were anything quadratic
    assert len(find(text)) <= 10_000
