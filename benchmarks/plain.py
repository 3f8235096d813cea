"""The plain way, which training by Regard is measured against: a Transformer as the libraries offer it, in float32.

    plain.py SOURCE TARGET TOKENS.model --batches bucket

Prints the target tokens a second as JSON. The model is of train.py's size; a batch holds about as many target tokens.
"""

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import sentencepiece
import torch
import torch.nn.functional as F
from texts import read
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

PAD, BOS, EOS = 1, 2, 3
WIDTH, INNER, HEADS, LAYERS, DROPOUT, SMOOTHING = 256, 1024, 4, 3, 0.1, 0.1
BATCH = 4096  # target tokens, about
WARM = 10  # updates that are not timed
LONGEST = 100  # pieces of a side; longer pairs are left out

Pair = tuple[list[int], list[int]]
Speaker = Callable[[Tensor, Tensor], Tensor]  # source and what has been said: logits


class Translator(nn.Module):
    """torch.nn.Transformer between tied embeddings."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.words = nn.Embedding(pieces, WIDTH, PAD)
        nn.init.normal_(self.words.weight, std=WIDTH**-0.5)
        self.body = nn.Transformer(WIDTH, HEADS, LAYERS, LAYERS, INNER, DROPOUT, batch_first=True)
        self.drop = nn.Dropout(DROPOUT)
        self.register_buffer("places", waves(LONGEST + 1))

    def enter(self, ids: Tensor) -> Tensor:
        return self.drop(self.words(ids) * math.sqrt(WIDTH) + self.places[: ids.size(1)])

    def forward(self, source: Tensor, said: Tensor) -> Tensor:
        later = torch.ones(said.size(1), said.size(1), dtype=torch.bool).triu(1)
        empty = source == PAD
        out = self.body(
            self.enter(source),
            self.enter(said),
            tgt_mask=later,
            tgt_is_causal=True,
            src_key_padding_mask=empty,
            memory_key_padding_mask=empty,
            tgt_key_padding_mask=said == PAD,
        )
        return F.linear(out, self.words.weight)


def waves(count: int) -> Tensor:
    """Sines and cosines of each place (Vaswani et al. 2017, section 3.5)."""
    rates = 10000 ** -(torch.arange(0, WIDTH, 2) / WIDTH)
    angles = torch.outer(torch.arange(count), rates)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


def marian(pieces: int) -> tuple[nn.Module, Speaker]:
    """The same by Hugging Face."""
    from transformers import MarianConfig, MarianMTModel

    sides = {}
    for side in ("encoder", "decoder"):
        sides |= {f"{side}_layers": LAYERS, f"{side}_attention_heads": HEADS, f"{side}_ffn_dim": INNER}
    tokens = {"pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS, "forced_eos_token_id": EOS}
    config = MarianConfig(
        vocab_size=pieces,
        d_model=WIDTH,
        dropout=DROPOUT,
        attention_dropout=DROPOUT,
        activation_function="relu",
        scale_embedding=True,
        decoder_start_token_id=BOS,
        **sides,
        **tokens,
    )
    model = MarianMTModel(config)

    def speak(source: Tensor, said: Tensor) -> Tensor:
        return model(source, attention_mask=(source != PAD).long(), decoder_input_ids=said, use_cache=False).logits

    return model, speak


def batches(pairs: Sequence[Pair], bucketed: bool) -> Iterator[list[Pair]]:
    """Batches in random order, of pairs at random or of pairs alike in length."""
    rng = random.Random(1)
    left = rng.sample(pairs, len(pairs))
    if bucketed:
        left.sort(key=lambda pair: (len(pair[1]), len(pair[0])))
    cut: list[list[Pair]] = [[]]
    held = 0
    for pair in left:
        held += len(pair[1]) + 1
        if held > BATCH and cut[-1]:
            cut.append([])
            held = len(pair[1]) + 1
        cut[-1].append(pair)
    yield from rng.sample(cut, len(cut))


def padded(rows: list[list[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def speed(pairs: Sequence[Pair], model: nn.Module, speak: Speaker, bucketed: bool, updates: int) -> float:
    """Target tokens a second, the end of a sentence counted."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.98))
    model.train()
    tokens, began = 0, 0.0
    for number, batch in zip(range(WARM + updates), batches(pairs, bucketed), strict=False):
        if number == WARM:
            tokens, began = 0, time.perf_counter()
        wanted = padded([[*target, EOS] for _, target in batch])
        logits = speak(padded([[*source, EOS] for source, _ in batch]), padded([[BOS, *target] for _, target in batch]))
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=SMOOTHING)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        tokens += sum(len(target) + 1 for _, target in batch)
    return tokens / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("tokens", help="a SentencePiece model whose first ids are unknown, filling, begin, end")
    parser.add_argument("--model", choices=("torch", "marian"), default="torch")
    parser.add_argument("--batches", choices=("random", "bucket"), default="random")
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(1)
    tokens = sentencepiece.SentencePieceProcessor(model_file=given.tokens)
    ids = zip(tokens.encode(read(given.source)), tokens.encode(read(given.target)), strict=True)
    pairs = [(source, target) for source, target in ids if 0 < len(source) < LONGEST and 0 < len(target) < LONGEST]
    if given.model == "marian":
        model, speak = marian(len(tokens))
    else:
        model = speak = Translator(len(tokens))
    found = speed(pairs, model, speak, given.batches == "bucket", given.updates)
    print(json.dumps({"tokens_per_second": round(found)}))


if __name__ == "__main__":
    main()
