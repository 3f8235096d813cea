import torch

from regard.attention.heads import MultiHead
from regard.attention.probe import Probe, probes
from regard.look.record import record


def test_a_probe_changes_nothing_and_keeps_nothing():
    probe, x = Probe(), torch.randn(2, 3)
    assert probe("q", x) is x
    assert not list(probe.parameters())
    assert not list(probe.buffers())


def test_a_hook_may_put_something_else_in_its_place():
    layer, x = MultiHead(6, 2).eval(), torch.randn(1, 5, 6)

    def evenly(_, passed, value):
        return torch.full_like(value, 1 / 5) if passed[0] == "weights" else None

    with layer.probe.register_forward_hook(evenly):
        out = layer(x)
    torch.testing.assert_close(out, layer.output(layer.value(x).mean(1, keepdim=True)).expand(1, 5, 6))


def test_watching_leaves_the_numbers_alone():
    layer, x = MultiHead(6, 2).eval(), torch.randn(2, 5, 6)
    before = layer(x)
    with record(layer) as seen:
        torch.testing.assert_close(layer(x), before, atol=1e-5, rtol=0)
    assert list(seen) == [""]
    assert list(seen[""]) == ["q", "k", "v", "scores", "masked", "weights", "mix", "output"]
    torch.testing.assert_close(seen[""]["output"][0], before, atol=1e-5, rtol=0)
    assert not layer.probe.watched
    assert list(probes(layer)) == [""]
