"""The Triton kernels that PyTorch's Inductor writes for an H100, on a machine without a GPU.

Inductor and Triton ask a GPU for a few numbers and compile for what they say; `pretend_h100` answers
in its place. Arrays are fake (shapes and types only), and the module that Inductor writes is not
run: its calls of kernels are taken down. Written for PyTorch 2.13 and Triton 3.9.
"""

from __future__ import annotations

import contextlib
import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch._dynamo.device_interface as device_interface
import torch._inductor.async_compile
import torch._inductor.config
import torch._inductor.fx_passes.misc_patterns as misc_patterns
from torch._inductor.codecache import PyCodeCache
from torch._inductor.compile_fx import compile_fx
from torch._inductor.graph import GraphLowering
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_heuristics import GridExpr
from torch._subclasses.fake_tensor import FakeTensorMode
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

TYPES = {"bf16": torch.bfloat16, "f32": torch.float32, "s64": torch.int64, "pred": torch.bool}
NAMES = {type: name for name, type in TYPES.items()}

H100 = types.SimpleNamespace(
    name="NVIDIA H100 80GB HBM3", major=9, minor=0, multi_processor_count=132, warp_size=32,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024,
    total_memory=80 << 30, L2_cache_size=50 << 20, shared_memory_per_block_optin=232448)


@dataclasses.dataclass(eq=False)
class Array:
    """An array of a program: an input, or what is allocated. Types are those of HLO."""

    type: str
    sizes: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Configuration:
    """A kernel, compiled for one of the block sizes that Inductor would try."""

    ptx: str
    name: str
    grid: tuple[int, ...]
    threads: int
    shared_bytes: int
    # Arrays, numbers as text with their types, None for scratch memory that the kernel has no use for.
    arguments: list[Array | str | None]


@dataclasses.dataclass(frozen=True)
class Launch:
    configurations: list[Configuration]
    written: set[Array]
    read: set[Array]


@dataclasses.dataclass(frozen=True)
class Program:
    code: str
    inputs: list[Array]
    outputs: list[Array]
    launches: list[Launch]


class _Driver:
    """The part of a driver of Triton that compiling asks."""

    binary_ext = "cubin"

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0


class _Cuda(device_interface.CudaInterface):
    class Worker(device_interface.CudaInterface.Worker):
        current_device = staticmethod(lambda: 0)
        set_device = staticmethod(lambda device: None)
        get_device_properties = staticmethod(lambda device=None: H100)

    current_device = staticmethod(lambda: 0)
    device_count = staticmethod(lambda: 1)
    get_compute_capability = staticmethod(lambda device=None: 90)
    get_device_properties = staticmethod(lambda device=None: H100)
    is_available = staticmethod(lambda: True)
    is_bf16_supported = staticmethod(lambda including_emulation=False: True)
    raise_if_triton_unavailable = staticmethod(lambda device=None: None)


def pretend_h100() -> None:
    driver.set_active(_Driver())
    triton_helpers.set_driver_to_gpu = lambda: None
    dict(device_interface.get_registered_device_interfaces())  # Registers those that there are.
    for name in ("cuda", "cuda:0"):
        device_interface.register_interface_for_device(name, _Cuda)
    torch.cuda.get_device_properties = lambda device=None: H100
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    torch.cuda.set_device = lambda device: None
    torch.cuda._DeviceGuard = lambda index: contextlib.nullcontext()
    if not hasattr(torch._C, "_cuda_getCurrentRawStream"):
        torch._C._cuda_getCurrentRawStream = lambda index: 0
    # Patterns of random permutations are traced with real arrays, which need a GPU.
    misc_patterns._misc_patterns_init = lambda *arguments: None
    # Nor can constants be folded, which are arrays of one element on the device then.
    torch._inductor.config.joint_graph_constant_folding = False
    # HLO's gather has no such check: an index out of bounds is clamped.
    torch._inductor.config.assert_indirect_indexing = False
    torch._inductor.config.compile_threads = 1
    # The other way to launch keeps no PTX.
    torch._inductor.config.use_static_triton_launcher = False


class _Written(Exception):  # noqa: N818 (no error)
    """Carries what Inductor has written past all that would load and run it."""


@contextlib.contextmanager
def _stop_at_code() -> Iterator[None]:
    def stop(graph: GraphLowering) -> None:
        raise _Written(graph.codegen()[0].value)

    before = GraphLowering.compile_to_module
    GraphLowering.compile_to_module = stop
    try:
        yield
    finally:
        GraphLowering.compile_to_module = before


def python_code(function: Callable[..., Any], inputs: list[Array]) -> tuple[str, list[Array]]:
    """The module that Inductor writes for a function, kernels in Triton and their calls, and its
    inputs, which come in the order in which the function uses them."""
    torch._dynamo.reset()
    order: list[Array] = []
    with FakeTensorMode(), _stop_at_code():
        fakes = [torch.empty(one.sizes, dtype=TYPES[one.type], device="cuda") for one in inputs]

        def backend(graph: torch.fx.GraphModule, used: list[torch.Tensor]) -> Any:
            order.extend(inputs[[one is fake for fake in fakes].index(True)] for one in used)
            return compile_fx(graph, used)

        try:
            torch.compile(function, dynamic=False, backend=backend)(*fakes)
        except Exception as error:
            while error is not None and not isinstance(error, _Written):
                error = error.__cause__ or getattr(error, "inner_exception", None)
            if error is None:
                raise
            return error.args[0], order
    raise AssertionError("Inductor has written nothing")


class _Kernel:
    """In place of a kernel: takes down its calls."""

    def __init__(self, name: str, source: str, launches: list[Launch]) -> None:
        self.autotuner = getattr(PyCodeCache.load(source), name)
        self.autotuner.precompile(warm_cache_only=True)
        self.launches = launches

    def run(self, *arguments: Any, stream: Any) -> None:
        tuner = self.autotuner
        names = tuner.fn.arg_names
        signature = tuner.triton_meta["signature"]
        configurations = []
        for result in tuner.compile_results:
            # Block sizes are constants of a configuration, not arguments.
            given = [name for name in names if name not in result.config.kwargs]
            values = dict(zip(given, arguments, strict=True))
            grid = GridExpr.from_meta(result.inductor_meta, result.config).eval_slow(values)
            passed = [values[name] if isinstance(values[name], Array)
                      else f"{signature[name].replace('i', 's').replace('fp', 'f')}:{values[name]}"
                      for name in given if signature[name] != "constexpr"]
            metadata = result.kernel.metadata
            scratch = metadata.global_scratch_size + metadata.profile_scratch_size
            assert scratch == 0, f"{metadata.name} needs {scratch} bytes of scratch memory"
            configurations.append(Configuration(
                result.kernel.asm["ptx"], metadata.name, grid, 32 * metadata.num_warps,
                metadata.shared, [*passed, None, None]))
        arrays = dict(zip(names, arguments, strict=False))
        written = {one for name, one in arrays.items() if isinstance(one, Array)
                   and name.startswith(("out_ptr", "in_out_ptr"))}
        read = {one for name, one in arrays.items() if isinstance(one, Array)
                and name.startswith(("in_ptr", "in_out_ptr"))}
        self.launches.append(Launch(configurations, written, read))


def compiled(function: Callable[..., Any], inputs: list[Array]) -> Program:
    launches: list[Launch] = []

    class Compiler:
        def triton(self, name: str, source: str, **options: Any) -> _Kernel:
            return _Kernel(name, source, launches)

        def wait(self, scope: dict[str, Any]) -> None:
            pass

    code, order = python_code(function, inputs)
    scope: dict[str, Any] = {"__name__": "written_by_inductor"}
    real = torch._inductor.async_compile.AsyncCompile
    torch._inductor.async_compile.AsyncCompile = Compiler
    try:
        exec(code, scope)
    finally:
        torch._inductor.async_compile.AsyncCompile = real
    scope["assert_size_stride"] = lambda *arguments: None
    scope["copy_if_misaligned"] = lambda array: array
    scope["empty_strided_cuda"] = lambda sizes, strides, type: Array(NAMES[type], tuple(sizes))
    outputs = scope["call"](list(order))
    return Program(code, inputs, list(outputs), launches)
