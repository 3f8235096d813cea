import numpy as np
import pytest
import torch

from regard.errors import InputError
from regard.models.embedding import Embedding


def test_word_vectors_of_ones_own():
    embedding = Embedding(7, 3)
    before = embedding.weight.detach().clone()
    embedding.set_rows([5, 2], np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    assert embedding(torch.tensor([[2, 5]])).tolist() == [[[4, 5, 6], [1, 2, 3]]]
    assert torch.equal(embedding.weight[[0, 1, 3, 4, 6]], before[[0, 1, 3, 4, 6]])
    assert embedding.weight.requires_grad


def test_vectors_of_another_width():
    with pytest.raises(InputError, match=r"word vectors of shape \[1, 2\]; this embedding takes \[1, 3\]"):
        Embedding(7, 3).set_rows([5], np.zeros((1, 2)))
