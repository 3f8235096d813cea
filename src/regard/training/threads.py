"""How many processor threads torch takes."""

import torch


def one_thread() -> None:
    """For models so small that a second thread saves a quarter of the time at best.

    Beside a busy neighbour its waiting costs ten times that: torch's threads wait by spinning.
    """
    torch.set_num_threads(1)
