"""Our search over our Transformer beside Hugging Face's `generate` over its Marian, with the same random weights."""

import math

import pytest
import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel

from peers import marian
from regard.search.beam import BeamOptions, beam
from regard.search.greedy import GreedyOptions, greedy
from regard.search.steps import finish

END, PAD, VOCABULARY = 0, 52, 53
BEAMS, LIMIT = 4, 17


@pytest.fixture(scope="module")
def peer() -> MarianMTModel:
    torch.manual_seed(2)
    config = MarianConfig(
        vocab_size=VOCABULARY,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=31,
        decoder_ffn_dim=31,
        max_position_embeddings=64,
        init_std=0.5,  # sharp enough that the beams are far from even
        scale_embedding=True,
        pad_token_id=PAD,
        eos_token_id=END,
        bos_token_id=None,
        decoder_start_token_id=PAD,
        forced_eos_token_id=None,
    )
    model = MarianMTModel(config).eval()
    model.final_logits_bias[0, END] = 2.0  # ends often, but not always
    return model


@pytest.fixture(scope="module")
def inputs() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(2, 14, (100,), generator=generator)
    source = torch.randint(1, PAD, (100, 13), generator=generator)
    source[torch.arange(100), lengths - 1] = END
    return source.masked_fill(torch.arange(13) >= lengths[:, None], PAD), lengths


def theirs(
    peer: MarianMTModel, inputs: tuple[Tensor, Tensor], **options
) -> tuple[list[tuple[tuple[int, ...], bool]], list[float]]:
    """Ids without the end, and whether they ended; scores."""
    source, lengths = inputs
    mask = (torch.arange(source.size(1)) < lengths[:, None]).long()
    fixed = {"max_new_tokens": LIMIT, "do_sample": False, "bad_words_ids": [[PAD]], "renormalize_logits": False}
    told = {"return_dict_in_generate": True, "output_scores": True}
    out = peer.generate(source, attention_mask=mask, **fixed, **told, **options)
    answers = []
    for row in out.sequences[:, 1:].tolist():
        ids = [token for token in row if token != PAD]
        answers.append((tuple(ids[: ids.index(END)]), True) if END in ids else (tuple(ids), False))
    return answers, out.sequences_scores.tolist() if "sequences_scores" in out else []


@pytest.mark.parametrize(
    ("options", "same_options"),
    [
        ({}, {}),
        ({"length_penalty": 0.6}, {"length_penalty": 0.6}),
        ({"length_penalty": 0.0}, {"length_penalty": 0.0}),
        ({"early_stopping": True}, {"patience": 1.0}),
        ({"early_stopping": "never", "length_penalty": 1.5}, {"patience": math.inf, "length_penalty": 1.5}),
        ({"no_repeat_ngram_size": 2}, {"no_repeat": 2}),
        ({"no_repeat_ngram_size": 1, "early_stopping": True}, {"no_repeat": 1, "patience": 1.0}),
        ({"no_repeat_ngram_size": 3, "length_penalty": 1.3}, {"no_repeat": 3, "length_penalty": 1.3}),
    ],
)
def test_equal_to_generate(peer, inputs, options, same_options):
    expected, scores = theirs(peer, inputs, num_beams=BEAMS, num_return_sequences=BEAMS, **options)
    mine = BeamOptions(start=PAD, end=END, limit=LIMIT, banned=[PAD], beams=BEAMS, n_best=BEAMS, **same_options)
    found = [h for hypotheses in finish(beam(marian(peer), *inputs, mine)) for h in hypotheses]
    assert [(h.ids, h.ended) for h in found] == expected
    assert [h.score for h in found] == pytest.approx(scores, abs=1e-4)
    assert 100 < sum(h.ended for h in found) < 395  # both kinds are there,
    assert len({len(h.ids) for h in found}) >= 4  # of many lengths,
    assert len({h.ids for h in found}) > 100  # and not the same answer to all


def test_one_best_is_the_first_of_many(peer, inputs):
    expected, _ = theirs(peer, inputs, num_beams=BEAMS)
    mine = BeamOptions(start=PAD, end=END, limit=LIMIT, banned=[PAD], beams=BEAMS)
    found = [h for (h,) in finish(beam(marian(peer), *inputs, mine))]
    assert [(h.ids, h.ended) for h in found] == expected


def test_greedy_is_equal_too(peer, inputs):
    expected, _ = theirs(peer, inputs, num_beams=1)
    mine = GreedyOptions(start=PAD, end=END, limit=LIMIT, banned=[PAD])
    assert [(h.ids, h.ended) for (h,) in finish(greedy(marian(peer), *inputs, mine))] == expected
