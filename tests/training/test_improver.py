"""Clip, AdamW and the running mean: one step by hand, more of them beside torch's own."""

import pytest
import torch
from torch import nn

from regard.recipe import TrainingSpec
from regard.training.flat import Flat
from regard.training.improver import Improver

DECAY, RATE = 0.1, 0.5


def model():
    """A matrix of 1 and 2, which decays, and a bias of 4, which does not."""
    made = nn.Linear(2, 1)
    with torch.no_grad():
        made.weight.copy_(torch.tensor([[1.0, 2.0]]))
        made.bias.fill_(4.0)
    return made


def improver(**spec):
    return Improver(Flat(model()), TrainingSpec(decay=DECAY, **spec))


def test_one_step_by_hand():
    # Gradients 9, 12, 0 summed over 3 things: their mean is 3, 4, 0, of length 5. Adam's first step is as long as the
    # rate: 1 * (1 - 0.5 * 0.1) - 0.5, 2 * (1 - 0.5 * 0.1) - 0.5, and 4, which nothing pulls at.
    one = improver(clip=2.0, average=0.99)
    one.flat.grads.copy_(torch.tensor([9.0, 12.0, 0.0]))
    assert one.improve(1, 3, RATE) == pytest.approx(5)
    torch.testing.assert_close(one.flat.grads, torch.tensor([1.2, 1.6, 0.0]))  # shortened to 2
    torch.testing.assert_close(one.flat.values, torch.tensor([0.45, 1.4, 4.0]))
    # At step 1 the mean is 1/11 of what it was and 10/11 of what is new: early weights are soon forgotten.
    torch.testing.assert_close(one.average, torch.tensor([1 + 10 * 0.45, 2 + 10 * 1.4, 44.0]) / 11)


def test_a_short_gradient_stays_as_long_as_it_is():
    one = improver(clip=7.0)
    one.flat.grads.copy_(torch.tensor([3.0, 4.0, 0.0]))
    one.improve(1, 1, RATE)
    assert one.flat.grads.tolist() == [3, 4, 0]


def test_no_gradient_is_no_division_by_zero():
    one = improver()
    assert one.improve(1, 5, 0.0) == 0
    assert one.flat.values.tolist() == [1, 2, 4]


def test_later_the_mean_moves_as_slowly_as_the_recipe_says():
    one = improver(average=0.9)
    one.improve(1000, 1, 0.0)
    one.flat.values.add_(1)
    one.improve(1001, 1, 0.0)
    torch.testing.assert_close(one.average, torch.tensor([1.1, 2.1, 4.1]))


def test_without_a_mean_the_last_weights_are_it():
    one = improver(average=0.0)
    one.flat.grads.fill_(1)
    one.improve(1, 1, RATE)
    assert torch.equal(one.average, one.flat.values)


def steps(one, numbers):
    for number in numbers:
        one.flat.grads.copy_(torch.tensor([1.0, -2.0, 3.0]) * number)
        one.improve(number, 1, 0.1 / number)


def test_it_is_torchs_adamw():
    one, theirs = improver(clip=1e6), model()
    groups = [{"params": [theirs.weight]}, {"params": [theirs.bias], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=DECAY)
    for number in range(1, 6):
        theirs.weight.grad, theirs.bias.grad = torch.tensor([[1.0, -2.0]]) * number, torch.tensor([3.0]) * number
        for group in optimizer.param_groups:
            group["lr"] = 0.1 / number
        optimizer.step()
    steps(one, range(1, 6))
    torch.testing.assert_close(one.flat.values, torch.cat([theirs.weight.flatten(), theirs.bias]).detach())


def test_who_loads_what_another_had_goes_on_alike_to_the_last_bit():
    one, other = improver(), improver()
    steps(one, range(1, 4))
    held = {name: tensor.clone() for name, tensor in one.tensors().items()}
    assert set(held) == {"weights", "average"} | {f"{n}.{i}" for n in ("exp_avg", "exp_avg_sq", "step") for i in (0, 1)}
    other.load(held)
    for each in (one, other):
        steps(each, range(4, 7))
    assert all(torch.equal(other.tensors()[name], tensor) for name, tensor in one.tensors().items())


def test_one_that_has_not_stepped_can_be_loaded_too():
    one, other = improver(), improver()
    other.load(one.tensors())
    steps(one, (1,))
    steps(other, (1,))
    assert torch.equal(one.flat.values, other.flat.values)


def test_meanwhile_the_model_has_the_mean_for_weights():
    one = improver()
    steps(one, (1,))
    own = one.flat.values.clone()
    assert not torch.equal(one.average, own)
    with one.averaged():
        assert torch.equal(one.flat.values, one.average)
    assert torch.equal(one.flat.values, own)
    with pytest.raises(ZeroDivisionError), one.averaged():
        raise ZeroDivisionError
    assert torch.equal(one.flat.values, own)
