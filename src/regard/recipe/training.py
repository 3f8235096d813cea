"""The part of a recipe that says how the weights are found."""

from typing import Literal

from regard.errors import RecipeError
from regard.recipe.fields import Amount, Count, Natural, Share, Spec, Weight


class TrainingSpec(Spec, frozen=True, kw_only=True):
    """How the weights are found."""

    steps: Count = 1000  # at most
    seconds: Natural = 0  # 0: as long as the steps take; else the steps are planned to end then
    batch: Count = 4096  # target tokens a step
    accumulate: Count = 1  # batches a step: gradients of several are summed
    rate: Amount = 1e-3  # the highest learning rate
    warmup: Count = 100  # steps until it is reached
    schedule: Literal["noam", "inverse_square_root", "cosine"] = "inverse_square_root"  # how it falls afterwards
    decay: Share = 0.0  # weight decay (AdamW)
    smoothing: Share = 0.1  # label smoothing: the share of the wanted probability spread over all pieces
    clip: Amount = 1.0  # gradients longer than this are shortened to it
    r_drop: Weight = 0.0  # alpha of R-Drop (Liang et al. 2021): two dropouts of a batch should agree; 0: off
    guided: Weight = 0.0  # how much one cross-attention head is drawn to a word alignment; 0: not at all
    average: Share = 0.999  # of the weights' running mean, which is what is kept; 0: the last weights are
    precision: Literal["auto", "float32", "bfloat16"] = "auto"  # auto: what is faster here, measured at the start
    validate_every: Natural = 0  # steps; 0: chosen, about twenty times in all
    save_every: Natural = 0  # steps between checkpoints beside those of validation; 0: about each minute
    keep_every: Natural = 0  # steps between checkpoints that are kept for looking; 0: none is
    patience: Natural = 0  # validations without a better one after which it stops; 0: never
    stop_on: Literal["score", "loss"] = "score"  # what must get better: BLEU (or the task's own score), or the loss

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.warmup > self.steps:
            raise RecipeError(f"warmup is {self.warmup} steps, but there are {self.steps} in all")
