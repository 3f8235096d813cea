"""The parts of a recipe that say what is learnt from: files, how they are cleaned, and what a token is."""

from typing import Annotated, Literal

from msgspec import Meta

from regard.errors import RecipeError
from regard.recipe.fields import Amount, Count, Natural, Share, Spec

Columns = Annotated[tuple[Count, ...], Meta(min_length=1, description="a list of whole numbers above 0")]
TokenKind = Literal["unigram", "bpe", "characters", "words"]
Generated = Literal["none", "copy", "reverse", "dates", "numbers", "numbers-fr-en", "numbers-en-fr"]


class FilesSpec(Spec, frozen=True, kw_only=True):
    """One table (TSV, CSV, JSONL, Parquet) or two texts, line by line; each may be gzipped."""

    files: tuple[str, ...] = ()
    columns: Columns = (1, 2)  # of a table, from 1; in a recipe's text those of its task if none are named
    weight: Amount = 1.0  # how many times its pairs come in an epoch; a fraction: that share of them, drawn anew

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= len(self.files) <= 2:
            raise RecipeError(f"files is {list(self.files)}; name one table, or two texts of as many lines")


class DataSpec(Spec, frozen=True, kw_only=True):
    """What is learnt from, and what of it is left out."""

    about: str = ""  # where the files come from, for who lacks them
    folder: str = "."  # what the files' names are relative to
    train: tuple[FilesSpec, ...] = ()
    valid: tuple[FilesSpec, ...] = ()  # without any, pairs are split off from train
    test: tuple[FilesSpec, ...] = ()
    generate: Generated = "none"  # instead of files
    pairs: Count = 20000  # that are generated
    held_out: Natural = 0  # pairs split off for validation, as many for the test; 0: chosen from how many there are
    longest: Count = 1000  # characters a side may have
    ratio: Amount = 4.0  # a side may be that many times as long as the other, and 20 characters more
    clean: bool = True  # whether the rules apply; empty and broken lines always go, and without context duplicates
    languages: bool = True  # whether a pair in another language than said is left out
    context: Natural = 0  # how many of the file's sentences before stand in front of a source
    placeholders: bool = True  # translation: also learn pairs whose placeholders and tags stand as symbols
    terms: Share = 0.05  # translation: the share of pairs that come once more with some words' translations given

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.generate != "none" and self.train:
            raise RecipeError(f"generate is {self.generate!r}, but train names files; leave one of them out")


class TokensSpec(Spec, frozen=True, kw_only=True):
    """How a sentence becomes tokens: SentencePiece's four ways."""

    kind: TokenKind = "unigram"
    target: TokenKind | None = None  # of the target, where it has tokens of its own
    size: Natural = 0  # how many there are; 0: chosen from the data
    joint: bool = True  # one vocabulary for both sides
    lower: bool = False  # all letters small
    sampling: Share = 0.0  # alpha of subword regularisation (Kudo 2018); 0: a sentence always splits the same way

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target and self.joint:
            raise RecipeError(f"target is {self.target!r}, but joint is true; tokens of its own want joint = false")
