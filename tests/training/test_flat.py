"""A model's numbers in one row: the model's own are views of it."""

import torch
from torch import nn

from regard.training.flat import Flat


def module():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.Linear(5, 2, bias=False))


def test_matrices_come_first_in_the_models_order():
    made = module()
    first, bias, scale, shift, last = [weight.detach().clone() for weight in made.parameters()]
    flat = Flat(made)
    assert flat.matrices == 3 * 5 + 5 * 2
    assert torch.equal(flat.values, torch.cat([one.flatten() for one in (first, last, bias, scale, shift)]))
    assert [tuple(group.shape) for group in flat.groups()] == [(25,), (15,)]


def test_what_is_done_to_the_row_is_done_to_the_model():
    made = module()
    flat = Flat(made)
    before = made(torch.ones(7, 3))
    flat.values.mul_(2)
    assert torch.equal(made[2].weight.flatten(), flat.values[15:25])
    assert not torch.equal(made(torch.ones(7, 3)), before)


def test_gradients_add_up_in_the_row():
    made, other = module(), module()
    flat = Flat(made)
    x = torch.arange(21.0).view(7, 3)
    for one in (made, made, other):
        one(x).square().sum().backward()
    wanted = [other[i].weight.grad.flatten() for i in (0, 2)]
    assert torch.equal(flat.grads[: flat.matrices], 2 * torch.cat(wanted))


def test_the_groups_are_the_row():
    flat = Flat(module())
    for group in flat.groups():
        group.data.fill_(3)
        group.grad.fill_(5)
    assert (flat.values == 3).all()
    assert (flat.grads == 5).all()


def test_with_the_row_of_another_process_both_are_one_model():
    ours, theirs = module(), module()
    flat = Flat(ours)
    own = torch.zeros_like(flat.grads)
    Flat(theirs, flat.values, own)
    flat.values.add_(1)
    assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True))
    theirs(torch.ones(2, 3)).sum().backward()
    assert own.any()
    assert not flat.grads.any()
