"""Which library modules a notebook's code reaches, found statically, and a hash of each that comments cannot change."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                node.body = node.body[1:]
    return tree


def code_hash(text: str) -> str:
    """Return a hash of what a piece of Python does: comments, docstrings and layout do not count.

    Text that does not parse (a notebook cell with an error) is hashed as it is.
    """
    try:
        text = ast.dump(_without_docstrings(ast.parse(text)))
    except SyntaxError:
        pass
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _locate(root: Path, module: str) -> Path | None:
    base = root.joinpath(*module.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _imported(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """Yield the dotted names that one node may import: for `from a import b`, both `a` and `a.b`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = module.split(".") if is_package else module.split(".")[:-1]
            base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("import_module", "__import__") and isinstance(node.args[0].value, str):
            yield node.args[0].value


def imports(text: str, module: str = "", is_package: bool = False) -> set[str]:
    """Return every dotted name that the text may import, imports inside functions included."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    return {name for node in ast.walk(tree) for name in _imported(node, module, is_package)}


@lru_cache(maxsize=2048)
def _parsed(path: Path, module: str, size: int, changed: int) -> tuple[str, frozenset[str]]:
    text = path.read_text(encoding="utf-8")
    return code_hash(text), frozenset(imports(text, module, path.name == "__init__.py"))


def _read(path: Path, module: str) -> tuple[str, frozenset[str]]:
    status = path.stat()
    return _parsed(path, module, status.st_size, status.st_mtime_ns)


def module_hashes(root: Path, package: str, cells: Iterable[str]) -> dict[str, str]:
    """Return the hash of each library module that the code cells reach, by module name, sorted.

    Args:
        root: Folder that holds the package.
        package: Name of the package; modules outside it do not count (the lock stands for them).
        cells: Texts of the code cells.

    The `__init__` of every package on the way counts, since Python runs it. Everything that can be imported counts,
    whether or not a run takes that branch.
    """
    queue = [name for cell in cells for name in imports(cell)]
    found: dict[str, str] = {}
    while queue:
        name = queue.pop()
        parts = name.split(".")
        if parts[0] != package:
            continue
        for length in range(1, len(parts) + 1):
            module = ".".join(parts[:length])
            path = None if module in found else _locate(root, module)
            if path is not None:
                found[module], names = _read(path, module)
                queue.extend(names)
    return dict(sorted(found.items()))
