"""The articles' five architectures at about the same size: contest.py lets them compete, lengths.py times them.

Nearly 3 million numbers each with 8,000 joint pieces, whose one matrix serves source, target and output; widths, states
and layers are chosen so that all come within 5 % of another. With each goes a learning rate; no search was made for the
best. The Transformer's norms stand before its sublayers: behind them it learnt nothing from 3e-3 and a short warm-up.
"""

from typing import NamedTuple

import torch

from regard.models.build import build, parameters
from regard.recipe import ByteNetSpec, ModelSpec, RecurrentSpec, TransformerSpec

DROPOUT = 0.2
TIED = ("source", "target", "output")


class Rival(NamedTuple):
    """An architecture, and the highest learning rate."""

    model: ModelSpec
    rate: float


def recurrent(cell: str, attention: str, width: int, state: int, layers: int) -> RecurrentSpec:
    return RecurrentSpec(
        cell=cell, attention=attention, width=width, state=state, layers=layers, dropout=DROPOUT, tied=TIED
    )


RIVALS = {
    "RNN": Rival(recurrent("rnn", "none", 128, 528, 2), 1e-3),
    "LSTM": Rival(recurrent("lstm", "none", 128, 256, 2), 2e-3),
    "LSTM with attention": Rival(recurrent("lstm", "dot", 128, 256, 2), 2e-3),
    "ByteNet": Rival(ByteNetSpec(width=192, dropout=DROPOUT, tied=TIED), 2e-3),
    "Transformer": Rival(
        TransformerSpec(
            width=128,
            inner=512,
            heads=4,
            encoder_layers=4,
            decoder_layers=4,
            norm="pre",
            dropout=DROPOUT,
            tied=TIED,
        ),
        2e-3,
    ),
}


def size(model: ModelSpec, pieces: int) -> int:
    """How many numbers a model learns, without making them."""
    with torch.device("meta"):
        return parameters(build(model, pieces, pieces))
