import json
import math
import random
import subprocess
import sys

import pytest

from regard.errors import InputError
from regard.evaluate.bleu import bleu, bleu_tokenised, chrf, tokens_of

VOCABULARY = ["the", "a", "dog", "cat", "sees", "Runs", "house,", "park.", "isn't", "blue", "(very)", "1,500", "Über"]


def corpus(seed, n, references=1):
    """Sentences, and hypotheses that are their first references with a fifth of the words changed."""
    rng = random.Random(seed)
    wanted = [[" ".join(rng.choices(VOCABULARY, k=rng.randint(3, 13))) for _ in range(references)] for _ in range(n)]
    said = [" ".join(rng.choice(VOCABULARY) if rng.random() < 0.2 else w for w in r[0].split()) for r in wanted]
    return said, wanted


def test_bleu_by_hand():
    # "the" stands once in the reference, so one of three counts; "dog" too.
    # 1-grams: the dog sees the cat . -> the, dog, cat, . of 6; the second "the" is one too many, "sees" is not there
    # the reference: a dog chased the cat .
    # 1-grams 4/6 (dog, the, cat, .), 2-grams 2/5 (the cat, cat .), 3-grams 1/4 (the cat .), 4-grams 0/3: for the first
    # precision of 0 sacreBLEU's smoothing takes half a hit, 1/(2*3). Six words each: no penalty for brevity.
    expected = 100 * (4 / 6 * 2 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)
    got = bleu(["the dog sees the cat."], [["a dog chased the cat."]])
    assert got.value == pytest.approx(expected, abs=1e-9)
    # a hypothesis of 5 of the reference's 7 words: all precisions 1, the penalty exp(1 - 7/5)
    assert bleu(["a b c d e"], [["a b c d e f g"]]).value == pytest.approx(100 * math.exp(-2 / 5))


def test_chrf_by_hand():
    # "abcd" for "abce": n-grams in common 3 of 4, 2 of 3, 1 of 2, 0 of 1; none are longer. Precision and recall are
    # both (3/4 + 2/3 + 1/2 + 0) / 4, and so is their mean, however weighed. White space doesn't count.
    assert chrf(["a bcd"], [["ab ce"]]).value == pytest.approx(100 * (3 / 4 + 2 / 3 + 1 / 2) / 4)
    # "ab" for "abc": 1-grams 2 of 2 and 2 of 3, 2-grams 1 of 1 and 1 of 2, no 3-grams said: precision 1, recall 7/12
    assert chrf(["ab"], [["abc"]]).value == pytest.approx(100 * 5 * (7 / 12) / (4 + 7 / 12))


def test_case_and_signatures():
    assert bleu(["A B C D"], [["a b c d"]]).value == 0
    assert bleu(["A B C D"], [["a b c d"]], lower=True).value == pytest.approx(100)
    signature = bleu(["A B C D"], [["a b c d"]], lower=True).signature
    assert signature.startswith("nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:")
    several = bleu(["a b", "c d"], [["a b"], ["c d", "c e", "d e"]]).signature
    assert several.startswith("nrefs:var|case:mixed|")


def test_writing_without_spaces_is_counted_in_characters():
    assert [tokens_of(code) for code in ("zh", "zh-TW", "ja", "de", "")] == ["zh", "zh", "char", "13a", "13a"]
    got = bleu(["我喜欢红色的猫。"], [["我喜欢蓝色的猫。"]], "zh")
    assert got.value > 30
    assert "tok:zh" in got.signature
    assert bleu(["我喜欢红色的猫。"], [["我喜欢蓝色的猫。"]]).value < 1


def test_several_references():
    # each hypothesis word is found in one of the two; the second sentence has one reference only
    got = bleu(["a b c d e", "f g h i"], [["a b c d x", "b c d e"], ["f g h i"]])
    assert got.value > bleu(["a b c d e", "f g h i"], [["a b c d x"], ["f g h i"]]).value


def test_it_is_what_sacrebleus_own_command_says(tmp_path):
    said, wanted = corpus(seed=1, n=31, references=2)
    names = [tmp_path / name for name in ("said", "first", "second")]
    for name, lines in zip(names, (said, [r[0] for r in wanted], [r[1] for r in wanted]), strict=True):
        name.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["-m", "sacrebleu", *map(str, names[1:]), "-i", str(names[0]), "-m", "bleu", "chrf", "-w", "9"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    ours = [bleu(said, wanted), chrf(said, wanted)]
    for theirs, score in zip(json.loads(done.stdout), ours, strict=True):
        assert score.value == pytest.approx(theirs["score"], abs=1e-8)
        assert score.signature == theirs["signature"]
    assert 20 < ours[0].value < 95


def test_tokenised_bleu():
    said, wanted = ["The dog's in the park."], [["the Dog's in  the park ."]]
    assert bleu_tokenised(said, wanted).value == pytest.approx(100)
    assert "case:lc|eff:no|tok:moses-en|" in bleu_tokenised(said, wanted).signature

    def spaced(text, language):
        return " ".join(text)

    # letters as tokens: abcd against abce
    got = bleu_tokenised(["abcd"], [["abce"]], "xx", spaced)
    assert got.value == pytest.approx(100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4))
    assert "tok:spaced-xx" in got.signature
    with pytest.raises(InputError, match="no sentences"):
        bleu_tokenised([], [])
