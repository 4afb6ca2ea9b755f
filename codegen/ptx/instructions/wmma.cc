// wmma.load and wmma.store: matrices in memory, by rows or columns with a stride, from and to the
// fragments of matrix_fragment.h (PTX ISA 9.7.14.4.3 and 9.7.14.4.4).
//
// Elements that lie side by side in memory and in a lane's registers are accessed at once: of A by
// rows and of B by columns a register, of C and D by rows two elements.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/matrix_fragment.h"
#include "codegen/ptx/instructions/memory_operand.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

struct WmmaDetails : OperationDetails {
  MemoryOperand memory;
  FragmentLayout layout;
  bool is_by_rows = true;
  /// Elements between rows (or columns); kNoSlot: as many as a row (or column) has.
  Slot stride = kNoSlot;
  size_t element_bits = 16;
  /// Elements of an access.
  size_t chunk = 1;
  /// 4, of f64 8.
  size_t register_bytes = 4;
  /// The fragment may be there several times; slots of all copies.
  std::vector<Slot> slots;
};

/// The elements of an access of `chunk` elements, counted over a lane's registers.
struct Chunk {
  size_t reg;
  size_t element;
};

Chunk ChunkNumber(const WmmaDetails& details, size_t number) {
  const size_t first = number * details.chunk;
  return {first / details.layout.per_register, first % details.layout.per_register};
}

size_t NumChunks(const WmmaDetails& details) {
  return details.layout.Registers() * details.layout.per_register / details.chunk;
}

/// The addresses of a chunk; `starts` are those of the matrix.
WarpAccess AccessOf(const WmmaDetails& details, const Execution& execution,
                    const WarpAccess& matrix, const Chunk& chunk, AccessKind kind) {
  WarpAccess access = matrix;
  access.kind = kind;
  access.bytes = static_cast<uint32_t>(details.chunk * details.element_bits / 8);
  access.alignment = access.bytes;
  const FragmentLayout& layout = details.layout;
  const size_t packed = details.is_by_rows ? layout.Columns() : layout.Rows();
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    const RowAndColumn place = layout.Place(lane, chunk.reg, chunk.element);
    const size_t line = details.is_by_rows ? place.row : place.column;
    const size_t in_line = details.is_by_rows ? place.column : place.row;
    const uint64_t stride =
        details.stride == kNoSlot ? packed : execution.At<uint32_t>(details.stride)[lane];
    access.addresses[lane] += (line * stride + in_line) * details.element_bits / 8;
  }
  return access;
}

/// Where the bytes of element `i` of a chunk lie in a lane's registers.
std::byte* RegisterBytes(const WmmaDetails& details, const Execution& execution, size_t copy,
                         const Chunk& chunk, size_t lane, size_t i) {
  const size_t element = chunk.element + i;
  const size_t reg = chunk.reg + element / details.layout.per_register;
  const Slot slot = details.slots[copy * details.layout.Registers() + reg];
  return execution.registers + slot + lane * details.register_bytes +
         element % details.layout.per_register * details.element_bits / 8;
}

/// Elements of a chunk that lie side by side in one register.
size_t ElementsTogether(const WmmaDetails& details) {
  return details.layout.per_register == 1 ? 1 : details.chunk;
}

// Tells the findings at one operation apart.
enum Fault : uint8_t { kDifferent = 30, kBase, kStride };

/// What the ISA asks of the matrix in memory (§9.7.14.3): one address and one stride for the warp;
/// that its address is a multiple of the bytes of a lane's fragment; and of its stride the same,
/// where CUDA C++ is content with 16 bytes.
void CheckMatrix(const Operation& operation, const Execution& execution, const WarpAccess& matrix) {
  const auto& details = operation.Details<WmmaDetails>();
  const auto first = static_cast<size_t>(std::countr_zero(execution.lanes));
  const uint64_t address = matrix.addresses[first];
  LaneMask same = LanesEqualTo(matrix.addresses.data(), address);
  const uint64_t fragment = details.slots.size() * details.register_bytes;
  if (details.stride != kNoSlot) {
    const auto* strides = execution.At<uint32_t>(details.stride);
    same &= LanesEqualTo(strides, strides[first]);
    const uint64_t bytes = uint64_t{strides[first]} * details.element_bits / 8;
    const uint64_t multiple = std::min<uint64_t>(fragment, 16);
    if (bytes % multiple != 0) {
      ReportFinding(operation, execution, Check::kMemcheck, LaneMask{1} << first,
                    absl::StrCat("the stride of ", bytes, " bytes is not a multiple of ", multiple),
                    kStride);
    }
  }
  if ((execution.lanes & ~same) != 0) {
    ReportMisuse(operation, execution, execution.lanes & ~same,
                 "lanes of the warp have different addresses or strides of the matrix", kDifferent);
  }
  if (address % fragment != 0) {
    ReportFinding(operation, execution, Check::kMemcheck, LaneMask{1} << first,
                  absl::StrCat("the matrix is at address 0x", absl::Hex(address),
                               ", which is not a multiple of the ", fragment,
                               " bytes that a lane holds of it"),
                  kBase);
  }
}

Step ExecuteWmmaLoad(const Operation& operation, Execution& execution) {
  CheckWholeWarp(operation, execution);
  const auto& details = operation.Details<WmmaDetails>();
  const size_t together = ElementsTogether(details);
  const size_t bytes = together * details.element_bits / 8;
  const size_t copies = details.slots.size() / details.layout.Registers();
  WarpAccess matrix;
  SetAddresses(details.memory, execution, matrix);
  CheckMatrix(operation, execution, matrix);
  // The stride may be in a register that the load writes.
  std::vector<WarpAccess> accesses;
  accesses.reserve(NumChunks(details));
  for (size_t number = 0; number < NumChunks(details); ++number) {
    accesses.push_back(
        AccessOf(details, execution, matrix, ChunkNumber(details, number), AccessKind::kLoad));
  }
  for (size_t number = 0; number < NumChunks(details); ++number) {
    const Chunk chunk = ChunkNumber(details, number);
    HostPointers pointers;
    const LaneMask allowed = ResolveAccess(operation, execution, accesses[number], pointers);
    ForEachLane(execution.lanes, [&](int signed_lane) {
      const auto lane = static_cast<size_t>(signed_lane);
      const bool is_allowed = (allowed >> lane & 1) != 0;
      for (size_t copy = 0; copy < copies; ++copy) {
        for (size_t i = 0; i < details.chunk; i += together) {
          std::byte* to = RegisterBytes(details, execution, copy, chunk, lane, i);
          if (is_allowed) {
            std::memcpy(to, pointers[lane] + i * details.element_bits / 8, bytes);
          } else {
            std::memset(to, 0, bytes);
          }
        }
      }
    });
  }
  return Step::kNext;
}

Step ExecuteWmmaStore(const Operation& operation, Execution& execution) {
  CheckWholeWarp(operation, execution);
  const auto& details = operation.Details<WmmaDetails>();
  const size_t together = ElementsTogether(details);
  const size_t bytes = together * details.element_bits / 8;
  WarpAccess matrix;
  SetAddresses(details.memory, execution, matrix);
  CheckMatrix(operation, execution, matrix);
  for (size_t number = 0; number < NumChunks(details); ++number) {
    const Chunk chunk = ChunkNumber(details, number);
    const WarpAccess access = AccessOf(details, execution, matrix, chunk, AccessKind::kStore);
    HostPointers pointers;
    const LaneMask allowed = ResolveAccess(operation, execution, access, pointers);
    ForEachLane(allowed, [&](int signed_lane) {
      const auto lane = static_cast<size_t>(signed_lane);
      for (size_t i = 0; i < details.chunk; i += together) {
        std::memcpy(pointers[lane] + i * details.element_bits / 8,
                    RegisterBytes(details, execution, 0, chunk, lane, i), bytes);
      }
    });
  }
  return Step::kNext;
}

// --- Decoding.

/// Whether the type is one of the shape's for the role, shapes by their rows and k.
bool HasType(const FragmentLayout& layout, Type type) {
  const MatrixShape& shape = layout.shape;
  const bool is_sum = layout.role == MatrixRole::kC;
  const bool is_large = shape.m * shape.n == 256;
  switch (type) {
    case Type::kF16:
      return is_large && shape.k == 16;
    case Type::kBf16:
    case Type::kU8:
    case Type::kS8:
      return !is_sum && is_large && shape.k == 16;
    case Type::kTf32:
      return !is_sum && is_large && shape.k == 8;
    case Type::kF32:
      return is_sum && is_large;
    case Type::kS32:
      return is_sum && (shape.k == 16 || shape.k == 32 || shape.k == 128);
    case Type::kF64:
      return shape.k == 4;
    case Type::kU4:
    case Type::kS4:
      return !is_sum && shape.k == 32;
    case Type::kB1:
      return !is_sum && shape.k == 128;
    default:
      return false;
  }
}

/// Elements that are contiguous in memory and in the registers of a lane.
size_t ChunkOf(const FragmentLayout& layout, bool is_by_rows) {
  switch (layout.role) {
    case MatrixRole::kA:
      return is_by_rows ? layout.per_register : 1;
    case MatrixRole::kB:
      return is_by_rows ? 1 : layout.per_register;
    case MatrixRole::kC:
      return is_by_rows ? 2 : 1;
  }
  return 1;
}

/// `.a`, `.b` or `.c` of a load, `.d` of a store.
absl::StatusOr<MatrixRole> TakeRole(InstructionDecoder& d, bool is_store) {
  if (is_store) {
    if (!d.Take("d")) return d.Error("wmma.store needs .d");
    return MatrixRole::kC;
  }
  const std::optional<int> role = d.TakeOneOf({"a", "b", "c"});
  if (!role) return d.Error("wmma.load needs one of .a, .b, .c");
  return static_cast<MatrixRole>(*role);
}

absl::StatusOr<FragmentLayout> TakeFragment(InstructionDecoder& d, bool is_store, Type* type) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const MatrixRole role, TakeRole(d, is_store));
  const auto shape = TakeMatrixShape(
      d, {"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"});
  if (!shape) return d.Error("wmma needs a shape as .m16n16k16");
  HLO_INDEXING_ASSIGN_OR_RETURN(*type, d.TakeType());
  FragmentLayout layout = {role, *shape, 1};
  if (!HasType(layout, *type)) {
    return d.Error("this matrix of wmma is not of ." + std::string(NameOf(*type)));
  }
  const auto bits = static_cast<size_t>(BitWidth(*type));
  if (bits < 32) layout.per_register = 32 / bits;
  return layout;
}

}  // namespace

absl::Status DecodeWmmaMemory(InstructionDecoder& d) {
  const bool is_store = d.Take("store");
  if (!is_store && !d.Take("load")) return d.Error("wmma needs one of .load, .store, .mma");
  const bool is_sync = d.Take("sync");
  if (!d.Take("aligned") || !is_sync) return d.Error("wmma needs .sync.aligned");
  auto details = std::make_shared<WmmaDetails>();
  Type type = Type::kF16;
  HLO_INDEXING_ASSIGN_OR_RETURN(details->layout, TakeFragment(d, is_store, &type));
  const std::optional<int> order = d.TakeOneOf({"row", "col"});
  if (!order) return d.Error("the layout is needed: .row or .col");
  details->is_by_rows = *order == 0;
  details->chunk = ChunkOf(details->layout, details->is_by_rows);
  details->element_bits = static_cast<size_t>(BitWidth(type));
  details->register_bytes = type == Type::kF64 ? 8 : 4;
  if (details->element_bits * details->chunk < 8) {
    return d.Error("A of less than 8 bits is by rows, B by columns");
  }
  const Space space = d.TakeSpace();
  if (space != Space::kGeneric && space != Space::kGlobal && space != Space::kShared) {
    return d.Error("wmma is of global and shared memory");
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2, 3));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeMemoryOperand(d, is_store ? 0 : 1, space));
  if (d.num_operands() == 3) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->stride, d.Source(2, Type::kU32));
  }
  // A and B of f16 have eight registers whatever their size.
  const bool is_factor = details->layout.role != MatrixRole::kC;
  const size_t num_registers =
      type == Type::kF16 && is_factor ? kMaxFragmentRegisters : details->layout.Registers();
  const int vector = is_store ? 1 : 0;
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto elements,
                                FragmentRegisters(d, vector, static_cast<int>(num_registers)));
  const Type of_register = RegisterTypeOf(type);
  for (const syntax::Operand& element : elements) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, is_store ? d.Source(element, of_register)
                                                            : d.Destination(element, of_register));
    details->slots.push_back(slot);
  }
  return d.Emit({.execute = is_store ? ExecuteWmmaStore : ExecuteWmmaLoad,
                 .pipe = Pipe::kMemory,
                 .members = d.ConstantSlot(Type::kB32, kAllLanes),
                 .details = std::move(details)});
}

}  // namespace hlo_indexing::ptx
