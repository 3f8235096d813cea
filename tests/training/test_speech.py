"""The loss of the last layer by hand, and beside torch's own."""

import math

import pytest
import torch
import torch.nn.functional as F

from regard.training import speech
from regard.training.speech import agreeing_loss, smoothed_loss

SMOOTHING = 0.3


def test_by_hand():
    # One feature 1, so the logits are the weights ln 1, ln 2, ln 5: probabilities 1/8, 2/8, 5/8. Wanted is the last:
    # plain -ln(5/8); smoothed by 0.3: 0.7 * -ln(5/8) - 0.1 * (ln(1/8) + ln(2/8) + ln(5/8)).
    x, weight, wanted = torch.ones(1, 1), torch.tensor([[1.0], [2.0], [5.0]]).log(), torch.tensor([2])
    plain = -math.log(5 / 8)
    assert smoothed_loss(x, weight, None, wanted, 0.0, torch.float32).item() == pytest.approx(plain, abs=1e-6)
    smooth = 0.7 * plain - 0.1 * (math.log(1 / 8) + math.log(2 / 8) + math.log(5 / 8))
    assert smoothed_loss(x, weight, None, wanted, 0.3, torch.float32).item() == pytest.approx(smooth, abs=1e-6)


@pytest.fixture(params=[False, True], ids=["no bias", "bias"])
def given(request, monkeypatch):
    """Features of two dropouts, weights and what is wanted: 37 rows, in blocks of 11."""
    monkeypatch.setattr(speech, "ROWS", 22)
    torch.manual_seed(3)
    x, y, weight = (torch.randn(*size, requires_grad=True) for size in ((37, 19), (37, 19), (53, 19)))
    bias = torch.randn(53, requires_grad=True) if request.param else None
    return x, y, weight, bias, torch.randint(0, 53, (37,))


def gradients(loss, *of):
    return torch.autograd.grad(0.7 * loss, [one for one in of if one is not None])


def test_loss_and_gradients_are_those_of_a_plain_cross_entropy(given):
    x, _, weight, bias, wanted = given
    ours = smoothed_loss(x, weight, bias, wanted, SMOOTHING, torch.float32)
    theirs = F.cross_entropy(F.linear(x, weight, bias), wanted, label_smoothing=SMOOTHING, reduction="sum")
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-6)
    for one, other in zip(gradients(ours, x, weight, bias), gradients(theirs, x, weight, bias), strict=True):
        torch.testing.assert_close(one, other, atol=2e-6, rtol=1e-5)


def test_r_drop_is_the_papers_formula_halved(given):
    x, y, weight, bias, wanted = given
    ours = agreeing_loss(x, y, weight, bias, wanted, SMOOTHING, 1.7, torch.float32)
    logits = [F.linear(features, weight, bias) for features in (x, y)]
    likely = sum(F.cross_entropy(one, wanted, label_smoothing=SMOOTHING, reduction="sum") for one in logits)
    log_p, log_q = (one.log_softmax(-1) for one in logits)
    apart = (log_p.exp() * (log_p - log_q)).sum() + (log_q.exp() * (log_q - log_p)).sum()
    theirs = likely / 2 + 1.7 / 4 * apart
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-6)
    for one, other in zip(gradients(ours, x, y, weight, bias), gradients(theirs, x, y, weight, bias), strict=True):
        torch.testing.assert_close(one, other, atol=3e-6, rtol=1e-5)


def test_in_bfloat16_the_gradients_point_the_same_way(given):
    x, _, weight, bias, wanted = given
    narrow, wide = (
        gradients(smoothed_loss(x, weight, bias, wanted, SMOOTHING, dtype), x, weight, bias)
        for dtype in (torch.bfloat16, torch.float32)
    )
    for one, other in zip(narrow, wide, strict=True):
        assert F.cosine_similarity(one.flatten(), other.flatten(), dim=0) > 0.9999
