"""The fast engine: Transformers in CTranslate2, int8 on ordinary processors.

It releases the interpreter's lock and may be asked from several threads at once. One thread in each of as many workers
as there are cores is its fastest way at the sizes that Regard trains.

T target length, S source length.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ctranslate2  # type: ignore[import-untyped]

from regard.corpus.workers import cores
from regard.engines.interface import UNSAID, Forced, Ids, batches, limits_of
from regard.errors import FolderError
from regard.search.hypothesis import Hypothesis
from regard.text.tokens import Vocabulary

TOKENS = 1024  # of a batch, filling counted: what it works on stays in a core's cache


class FastEngine:
    """Runs what engines/export.py wrote."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, longest: int, workers: int = 0) -> None:
        """`longest`: the positions it was written with; by default there are as many workers as cores."""
        self.longest: int | None = longest
        self.sources, self.targets = (tokens.pieces(range(len(tokens))) for tokens in vocabulary)
        self.ids = {piece: i for i, piece in enumerate(self.targets)}
        self.unsaid = [[self.targets[i]] for i in UNSAID]
        try:
            self.translator = ctranslate2.Translator(str(folder), inter_threads=workers or cores(), intra_threads=1)
        except (RuntimeError, ValueError) as error:
            raise FolderError(f"{folder} cannot be run ({error}); export the model again") from None

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
    ) -> list[list[Hypothesis]]:
        """For each source its n best targets, best first."""
        cut = limits_of(sources, limits, self.longest)
        waiting: dict[int, Any] = {}
        for limit, rows in self.alike(sources, cut):
            asked = self.translator.translate_batch(
                [[self.sources[i] for i in sources[row]] for row in rows],
                [self.said(prefix[row]) for row in rows] if prefix else None,
                beam_size=beam,
                num_hypotheses=n_best,
                length_penalty=length_penalty,
                no_repeat_ngram_size=no_repeat,
                suppress_sequences=self.unsaid,
                max_input_length=0,
                max_decoding_length=limit,
                min_decoding_length=0,
                return_scores=True,
                asynchronous=True,
            )
            waiting.update(zip(rows, asked, strict=True))
        found = [waiting[row].result() for row in range(len(sources))]
        return [
            [self.hypothesis(*one, limit, length_penalty) for one in zip(some.hypotheses, some.scores, strict=True)]
            for some, limit in zip(found, cut, strict=True)
        ]

    def alike(self, sources: Sequence[Ids], limits: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """Rows that are asked together: alike in length, and with the same limit, which the engine has one of."""
        for rows in batches([len(source) + 1 for source in sources], TOKENS):
            by_limit: dict[int, list[int]] = {}
            for row in rows:
                by_limit.setdefault(limits[row], []).append(row)
            yield from by_limit.items()

    def hypothesis(self, pieces: list[str], score: float, limit: int, length_penalty: float) -> Hypothesis:
        ids = tuple([self.ids[piece] for piece in pieces])
        ended = len(ids) < limit
        log_prob = score * (len(ids) + ended) ** length_penalty
        return Hypothesis(ids, log_prob, (), score, ended)

    def score(self, sources: Sequence[Ids], targets: Sequence[Ids]) -> list[Forced]:
        """How likely each target is to follow its source."""
        found = self.translator.score_batch(
            [[self.sources[i] for i in source] for source in sources],
            [self.said(target) for target in targets],
            max_batch_size=TOKENS,
            batch_type="tokens",
            max_input_length=0,
        )
        return [Forced(sum(one.log_probs), tuple(one.log_probs)) for one in found]

    def said(self, ids: Ids) -> list[str]:
        return [self.targets[i] for i in ids]
