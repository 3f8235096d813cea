from itertools import islice

import torch

from regard.recipe import parse
from regard.training.strings import Pupil, Task

RECIPE = parse(
    "seed = 5\n[model]\nwidth = 14\ninner = 11\nheads = 7\nencoder_layers = 1\ndecoder_layers = 1\n"
    "[training]\nsteps = 7\nbatch = 47\nrate = 1e-2\nwarmup = 1\nclip = 0.5"
)


def lessons(recipe=RECIPE):
    return list(Pupil(recipe, Task(alphabet="abc", longest=5), asked=3).learn())


def test_it_stops_after_its_steps_and_the_loss_falls():
    losses = [lesson.loss for lesson in lessons()]
    assert len(losses) == 7
    assert losses[-1] < losses[0]


def test_the_same_seed_gives_the_same_losses_to_the_last_bit():
    assert lessons() == lessons()


def test_the_gradient_is_clipped(monkeypatch):
    pupil = Pupil(RECIPE, Task(alphabet="abc", longest=5), asked=3)
    lengths = []
    step = torch.optim.AdamW.step

    def watch(self, *args):
        gradients = [weight.grad for group in self.param_groups for weight in group["params"]]
        lengths.append(torch.stack([gradient.norm() for gradient in gradients]).norm().item())
        return step(self, *args)

    monkeypatch.setattr(torch.optim.AdamW, "step", watch)
    list(islice(pupil.learn(), 3))
    assert all(length <= 0.5001 for length in lengths)
    assert max(lengths) > 0.49
