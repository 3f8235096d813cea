from regard.look.terminal import block, blocks


def test_by_hand():
    assert blocks([[1.0, 0.0], [0.3, 0.7]], ["je", "suis"], ["I", "am"]).split("\n") == [
        "      je  suis",
        " I  █████",
        "am  ░░░░░▓▓▓▓▓",
    ]


def test_letters_are_two_wide():
    assert blocks([[0.0, 1.0], [1.0, 0.0]], "ab", "ba") == "   a b\nb    ██\na  ██"


def test_wide_characters_take_two_cells():
    lines = blocks([[1.0, 0.0], [0.0, 1.0]], ["我", "是"], ["I", "am"]).split("\n")
    assert lines == ["    我 是", " I  ███", "am     ███"]


def test_quarters():
    assert [block(weight) for weight in (0, 0.12, 0.13, 0.5, 0.75, 0.88, 1.0)] == [" ", " ", "░", "▒", "▓", "█", "█"]
