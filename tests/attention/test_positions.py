"""T=7, D=10, K=6."""

import math

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from regard.attention.positions import Learned, Rotary, Sinusoidal, make_positions, sinusoidal
from regard.errors import InputError, RecipeError

T, D, K = 7, 10, 6


def test_the_papers_formula_number_by_number():
    table = sinusoidal(T, D)
    for pos in range(T):
        for i in range(D // 2):
            angle = pos / 10000 ** (2 * i / D)
            assert table[pos, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[pos, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_halved_holds_the_same_numbers_sines_first():
    table = sinusoidal(T, D, "halved")
    torch.testing.assert_close(table[:, : D // 2], sinusoidal(T, D)[:, 0::2])
    torch.testing.assert_close(table[:, D // 2 :], sinusoidal(T, D)[:, 1::2])


def test_far_positions_are_exact():
    assert sinusoidal(1, D, offset=99991)[0, 0].item() == pytest.approx(math.sin(99991), abs=1e-6)


@pytest.mark.parametrize("name", ["sinusoidal", "halved", "learned", "none"])
def test_a_piece_behind_others_is_placed_there(name):
    layer, x = make_positions(name, D, longest=200), torch.randn(2, 131, D)
    whole = layer(x)
    pieces = torch.cat([layer(x[:, :100]), layer(x[:, 100:130], 100), layer(x[:, 130:], 130)], 1)
    torch.testing.assert_close(pieces, whole)


def test_sinusoids_have_no_longest_position():
    layer = Sinusoidal(D, "interleaved")
    torch.testing.assert_close(layer(torch.zeros(1, 1, D), 5000)[0], sinusoidal(1, D, offset=5000))
    assert not layer.state_dict()


def test_learned_positions_end():
    with pytest.raises(InputError, match=r"a sequence of 8 tokens; this model's learned positions end at 7"):
        Learned(D, T)(torch.zeros(1, 1, D), offset=7)


def test_rotary_scores_depend_on_the_distance_alone():
    rotary = Rotary(K)
    q, k = torch.randn(1, 1, 1, K), torch.randn(1, 1, 1, K)
    scores = [(rotary(q, 5 + at) * rotary(k, at)).sum() for at in (0, 1, 13, 101)]
    torch.testing.assert_close(torch.stack(scores), scores[0].expand(4), atol=1e-5, rtol=0)
    assert abs(scores[0] - (rotary(q, 6) * rotary(k, 0)).sum()) > 1e-3


def test_rotary_turns_and_never_stretches():
    x = torch.randn(2, 3, T, K)
    torch.testing.assert_close(Rotary(K)(x).norm(dim=-1), x.norm(dim=-1))


def test_rotary_by_hand():
    # K = 2, one pair; position 1 turns it by 1 radian: (x, y) -> (x cos 1 - y sin 1, y cos 1 + x sin 1)
    out = Rotary(2)(torch.tensor([[[[3.0, 4.0]]]]), offset=1)
    wanted = [3 * math.cos(1) - 4 * math.sin(1), 4 * math.cos(1) + 3 * math.sin(1)]
    torch.testing.assert_close(out[0, 0, 0], torch.tensor(wanted))


def test_rotary_equals_hugging_face():
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    config = pytest.importorskip("transformers").LlamaConfig(hidden_size=2 * K, num_attention_heads=2, head_dim=K)
    x = torch.randn(1, 2, T, K)
    cos, sin = llama.LlamaRotaryEmbedding(config)(x, torch.arange(T)[None])
    theirs, _ = llama.apply_rotary_pos_emb(x, x, cos, sin)
    torch.testing.assert_close(Rotary(K)(x), theirs, atol=1e-5, rtol=0)


class Known(TorchDispatchMode):
    """What each device is asked to hold."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.seen |= {(one.device.type, one.dtype) for one in tree_leaves(out) if isinstance(one, torch.Tensor)}
        return out


def test_no_device_is_asked_for_float64():
    with Known() as known:
        out = Rotary(K)(torch.empty(1, 2, T, K, device="meta"))
        Sinusoidal(D, "halved").to("meta")(torch.empty(1, 101, D, device="meta"))
    assert out.shape == (1, 2, T, K)
    assert {dtype for device, dtype in known.seen if device == "meta"} == {torch.float32}


def test_refused():
    with pytest.raises(RecipeError, match=r"width is 7; .* even width"):
        sinusoidal(3, 7)
    with pytest.raises(RecipeError, match=r"positions is 'learnt'; it may be .*did you mean 'learned'"):
        make_positions("learnt", D, 10)
