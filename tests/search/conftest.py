"""What the tests of the search share: a table for a model, two small random networks, and a batch."""

from collections.abc import Callable, Iterator, Sequence

import pytest
import torch
from torch import Tensor

from regard.models.interface import Seq2Seq
from regard.models.language import Language
from regard.models.transformer import Transformer
from regard.recipe import LanguageSpec, TransformerSpec
from regard.search.steps import Hypothesis

PAD, START, END, VOCABULARY = 0, 1, 2, 23


class Table(Seq2Seq):
    """A Markov chain: row i of the table is the probabilities of what follows token i. The source is not read."""

    def __init__(self, probabilities: Tensor | Sequence[Sequence[float]]) -> None:
        super().__init__()
        self.table = torch.as_tensor(probabilities).log()

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return source

    def start(self, memory: Tensor) -> Tensor:
        return memory

    def step(self, state: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
        assert len(state) == len(ids)
        return self.table[ids], state

    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        return target

    def forward(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        return self.table[target]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """At these sizes a second thread is only waited for, the longer the busier the machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def table() -> Callable[..., Table]:
    return Table


@pytest.fixture
def transformer() -> Transformer:
    """Small, random, and sharp enough that beams disagree."""
    torch.manual_seed(6)
    spec = TransformerSpec(width=14, inner=31, heads=2, encoder_layers=1, decoder_layers=2, tied=(), dropout=0.0)
    model = Transformer(spec, VOCABULARY, VOCABULARY).eval()
    model.logits.weight.data *= 3
    return model


@pytest.fixture
def language() -> Language:
    torch.manual_seed(7)
    spec = LanguageSpec(width=14, inner=31, heads=2, layers=1, longest=64, dropout=0.0)
    model = Language(spec, VOCABULARY).eval()
    model.logits.weight.data *= 2
    return model


@pytest.fixture
def batch() -> tuple[Tensor, Tensor]:
    """Thirteen random sentences of mixed lengths, padded."""
    generator = torch.Generator().manual_seed(11)
    lengths = torch.randint(1, 12, (13,), generator=generator)
    source = torch.randint(3, VOCABULARY, (13, 11), generator=generator)
    return source.masked_fill(torch.arange(11) >= lengths[:, None], PAD), lengths


@pytest.fixture
def same() -> Callable[[list[Hypothesis], list[Hypothesis]], None]:
    """Asserts that two searches came to the same hypotheses, but for rounding."""

    def check(ours: list[Hypothesis], theirs: list[Hypothesis]) -> None:
        assert [(h.ids, h.ended) for h in ours] == [(h.ids, h.ended) for h in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.log_probs == pytest.approx(other.log_probs, abs=1e-4)
            assert one.score == pytest.approx(other.score, abs=1e-4)

    return check
