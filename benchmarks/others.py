"""Other toolkits that train translation models, for train.py: their own commands, their own figures of speed.

    others.py eole|joeynmt SOURCE TARGET TOKENS.model --python VENV/bin/python --threads 2

Each wants a virtual environment of its own, with torch installed first (Python 3.11, torch 2.13):

    eole      pip install torch==2.13.0; pip install eole aiohttp
    joeynmt   pip install torch==2.13.0; pip install joeynmt importlib_metadata "sentencepiece<0.2.1"

They are given pieces and a model of train.py's size, in float32. Eole sorts by length and counts a batch with its
padding; JoeyNMT takes pairs at random. The speed is the mean of what they log, without the first lines.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from string import Template

import sentencepiece
from texts import read

EVERY = 5  # updates between two lines of a log
FIRST = 2  # lines that are not counted

EOLE = """
data: {captions: {path_src: train.source, path_tgt: train.target}}
src_vocab: pieces.txt
share_vocab: true
src_vocab_size: $size
tgt_vocab_size: $size
save_data: data
overwrite: true
n_sample: 0
seed: 1
report_every: $every
model:
  architecture: transformer
  hidden_size: 256
  transformer_ff: 1024
  heads: 4
  layers: 3
  share_embeddings: true
  share_decoder_embeddings: true
  position_encoding_type: SinusoidalInterleaved
  embeddings: {word_vec_size: 256, position_encoding_type: SinusoidalInterleaved}
training:
  model_path: model
  world_size: 1
  gpu_ranks: []
  compute_dtype: fp32
  batch_type: tokens
  batch_size: 4096
  batch_size_multiple: 1
  normalization: tokens
  bucket_size: 30000
  num_workers: 0
  optim: adam
  learning_rate: 0.0003
  adam_beta2: 0.98
  max_grad_norm: 1.0
  dropout: [0.1]
  attention_dropout: [0.1]
  label_smoothing: 0.1
  train_steps: $updates
  valid_steps: 1000000
  save_checkpoint_steps: 1000000
"""

STACK = """
    type: transformer
    num_layers: 3
    num_heads: 4
    embeddings: {embedding_dim: 256, scale: true, dropout: 0.1}
    hidden_size: 256
    ff_size: 1024
    dropout: 0.1
    layer_norm: post
"""

JOEYNMT = """
name: captions
joeynmt_version: 2.3.0
model_dir: model
use_cuda: false
random_seed: 1
data:
  train: train
  dev: dev
  dataset_type: plain
  src: {lang: source, level: word, max_length: 100, voc_file: pieces.txt}
  trg: {lang: target, level: word, max_length: 100, voc_file: pieces.txt}
testing: {beam_size: 1, batch_size: 64, batch_type: sentence, eval_metrics: [bleu]}
training:
  loss: crossentropy
  optimizer: adamw
  adam_betas: [0.9, 0.98]
  learning_rate: 0.0003
  learning_rate_warmup: 10
  scheduling: warmupinversesquareroot
  clip_grad_norm: 1.0
  label_smoothing: 0.1
  batch_size: 4096
  batch_type: token
  normalization: tokens
  epochs: 99
  updates: $updates
  validation_freq: 1000000
  logging_freq: $every
  overwrite: true
model:
  tied_embeddings: true
  tied_softmax: true
  encoder:$stack
  decoder:$stack
"""

CONFIG = {"eole": EOLE, "joeynmt": JOEYNMT}
SPEED = {"eole": r"/(\d+) tok/s", "joeynmt": r"Tokens per Sec: +(\d+)"}
DEV = 10  # pairs that JoeyNMT wants to be given for validation; it is asked for none


def command(name: str, python: str) -> list[str]:
    if name == "eole":
        return [python, "-c", "from eole.bin.main import main; main()", "train", "-config", "config.yaml"]
    return [python, "-m", "joeynmt", "train", "config.yaml", "--skip-test"]


def write_pieces(source: Path, target: Path, tokens: Path, into: Path) -> int:
    """The pairs in pieces, and the list of all pieces; how many of these there are."""
    model = sentencepiece.SentencePieceProcessor(model_file=str(tokens))
    for side, path in (("source", source), ("target", target)):
        lines = [" ".join(pieces) + "\n" for pieces in model.encode(read(path), out_type=str)]
        (into / f"train.{side}").write_text("".join(lines), encoding="utf-8")
        (into / f"dev.{side}").write_text("".join(lines[:DEV]), encoding="utf-8")
    pieces = "".join(model.id_to_piece(i) + "\n" for i in range(len(model)))
    (into / "pieces.txt").write_text(pieces, encoding="utf-8")
    return len(model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=CONFIG)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("tokens", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_pieces(given.source, given.target, given.tokens, folder)
        updates = given.updates + FIRST * EVERY
        config = Template(CONFIG[given.name]).substitute(size=size, updates=updates, every=EVERY, stack=STACK)
        (folder / "config.yaml").write_text(config, encoding="utf-8")
        done = subprocess.run(
            command(given.name, given.python),
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": str(given.threads)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    speeds = [int(speed) for speed in re.findall(SPEED[given.name], done.stdout)][FIRST:]
    if done.returncode or not speeds:
        sys.stderr.write(done.stdout[-2000:])
        sys.exit(f"others.py: {given.name} ended with {done.returncode}")
    print(json.dumps({"tokens_per_second": round(mean(speeds))}))


if __name__ == "__main__":
    main()
