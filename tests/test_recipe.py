import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import RecipeError
from regard.recipe import LanguageSpec, Recipe, TrainingSpec, TransformerSpec, dump, load, parse, shipped, to_toml


def test_a_recipe_is_read():
    recipe = parse('seed = 7\n[model]\nkind = "transformer"\nwidth = 14\nheads = 7\n[training]\nsteps = 300')
    assert (recipe.seed, recipe.model.width, recipe.model.heads, recipe.training.steps) == (7, 14, 7, 300)
    assert recipe.model.key_size == 2


def test_the_defaults_are_the_papers_base():
    assert parse("").model == TransformerSpec() == load(shipped("base")).model


def test_kinds_have_defaults_of_their_own():
    assert parse('[model]\nkind = "language"').model == LanguageSpec(norm="pre", activation="gelu_tanh")


def test_dump_says_everything():
    plain = dump(parse("[model]\nwidth = 16"))
    assert plain["model"]["kind"] == "transformer"
    assert plain["model"]["width"] == 16
    assert set(plain["training"]) == set(TrainingSpec.__struct_fields__)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nwidht = 3", "unknown key model.widht (did you mean 'width'?)"),
        ("[model]\nxyz = 3", "unknown key model.xyz; it may be width, inner, heads"),
        ("[trainin]", "unknown key trainin (did you mean 'training'?)"),
        ("[training]\nstep = 3", "unknown key training.step (did you mean 'steps'?)"),
        ('[model]\nkind = "transfomer"', "model.kind is 'transfomer'; it must be one of bytenet, classify"),
        ('[model]\nkind = "lstm"', "model.kind is 'lstm'; it must be one of"),
        ("[model]\nwidth = 10\nheads = 3", "width 10 is not divided by 3 heads; heads may be 1, 2, 5, 10, or give"),
        ('[model]\nwidth = "x"', "model.width is 'x'; it must be a whole number above 0"),
        ("[model]\nkey_width = 2.5", "model.key_width is 2.5; it must be a whole number above 0"),
        ("[model]\nbias = 1", "model.bias is 1; it must be true or false"),
        (
            '[model]\nactivation = "tanh"',
            "model.activation is 'tanh'; it must be one of relu, gelu, gelu_tanh, swish, swiglu",
        ),
        ('[model]\ntied = ["sauce", "output"]', "it must be a list, each one of source, target, output"),
        ('[model]\ntied = ["source"]', "tied is ['source']; name two or three of source, target, output, or none"),
        ("[model]\nsource_vectors = 5", "but a source of vectors has no embedding matrix to share"),
        ("[model]\nwidth = 0", "model.width is 0; it must be a whole number above 0"),
        ("[model]\ndropout = 1", "dropout is 1; it must be a share: a number from 0 to below 1"),
        ("[model]\nwindow = -1", "window is -1; it must be a whole number from 0"),
        ("[model]\nwidth = 15\nheads = 5", "width is 15; sinusoidal positions pair sines and cosines: an even width"),
        ('[model]\nwidth = 15\nheads = 5\npositions = "rotary"', "key_width is 3; rotary positions turn pairs"),
        ('[model]\nkind = "recurrent"\nstate = 7', "state is 7; with attention the encoder reads both ways"),
        ('[model]\nkind = "bytenet"\nkernel = 2', "kernel is 2; the encoder looks equally far both ways"),
        ('[model]\nkind = "bytenet"\ndilations = []', "dilations is []; it must be a list of whole numbers above 0"),
        ('[model]\nkind = "bytenet"\nstretch = 0', "stretch is 0; it must be a number above 0"),
        ("[training]\nrate = nan", "rate is nan; it must be a number above 0"),
        ("[training]\nsteps = 3", "warmup is 100 steps, but there are 3 in all"),
        ("[training]\nrate = inf", "training.rate is inf; it must be a number above 0"),
        ("[training]\nclip = true", "training.clip is true; it must be a number above 0"),
        ("seed = -1", "seed is -1; it must be a whole number from 0"),
        ("seed = 99999999999999999999", "seed is 99999999999999999999; it must be a whole number from 0"),
        ("[model]\nkey_width = -4", "model.key_width is -4; it must be a whole number above 0"),
        ("[model]\nnorm = 'Post'", "model.norm is 'Post'; it must be one of post, pre (did you mean 'post'?)"),
        ("[model]\nkind = ['a']", "model.kind is ['a']; it must be one of bytenet"),
        ('[model]\n"a\\nb" = 3', "unknown key model.'a\\nb'; it may be width"),
        ("model = 3", "model is 3; it must be a table of keys: [model]"),
        ("training = []", "training is []; it must be a table of keys: [training]"),
        ("model = [", "not TOML: "),
    ],
)
def test_a_mistake_is_one_line_that_says_what_is_allowed(text, message):
    with pytest.raises(RecipeError, match=re.escape(message)) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"norm": "per"}, "norm is 'per'; it must be one of post, pre"),
        ({"width": "64"}, "width is '64'; it must be a whole number above 0"),
        ({"tied": ("sauce", "output")}, "tied is ('sauce', 'output'); it must be a list"),
        ({"heads": 3}, "width 512 is not divided by 3 heads"),
    ],
)
def test_a_spec_made_in_python_is_held_to_the_same(fields, message):
    with pytest.raises(RecipeError, match=re.escape(message)):
        TransformerSpec(**fields)
    with pytest.raises(RecipeError, match="model is 3; it must be a table of keys"):
        Recipe(model=3)


def test_the_files_name_stands_before_the_mistake(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[model]\nwidht = 3")
    with pytest.raises(RecipeError, match=r"mine\.toml: unknown key model\.widht"):
        load(path)
    with pytest.raises(RecipeError, match=r"no recipe at .*other\.toml"):
        load(tmp_path / "other.toml")
    with pytest.raises(RecipeError, match=r"no recipe at .*: (Is a directory|Permission)"):
        load(tmp_path)
    with pytest.raises(RecipeError, match=r"no recipe at .*null byte"):
        load("a\0b")
    path.write_bytes(b"\xef\xbb\xbfseed = 7\r\n")  # a BOM and CRLF, as some editors leave them
    assert load(path).seed == 7
    path.write_bytes(b"\xff")
    with pytest.raises(RecipeError, match=r"mine\.toml is not UTF-8 \(byte 0\)"):
        load(path)


def test_an_unknown_recipe_names_the_nearest():
    with pytest.raises(RecipeError, match=r"no recipe 'bass' \(did you mean 'base'\?\); there are base, big"):
        shipped("bass")


VALUES = st.one_of(
    st.integers(-3, 40), st.floats(-1, 2), st.booleans(), st.text(max_size=3), st.lists(st.text(max_size=6))
)


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(TransformerSpec.__struct_fields__), VALUES, max_size=4))
def test_whatever_is_given_is_a_recipe_or_one_line(values):
    lines = [f"{key} = {toml(value)}" for key, value in values.items()]
    message = ""
    try:
        parse("[model]\n" + "\n".join(lines))
    except RecipeError as error:
        message = str(error)
    assert "\n" not in message


def toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value if not 0xD800 <= ord(letter) < 0xE000) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return repr(value)


WITH_FILES = """
task = "g2p"
source = "en"
[data]
folder = "a \\"folder\\""
[[data.train]]
files = ["a.tsv.gz"]
columns = [2, 5]
[[data.train]]
files = ["é.en", "b\\u007f.de"]
weight = 0.5
[model]
kind = "bytenet"
dilations = [1, 3]
"""


@pytest.mark.parametrize("text", ["", WITH_FILES])
def test_what_is_written_is_read_as_the_same(text):
    recipe = parse(text)
    assert parse(to_toml(recipe)) == recipe


def test_files_are_tables_in_the_data():
    assert [files.weight for files in parse(WITH_FILES).data.train] == [1.0, 0.5]
    with pytest.raises(RecipeError, match=re.escape("unknown key data.train.colums (did you mean 'columns'?)")):
        parse('[[data.train]]\nfiles = ["a.tsv"]\ncolums = [1]')
    with pytest.raises(RecipeError, match=re.escape("data.train is 3; it must be tables of keys: [[data.train]]")):
        parse("[data]\ntrain = 3")
    with pytest.raises(RecipeError, match=re.escape("data.train.files is []; name one table, or two texts")):
        parse("[[data.train]]\ncolumns = [1]")
