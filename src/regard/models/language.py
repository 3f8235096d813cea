"""A decoder-only Transformer language model, GPT-2's shape by default.

B batch, T length, D model width, V vocabulary.
"""

from torch import Tensor

from regard.models.embedding import Embedding, Logits
from regard.models.interface import Seq2Seq, Shared, check_no_source
from regard.models.transformer import Decoder, DecoderState, Entrance, Memory, Source, initialise
from regard.recipe import LanguageSpec


class Language(Seq2Seq):
    """Guesses the next token from those before it; its source is empty."""

    reads = False

    def __init__(self, spec: LanguageSpec, vocabulary: int) -> None:
        super().__init__()
        embedding = Embedding(vocabulary, spec.width)
        self.target = Entrance(spec, embedding)
        self.decoder = Decoder(spec, spec.layers, cross=False)
        self.logits = Logits(vocabulary, spec.width)
        initialise(self.decoder)
        if spec.tied:
            self.logits.weight = embedding.weight

    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        check_no_source(source)
        return Memory(source, None)

    def start(self, memory: Memory) -> DecoderState:
        return DecoderState(Shared(Source((), None)), (), 0)

    def step(self, state: DecoderState, ids: Tensor) -> tuple[Tensor, DecoderState]:
        x, state = self.decoder(self.target(ids[:, None], state.length), state)
        return self.logits(x[:, -1]), state

    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        x, _ = self.decoder(self.target(target), self.start(self.encode(source, lengths)))
        return x
