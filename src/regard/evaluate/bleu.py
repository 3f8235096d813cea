"""BLEU and chrF, by sacreBLEU: each score comes with the signature that makes it reproducible."""

from collections.abc import Callable, Sequence
from itertools import zip_longest

from regard.errors import needs
from regard.evaluate.moses import moses
from regard.evaluate.score import References, Score, check

# The tokens that BLEU counts, where the writing leaves no space between words; elsewhere 13a. sacreBLEU's analysers of
# Japanese and Korean are packages of their own, so there every character counts. The signature says so.
TOKENS = {"zh": "zh", "yue": "zh"} | dict.fromkeys(("ja", "ko", "th", "lo", "km", "my"), "char")


def tokens_of(language: str) -> str:
    """The name of sacreBLEU's tokenizer for a language: `zh-TW` is read as `zh`."""
    return TOKENS.get(language.lower().partition("-")[0], "13a")


def bleu(hypotheses: list[str], references: References, language: str = "", lower: bool = False) -> Score:
    """Corpus BLEU (Papineni et al. 2002), as sacreBLEU defines it."""
    check(hypotheses, references)
    with needs("evaluate"):
        from sacrebleu.metrics.bleu import BLEU
    # force only silences a warning about text that looks tokenised already
    metric = BLEU(lowercase=lower, tokenize=tokens_of(language), force=True)
    value = metric.corpus_score(hypotheses, streams(references)).score
    return Score(value, str(metric.get_signature()))


def chrf(hypotheses: list[str], references: References) -> Score:
    """Corpus chrF2 (Popović 2015): character n-grams up to 6, recall counting twice as much as precision."""
    check(hypotheses, references)
    with needs("evaluate"):
        from sacrebleu.metrics.chrf import CHRF
    metric = CHRF()
    value = metric.corpus_score(hypotheses, streams(references)).score
    return Score(value, str(metric.get_signature()))


def bleu_tokenised(
    hypotheses: list[str],
    references: References,
    language: str = "en",
    tokenise: Callable[[str, str], str] = moses,
) -> Score:
    """Lowercased BLEU over tokens of the literature's kind: what papers on Multi30k report.

    They count with Moses' multi-bleu on lowercased text that Moses' tokenizer has split; that is sacreBLEU with no
    tokenizer of its own. The tokens are ours (`moses`), unless another function of text and language is given.
    """
    check(hypotheses, references)
    with needs("evaluate"):
        from sacrebleu.metrics.bleu import BLEU
    metric = BLEU(lowercase=True, tokenize="none", force=True)
    said = [tokenise(hypothesis, language) for hypothesis in hypotheses]
    wanted = [[tokenise(one, language) for one in some] for some in references]
    value = metric.corpus_score(said, streams(wanted)).score
    signature = str(metric.get_signature()).replace("tok:none", f"tok:{tokenise.__name__}-{language}")
    return Score(value, signature)


def streams(references: References) -> Sequence[Sequence[str]]:
    """References as sacreBLEU takes them: first all sentences' first, then all their second, None where there is none.

    sacreBLEU declares only strings, but documents None.
    """
    return list(zip_longest(*references))
