"""A model's folder, written and read: the same numbers, the same answers."""

import msgspec
import pytest
import torch
from safetensors.torch import save

import regard
import zoo
from regard import folder
from regard.corpus.labels import Rated, to_json
from regard.engines.ctranslate2 import FastEngine
from regard.engines.export import engine_files
from regard.engines.torch import TorchEngine
from regard.errors import FolderError, InputError, UserError
from regard.model import Model, load, sizes
from regard.models.build import build
from regard.recipe import ClassifySpec, FillSpec, LanguageSpec, Recipe, TokensSpec, TransformerSpec, parse, to_toml
from regard.text.tokens import Tokens, Vocabulary
from regard.translate.translation import Translation

SENTENCES = ["the cat sat on the mat", "a dog ran over the hill", "a man sat there, on a hill.", "the mat ran out"]
SHAPE = {"width": 14, "inner": 31, "heads": 2}
PAIR = TransformerSpec(**SHAPE, encoder_layers=1, decoder_layers=2)
SPECS = {
    "translation": PAIR,
    "g2p": TransformerSpec(**SHAPE, encoder_layers=1, decoder_layers=1, tied=()),
    "language": LanguageSpec(**SHAPE, layers=1),
    "fill": FillSpec(**SHAPE, layers=1),
    "classify": ClassifySpec(**SHAPE, layers=1),
    "ratings": zoo.EVERY["factorization"][0],
}
LABELS = {
    "classify": ["bad", "good", "so so"],
    "ratings": Rated(users=["ann", "bob"], items=["up", "heat", "jaws"], low=1.0, high=5.0),
}
ASKED = {"fill": ["the ___ sat", "a dog ___."], "ratings": ["ann\theat", "bob\tup"]}


def vocabulary_for(task):
    if task == "ratings":
        return None
    tokens = Tokens.train(SENTENCES * 7, "unigram", 0, symbols=True)
    if task != "g2p":
        return Vocabulary(tokens, tokens)
    return Vocabulary(tokens, Tokens.train(SENTENCES * 7, "words", 0, symbols=False))


@pytest.fixture
def saved(tmp_path):
    """Saves a random model for a task; gives its folder and module."""

    def save_one(task, **changed):
        vocabulary, labels = vocabulary_for(task), LABELS.get(task)
        recipe = Recipe(task=task, source="en", target="en", model=SPECS[task], tokens=TokensSpec(joint=task != "g2p"))
        torch.manual_seed(3)
        module = build(recipe.model, *sizes(recipe, vocabulary, labels)).eval()
        weights = {name: weight.detach().clone() for name, weight in module.named_parameters()}
        files = {"recipe.toml": to_toml(recipe).encode(), "weights.safetensors": save(weights)}
        if vocabulary:
            files |= vocabulary.files()
        if labels:
            files["labels.json"] = to_json(labels)
        files = {name: data for name, data in {**files, **changed}.items() if data is not None}
        folder.put(tmp_path / task, files, {"task": task})
        return tmp_path / task, module

    return save_one


@pytest.mark.parametrize("task", SPECS)
def test_what_is_saved_is_loaded(saved, task):
    path, module = saved(task)
    model = load(path)
    assert (model.task, model.source, model.target, model.folder) == (task, "en", "en", path)
    assert model.recipe.model == SPECS[task]
    assert not model.module.training
    theirs, ours = dict(model.module.named_parameters()), dict(module.named_parameters())
    assert theirs.keys() == ours.keys()
    assert all(torch.equal(theirs[name], ours[name]) for name in ours)
    asked = ASKED.get(task, SENTENCES)
    together = model.predict([*asked, " "], beam=2)
    assert together.pop() == " "
    assert together == [load(str(path)).predict([text], beam=2)[0] for text in asked]


def test_a_translator_says_sentences_and_lists(saved):
    model = regard.load(saved("translation")[0])
    one, several = model.translate(SENTENCES[0], beam=2), model.translate(SENTENCES[:2], beam=2)
    assert isinstance(one, Translation)
    assert several[0].text == one.text == str(one)
    assert model.predict(SENTENCES[:2], beam=2) == [found.text for found in several]
    assert model.translate([]) == []


def test_forced_targets_are_scored(saved):
    path, module = saved("g2p")
    model = load(path)
    vocabulary = vocabulary_for("g2p")
    source, target = vocabulary.source.encode("a cat"), vocabulary.target.encode("the hill")
    (wanted,) = TorchEngine(module).score([source], [target])
    assert model.score([("a cat", "the hill")]) == pytest.approx([wanted.log_prob], abs=1e-5)
    protecting = load(saved("translation")[0])
    held, other = protecting.score([("the %s sat", "a %s"), ("the {x} sat", "a {x}")])
    assert held == pytest.approx(other, abs=1e-5)  # to the model both are one placeholder
    language = load(saved("language")[0])
    assert language.score([("whatever", "the cat")]) == language.score([("", "the cat")])
    with pytest.raises(InputError, match="a model for fill says no sentences; score is for translation, g2p, language"):
        load(saved("fill")[0]).score([("a", "b")])


def test_symbols_that_were_not_learnt_are_not_used(saved):
    path, _ = saved("translation")
    loaded = load(path)
    letters = msgspec.structs.replace(loaded.recipe, tokens=TokensSpec(kind="characters"))
    assert loaded.answerer.translator.protects
    assert not Model(path, letters, loaded.paths, vocabulary_for("translation"), None).answerer.translator.protects


@pytest.mark.parametrize("task", ["language", "fill"])
def test_texts_are_measured(saved, task):
    assert load(saved(task)[0]).measure(SENTENCES)["perplexity"].value > 1


def test_the_fast_engine_answers_where_there_is_one_and_torch_on_a_device_that_is_named(saved):
    path, module = saved("translation")
    tokens = vocabulary_for("translation")
    weights = {name: weight.detach().numpy() for name, weight in module.named_parameters()}
    engine = {f"engine/{name}": data for name, data in engine_files(PAIR, weights, tokens, "float32").items()}
    files = {name: place.read_bytes() for name, place in folder.open_folder(path).items()}
    folder.put(path, files | engine)
    fast, slow = load(path), load(path, "cpu")
    assert (type(fast.answerer.engine), type(slow.answerer.engine)) == (FastEngine, TorchEngine)
    assert fast.score([("a dog", "the mat")]) == pytest.approx(slow.score([("a dog", "the mat")]), rel=1e-4)
    assert torch.equal(fast.module.logits.weight, module.logits.weight)
    folder.put(path, files)
    assert not (path / "engine" / "model.bin").exists()
    assert isinstance(load(path).answerer.engine, TorchEngine)


def test_a_name_is_a_folder_or_a_shipped_model(saved, tmp_path, monkeypatch):
    saved("ratings")
    monkeypatch.chdir(tmp_path)
    assert load("ratings").task == "ratings"
    with pytest.raises(UserError, match=r"no model 'fr-en': no folder of that name holds one, and none ships"):
        load("fr-en")
    with pytest.raises(FolderError, match=r"no model at .*nowhere: there is no manifest\.json"):
        load("./nowhere")
    with pytest.raises(UserError, match=r"x{300}"):
        load("x" * 300)
    (tmp_path / "shipped").mkdir()
    (tmp_path / "ratings").rename(tmp_path / "shipped" / "critic")
    monkeypatch.setattr("regard.model.SHIPPED", tmp_path / "shipped")
    assert load("critic").task == "ratings"
    with pytest.raises(UserError, match="there are critic; give"):
        load("critics")


def test_what_is_missing_or_does_not_fit_is_said(saved):
    other = save({"mean": torch.zeros(())})
    for task, file, data, said in [
        ("ratings", "weights.safetensors", None, r"has no weights\.safetensors; copy"),
        ("ratings", "weights.safetensors", other, r"other weights than the recipe beside it wants \(item\.weight\)"),
        ("ratings", "labels.json", None, r"a model for ratings without its labels\.json"),
        ("ratings", "labels.json", b'["good"]', r"a model for ratings without its labels\.json"),
        ("classify", "labels.json", None, r"a model for classify without its labels\.json"),
        ("ratings", "labels.json", b"{", r"labels\.json is damaged"),
        ("fill", "tokens.model", None, r"a model for fill without tokens\.model"),
    ]:
        path, _ = saved(task, **{file: data})
        with pytest.raises(FolderError, match=said):
            load(path)
    path, _ = saved("fill")
    (path / "weights.safetensors").write_bytes(b"cut")
    with pytest.raises(FolderError, match=r"weights\.safetensors is not what was written"):
        load(path)


def test_the_wrong_question_is_refused(saved):
    with pytest.raises(UserError, match="is a model for g2p, not for translation; ask it by predict"):
        load(saved("g2p")[0]).translate("cat")


def test_a_training_gives_its_model(saved, tmp_path, monkeypatch):
    path, _ = saved("ratings")
    asked = []
    monkeypatch.setattr("regard.training.run.train", lambda *given, **options: asked.append((*given, options)))
    text = (path / "recipe.toml").read_text()
    (tmp_path / "mine.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    for recipe in (parse(text), tmp_path / "mine.toml", "mine.toml", "reverse"):
        assert regard.train(recipe, str(path)).task == "ratings"
    monkeypatch.setattr("regard.model.load", lambda folder, device: folder)
    assert [str(regard.train(recipe)) for recipe in (parse(text), "mine.toml", "reverse")] == [
        "ratings-en-en", "mine", "reverse",
    ]  # fmt: skip
    assert asked[:3] == [(parse(text), path, {"device": ""})] * 3
    assert asked[3][0].training.steps == 1200
    with pytest.raises(UserError, match=r"no recipe 'revers' \(did you mean 'reverse'\?\)"):
        regard.train("revers", path)


def test_names_of_the_package_are_loaded_when_asked_for():
    assert regard.load is load
    assert {"load", "train"} <= set(dir(regard))
