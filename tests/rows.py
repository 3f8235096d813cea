"""Small data for every task, made of a few words: rows of a table, all of them different; and models as small."""

import gzip
from itertools import product
from random import Random

# Who, as a subject and as an object; what they do; where: in English, French, German.
WHO = [
    ("the cat", "le chat", "der Kater", "den Kater"),
    ("the dog", "le chien", "der Hund", "den Hund"),
    ("the wolf", "le loup", "der Wolf", "den Wolf"),
    ("the fox", "le renard", "der Fuchs", "den Fuchs"),
    ("the king", "le roi", "der König", "den König"),
    ("the boy", "le garçon", "der Junge", "den Jungen"),
    ("the baker", "le boulanger", "der Bäcker", "den Bäcker"),
]
DOES = [("sees", "voit", "sieht"), ("hears", "entend", "hört"), ("looks for", "cherche", "sucht")]
WHERE = [
    ("in the garden", "dans le jardin", "im Garten"),
    ("at the market", "au marché", "auf dem Markt"),
    ("by the river", "près de la rivière", "am Fluss"),
    ("behind the house", "derrière la maison", "hinter dem Haus"),
]
LANGUAGES = ("en", "fr", "de")
PHONES = {"a": "AH", "b": "B", "d": "D", "e": "EH", "g": "G", "i": "IY", "k": "K", "m": "M", "o": "OW", "t": "T"}
SMALL = {  # settings over a recipe's model, by its kind
    "transformer": "width=8 inner=12 heads=2 encoder_layers=1 decoder_layers=1",
    "language": "width=8 inner=12 heads=2 layers=1",
    "fill": "width=8 inner=12 heads=2 layers=1",
    "classify": "width=8 inner=12 heads=2 layers=1",
    "factorization": "width=3",
}
QUICK = ("training.steps=3", "training.warmup=2", "training.batch=97", "training.precision=float32")


def sentences(*languages):
    """The same sentence in each language, for every sentence there is, in an order drawn at random."""
    said = product(WHO, DOES, WHO, WHERE)
    made = [tuple(sentence(*one, language) for language in languages) for one in said if one[0] != one[2]]
    return Random(1).sample(made, len(made))


def sentence(who, does, whom, where, language):
    i = LANGUAGES.index(language)
    text = f"{who[i]} {does[i]} {whom[-1 if language == 'de' else i]} {where[i]}."
    return text[0].upper() + text[1:]


def words():
    """Words and their sounds."""
    spelt = ["".join(letters) for letters in product("bdgkmt", "aeio", "bdgkmt", "aeio")]
    return [(word, " ".join(PHONES[letter] for letter in word)) for word in Random(1).sample(spelt, len(spelt))]


def rows(task, source="en", target="fr"):
    """What a table of the task holds."""
    if task == "translation":
        return sentences(source, target)
    if task == "g2p":
        return words()
    if task == "ratings":
        rated = [(f"u{user}", f"i{item}", str(1 + (user * item) % 5)) for user, item in product(range(13), range(17))]
        return Random(1).sample(rated, len(rated))
    english = sentences("en")
    return english if task != "classify" else [(one, str(int("garden" in one))) for (one,) in english]


def put(path, some):
    """Writes rows, tabs between their cells; packed where the name says so. Returns the name."""
    data = "".join("\t".join(row) + "\n" for row in some).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path.name


def small(model):
    """The settings that make such a model, and its training, small and quick."""
    kind = model.__struct_config__.tag
    return [*QUICK, "tokens.size=0", *(f"model.{one}" for one in SMALL[kind].split())]
