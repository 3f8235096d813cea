import gzip

import numpy as np
import pytest

from regard.errors import InputError
from regard.text.vectors import read_vectors

WORD2VEC = "3 2\nthe 1 2\ncat 3 4.5\nété -1e-2 0\n"
GLOVE = "the 1 2 3\n. . . 4 5 6\ncat 7 8 9\nthe 0 0 0\n"


def test_word2vec(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text(WORD2VEC, encoding="utf-8")
    words, vectors = read_vectors(path, {"été", "cat", "dog"})
    assert words == ["cat", "été"]
    np.testing.assert_allclose(vectors, [[3, 4.5], [-0.01, 0]])


def test_glove_has_no_head_and_words_with_spaces_and_the_first_of_two_counts(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(GLOVE.encode()))
    words, vectors = read_vectors(path, {"the", ". . ."})
    assert words == ["the", ". . ."]
    np.testing.assert_allclose(vectors, [[1, 2, 3], [4, 5, 6]])


def test_none_of_the_words(tmp_path):
    (tmp_path / "v").write_text(GLOVE)
    words, vectors = read_vectors(tmp_path / "v", set())
    assert words == []
    assert vectors.shape == (0, 3)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"the 1 2\ncat 1 x\n", r"v, line 2: could not convert string to float: .*'x'"),
        (b"2 3\nthe 1 2 3\ncat 1 2\n", r"v, line 3: 3 fields; a word and 3 numbers go here"),
        (b"the\n", r"v, line 1: 1 fields; a word and its numbers go here"),
        (b"the 1 nan\ncat 1 2\n", r"v, line 1: a number that is not finite"),
        (b"the \xff 2\n", "is not UTF-8"),
    ],
)
def test_a_mistake_names_its_line(tmp_path, data, message):
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(InputError, match=message):
        read_vectors(tmp_path / "v", {"the", "cat"})


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="no word vectors at"):
        read_vectors(tmp_path / "v", {"a"})
    with pytest.raises(InputError, match="is a folder"):
        read_vectors(tmp_path, {"a"})
    (tmp_path / "v.gz").write_bytes(gzip.compress(b"a 1 2\n" * 100)[:20])
    with pytest.raises(InputError, match=r"v\.gz"):
        read_vectors(tmp_path / "v.gz", {"a"})
