"""Which architecture learns to write how long a string backwards: the articles' story in one table.

    make bench-reversal

Random strings of 11 letters; the same number of steps of 64 strings for each, one thread, no dropout. Printed is the
share of 500 unseen strings that greedy search writes without a fault, and the processor seconds that training took.
"""

import time

import torch

from regard.models.build import parameters
from regard.recipe import ByteNetSpec, ModelSpec, Recipe, RecurrentSpec, TrainingSpec, TransformerSpec
from regard.training.strings import Pupil, Task

STEPS, PAIRS = 1000, 64  # pairs in a step, about
SHORT, LONG = (4, 7), (16, 24)


def recurrent(cell: str, attention: str, size: int) -> RecurrentSpec:
    return RecurrentSpec(cell=cell, attention=attention, width=size, state=size, dropout=0.0)


# Each with the rate, of 1e-3, 3e-3 and 5e-3, at which it learns best.
MODELS: dict[str, tuple[ModelSpec, float]] = {
    "RNN, last state": (recurrent("rnn", "none", 128), 1e-3),
    "GRU, last state": (recurrent("gru", "none", 128), 3e-3),
    "LSTM, last state": (recurrent("lstm", "none", 128), 5e-3),
    "GRU, dot attention": (recurrent("gru", "dot", 64), 5e-3),
    "LSTM, additive attention": (recurrent("lstm", "additive", 64), 5e-3),
    "ByteNet": (ByteNetSpec(width=128, dilations=(1, 2, 4, 8), encoder_sets=1, decoder_sets=1, dropout=0.0), 3e-3),
    "Transformer": (
        TransformerSpec(width=64, inner=128, heads=2, encoder_layers=2, decoder_layers=1, dropout=0.0),
        3e-3,
    ),
}


def main() -> None:
    torch.set_num_threads(1)
    print(f"{STEPS} steps        parameters  {SHORT[0]}-{SHORT[1]} letters  {LONG[0]}-{LONG[1]} letters  CPU seconds")
    for name, (spec, rate) in MODELS.items():
        shares, began = [], time.process_time()
        for shortest, longest in (SHORT, LONG):
            tokens = PAIRS * (shortest + longest + 2) // 2
            training = TrainingSpec(steps=STEPS, rate=rate, batch=tokens, warmup=50, schedule="cosine", smoothing=0.0)
            task = Task(alphabet="abcdefghijk", shortest=shortest, longest=longest)
            pupil = Pupil(Recipe(model=spec, training=training), task)
            assert len(list(pupil.learn())) == STEPS
            shares.append(pupil.exact())
        spent = time.process_time() - began
        size = parameters(pupil.model)
        print(f"{name:<25} {size:>9,}  {shares[0]:>11.1%}  {shares[1]:>13.1%}  {spent:>11.0f}", flush=True)


if __name__ == "__main__":
    main()
