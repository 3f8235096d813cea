import re

from hypothesis import given
from hypothesis import strategies as st

from regard.text.symbols import TERM, TERM_END, WANTED
from regard.text.terms import with_terms

B, W, E = TERM, WANTED, TERM_END


def test_by_hand():
    assert with_terms("le chat noir", [(3, 7, "cat")]) == f"le{B} chat{W} cat{E} noir"
    assert with_terms("chat noir", [(0, 4, "cat")]) == f"{B} chat{W} cat{E} noir"
    assert with_terms("l'eau", [(2, 5, "water")]) == f"l'{B}eau{W} water{E}"
    assert with_terms("le\u00a0chat", [(3, 7, "cat")]) == f"le{B}\u00a0chat{W} cat{E}"
    assert with_terms("chat noir", [(5, 9, "black"), (0, 4, "cat")]) == f"{B} chat{W} cat{E}{B} noir{W} black{E}"
    assert with_terms("猫黒", [(0, 1, "cat"), (1, 2, "black")]) == f"{B} 猫{W} cat{E}{B}黒{W} black{E}"
    assert with_terms("no term", []) == "no term"


plain = st.text("ab é-漢", min_size=1, max_size=12)


@given(st.lists(st.tuples(plain, st.none() | st.text("xy z", min_size=1, max_size=5)), min_size=1, max_size=6))
def test_the_source_is_read_out_of_it_again(parts):
    text, terms = "", []
    for part, wanted in parts:
        if wanted is not None:
            terms.append((len(text), len(text) + len(part), wanted))
        text += part
    marked = with_terms(text, terms[::-1])
    assert re.findall(f"{W} (.*?){E}", marked) == [wanted for *_, wanted in terms]
    without = re.sub(f"{W}.*?{E}", "", marked)
    if terms and terms[0][0] == 0:
        without = without.replace(f"{B} ", B, 1)  # the space that a term at the begin gets
    assert without.replace(B, "") == text
