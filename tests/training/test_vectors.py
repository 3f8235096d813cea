import pytest
import torch

from regard.errors import InputError
from regard.models.embedding import Embedding
from regard.training.vectors import begin_with


def test_directions_are_the_files_and_size_is_the_embeddings(tmp_path):
    (tmp_path / "v.txt").write_text("cat 30 40 0\ndog 0 0 50\nowl 1 1 1\n")
    torch.manual_seed(1)
    embedding = Embedding(101, 3)
    own = embedding.weight.detach().square().mean().sqrt()
    assert begin_with(embedding, {"cat": 7, "dog": 5, "fish": 6}, tmp_path / "v.txt") == 2
    cat, dog = embedding(torch.tensor([7, 5])).detach()
    torch.testing.assert_close(cat / cat.norm(), torch.tensor([0.6, 0.8, 0.0]))
    torch.testing.assert_close(torch.stack([cat, dog]).square().mean().sqrt(), own)


def test_another_width_is_refused(tmp_path):
    (tmp_path / "v.txt").write_text("cat 1 2\n")
    with pytest.raises(InputError, match=r"word vectors of shape \[1, 2\]; this embedding takes \[1, 3\]"):
        begin_with(Embedding(11, 3), {"cat": 7}, tmp_path / "v.txt")


def test_no_word_in_common(tmp_path):
    (tmp_path / "v.txt").write_text("cat 1 2 3\n")
    assert begin_with(Embedding(11, 3), {"dog": 7}, tmp_path / "v.txt") == 0
