"""B=2, H=3, T=5, S=7, K=11: primes, so that swapped axes fail."""

import math

import pytest
import torch

from regard.attention.scores import Additive, Bilinear, Cosine, additive, bilinear, cosine, dot, make_score, scaled_dot
from regard.errors import RecipeError

B, H, T, S, K = 2, 3, 5, 7, 11


def queries_and_keys():
    generator = torch.Generator().manual_seed(1)
    return torch.randn(B, H, T, K, generator=generator), torch.randn(B, H, S, K, generator=generator)


def one_by_one(q, k, score):
    """The definition: each query with each key, as two vectors."""
    out = torch.empty(B, H, T, S)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                for s in range(S):
                    out[b, h, t, s] = score(q[b, h, t], k[b, h, s], h)
    return out


DEFINITIONS = {
    "dot": (lambda q, k: dot(q, k), lambda q, k, h: (q * k).sum()),
    "scaled_dot": (lambda q, k: scaled_dot(q, k), lambda q, k, h: (q * k).sum() / math.sqrt(K)),
    "cosine": (lambda q, k: cosine(q, k), lambda q, k, h: (q * k).sum() / (q.norm() * k.norm())),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_each_pair_by_definition(name):
    q, k = queries_and_keys()
    fast, plain = DEFINITIONS[name]
    torch.testing.assert_close(fast(q, k), one_by_one(q, k, plain), atol=1e-5, rtol=0)


def test_bilinear_joins_widths_that_differ():
    q, k = queries_and_keys()
    k = k[..., :3]
    weight = torch.randn(H, K, 3, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(
        bilinear(q, k, weight), one_by_one(q, k, lambda q, k, h: q @ weight[h] @ k), atol=1e-5, rtol=0
    )


def test_additive_is_a_small_network():
    q, k = queries_and_keys()
    weight = torch.randn(H, K, generator=torch.Generator().manual_seed(3))
    plain = one_by_one(q, k, lambda q, k, h: weight[h] @ torch.tanh(q + k))
    torch.testing.assert_close(additive(q, k, weight), plain, atol=1e-5, rtol=0)
    # without heads: q [T, K], k [S, K], w [K]
    torch.testing.assert_close(additive(q[0, 0], k[0, 0], weight[0]), plain[0, 0], atol=1e-5, rtol=0)


def test_modules_are_the_functions_with_their_weights():
    q, k = queries_and_keys()
    learned = Bilinear(H, K, K)
    torch.testing.assert_close(learned(q, k), bilinear(q, k, learned.weight))
    small = Additive(H, K)
    torch.testing.assert_close(small(q, k), additive(q, k, small.weight))
    sharp = Cosine(H)
    torch.testing.assert_close(sharp(q, k), 8.0 * cosine(q, k))


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "cosine", "bilinear", "additive"])
def test_make_score(name):
    q, k = queries_and_keys()
    assert make_score(name, H, K)(q, k).shape == (B, H, T, S)


def test_an_unknown_score_names_the_known():
    with pytest.raises(RecipeError, match=r"'scaled-dot'; it may be dot, scaled_dot.*did you mean 'scaled_dot'"):
        make_score("scaled-dot", H, K)
