"""What the README shows, runs."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_python_in_the_readme_runs(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    assert code.count("import") > 8
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["seen"]["decoder.layers.1.cross"]["weights"][0].shape == (1, 4, 5, 7)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_the_recipes_and_kinds_it_names_are_there():
    from regard.recipe import kind_of, shipped

    for name in ("tiny", "small", "base", "big", "reverse"):
        assert f"`{name}`" in README
        assert shipped(name).is_file()
    for kind in re.findall(r"^\| (`.*?) \|", README, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", kind):
            if name != "kind":
                assert kind_of(name)


def test_the_mistake_it_shows_is_what_is_said(tmp_path):
    from regard.errors import RecipeError
    from regard.recipe import load

    path = tmp_path / "mine.toml"
    path.write_text("[model]\nwidht = 3")
    with pytest.raises(RecipeError) as caught:
        load(path)
    assert f"regard: recipes/mine.toml: {str(caught.value).partition(': ')[2]}" in README
