"""Every recipe that ships is run, cut short."""

from itertools import islice

import msgspec
import pytest

from regard.models.build import parameters
from regard.recipe import load, shipped
from regard.training.strings import Pupil, Task

NAMES = sorted(path.stem for path in shipped("base").parent.glob("*.toml"))
WIDE = 1024  # what is as wide is cut to one layer of each kind


def test_the_promised_ones_are_there():
    assert {"tiny", "small", "base", "big", "reverse"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_runs(name):
    recipe = load(shipped(name))
    if recipe.model.width >= WIDE:
        recipe = msgspec.structs.replace(
            recipe, model=msgspec.structs.replace(recipe.model, encoder_layers=1, decoder_layers=1)
        )
    training = msgspec.structs.replace(recipe.training, batch=29)
    pupil = Pupil(msgspec.structs.replace(recipe, training=training), Task(), asked=2)
    losses = [progress.loss for progress in islice(pupil.learn(), 2)]
    assert len(losses) == 2
    assert all(0 < loss < 20 for loss in losses)
    assert 0 <= pupil.exact() <= 1
    assert parameters(pupil.model) > 1000


def test_the_sizes_are_as_said():
    tiny, base, big = (load(shipped(name)).model for name in ("tiny", "base", "big"))
    assert (tiny.encoder_layers, tiny.decoder_layers, tiny.width, tiny.inner, tiny.heads) == (4, 4, 128, 256, 4)
    assert (base.encoder_layers, base.decoder_layers, base.width, base.inner, base.heads) == (6, 6, 512, 2048, 8)
    assert (base.key_size, base.norm) == (64, "post")
    assert (big.width, big.inner, big.heads, big.dropout) == (1024, 4096, 16, 0.3)
