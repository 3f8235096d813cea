import pytest
import torch

import zoo
from regard.models import transformer
from regard.models.build import build
from regard.models.dropout import Dropout, WordDropout, keep_bytes, skipped

COUNT = 1_000_003


def test_the_share_is_a_256th_and_the_expected_value_stays():
    torch.manual_seed(1)
    out = Dropout(0.1).train()(torch.ones(COUNT))  # 0.1 is 26 / 256 = 0.1016 here
    dropped = (out == 0).float().mean().item()
    assert dropped == pytest.approx(26 / 256, abs=0.002)
    assert out.max().item() == pytest.approx(256 / 230)
    assert out.mean().item() == pytest.approx(1, abs=0.003)


def test_every_place_in_a_draw_is_as_likely():
    torch.manual_seed(2)
    kept = keep_bytes(8 * 100_000, 128).view(-1, 8).float().mean(0)
    torch.testing.assert_close(kept, torch.full((8,), 0.5), atol=0.01, rtol=0)


def test_neighbours_do_not_go_together():
    torch.manual_seed(3)
    kept = keep_bytes(8 * 100_000, 128).view(-1, 8).float()
    correlations = torch.corrcoef(kept.T) - torch.eye(8)
    assert correlations.abs().max() < 0.02


def test_the_gradient_passes_where_the_number_passed():
    x = torch.randn(7, 11, requires_grad=True)
    out = Dropout(0.5).train()(x)
    out.sum().backward()
    torch.testing.assert_close(x.grad, (out != 0) * 2.0)
    assert torch.autograd.gradcheck(seeded, torch.randn(3, 5, dtype=torch.double, requires_grad=True))


def seeded(x):
    torch.manual_seed(4)
    return Dropout(0.3).train()(x)


def test_nothing_happens_while_answering():
    x = torch.randn(5)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0).train()(x) is x
    assert WordDropout(0.5).eval()(x) is x


def test_whole_words():
    torch.manual_seed(5)
    out = WordDropout(0.25).train()(torch.ones(101, 103, 3))
    assert set(out.sum(-1).unique().tolist()) == {0.0, 3.0}
    assert (out[..., 0] == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)


def test_layers_are_skipped_while_training_alone():
    torch.manual_seed(6)
    assert sum(skipped(0.2, True) for _ in range(2000)) == pytest.approx(400, abs=60)
    assert not any(skipped(0.9, False) for _ in range(20))


def test_a_model_whose_second_layers_are_skipped_is_the_model_without_them(monkeypatch):
    spec, sizes = zoo.transformer(layer_dropout=0.5, dropout=0.0, decoder_layers=2)
    torch.manual_seed(1)
    model = build(spec, *sizes).train()
    shallow = build(zoo.transformer(dropout=0.0, encoder_layers=1, decoder_layers=1)[0], *sizes)
    shallow.load_state_dict({n: w for n, w in model.state_dict().items() if ".layers.1." not in n})
    turns = iter([False, True] * 2)
    monkeypatch.setattr(transformer, "skipped", lambda share, training: share > 0 and next(turns))
    inputs = zoo.inputs("transformer")
    torch.testing.assert_close(model(*inputs), shallow(*inputs))


def test_who_answers_has_all_layers_and_all_words():
    for options in ({"layer_dropout": 0.7}, {"word_dropout": 0.7}):
        spec, sizes = zoo.transformer(dropout=0.0, **options)
        torch.manual_seed(1)
        model = build(spec, *sizes)
        plain = build(zoo.transformer(dropout=0.0)[0], *sizes)
        plain.load_state_dict(model.state_dict())
        inputs = zoo.inputs("transformer")
        torch.testing.assert_close(model.eval()(*inputs), plain(*inputs))
        assert len({model.train()(*inputs).sum().item() for _ in range(20)}) > 2
