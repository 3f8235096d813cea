import pytest
import torch

import zoo
from regard.attention.positions import make_positions
from regard.errors import InputError
from regard.look.record import record
from regard.models.build import parameters
from regard.models.transformer import Transformer
from regard.recipe import TransformerSpec, load

S, T = 7, 5


def encoder_of(positions):
    torch.manual_seed(1)
    spec, sizes = zoo.transformer(positions=positions, longest=37)
    return Transformer(spec, *sizes).eval()


def test_without_positions_permuting_the_input_permutes_the_output_and_nothing_else():
    model, (source, lengths) = encoder_of("none"), zoo.source_of("transformer", [S])
    order = torch.randperm(S, generator=torch.Generator().manual_seed(2))
    straight, permuted = model.encode(source, lengths), model.encode(source[:, order], lengths)
    torch.testing.assert_close(permuted.features, straight.features[:, order], atol=1e-5, rtol=0)
    # so the decoder, which only looks at it, says the same
    target = zoo.target_of(1, T)
    torch.testing.assert_close(
        model(source[:, order], lengths, target), model(source, lengths, target), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("positions", ["sinusoidal", "halved", "learned", "rotary"])
def test_with_positions_it_does_not(positions):
    model, (source, lengths) = encoder_of(positions), zoo.source_of("transformer", [S])
    order = torch.arange(S).flip(0)
    straight, permuted = model.encode(source, lengths), model.encode(source[:, order], lengths)
    assert (permuted.features - straight.features[:, order]).abs().max() > 1e-2


@pytest.mark.parametrize("tied", [(), ("source", "target"), ("target", "output"), ("source", "output"),
                                  ("source", "target", "output")])  # fmt: skip
def test_tied_matrices_are_one(tied):
    spec = TransformerSpec(**{**zoo.SHAPE, "tied": tied})
    model = Transformer(spec, 11, 11)
    of = {
        "source": model.source.embedding.weight,
        "target": model.target.embedding.weight,
        "output": model.logits.weight,
    }
    for one in of:
        for other in of:
            assert (of[one] is of[other]) == (one == other or (one in tied and other in tied))
    untied = parameters(Transformer(TransformerSpec(**{**zoo.SHAPE, "tied": ()}), 11, 11))
    assert parameters(model) == untied - 11 * 14 * max(0, len(tied) - 1)


def test_tied_vocabularies_must_agree():
    with pytest.raises(InputError, match=r"tied source, output: matrices of \[11, 14\] and \[13, 14\]"):
        Transformer(TransformerSpec(**{**zoo.SHAPE, "tied": ("source", "output")}), 11, 13)


def test_a_sequence_past_the_longest_position():
    model = encoder_of("learned")
    with pytest.raises(InputError, match="a sequence of 38 tokens; this model's learned positions end at 37"):
        model.encode(*zoo.source_of("transformer", [38]))
    source = zoo.source_of("transformer", [S])
    with pytest.raises(InputError, match="a sequence of 40 tokens"):
        model(*source, zoo.target_of(1, 40))


def test_a_window_hides_what_is_farther_away():
    # One layer: a token's own attention reaches 2 neighbours, so the fourth token is out of the first's sight.
    spec, sizes = zoo.transformer(window=2, encoder_layers=1)
    model = Transformer(spec, *sizes).eval()
    source, lengths = zoo.source_of("transformer", [S])
    changed = source.clone()
    changed[:, 3] = (changed[:, 3] + 1) % zoo.SOURCE
    difference = (model.encode(source, lengths).features - model.encode(changed, lengths).features).abs().amax((0, 2))
    assert (difference > 1e-4).tolist() == [False, True, True, True, True, True, False]


def test_all_attentions_can_be_watched():
    model = zoo.make("transformer")
    with record(model) as seen:
        model(*zoo.source_of("transformer", [7, 3]), zoo.target_of(2, T))
    assert list(seen) == [
        "encoder.layers.0.own", "encoder.layers.1.own",
        "decoder.layers.0.own", "decoder.layers.0.cross", "decoder.layers.1.own", "decoder.layers.1.cross",
        "decoder.layers.2.own", "decoder.layers.2.cross",
    ]  # fmt: skip
    for tensors in seen.values():
        (weights,), (mix,), (v,) = tensors["weights"], tensors["mix"], tensors["v"]
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5, rtol=0)
        torch.testing.assert_close(weights @ v, mix, atol=1e-5, rtol=0)
    assert not seen["decoder.layers.0.cross"]["weights"][0][1, ..., 3:].any()  # padding gets nothing
    assert not seen["decoder.layers.0.own"]["weights"][0].triu(1).any()  # nor does the future


def test_watched_or_not_the_logits_are_the_same():
    model, source, target = zoo.make("transformer"), zoo.source_of("transformer", [7, 3]), zoo.target_of(2, T)
    before = model(*source, target)
    with record(model):
        torch.testing.assert_close(model(*source, target), before, atol=1e-5, rtol=0)


def test_layer_dropout_skips_layers_while_training_alone():
    spec, sizes = zoo.transformer(layer_dropout=0.5)
    model, source, target = Transformer(spec, *sizes).train(), zoo.source_of("transformer", [7]), zoo.target_of(1, T)
    for part in model.modules():
        if hasattr(part, "share"):
            part.share = 0.0
    torch.manual_seed(3)
    seen = {round(model(*source, target).sum().item(), 4) for _ in range(20)}
    assert len(seen) > 4
    model.eval()
    assert torch.equal(model(*source, target), model(*source, target))


def test_base_has_the_papers_size(capsys):
    with torch.device("meta"):
        count = parameters(Transformer(load("recipes/base.toml").model, 37000, 37000))
    with capsys.disabled():
        print(f"\nbase with 37,000 joint pieces: {count:,} parameters; the paper says 65 million", end=" ")
    # By hand: a matrix with its bias is (in + 1) * out. Attention 4 * 513 * 512 = 1,050,624; feed-forward
    # 513 * 2048 + 2049 * 512 = 2,099,712; a norm 1,024. Encoder layer: 1,050,624 + 2,099,712 + 2 * 1,024 = 3,152,384;
    # decoder layer: one attention and one norm more = 4,204,032; six of each 44,138,496; pieces 37,000 * 512.
    assert count == 44_138_496 + 18_944_000
    assert round(count / 1e6) == 63


def test_the_slots_of_positions_are_the_recipes():
    assert make_positions("halved", 14, 37).layout == "halved"


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_stacks_sublayers_begin_as_one_together(norm):
    torch.manual_seed(1)
    spec = TransformerSpec(width=62, inner=124, heads=2, encoder_layers=3, decoder_layers=2, norm=norm)
    model = Transformer(spec, 53, 53)
    for layers, sublayers in ((model.encoder.layers, 3 * 2), (model.decoder.layers, 2 * 3)):
        for layer in layers:
            for linear in (layer.own.output, layer.feed_forward.outer):
                xavier = (2 / sum(linear.weight.shape)) ** 0.5
                assert linear.weight.std().item() == pytest.approx(xavier / sublayers**0.5, rel=0.05)
            assert layer.own.query.weight.std().item() == pytest.approx((2 / 124) ** 0.5, rel=0.05)
