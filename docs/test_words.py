# SPDX-License-Identifier: Apache-2.0
"""The check of words finds a banned word in prose and in names, and nothing else."""

import importlib.machinery
import importlib.util
import subprocess
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parent.parent / "release" / "check-words"


@pytest.fixture(scope="module")
def check():
    loader = importlib.machinery.SourceFileLoader("check_words", str(CHECK))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_words", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "text",
    [
        "The agent is deaf to marks.",
        "func TestDeafAgents(t *testing.T) {",
        "static int is_deaf(void)",
        "DEAF_SECONDS = 3",
        "String DEAFAgent;",
        "var deafAgents int",
    ],
)
def test_a_banned_word_is_found_in_prose_and_in_names(check, text):
    assert [(number, word) for number, word, _ in check.findings("\n" + text)] == [(2, "deaf")]


def test_a_phrase_is_found_across_lines(check):
    assert [number for number, _, _ in check.findings("What it speaks\n// of others")] == [1]


def test_a_type_must_name_what_it_is(check):
    assert [word for _, word, _ in check.findings("type elsewhere struct {")] == ["elsewhere"]
    assert not list(check.findings("traffic that goes elsewhere"))


def test_longer_words_are_not_found(check):
    assert not list(check.findings("deafening joints, jointly"))


def test_files_that_git_tracks_are_checked(check, tmp_path, capsys):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "page.md").write_text("Fine.\nA deaf agent.\n")
    (tmp_path / "CHANGELOG.md").write_text("A deaf agent.\n")
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    assert check.main(tmp_path) == 1
    assert capsys.readouterr().out.startswith('page.md:2: "deaf"; use: ')
