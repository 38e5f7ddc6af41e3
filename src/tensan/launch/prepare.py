"""Does what python does between its own start and the first line of the target."""

from __future__ import annotations

import builtins
import contextlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from tensan.launch.target import Target, absolute


def prepare(target: Target) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Puts `__main__`, `sys.argv` and `sys.path` in place and returns the call that runs the target.

    The caller makes the call, so that one frame of ours lies below the script, and runpy's frames where python has them.
    """
    words = {"script": (target.name,), "module": ("-m", target.name), "code": ("-c", target.name)}[target.kind]
    _restore_original_command([*words, *target.arguments])
    sys.argv = [words[0], *target.arguments]
    main = _fresh_main()
    if target.kind == "code":
        _set_first_path("")
        return exec, (_compile_command(target.name), main.__dict__)
    if target.kind == "module":
        _set_first_path(os.getcwd())
        return _module_runner(), (target.name, True)
    path = target.name if target.name == "-" else absolute(target.name)
    if target.name != "-" and _is_importable(path):
        _set_first_path(path, always=True)
        return _module_runner(), ("__main__", False)
    _set_first_path(_script_folder(target.name))
    return _load_script(target.name, path, main.__dict__)


def _fresh_main() -> types.ModuleType:
    main = types.ModuleType("__main__")
    main.__loader__ = importlib.machinery.BuiltinImporter  # type: ignore[assignment] - python puts the class itself there
    # Whether it starts with annotations differs between versions; our own was made by this one.
    if "__annotations__" in vars(sys.modules["__main__"]):
        main.__annotations__ = {}
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    return main


def _module_runner() -> Callable[..., Any]:
    """What python calls for -m, folders and archives; its frames are in their tracebacks, so they must be in ours."""
    import runpy

    return runpy._run_module_as_main  # type: ignore[attr-defined]


def _is_importable(path: str) -> bool:
    from pkgutil import get_importer

    return get_importer(path) is not None


def _script_folder(name: str) -> str:
    """Returns the folder of the file that the name leads to, links resolved."""
    with contextlib.suppress(OSError):
        name = os.path.realpath(name, strict=True)
    folder, separator, _ = name.rpartition(os.sep)
    return folder or separator


def _set_first_path(path: str, *, always: bool = False) -> None:
    """Replaces the entry that python made for us with the one that it would have made for the target."""
    if not sys.flags.safe_path:
        sys.path[0:1] = [path]
    elif always:
        sys.path.insert(0, path)
    else:
        return
    _forget_shadowed(path or os.curdir)


def _forget_shadowed(folder: str) -> None:
    """Drops modules that we have loaded from elsewhere but python would find beside the script.

    A script with its own ``rich.py`` must get that one. We go on with the modules that we hold.
    """
    try:
        names = {name for entry in os.scandir(folder) for name in _importable_names(entry)}
    except OSError:
        return
    home = os.path.realpath(folder)
    # Python has these before it looks at any folder.
    names -= {"__main__", "encodings", "site", "tensan", *sys.builtin_module_names}
    for name in names & sys.modules.keys():
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if spec is None or not spec.has_location or spec.origin is None:
            continue
        place = os.path.dirname(spec.origin)
        if spec.submodule_search_locations is not None:
            place = os.path.dirname(place)
        if os.path.realpath(place) != home:
            for loaded in [loaded for loaded in sys.modules if loaded == name or loaded.startswith(f"{name}.")]:
                del sys.modules[loaded]


def _importable_names(entry: os.DirEntry[str]) -> Iterator[str]:
    if entry.name.isidentifier():
        suffixes = importlib.machinery.all_suffixes()
        if entry.is_dir() and any(os.path.isfile(os.path.join(entry.path, f"__init__{suffix}")) for suffix in suffixes):
            yield entry.name
        return
    for suffix in importlib.machinery.all_suffixes():
        if entry.name.endswith(suffix):
            yield entry.name.removesuffix(suffix)


def _restore_original_command(words: list[str]) -> None:
    """Makes `sys.orig_argv` what it would be: programs start themselves again from it."""
    started, given = list(sys.orig_argv), sys.argv[1:]
    if not started or started[len(started) - len(given) :] != given:
        return
    ours = started[: len(started) - len(given)]
    sys.orig_argv = [*(ours[:-2] if ours[-2:-1] == ["-m"] else ours[:-1]), *words]


def _compile_command(code: str) -> types.CodeType:
    source = f"{code}\n"
    if sys.version_info >= (3, 14):
        from textwrap import dedent

        source = dedent(source)
    compiled = compile(source, "<string>", "exec", dont_inherit=True)
    if sys.version_info >= (3, 13):
        import linecache

        # Tracebacks of -c show its lines since 3.13, through this private door.
        register = getattr(linecache, "_register_code", None)
        if register is not None:
            register(compiled, source, "<string>")
    return compiled


def _load_script(name: str, path: str, namespace: dict[str, Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if name == "-":
        path = "<stdin>"
        with open(0, "rb", closefd=False) as stream:
            source = stream.read()
    else:
        with open(path, "rb") as stream:
            source = stream.read()
    namespace["__file__"] = path
    namespace["__cached__"] = None
    if name != "-" and (path.endswith(".pyc") or source[:2] == importlib.util.MAGIC_NUMBER[:2]):
        namespace["__loader__"] = importlib.machinery.SourcelessFileLoader("__main__", path)
        return exec, (_unmarshal(source), namespace)
    if name != "-":
        namespace["__loader__"] = importlib.machinery.SourceFileLoader("__main__", path)
        if not _decodes(source):
            return _run_file_natively, (path, source, namespace)
    return exec, (compile(source, path, "exec", dont_inherit=True), namespace)


def _unmarshal(source: bytes) -> types.CodeType:
    import marshal

    if source[:4] != importlib.util.MAGIC_NUMBER:
        raise RuntimeError("Bad magic number in .pyc file")
    code = marshal.loads(source[16:])
    if not isinstance(code, types.CodeType):
        raise RuntimeError("Bad code object in .pyc file")
    return code


def _decodes(source: bytes) -> bool:
    if b"\0" in source:
        return False
    try:
        importlib.util.decode_source(source)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return False
    return True


def _run_file_natively(path: str, source: bytes, namespace: dict[str, Any]) -> None:
    """Hands a file that does not decode to python's own file reader, which alone words such errors as python does."""
    try:
        import ctypes

        opener = ctypes.CDLL(None).fopen
        run = ctypes.pythonapi.PyRun_FileExFlags
    except (ImportError, OSError, TypeError, AttributeError):
        importlib.util.decode_source(source)
        exec(compile(source, path, "exec", dont_inherit=True), namespace)
        return
    opener.restype = ctypes.c_void_p
    run.restype = ctypes.py_object
    run.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p,
    ]  # fmt: skip
    name = os.fsencode(path)
    file_input, close_it = 257, 1
    run(opener(name, b"rb"), name, file_input, namespace, namespace, close_it, None)
