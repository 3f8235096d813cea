"""B=2, H=3, T=5, S=7, K=11, V=13: primes, so that swapped axes fail."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.attention import attend as room
from regard.attention import masks
from regard.attention.attend import attend, attend_plainly, hide, mix, softmax
from regard.attention.probe import Probe
from regard.attention.scores import Additive, dot, make_score, scaled_dot

B, H, T, S, K, V = 2, 3, 5, 7, 11, 13


def random_inputs(dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    shapes = (B, H, T, K), (B, H, S, K), (B, H, S, V)
    return tuple(torch.randn(*shape, generator=generator).to(dtype).requires_grad_() for shape in shapes)


def random_mask():
    """Some keys hidden, one query that may see none."""
    mask = torch.rand(B, 1, T, S, generator=torch.Generator().manual_seed(2)) > 0.4
    mask[1, 0, 2] = False
    return mask


def test_by_hand():
    # One query q = (1, 0), keys k1 = (ln 3, 5), k2 = (0, 7), values v1 = (4, 0), v2 = (0, 8), plain dot product:
    # scores  q.k1 = ln 3, q.k2 = 0;  softmax: e^ln3 = 3, e^0 = 1, sum 4: weights 3/4 and 1/4;
    # mix     3/4 (4, 0) + 1/4 (0, 8) = (3, 2).
    q = torch.tensor([[[[1.0, 0.0]]]])
    k = torch.tensor([[[[math.log(3), 5.0], [0.0, 7.0]]]])
    v = torch.tensor([[[[4.0, 0.0], [0.0, 8.0]]]])
    torch.testing.assert_close(attend(q, k, v, score=dot), torch.tensor([[[[3.0, 2.0]]]]))


def test_the_same_by_hand_scaled():
    # Now each score is divided by sqrt(K) = sqrt(2): with k1 = (sqrt(2) ln 3, 5) the score is ln 3 again.
    q = torch.tensor([[[[1.0, 0.0]]]])
    k = torch.tensor([[[[math.sqrt(2) * math.log(3), 5.0], [0.0, 7.0]]]])
    v = torch.tensor([[[[4.0, 0.0], [0.0, 8.0]]]])
    torch.testing.assert_close(attend(q, k, v), torch.tensor([[[[3.0, 2.0]]]]))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("score", [dot, scaled_dot])
def test_the_fused_kernel_equals_the_four_functions(masked, score):
    mask = random_mask() if masked else None
    fused, watched = random_inputs(), random_inputs()
    probe = Probe()
    with probe.register_forward_hook(lambda *_: None):
        plain = attend(*watched, mask, score=score, probe=probe)
    out = attend(*fused, mask, score=score, probe=probe)
    torch.testing.assert_close(out, plain, atol=1e-5, rtol=0)
    out.square().sum().backward()
    plain.square().sum().backward()
    for one, other in zip(fused, watched, strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=0)


def test_nobody_watching_takes_the_fused_kernel(monkeypatch):
    monkeypatch.setattr(room, "softmax", None)  # the plain way would fail
    q, k, v = random_inputs()
    attend(q, k, v, random_mask(), probe=Probe())


def test_bfloat16_on_a_processor_takes_the_plain_way(monkeypatch):
    monkeypatch.setattr(room.F, "scaled_dot_product_attention", None)  # the fused way would fail
    q, k, v = random_inputs(torch.bfloat16)
    assert attend(q, k, v).dtype == torch.bfloat16


@pytest.mark.parametrize("score", [scaled_dot, Additive(H, K)])
def test_a_query_that_may_see_nothing_gets_zeros(score):
    q, k, v = random_inputs()
    out = attend(q, k, v, random_mask(), score=score)
    assert not out[1, :, 2].any()
    assert out[0].abs().sum(-1).all()
    out.sum().backward()
    assert all(tensor.grad.isfinite().all() for tensor in (q, k, v))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=S, max_size=S), min_size=T, max_size=T), st.integers(0, 2**31))
def test_rows_sum_to_one_or_are_empty(rows, seed):
    mask = torch.tensor(rows)
    scores = 50 * torch.randn(T, S, generator=torch.Generator().manual_seed(seed))
    weights = softmax(hide(scores, mask), mask)
    assert not weights[~mask].any()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float(), atol=1e-5, rtol=0)


def test_mix_is_the_weighted_sum():
    weights, v = torch.rand(T, S), torch.randn(S, V)
    by_hand = torch.stack([sum(weights[t, s] * v[s] for s in range(S)) for t in range(T)])
    torch.testing.assert_close(mix(weights, v), by_hand, atol=1e-5, rtol=0)


def test_without_parameters():
    # y = softmax(x x^T) x, word by word as the article has it.
    x = torch.randn(B, T, K, generator=torch.Generator().manual_seed(3))
    out = attend_plainly(x)
    for b in range(B):
        for t in range(T):
            raw = torch.stack([x[b, t] @ x[b, s] for s in range(T)])
            weights = raw.exp() / raw.exp().sum()
            torch.testing.assert_close(out[b, t], sum(weights[s] * x[b, s] for s in range(T)), atol=1e-5, rtol=0)
    torch.testing.assert_close(out, attend(x[:, None], x[:, None], x[:, None], score=dot)[:, 0], atol=1e-5, rtol=0)


def test_without_parameters_a_permutation_passes_through():
    # p(sa(X)) = sa(p(X))
    x, order = torch.randn(T, K), torch.randperm(T, generator=torch.Generator().manual_seed(4))
    torch.testing.assert_close(attend_plainly(x[order]), attend_plainly(x)[order], atol=1e-5, rtol=0)


def test_dropout_falls_on_the_weights():
    q, k, v = random_inputs()
    torch.testing.assert_close(attend(q, k, v, dropout=lambda weights: 2 * weights), 2 * attend(q, k, v))


@pytest.mark.parametrize("kind", ["scaled_dot", "additive"])
def test_several_rows_of_queries_may_look_at_the_same_keys(kind):
    torch.manual_seed(1)
    q, k, v = torch.randn(6, 5, 3, 7), torch.randn(2, 5, 11, 7), torch.randn(2, 5, 11, 13)
    mask = masks.padding(torch.tensor([11, 4]), 11)
    score = make_score(kind, 5, 7)
    each = torch.arange(2).repeat_interleave(3)
    expected = attend(q, k[each], v[each], mask[each], score=score)
    torch.testing.assert_close(attend(q, k, v, mask, score=score), expected, atol=1e-6, rtol=0)
    probe = Probe(heads=5)
    seen = []
    probe.register_forward_hook(lambda _, passed, value: seen.append(value.shape))
    torch.testing.assert_close(attend(q, k, v, mask, score=score, probe=probe), expected, atol=1e-6, rtol=0)
    assert {shape[0] for shape in seen} == {6}
