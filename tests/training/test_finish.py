"""What lies in a folder when its training is over."""

import json
import math

import pytest

import regard
from regard import folder
from regard.training.run import train
from trainings import small


def test_a_finished_folder_has_its_scores_curves_and_card(tmp_path, monkeypatch):
    monkeypatch.setattr("regard.training.measure.SECONDS", 0)
    out = tmp_path / "back~wards"
    train(small(tmp_path, steps=20), out)
    files = folder.open_folder(out)  # each as the manifest has it
    assert {"recipe.toml", "weights.safetensors", "scores.json", "curves.svg", "CARD.md"} <= files.keys()
    text, picture = (files[name].read_text(encoding="utf-8") for name in ("CARD.md", "curves.svg"))
    assert text.startswith("# back&#126;wards: translation\n")
    assert "- **steps**: 20 (all steps are done), " in text
    assert "](curves.svg)" in text
    curve = json.loads(files["confidence.json"].read_bytes())
    answer = regard.load(out).translate("abc")
    assert answer.confidence == pytest.approx(1 / (1 + math.exp(-curve["slope"] * answer.score - curve["offset"])))
    scores = json.loads(files["scores.json"].read_bytes())
    assert f"| test | 17 | {scores['test']['scores']['bleu']['value']:.2f} |" in text
    assert 'class="training"' in picture
    assert 'class="validation"' in picture
