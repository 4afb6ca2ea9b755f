"""Between the arguments and results of a module and the arrays of its parameters and its root."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import UsageError
from .arrays import from_bytes, npy_elements, to_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ArrayShape = tuple[str, str, list[int]]
"""The text of the shape of an array, its element type, its sizes."""


def named_arrays(entry: _core.Computation) -> list[tuple[str, ArrayShape]]:
    """The arrays of the parameters, tuples flattened, with what messages call them."""
    return [
        (f"argument {number} (%{parameter.name})", shape)
        for number, parameter in enumerate(entry.parameters)
        for shape in parameter.arrays
    ]


def argument_bytes(entry: _core.Computation, arguments: Sequence[Any]) -> list[NDArray[np.uint8]]:
    """The arrays of the arguments of one device as bytes."""
    wanted = named_arrays(entry)
    leaves = list(_leaves(arguments, [parameter.structure for parameter in entry.parameters]))
    if len(leaves) != len(wanted):
        raise UsageError(f"the module takes {len(wanted)} arrays, not {len(leaves)}")
    return [
        to_bytes(leaf, element_type, sizes, name)
        for leaf, (name, (_, element_type, sizes)) in zip(leaves, wanted, strict=True)
    ]


def arguments_of(entry: _core.Computation, arrays: Sequence[NDArray[np.uint8]]) -> tuple[Any, ...]:
    """The arguments that have these bytes."""
    shapes = [shape for _, shape in named_arrays(entry)]
    leaves = iter(
        from_bytes(element_type, sizes, sizes, data)
        for (_, element_type, sizes), data in zip(shapes, arrays, strict=True)
    )
    return tuple(
        unflatten(parameter.structure, [next(leaves) for _ in parameter.arrays])
        for parameter in entry.parameters
    )


def result_of(
    entry: _core.Computation, arrays: Sequence[tuple[str, list[int], list[int], NDArray[np.uint8]]]
) -> Any:
    """The result of one device in the structure that the root has."""
    return unflatten(entry.root.structure, [from_bytes(*array) for array in arrays])


def _leaves(arguments: Sequence[Any], structures: Sequence[Any]) -> Iterator[Any]:
    """The arrays of the arguments. A list is a tuple of arrays where a parameter is one."""
    given = list(arguments)
    if len(given) != len(structures):
        yield from given
        return
    for argument, structure in zip(given, structures, strict=True):
        if isinstance(structure, list) and isinstance(argument, (tuple, list)):
            yield from _leaves(argument, structure)
        elif structure is not None:
            yield argument


def unflatten(structure: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """The arrays in a structure: the number of an array, a list of structures, or None."""
    if isinstance(structure, list):
        return tuple(unflatten(element, arrays) for element in structure)
    return None if structure is None else arrays[structure]


def input_options(
    entry: _core.Computation, values: Mapping[int | str, Any]
) -> tuple[list[str], dict[str, bytes]]:
    """`--input` for the values of some parameters, and the files that these name.

    A parameter is its name, or the number of its array, tuples flattened. One that is a tuple has a
    tuple of values.
    """
    import numpy as np

    arrays = named_arrays(entry)
    first_of: dict[str, int] = {}
    count_of: dict[str, int] = {}
    number = 0
    for parameter in entry.parameters:
        first_of[parameter.name] = number
        count_of[parameter.name] = len(parameter.arrays)
        number += len(parameter.arrays)
    arguments: list[str] = []
    texts: dict[str, bytes] = {}

    def add(leaf: int, value: Any) -> None:
        name, (_, element_type, sizes) = arrays[leaf]
        elements = npy_elements(to_bytes(value, element_type, sizes, name), element_type, sizes)
        stream = io.BytesIO()
        np.save(stream, elements, allow_pickle=False)
        file = f"<array {leaf}>"
        arguments.append(f"--input={leaf}={file}")
        texts[file] = stream.getvalue()

    for key, value in values.items():
        if isinstance(key, str):
            plain = key.removeprefix("%")
            if plain not in first_of:
                raise UsageError(f"there is no parameter {key!r}: they are {', '.join(first_of)}")
            if count_of[plain] == 1 and not isinstance(value, tuple):
                add(first_of[plain], value)
                continue
            if len(value) != count_of[plain]:
                raise UsageError(f"%{plain} has {count_of[plain]} arrays, not {len(value)}")
            for offset, element in enumerate(value):
                add(first_of[plain] + offset, element)
        elif 0 <= key < len(arrays):
            add(key, value)
        else:
            raise UsageError(f"there is no parameter array {key}: there are {len(arrays)}")
    return arguments, texts
