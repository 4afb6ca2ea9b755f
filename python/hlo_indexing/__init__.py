"""Which elements of which array does an element of the result read? For any module of XLA HLO.

>>> import hlo_indexing as hi
>>> module = hi.parse("ENTRY e { p = f32[4,6] parameter(0) ROOT r = f32[8,3] reshape(p) }")
>>> print(module["r"].maps(operand=0)[0])
(d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 3 + d1), domain: d0 in [0, 7], d1 in [0, 2]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._core import version as __version__
from ._errors import (
    DomainError,
    Error,
    InputError,
    LimitError,
    UnknownNameError,
    UnsupportedError,
    UsageError,
    Warning,
)

if TYPE_CHECKING:
    from . import jax, ptx
    from ._cute import CuteValue, cute, cute_functions
    from .arrays import to_dlpack
    from .instructions import Computation, Instruction
    from .kernel_reports import Access, Explanation, Kernel
    from .kernels import EmittedKernel
    from .layouts import Layout, Relayout
    from .maps import Equality, Image, Map, Maps, Variable, simplify
    from .modules import Module
    from .reports import Report
    from .sources import parse, parse_all

# What is imported when it is first used, so that importing the package takes no time: the modules
# and what is in them.
_MODULES = {
    "_cute": ("CuteValue", "cute", "cute_functions"),
    "arrays": ("to_dlpack",),
    "instructions": ("Computation", "Instruction"),
    "jax": (),
    "kernel_reports": ("Access", "Explanation", "Kernel"),
    "kernels": ("EmittedKernel",),
    "layouts": ("Layout", "Relayout"),
    "maps": ("Equality", "Image", "Map", "Maps", "Variable", "simplify"),
    "modules": ("Module",),
    "ptx": (),
    "reports": ("Report",),
    "sources": ("parse", "parse_all"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Access",
    "Computation",
    "CuteValue",
    "DomainError",
    "EmittedKernel",
    "Equality",
    "Error",
    "Explanation",
    "Image",
    "InputError",
    "Instruction",
    "Kernel",
    "Layout",
    "LimitError",
    "Map",
    "Maps",
    "Module",
    "Relayout",
    "Report",
    "UnknownNameError",
    "UnsupportedError",
    "UsageError",
    "Variable",
    "Warning",
    "__version__",
    "cute",
    "cute_functions",
    "jax",
    "parse",
    "parse_all",
    "ptx",
    "simplify",
    "to_dlpack",
]


def __getattr__(name: str) -> object:
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
