"""The cache of compiled kernels: edited code is compiled anew, edited prose is not."""

import io
import shutil
import tokenize
from pathlib import Path

import pytest

from tests.processes import python
from thetafront.engine import jit

PROGRAM = "from thetafront.engine.rng import named_stream; print(named_stream(1, 2, 3))"
LAYOUT = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def tokens(source: str) -> list[str]:
    """Python's own tokens, without comments and without strings that are whole statements."""
    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
    stream = tokenize.generate_tokens(io.StringIO(source).readline)
    found = [token for token in stream if token.type not in ignored]
    starts = [True, *(token.type in LAYOUT for token in found)]
    ends = [*(token.type == tokenize.NEWLINE for token in found[1:]), True]
    return [
        token.string
        for token, start, end in zip(found, starts, ends, strict=False)
        if token.type not in LAYOUT and not (start and end and token.type == tokenize.STRING)
    ]


@pytest.mark.parametrize("package", jit.COMPILED_PACKAGES)
def test_the_digest_sees_every_token_of_the_code(package: str) -> None:
    for path in (jit.ROOT / package).rglob("*.py"):
        source = path.read_text().replace('r"""', '"""')
        assert tokens(jit.strip_source(source)) == tokens(source), path


CODE = '''"""Module."""

A = "# no comment"  # a comment
B = 1
"""Attribute."""
TEXT = """
text"""
C = (
    """argument"""
)


def f(x):
    r"""A "function" with \\"quotes\\"."""
    # "comment"
    return x + 2
'''


def test_what_is_prose() -> None:
    assert jit.strip_source(CODE).split("\n") == [
        'A = "# no comment"',
        "B = 1",
        'TEXT = """',
        'text"""',
        "C = (",
        '    """argument"""',
        ")",
        "def f(x):",
        "    r",
        "    return x + 2",
    ]


def run(root: Path) -> tuple[str, set[Path]]:
    # Without bytecode, which Python takes for today's if a file of the same size is as old in whole
    # seconds.
    given = {"THETAFRONT_CACHE_DIR": str(root / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    return python(PROGRAM, cwd=root, env=given), set((root / "cache").rglob("*.nbc"))


def test_prose_compiles_nothing_and_code_everything(tmp_path: Path) -> None:
    engine = tmp_path / "thetafront" / "engine"
    engine.mkdir(parents=True)
    (tmp_path / "thetafront" / "__init__.py").touch()
    for name in ("__init__.py", "jit.py", "rng.py"):
        shutil.copy(jit.ROOT / "engine" / name, engine / name)
    source = engine / "rng.py"
    first, compiled = run(tmp_path)
    assert len(compiled) == 1
    source.write_text(source.read_text().replace('"""', '"""Once upon a time\nthere was ', 1))
    assert run(tmp_path) == (first, compiled)
    source.write_text(source.read_text().replace("0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"))
    second, compiled_twice = run(tmp_path)
    assert second != first
    assert len(compiled_twice) == 2
