"""One of every model, small and of prime sizes; 11 source pieces, 13 target pieces, 17 labels."""

import torch

from regard.models.build import build
from regard.recipe import (
    ByteNetSpec,
    ClassifySpec,
    FactorizationSpec,
    FillSpec,
    LanguageSpec,
    RecurrentSpec,
    TransformerSpec,
    WaveNetSpec,
)

SOURCE, TARGET, LABELS, USERS, ITEMS = 11, 13, 17, 7, 5
VECTORS = 19  # width of a source vector where the source is vectors

SMALL = {"width": 14, "inner": 23, "heads": 3, "key_width": 2, "value_width": 5}
SHAPE = {**SMALL, "encoder_layers": 2, "decoder_layers": 3, "tied": ("target", "output")}


def transformer(**options):
    return TransformerSpec(**{**SHAPE, **options}), (SOURCE, TARGET)


def recurrent(cell, attention, **options):
    return RecurrentSpec(cell=cell, attention=attention, width=7, state=6, layers=2, **options), (SOURCE, TARGET)


SEQ2SEQ = {
    "transformer": transformer(),
    "transformer-pre": transformer(norm="pre", activation="gelu"),
    "transformer-rms-swiglu-rotary": transformer(norm="pre", norm_kind="rms", activation="swiglu", positions="rotary"),
    "transformer-halved-swish-untied": transformer(positions="halved", activation="swish", tied=(), output_bias=True),
    "transformer-learned-unscaled": transformer(positions="learned", longest=37, scale_embeddings=False, bias=False),
    "transformer-window": transformer(window=2),
    "transformer-dot": transformer(score="dot"),
    "transformer-cosine": transformer(score="cosine", encoder_layers=1, decoder_layers=1),
    "transformer-bilinear": transformer(score="bilinear", positions="none"),
    "transformer-additive": transformer(score="additive"),
    "transformer-vectors": transformer(source_vectors=VECTORS),
    **{f"{cell}-none": recurrent(cell, "none") for cell in ("rnn", "gru", "lstm")},
    **{f"lstm-{attention}": recurrent("lstm", attention) for attention in ("additive", "dot", "bilinear")},
    "gru-additive": recurrent("gru", "additive", tied=("target", "output")),
    "lstm-vectors": recurrent("lstm", "additive", source_vectors=VECTORS),
    "bytenet": (ByteNetSpec(width=14, dilations=(1, 2), encoder_sets=1, decoder_sets=2), (SOURCE, TARGET)),
    "bytenet-vectors": (ByteNetSpec(width=14, dilations=(1, 2), source_vectors=VECTORS), (SOURCE, TARGET)),
    "language": (LanguageSpec(**SMALL, layers=3, longest=37), (TARGET,)),
    "wavenet": (WaveNetSpec(width=7, dilations=(1, 2, 4), sets=2), (TARGET,)),
}
LABELLERS = {
    "fill": (FillSpec(**SMALL, layers=2), (SOURCE,)),
    "classify-mean": (ClassifySpec(**SMALL, layers=2), (SOURCE, LABELS)),
    "classify-first": (ClassifySpec(**SMALL, layers=2, pooling="first"), (SOURCE, LABELS)),
}
RATINGS = {"factorization": (FactorizationSpec(width=3), (USERS, ITEMS))}
EVERY = {**SEQ2SEQ, **LABELLERS, **RATINGS}


def make(name, seed=1):
    torch.manual_seed(seed)
    spec, sizes = EVERY[name]
    return build(spec, *sizes).eval()


def source_of(name, lengths, seed=2):
    """A random source for the model, behind whose ends stands rubbish that must not matter."""
    generator = torch.Generator().manual_seed(seed)
    batch, longest = len(lengths), max(lengths)
    if name in ("language", "wavenet"):
        return torch.zeros(batch, 0, dtype=torch.long), torch.zeros(batch, dtype=torch.long)
    if name.endswith("vectors"):
        return torch.randn(batch, longest, VECTORS, generator=generator), torch.tensor(lengths)
    return torch.randint(0, SOURCE, (batch, longest), generator=generator), torch.tensor(lengths)


def target_of(batch, length, seed=3):
    return torch.randint(0, TARGET, (batch, length), generator=torch.Generator().manual_seed(seed))


def inputs(name):
    """What a model of its kind is given."""
    if name in SEQ2SEQ:
        return (*source_of(name, [7, 5, 3]), target_of(3, 5))
    if name in LABELLERS:
        return source_of(name, [7, 5, 3])
    return torch.tensor([0, 6, 2]), torch.tensor([4, 0, 1])


def outputs(name, model):
    """What the model says to it."""
    return model(*inputs(name))
