"""Markdown that says what a text says, whatever it holds; read by another's parser."""

from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from regard.training.card.markdown import block, code, items, plain, table
from regard.training.watch.words import clean

MARKS = "\\`*_[]()<>#!|~&$-+.=:/ \tab1\n"
texts = st.text(st.sampled_from(MARKS)) | st.text()


def html(markdown):
    return MarkdownIt("commonmark").enable("table").render(markdown)


@given(texts)
def test_a_text_is_read_as_it_is(text):
    assert unescape(html(f"(({plain(text)}))")) == f"<p>(({clean(text)}))</p>\n"


@given(texts.filter(lambda text: clean(text).strip()))
def test_code_is_read_as_it_is(text):
    shown = unescape(html(f"x {code(text)} x"))
    before, after = "<p>x <code>", "</code> x</p>\n"
    assert shown.startswith(before)
    assert shown.endswith(after)
    assert shown[len(before) : -len(after)].strip() == clean(text).strip()


@given(st.lists(texts, min_size=1))
def test_a_block_is_read_as_it_is(lines):
    shown = unescape(html(block(["first", *lines, "last"])))
    assert [line.strip() for line in shown.split("\n")] == [
        "<pre><code>first", *(clean(line).strip() for line in lines), "last", "</code></pre>", "",
    ]  # fmt: skip


@given(texts, texts)
def test_a_text_stays_in_its_cell(text, other):
    shown = html(table(("", plain(text)), [("x", plain(other))]))
    assert shown.count("</td>") == shown.count("</th>") == 2
    assert clean(other).strip() in unescape(shown)


def test_by_hand():
    assert plain("# a_b <i> | c\nd") == r"\# a\_b &lt;i&gt; &#124; c d"
    assert code("a.txt") == "`a.txt`"
    assert code("a`b") == "`` a`b ``"
    assert block(["a", "<b>"]) == "    a\n    <b>"
    assert items(["a", "b"]) == "- a\n- b"
    assert table(("", "n"), [("a", "1")]) == "|  | n |\n| --- | ---: |\n| a | 1 |"
