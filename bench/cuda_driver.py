"""Kernels on a GPU through the CUDA driver, and the time that they take; see the CUDA Driver API."""

from __future__ import annotations

import ctypes
import statistics
from typing import NamedTuple

COMPUTE_CAPABILITY_MAJOR = 75
COMPUTE_CAPABILITY_MINOR = 76
MULTIPROCESSORS = 16
FUNCTION_MAX_DYNAMIC_SHARED = 8
ALIGNMENT = 256


class Launch(NamedTuple):
    function: ctypes.c_void_p
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: list[int]
    dynamic_shared: int = 0


class Cuda:
    def __init__(self, library: str = "libcuda.so.1") -> None:
        self.driver = ctypes.CDLL(library)
        device = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()
        self.architecture = 10 * self._attribute(COMPUTE_CAPABILITY_MAJOR, device) + \
            self._attribute(COMPUTE_CAPABILITY_MINOR, device)
        self.multiprocessors = self._attribute(MULTIPROCESSORS, device)
        self.stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 0)
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

    def _attribute(self, attribute: int, device: ctypes.c_int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
        return value.value

    def call(self, function: str, *arguments: object) -> None:
        result = getattr(self.driver, function)(*arguments)
        if result != 0:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError(f"{function}: {(text.value or b'?').decode()}")

    def allocate(self, size: int) -> int:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, ALIGNMENT)))
        return address.value

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def write(self, address: int, contents: bytes) -> None:
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), contents, ctypes.c_size_t(len(contents)))

    def read(self, address: int, size: int) -> bytes:
        contents = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", contents, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return contents.raw

    def clear(self, address: int, size: int) -> None:
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def copy(self, source: int, target: int, size: int) -> None:
        """On the stream."""
        self.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(target), ctypes.c_uint64(source),
                  ctypes.c_size_t(size), self.stream)

    def function(self, text: bytes, name: str, dynamic_shared: int = 0) -> ctypes.c_void_p:
        """Of PTX or a cubin."""
        module = ctypes.c_void_p()
        function = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if dynamic_shared > 0:
            self.call("cuFuncSetAttribute", function, FUNCTION_MAX_DYNAMIC_SHARED, dynamic_shared)
        return function

    def launch(self, launch: Launch) -> None:
        """On the stream."""
        values = [ctypes.c_uint64(argument) for argument in launch.arguments]
        pointers = (ctypes.c_void_p * len(values))(
            *(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
        grid = [*launch.grid, 1, 1][:3]
        block = [*launch.block, 1, 1][:3]
        self.call("cuLaunchKernel", launch.function, *grid, *block, launch.dynamic_shared,
                  ctypes.c_void_p(getattr(self.stream, "value", self.stream)), pointers, None)

    def finish(self) -> None:
        self.call("cuStreamSynchronize", self.stream)

    def microseconds(self, work: callable, repeat: int, samples: int = 7) -> float:
        """Of work() on the stream: the median of some samples, each of so many in a graph, so that the
        host's time does not count."""
        graph = ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", self.stream, 2)
        for _ in range(repeat):
            work()
        self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        run = ctypes.c_void_p()
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(run), graph, ctypes.c_uint64(0))
        time = self.microseconds_of_stream(lambda: self.call("cuGraphLaunch", run, self.stream), 1,
                                           samples)
        self.call("cuGraphExecDestroy", run)
        self.call("cuGraphDestroy", graph)
        return time / repeat

    def microseconds_of_stream(self, work: callable, repeat: int, samples: int = 7) -> float:
        """The same without a graph: for work that takes longer than the host needs to begin it."""
        times = []
        for sample in range(samples + 1):
            self.call("cuEventRecord", self.events[0], self.stream)
            for _ in range(repeat):
                work()
            self.call("cuEventRecord", self.events[1], self.stream)
            self.finish()
            elapsed = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(elapsed), *self.events)
            if sample > 0:
                times.append(elapsed.value * 1000 / repeat)
        return statistics.median(times)
