"""HLO text and the kernels compiled from it, as check_ptx_dump.py needs them: shapes, instructions, the module that
has one instruction alone, and the grids that its kernel may have been launched with."""

import dataclasses
import itertools
import math
import os
import re

import numpy as np


class NotComparable(Exception):
    """Why a kernel has nothing to compare it with."""


@dataclasses.dataclass(frozen=True)
class ElementType:
    bits: type  # NumPy's type of the same size, as `hlo-indexing run` writes it
    # Random bits of a float become `bits & keep | set`: finite, of moderate size. None: an integer.
    keep: int = None
    set: int = 0
    mantissa: int = 0

    @property
    def unsigned(self):
        return np.dtype(f"u{np.dtype(self.bits).itemsize}")


TYPES = {
    "pred": ElementType(np.bool_),
    "s8": ElementType(np.int8), "s16": ElementType(np.int16), "s32": ElementType(np.int32),
    "s64": ElementType(np.int64), "u8": ElementType(np.uint8), "u16": ElementType(np.uint16),
    "u32": ElementType(np.uint32), "u64": ElementType(np.uint64),
    "f8e4m3fn": ElementType(np.uint8, 0xBF, 0, 3), "f8e5m2": ElementType(np.uint8, 0xBF, 0, 2),
    "bf16": ElementType(np.uint16, 0x83FF, 0x3C00, 7), "f16": ElementType(np.float16, 0x8FFF, 0x3000, 10),
    "f32": ElementType(np.float32, 0x83FFFFFF, 0x3C000000, 23),
    "f64": ElementType(np.float64, 0x807FFFFFFFFFFFFF, 0x3F80000000000000, 52),
}


@dataclasses.dataclass(frozen=True)
class Shape:
    type: str
    sizes: tuple
    minor_to_major: tuple

    @classmethod
    def parse(cls, text):
        match = re.fullmatch(r"(\w+)\[([\d,]*)\](?:\{([\d,]*)(?::[^}]*)?\})?", text)
        if not match:
            raise NotComparable(f"shape {text}")
        sizes = tuple(int(size) for size in match[2].split(",") if size)
        order = tuple(int(number) for number in (match[3] or "").split(",") if number)
        return cls(match[1], sizes, order or tuple(reversed(range(len(sizes)))))

    @property
    def element(self):
        if self.type not in TYPES:
            raise NotComparable(f"element type {self.type}")
        return TYPES[self.type]

    @property
    def elements(self):
        return math.prod(self.sizes)

    @property
    def bytes(self):
        return self.elements * np.dtype(self.element.bits).itemsize

    def in_memory(self, array):
        """The elements of a logical array, in the order of the layout."""
        return np.ascontiguousarray(array.transpose(self.minor_to_major[::-1])).reshape(-1)

    def logical(self, elements):
        """The logical array of elements in the order of the layout."""
        order = self.minor_to_major[::-1]
        array = elements.reshape([self.sizes[dimension] for dimension in order])
        return array.transpose(np.argsort(order)) if order else array


def split_top(text):
    """The parts between commas that are outside of brackets and strings."""
    parts, depth, begin, in_string, i = [], 0, 0, False, 0
    while i < len(text):
        character = text[i]
        if in_string:
            if character == "\\":
                i += 1
            in_string = character != '"'
        elif character == '"':
            in_string = True
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def closing(text, begin):
    """Where the bracket at `begin` closes."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    raise NotComparable("unbalanced brackets in the HLO text")


@dataclasses.dataclass
class Instruction:
    name: str
    shape: str
    opcode: str
    operands: list
    attributes: dict
    computation: str

    @property
    def leaves(self):
        text = re.sub(r"/\*.*?\*/", "", self.shape)
        if not text.startswith("("):
            return [Shape.parse(text)]
        return [Shape.parse(part) for part in split_top(text[1:-1])]

    def text(self, operands):
        # What does not change the values stays out.
        kept = [f"{name}={value}" for name, value in self.attributes.items()
                if name not in ("metadata", "backend_config", "frontend_attributes", "sharding",
                                "control-predecessors")]
        return f"%{self.name} = {self.shape} {self.opcode}({', '.join(operands)})" + "".join(f", {a}" for a in kept)


def parse_instruction(line, computation):
    match = re.match(r"\s*(?:ROOT )?%?([\w.\-]+) = ", line)
    if not match:
        return None
    rest = line[match.end():]
    end = closing(rest, 0) + 1 if rest.startswith("(") else rest.index(" ")
    shape, rest = rest[:end], rest[end:].lstrip()
    begin = rest.index("(")
    end = closing(rest, begin) if '"' not in rest[:begin] else begin
    attributes = dict(part.split("=", 1) for part in split_top(rest[end + 1:]) if "=" in part)
    operands = [part.split("%")[-1] for part in split_top(re.sub(r"/\*.*?\*/", "", rest[begin + 1:end]))]
    return Instruction(match[1], shape, rest[:begin], operands, attributes, computation)


class Module:
    """The canonical text of an HLO module, as `hlo-indexing print` gives it."""

    def __init__(self, text):
        self.computations = {}
        self.instructions = {}
        self.lines = {}
        for match in re.finditer(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{\n((?:  .*\n)*)\}", text, re.MULTILINE):
            self.computations[match[1]] = re.sub(r"^ENTRY ", "", match[0])
            self.lines[match[1]] = match[2]

    def find_instructions(self):
        for computation, lines in self.lines.items():
            for line in lines.splitlines():
                # Constants are long, and none is a kernel.
                instruction = None if " constant(" in line else parse_instruction(line, computation)
                if instruction:
                    self.instructions.setdefault(instruction.name, instruction)
                    yield instruction

    def called(self, attributes):
        """The names of the computations that attributes name, in the order in which they must stand."""
        names = []
        for value in attributes.values():
            for name in re.findall(r"%([\w.\-]+)", value):
                if name not in self.computations or name in names:
                    continue
                for line in self.lines[name].splitlines():
                    if "=%" in line or "={%" in line:
                        inner = parse_instruction(line, name)
                        names += [other for other in self.called(inner.attributes) if other not in names]
                names.append(name)
        return names

    def buffer(self, name):
        """The name of the buffer of an operand: a bitcast has that of its own operand."""
        instruction = self.instructions.get(name)
        while instruction is not None and instruction.opcode == "bitcast":
            name = instruction.operands[0]
            instruction = self.instructions.get(name)
        if instruction is not None and instruction.opcode == "get-tuple-element":
            return f"{instruction.operands[0]}.{instruction.attributes['index']}"
        return name


@dataclasses.dataclass
class Kernel:
    """A kernel and the instruction that it computes."""
    name: str
    ptx: str
    block: list
    num_parameters: int
    has_dynamic_shared: bool
    module: Module = None
    instruction: Instruction = None

    def find(self):
        """Fills in what the instruction reads and writes."""
        module, instruction = self.module, self.instruction
        names = instruction.operands
        missing = [name for name in names if name not in module.instructions]
        if missing:
            raise NotComparable(f"operand {missing[0]} is a constant or not in the text")
        self.operand_shapes = [module.instructions[name].leaves for name in names]
        if any(len(leaves) != 1 for leaves in self.operand_shapes):
            raise NotComparable("an operand is a tuple")
        self.operand_shapes = [leaves[0] for leaves in self.operand_shapes]
        self.results = instruction.leaves
        # The distinct buffers, and that of each operand.
        self.buffers = list(dict.fromkeys(module.buffer(name) for name in names))
        self.operand_buffers = [self.buffers.index(module.buffer(name)) for name in names]
        self.buffer_shapes = [self.operand_shapes[self.operand_buffers.index(i)] for i in range(len(self.buffers))]
        self.called = module.called(instruction.attributes)
        self.body = []
        for name in self.called:
            for line in module.lines[name].splitlines():
                inner = parse_instruction(line, name) if " constant(" not in line else None
                if inner:
                    self.body.append(inner)
        self.body.append(instruction)

    @property
    def bytes(self):
        return sum(shape.bytes for shape in self.buffer_shapes + self.results)

    def reference_text(self):
        module, instruction = self.module, self.instruction
        operands = [f"%operand.{i}" for i in range(len(self.operand_shapes))]
        parameters = "".join(
            f"  {name} = {module.instructions[original].shape} parameter({i})\n"
            for i, (name, original) in enumerate(zip(operands, instruction.operands)))
        computations = "\n\n".join(module.computations[name] for name in self.called)
        return (f"HloModule {self.name}\n\n{computations}\n\nENTRY %{self.name}.reference {{\n{parameters}"
                f"  ROOT {instruction.text(operands)}\n}}\n")

    def with_ones(self, folder):
        """This kernel with 1 in place of 0 as a factor of all its matrix products; None if it has no such factor.

        Traced programs have such products, which are 0 whatever the kernel does. In the HLO the factor is a broadcast
        constant; in the PTX it is a register that stands for all of the second operand of each mma."""
        reference, count = re.subn(r"(= (?:bf16|f16)\[\] constant)\(0\)", r"\1(1)", self.reference_text())
        with open(self.ptx, encoding="utf-8") as file:
            text = file.read()
        begin = re.search(rf"\.entry {self.name}\(.*?^\{{\n", text, re.DOTALL | re.MULTILINE).end()
        end = text.index("\n}\n", begin)
        body, replaced = re.subn(r"(mma\.sync\S* \{[^}]*\}, \{[^}]*\}, )\{ (%r\d+), \2 \}", r"\1{ %ones, %ones }",
                                 text[begin:end])
        if count == 0 or replaced == 0 or replaced != body.count("mma.sync"):
            return None
        ones = 0x3F803F80 if "bf16[]" in reference else 0x3C003C00
        path = os.path.join(folder, f"{self.name}.{os.path.basename(self.ptx)}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text[:begin]}\t.reg .b32 %ones;\n\tmov.b32 %ones, {ones};\n{body}{text[end:]}")
        kernel = dataclasses.replace(self, ptx=path)
        kernel.find()
        kernel.reference_text = lambda: reference
        return kernel

    def aliases(self):
        """Which buffer of an operand each result lies in, or None: all ways that the number of parameters allows."""
        shared = len(self.buffers) + len(self.results) - self.num_parameters
        if not 0 <= shared <= len(self.results):
            raise NotComparable(f"{self.num_parameters} parameters, but {len(self.buffers)} buffers of operands and "
                                f"{len(self.results)} of results")
        choices = [[None] + [i for i, shape in enumerate(self.buffer_shapes) if shape.bytes == result.bytes]
                   for result in self.results]
        for choice in itertools.product(*choices):
            used = [i for i in choice if i is not None]
            if len(used) == shared and len(set(used)) == shared:
                yield choice

    def grids(self):
        """Candidates for the grid, the smallest first."""
        threads = math.prod(self.block)
        backend = self.instruction.attributes.get("backend_config", "")
        tile = re.search(r'"output_tiles":\[\{"sizes":\[([^\]]*)\]', backend)
        if tile:
            sizes = [int(size) for size in re.findall(r"\d+", tile[1])]
            blocks = [math.ceil(extent / size) for extent, size in zip(self.results[0].sizes, sizes)]
            return [(math.prod(blocks),)]
        gemm = {name: int(value) for name, value in re.findall(r'"(block_[mn]|split_k)":"?(\d+)', backend)}
        products = [inner for inner in self.body if inner.opcode == "dot"]
        if len(gemm) == 3 and products:
            sizes = products[-1].leaves[0].sizes
            batch = math.prod(sizes[:-2])
            grids = [(batch * math.ceil(sizes[-2] / a) * math.ceil(sizes[-1] / b), gemm["split_k"])
                     for a, b in ((gemm["block_m"], gemm["block_n"]), (gemm["block_n"], gemm["block_m"]))]
            return sorted(set(grids))
        extents = {shape.elements for shape in self.results}
        per_thread = [1, 2, 4, 8, 16]
        if self.instruction.attributes.get("kind") != "kLoop":
            for inner in self.body:
                extents |= {shape.elements for shape in inner.leaves}
            per_thread += [32, 64]
        blocks = {math.ceil(extent / (threads * count)) for extent in extents for count in per_thread}
        if self.instruction.attributes.get("kind") != "kLoop":
            # A row of a result for each block, or for each of its warps.
            rows = [shape.elements for shape in self.results]
            blocks |= {math.ceil(count / part) for count in rows for part in (1, 2, 4, 8, 16, 32)}
        return [(count,) for count in sorted(blocks) if 0 < count < 2**31]
