import pytest
import torch

import zoo
from regard.attention.probe import probes
from regard.look.record import record


def test_every_step_of_a_decoding_is_kept():
    model = zoo.make("transformer")
    source, target = zoo.source_of("transformer", [7, 3]), zoo.target_of(2, 5)
    with torch.inference_mode(), record(model) as seen:
        state = model.start(model.encode(*source))
        for t in range(5):
            _, state = model.step(state, target[:, t])
    stepped = torch.cat(seen["decoder.layers.2.cross"]["weights"], 2)
    with torch.inference_mode(), record(model) as seen:
        model(*source, target)
    torch.testing.assert_close(stepped, seen["decoder.layers.2.cross"]["weights"][0], atol=1e-5, rtol=0)


def test_unhooked_whatever_happens():
    model = zoo.make("transformer")
    with pytest.raises(ZeroDivisionError), record(model):
        raise ZeroDivisionError
    assert not any(probe.watched for probe in probes(model).values())
