"""Encoder-only Transformers: one fills in missing tokens, one gives a sentence a label.

B batch, S length, D model width, V vocabulary, C labels.
"""

import torch
from torch import Tensor, nn

from regard.attention import masks
from regard.models.embedding import Embedding, Logits
from regard.models.interface import Labeller, check_source
from regard.models.transformer import Encoder, Entrance, initialise
from regard.recipe import ClassifySpec, FillSpec


class Fill(Labeller):
    """Guesses each token from those on both of its sides: ids [B, S] -> logits [B, S, V] (Devlin et al. 2019)."""

    def __init__(self, spec: FillSpec, vocabulary: int) -> None:
        super().__init__()
        embedding = Embedding(vocabulary, spec.width)
        self.source = Entrance(spec, embedding)
        self.encoder = Encoder(spec, spec.layers)
        self.logits = Logits(vocabulary, spec.width, bias=True)
        initialise(self.encoder)
        if spec.tied:
            self.logits.weight = embedding.weight

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        check_source(ids, lengths, self.source.embedding)
        x = self.encoder(self.source(ids), masks.padding(lengths, ids.size(1)))
        logits: Tensor = self.logits(x)
        return logits


class Classify(Labeller):
    """One of C labels for the whole sentence: ids [B, S] -> logits [B, C]."""

    def __init__(self, spec: ClassifySpec, vocabulary: int, labels: int) -> None:
        super().__init__()
        self.source = Entrance(spec, Embedding(vocabulary, spec.width))
        self.encoder = Encoder(spec, spec.layers)
        self.label = nn.Linear(spec.width, labels)
        self.pooling = spec.pooling
        initialise(self.encoder, self.label)

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        check_source(ids, lengths, self.source.embedding)
        x = self.encoder(self.source(ids), masks.padding(lengths, ids.size(1)))
        logits: Tensor = self.label(x[:, 0] if self.pooling == "first" else mean(x, lengths))
        return logits


def mean(x: Tensor, lengths: Tensor) -> Tensor:
    """The average of the positions that count: x [B, S, D] -> [B, D]."""
    counts = torch.arange(x.size(1), device=x.device) < lengths[:, None]
    return (x * counts[..., None]).sum(1) / lengths[:, None].to(x.dtype)
