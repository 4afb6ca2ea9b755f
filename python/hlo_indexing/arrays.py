"""Between arrays of Python and the bytes that the core computes with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMPY = {
    "pred": "bool",
    "s8": "int8",
    "s16": "int16",
    "s32": "int32",
    "s64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}

_ML_DTYPES = {
    "bf16": "bfloat16",
    "f8e3m4": "float8_e3m4",
    "f8e4m3": "float8_e4m3",
    "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2": "float8_e5m2",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu",
    "f4e2m1fn": "float4_e2m1fn",
    "s1": "int1",
    "u1": "uint1",
    "s2": "int2",
    "s4": "int4",
    "u2": "uint2",
    "u4": "uint4",
}

# A literal has a byte for each of these.
_SMALL_INTEGERS = {"s1": "int8", "s2": "int8", "s4": "int8", "u1": "uint8", "u2": "uint8", "u4": "uint8"}
_AS_BYTES = {_ML_DTYPES[name]: byte for name, byte in _SMALL_INTEGERS.items()}


def numpy_type(element_type: str) -> np.dtype[Any]:
    """The type of NumPy, or of ml_dtypes, for an element type of XLA.

    >>> numpy_type("f32"), numpy_type("bf16")
    (dtype('float32'), dtype(bfloat16))
    """
    import numpy as np

    if element_type in _NUMPY:
        return np.dtype(_NUMPY[element_type])
    if element_type not in _ML_DTYPES:
        raise UsageError(f"there are no arrays of {element_type} in NumPy")
    try:
        import ml_dtypes
    except ImportError as error:
        raise UsageError(f"arrays of {element_type} need the package ml_dtypes") from error
    name = _ML_DTYPES[element_type]
    if hasattr(ml_dtypes, name):
        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found
    # Types that ml_dtypes does not have yet: a byte for each.
    return np.dtype(_SMALL_INTEGERS[element_type])


def as_numpy(value: Any) -> NDArray[Any]:
    """The value as an array of NumPy: what has `__array__`, DLPack, or is a number or a list."""
    import numpy as np

    if type(value).__module__.partition(".")[0] == "torch":
        return _from_torch(value)
    if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return np.asarray(value)


def _from_torch(value: Any) -> NDArray[Any]:
    """Types that torch has and NumPy has not are carried over by their bits."""
    torch = sys.modules["torch"]
    tensor = value.detach().cpu().contiguous()
    names = {
        torch.bfloat16: ("bf16", torch.int16),
        torch.float8_e4m3fn: ("f8e4m3fn", torch.uint8),
        torch.float8_e5m2: ("f8e5m2", torch.uint8),
        torch.float8_e4m3fnuz: ("f8e4m3fnuz", torch.uint8),
        torch.float8_e5m2fnuz: ("f8e5m2fnuz", torch.uint8),
    }
    if tensor.dtype not in names:
        array: NDArray[Any] = tensor.numpy()
        return array
    element_type, bits = names[tensor.dtype]
    carried: NDArray[Any] = tensor.view(bits).numpy().view(numpy_type(element_type))
    return carried


# The codes of DLPack for types of ml_dtypes whose elements have whole bytes.
_DLPACK_CODES = {
    "bfloat16": 4,
    "float8_e3m4": 7,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}


class _Dlpack:
    """An array of NumPy as who speaks DLPack takes it."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array

    def __dlpack__(self, *, copy: bool | None = None, **_: object) -> object:
        import numpy as np

        array = self._array
        if copy or not array.flags.writeable:
            array = array.copy()
        code = _DLPACK_CODES.get(array.dtype.name)
        if code is None:
            return array.__dlpack__()
        bits = array.view(np.uint16 if array.itemsize == 2 else np.uint8)
        return _core.with_type_code(bits, code)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the host's memory


def to_dlpack(array: NDArray[Any]) -> _Dlpack:
    """What `torch.from_dlpack` and its like take: without a copy, also bfloat16 and float8, which
    NumPy refuses to give.

    >>> import hlo_indexing as hi, ml_dtypes, numpy as np
    >>> hi.to_dlpack(np.zeros(3, ml_dtypes.bfloat16)).__dlpack_device__()
    (1, 0)
    """
    name = array.dtype.name
    if name in _ML_DTYPES.values() and name not in _DLPACK_CODES:
        raise UsageError(
            f"arrays of {name} cannot be given by DLPack; JAX takes them as they are, others as "
            f".astype('{_AS_BYTES.get(name, 'float32')}')"
        )
    return _Dlpack(array)


def to_bytes(value: Any, element_type: str, sizes: list[int], name: str) -> NDArray[np.uint8]:
    """The elements of an argument as bytes; an error, with its name, if it does not fit."""
    import numpy as np

    wanted = numpy_type(element_type)
    array = as_numpy(value)
    # Numbers of Python have no type of their own.
    is_weak = isinstance(value, (bool, int, float, complex, list, tuple))
    if array.dtype != wanted:
        if not is_weak:
            raise UsageError(f"{name} is an array of {wanted}, not {array.dtype}")
        array = array.astype(wanted)
    if list(array.shape) != sizes:
        raise UsageError(f"{name} has the shape {tuple(sizes)}, not {array.shape}")
    if element_type in _SMALL_INTEGERS:
        array = array.astype(_SMALL_INTEGERS[element_type])
    # A view of an array without dimensions is refused.
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def npy_elements(data: NDArray[np.uint8], element_type: str, sizes: list[int]) -> NDArray[Any]:
    """The bytes of an array as what a .npy file has: types that NumPy lacks as their bits."""
    import numpy as np

    if element_type in _NUMPY:
        return data.view(_NUMPY[element_type]).reshape(sizes)
    if element_type in _SMALL_INTEGERS:
        return data.view(_SMALL_INTEGERS[element_type]).reshape(sizes)
    return data.view(np.uint16 if element_type == "bf16" else np.uint8).reshape(sizes)


def from_bytes(
    element_type: str, sizes: list[int], bounds: list[int], data: NDArray[np.uint8]
) -> NDArray[Any]:
    """The array of a result; `bounds` are the sizes that it may have at most."""
    wanted = numpy_type(element_type)
    if element_type in _SMALL_INTEGERS:
        array: NDArray[Any] = data.view(_SMALL_INTEGERS[element_type]).astype(wanted)
    else:
        array = data.view(wanted)
    array = array.reshape(bounds)
    return array[tuple(slice(size) for size in sizes)] if sizes != bounds else array
