"""B=2, T=5, S=7, D=11, M=13, H=3, K=2, V=17."""

import pytest
import torch

from regard.attention.heads import Keys, MultiHead
from regard.attention.masks import causal, padding
from regard.attention.probe import heads_off
from regard.errors import InputError, RecipeError
from regard.look.record import record

B, T, S, D, M, H, K, V = 2, 5, 7, 11, 13, 3, 2, 17


def make(**options):
    torch.manual_seed(1)
    return MultiHead(D, H, memory_width=M, key_width=K, value_width=V, **options).eval()


def test_heads_one_by_one():
    # Head h reads its own columns of W_Q, W_K, W_V; the heads' answers stand side by side before W_O.
    layer, x, memory = make(), torch.randn(B, T, D), torch.randn(B, S, M)
    answers = []
    for h in range(H):
        q = layer.query(x)[..., h * K : (h + 1) * K]
        k = layer.key(memory)[..., h * K : (h + 1) * K]
        v = layer.value(memory)[..., h * V : (h + 1) * V]
        answers.append((q @ k.transpose(1, 2) / K**0.5).softmax(-1) @ v)
    torch.testing.assert_close(layer(x, memory), layer.output(torch.cat(answers, -1)), atol=1e-5, rtol=0)


@pytest.mark.parametrize("score", ["dot", "scaled_dot", "cosine", "bilinear", "additive"])
@pytest.mark.parametrize("rotary", [False, True])
def test_a_cache_gives_the_same_step_by_step(score, rotary):
    torch.manual_seed(2)
    layer = MultiHead(D, H, key_width=K, value_width=V, score=score, rotary=rotary).eval()
    x = torch.randn(B, T, D)
    whole = layer(x, mask=causal(T))
    keys, steps = None, []
    for t in range(T):
        newer = layer.project(x[:, t : t + 1], offset=t)
        keys = newer if keys is None else keys.extend(newer)
        steps.append(layer.look(x[:, t : t + 1], keys, offset=t))
    torch.testing.assert_close(torch.cat(steps, 1), whole, atol=1e-5, rtol=0)
    assert isinstance(keys, Keys)
    assert keys.k.shape == (B, H, T, K)


def test_padding_changes_nothing():
    layer, x, memory = make(), torch.randn(B, T, D), torch.randn(B, S, M)
    short = layer(x[1:], memory[1:, :3])
    torch.testing.assert_close(layer(x, memory, padding(torch.tensor([7, 3]), S))[1:], short, atol=1e-5, rtol=0)


def test_a_head_switched_off_adds_nothing():
    layer, x, memory = make(), torch.randn(B, T, D), torch.randn(B, S, M)
    whole = layer(x, memory)
    with heads_off(layer, {"": [1]}):
        off = layer(x, memory)
    with torch.no_grad():
        layer.output.weight[:, V : 2 * V] = 0  # by hand: what W_O would read of head 1
    torch.testing.assert_close(off, layer(x, memory), atol=1e-5, rtol=0)
    assert (off - whole).abs().max() > 1e-2


def test_all_heads_off_leave_the_bias():
    layer, x, memory = make(), torch.randn(B, T, D), torch.randn(B, S, M)
    with heads_off(layer, {"": range(H)}):
        torch.testing.assert_close(layer(x, memory), layer.output.bias.expand(B, T, D))


def test_heads_off_refuses_what_is_not_there():
    layer = torch.nn.ModuleDict({"own": make()})
    with (
        pytest.raises(InputError, match=r"no attention at 'onw' \(did you mean 'own'\?\); there are own"),
        heads_off(layer, {"onw": [0]}),
    ):
        pass
    too_many = r"heads \[0, 3\] of 'own' to switch off; it has 3, numbered from 0"
    with pytest.raises(InputError, match=too_many), heads_off(layer, {"own": [3, 0]}):
        pass
    assert not layer["own"].probe.watched


def test_a_width_the_heads_do_not_divide():
    with pytest.raises(RecipeError, match="width 11 is not divided by 3 heads"):
        MultiHead(D, H)


def test_equals_torch():
    # Its weights: W_Q, W_K, W_V under one another in in_proj_weight.
    width, heads = 12, 3
    theirs = torch.nn.MultiheadAttention(width, heads, batch_first=True).eval()
    ours = MultiHead(width, heads).eval()
    with torch.no_grad():
        for i, ours_part in enumerate((ours.query, ours.key, ours.value)):
            ours_part.weight.copy_(theirs.in_proj_weight[i * width : (i + 1) * width])
            ours_part.bias.copy_(torch.randn(width))
            theirs.in_proj_bias[i * width : (i + 1) * width] = ours_part.bias
        ours.output.load_state_dict(theirs.out_proj.state_dict())
    x, memory = torch.randn(B, T, width), torch.randn(B, S, width)
    mask = padding(torch.tensor([7, 3]), S)
    out, weights = theirs(x, memory, memory, key_padding_mask=~mask[:, 0, 0], average_attn_weights=False)
    with record(ours) as seen:
        watched = ours(x, memory, mask)
    torch.testing.assert_close(ours(x, memory, mask), out, atol=1e-5, rtol=0)
    torch.testing.assert_close(watched, out, atol=1e-5, rtol=0)
    torch.testing.assert_close(seen[""]["weights"][0], weights, atol=1e-5, rtol=0)
