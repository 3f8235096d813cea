"""The engine for every model: sentences alike in length go through it together, answers come in the order of questions.

B batch, S source length, T target length, P places to fill, V vocabulary, C labels.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.attention.positions import Learned
from regard.corpus.batches import fill
from regard.engines.interface import UNSAID, Floats, Forced, Ids, batches, limits_of
from regard.models.interface import Seq2Seq, no_source
from regard.search import beam as wide
from regard.search.greedy import GreedyOptions, greedy
from regard.search.hypothesis import Hypothesis
from regard.search.steps import finish
from regard.text.symbols import BOS, EOS

Answer = TypeVar("Answer")

TOKENS, TOKENS_ON_GPU = 4096, 65536  # read together, filling and beams counted
LOGITS = 4  # where logits are made for each token at once, so many times fewer


class TorchEngine:
    """Runs a module where it is told, in float32 and without dropout; afterwards the module is as it was."""

    def __init__(self, module: nn.Module, device: str = "cpu") -> None:
        self.module, self.device = module.to(device), torch.device(device)
        self.tokens = TOKENS if self.device.type == "cpu" else TOKENS_ON_GPU
        learned = [part.weight.size(0) for part in module.modules() if isinstance(part, Learned)]
        self.longest: int | None = min(learned, default=None)

    def search(
        self,
        sources: Sequence[Ids],
        *,
        beam: int = 5,
        n_best: int = 1,
        length_penalty: float = 1.0,
        limits: Sequence[int] | None = None,
        prefix: Sequence[Ids] = (),
        no_repeat: int = 0,
        batch_tokens: int = 0,
    ) -> list[list[Hypothesis]]:
        """For each source its n best targets, best first; `limits`: how many tokens each may have, the end counted."""
        cut = limits_of(sources, limits, self.longest)

        def run(rows: list[int]) -> list[list[Hypothesis]]:
            source, lengths = self.source([sources[row] for row in rows])
            common: dict[str, Any] = {
                "start": BOS,
                "end": EOS,
                "banned": UNSAID,
                "limit": [cut[row] for row in rows],
                "prefix": [prefix[row] for row in rows] if prefix else (),
                "no_repeat": no_repeat,
            }
            if beam == n_best == 1:
                return finish(greedy(self.model, source, lengths, GreedyOptions(**common)))
            options = wide.BeamOptions(**common, beams=beam, n_best=n_best, length_penalty=length_penalty)
            return finish(wide.beam(self.model, source, lengths, options))

        sizes = [beam * (len(source) + 1) for source in sources] if self.model.reads else [beam * n for n in cut]
        return self.in_order(sizes, run, batch_tokens)

    def score(self, sources: Sequence[Ids], targets: Sequence[Ids]) -> list[Forced]:
        """How likely each target is to follow its source; a language model's sources are empty."""

        def run(rows: list[int]) -> list[Forced]:
            source, lengths = self.source([sources[row] for row in rows])
            given = self.tensor(fill([[BOS, *targets[row]] for row in rows]))
            wanted = self.tensor(fill([[*targets[row], EOS] for row in rows]))
            logits = self.module(source, lengths, given)
            found = logits.float().log_softmax(-1).gather(-1, wanted[..., None])[..., 0].tolist()
            each = [tuple(some[: len(targets[row]) + 1]) for row, some in zip(rows, found, strict=True)]
            return [Forced(sum(some), some) for some in each]

        sizes = [max(len(source), len(target)) + 1 for source, target in zip(sources, targets, strict=True)]
        return self.in_order(sizes, run, self.tokens // LOGITS)

    def label(self, sources: Sequence[Ids]) -> list[Floats]:
        """For each source the logits [C] of its labels."""

        def run(rows: list[int]) -> list[Floats]:
            return list(self.array(self.module(*self.closed([sources[row] for row in rows]))))

        return self.in_order([len(source) + 1 for source in sources], run)

    def fill(self, sources: Sequence[Ids], places: Sequence[Sequence[int]]) -> list[Floats]:
        """For each source the log-probabilities [P, V] of what may stand at its places."""

        def run(rows: list[int]) -> list[Floats]:
            logits = self.module(*self.closed([sources[row] for row in rows]))
            return [self.array(one[places[row]].log_softmax(-1)) for one, row in zip(logits, rows, strict=True)]

        return self.in_order([len(source) + 1 for source in sources], run, self.tokens // LOGITS)

    def rate(self, users: Ids, items: Ids) -> list[float]:
        """Each user's rating of the item beside."""

        def run(rows: list[int]) -> list[float]:
            ids = np.array([(users[row], items[row]) for row in rows])
            return self.array(self.module(*self.tensor(ids).T)).tolist()

        return self.in_order([1] * len(users), run)

    def in_order(self, sizes: Sequence[int], run: Callable[[list[int]], list[Answer]], tokens: int = 0) -> list[Answer]:
        """What `run` answers to the rows, asked in batches alike in size and of so many tokens, in the rows' order."""
        answers: dict[int, Answer] = {}
        with self.deciding():
            for rows in batches(sizes, tokens or self.tokens):
                answers.update(zip(rows, run(rows), strict=True))
        return [answers[row] for row in range(len(sizes))]

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Meanwhile the module drops nothing, remembers nothing for gradients, and computes in float32."""
        training = self.module.training
        self.module.eval()
        try:
            with torch.inference_mode(), torch.autocast(self.device.type, enabled=False):
                yield
        finally:
            self.module.train(training)

    @property
    def model(self) -> Seq2Seq:
        return cast(Seq2Seq, self.module)

    def source(self, sources: Sequence[Ids]) -> tuple[Tensor, Tensor]:
        """What `encode` takes; of a language model nothing."""
        return self.closed(sources) if self.model.reads else no_source(len(sources), self.device)

    def closed(self, sources: Sequence[Ids]) -> tuple[Tensor, Tensor]:
        """Ids [B, S], each sentence closed by EOS, and lengths [B]."""
        lengths = np.array([len(source) + 1 for source in sources])
        return self.tensor(fill([[*source, EOS] for source in sources])), self.tensor(lengths)

    def tensor(self, ids: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(ids).to(self.device)

    def array(self, values: Tensor) -> Floats:
        return values.float().cpu().numpy()
