// ldmatrix, stmatrix and movmatrix: matrices of a warp between shared memory and the registers that
// mma takes (PTX ISA 9.7.14.5.15 to 9.7.14.5.17).
//
// The rows of a matrix are 16 bytes each, in memory wherever a lane says: lane r gives the address
// of row r of the first matrix, then come those of the second. Where the bytes of a row go is a
// formula for each shape (see PlaceOfByte).
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/matrix_fragment.h"
#include "codegen/ptx/instructions/memory_operand.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

constexpr size_t kRowBytes = 16;
constexpr size_t kMaxRegisters = 4;

/// What a fragment of a matrix looks like.
enum class Fragment : uint8_t {
  /// Lane 4r + c holds elements 2c and 2c + 1 of row r.
  kRows16,
  /// Of the transposed matrix: elements r of rows 2c and 2c + 1.
  kColumns16,
  /// m8n16 of b8: lane 4r + c holds bytes 4c to 4c + 3 of row r.
  kRows8,
  /// m16n16 of b8, transposed, two registers for a matrix of 16 rows: lane 4g + c holds of the
  /// bytes
  /// g and g + 8 those of rows 4c and 4c + 1 in its first, of 4c + 2 and 4c + 3 in its second
  /// register.
  kColumns8Load,
  /// m16n8 of b8, transposed: lane 4g + c holds bytes g and g + 8 of rows 2c and 2c + 1.
  kColumns8Store,
};

/// Rows of a matrix, and registers that each lane has of it.
constexpr size_t RowsOf(Fragment fragment) { return fragment == Fragment::kColumns8Load ? 16 : 8; }
constexpr size_t RegistersOf(Fragment fragment) {
  return fragment == Fragment::kColumns8Load ? 2 : 1;
}

struct RowAndByte {
  size_t row;
  size_t byte;
};

/// Where byte `i` (0: the lowest) of register `j` of a lane lies in its matrix.
constexpr RowAndByte PlaceOfByte(Fragment fragment, size_t lane, size_t j, size_t i) {
  const size_t group = lane / 4;
  const size_t member = lane % 4;
  switch (fragment) {
    case Fragment::kRows16:
    case Fragment::kRows8:
      return {group, 4 * member + i};
    case Fragment::kColumns16:
      return {2 * member + i / 2, 2 * group + i % 2};
    case Fragment::kColumns8Load:
      return {4 * member + 2 * j + i % 2, group + 8 * (i / 2)};
    case Fragment::kColumns8Store:
      return {2 * member + i % 2, group + 8 * (i / 2)};
  }
  return {0, 0};
}

/// How 16 elements lie in the 16 bytes of a row that is loaded.
enum class SourceFormat : uint8_t {
  kBytes,
  /// `.b6x16_p32`: 6 bits each, then 32 bits of padding.
  kSixBits,
  /// `.b4x16_p64`: 4 bits each, then 64 bits of padding.
  kFourBits,
};

struct MatrixDetails : OperationDetails {
  MemoryOperand memory;
  size_t num_matrices = 1;
  SourceFormat format = SourceFormat::kBytes;
  std::array<Slot, kMaxRegisters> registers = {};
};

using Row = std::array<uint8_t, kRowBytes>;

/// One element to a byte, zeros above.
Row Unpack(const Row& packed, int bits) {
  Row row = {};
  for (size_t i = 0; i < kRowBytes; ++i) {
    for (size_t b = 0; b < static_cast<size_t>(bits); ++b) {
      const size_t from = i * static_cast<size_t>(bits) + b;
      row[i] = static_cast<uint8_t>(row[i] | ((packed[from / 8] >> (from % 8)) & 1) << b);
    }
  }
  return row;
}

Row ReadRow(const std::byte* place, SourceFormat format) {
  Row row;
  std::memcpy(row.data(), place, kRowBytes);
  if (format == SourceFormat::kSixBits) return Unpack(row, 6);
  if (format == SourceFormat::kFourBits) return Unpack(row, 4);
  return row;
}

/// The lanes whose addresses count.
LaneMask LanesWithRows(size_t rows) {
  return rows >= kWarpSize ? kAllLanes : (LaneMask{1} << rows) - 1;
}

LaneMask ResolveRows(const Operation& operation, const Execution& execution,
                     const MatrixDetails& details, AccessKind kind, size_t rows,
                     HostPointers& pointers) {
  CheckWholeWarp(operation, execution);
  WarpAccess access;
  access.kind = kind;
  access.bytes = kRowBytes;
  access.alignment = kRowBytes;
  SetAddresses(details.memory, execution, access);
  access.lanes &= LanesWithRows(rows);
  KeepShared(operation, execution, access);
  if (access.lanes == 0) return 0;
  return ResolveAccess(operation, execution, access, pointers);
}

template <Fragment kFragment>
Step ExecuteLoadMatrix(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MatrixDetails>();
  constexpr size_t kRows = RowsOf(kFragment);
  const size_t num_rows = kRows * details.num_matrices;
  HostPointers pointers;
  const LaneMask allowed =
      ResolveRows(operation, execution, details, AccessKind::kLoad, num_rows, pointers);
  std::array<Row, kWarpSize> rows = {};
  ForEachLane(allowed, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    rows[l] = ReadRow(pointers[l], details.format);
  });
  constexpr size_t kRegisters = RegistersOf(kFragment);
  for (size_t r = 0; r < kRegisters * details.num_matrices; ++r) {
    const Row* matrix = rows.data() + r / kRegisters * kRows;
    auto* result = execution.At<uint32_t>(details.registers[r]);
    ForEachLane(execution.lanes, [&](int lane) {
      uint32_t value = 0;
      for (size_t i = 0; i < 4; ++i) {
        const RowAndByte place =
            PlaceOfByte(kFragment, static_cast<size_t>(lane), r % kRegisters, i);
        value |= uint32_t{matrix[place.row][place.byte]} << (8 * i);
      }
      result[lane] = value;
    });
  }
  return Step::kNext;
}

template <Fragment kFragment>
Step ExecuteStoreMatrix(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MatrixDetails>();
  HostPointers pointers;
  const LaneMask allowed = ResolveRows(operation, execution, details, AccessKind::kStore,
                                       8 * details.num_matrices, pointers);
  for (size_t m = 0; m < details.num_matrices; ++m) {
    const auto* source = execution.At<uint32_t>(details.registers[m]);
    std::array<Row, 8> rows = {};
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      for (size_t i = 0; i < 4; ++i) {
        const RowAndByte place = PlaceOfByte(kFragment, lane, 0, i);
        rows[place.row][place.byte] = static_cast<uint8_t>(source[lane] >> (8 * i));
      }
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      const size_t lane = 8 * m + r;
      if ((allowed >> lane & 1) == 0) continue;
      std::memcpy(pointers[lane], rows[r].data(), kRowBytes);
    }
  }
  return Step::kNext;
}

/// Slots: result, source. The 8x8 matrix of 16-bit elements, transposed.
Step ExecuteMoveMatrix(const Operation& operation, Execution& execution) {
  CheckWholeWarp(operation, execution);
  const auto* source = execution.At<uint32_t>(operation.slots[1]);
  std::array<Row, 8> rows = {};
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    for (size_t i = 0; i < 4; ++i) {
      const RowAndByte place = PlaceOfByte(Fragment::kRows16, lane, 0, i);
      rows[place.row][place.byte] = static_cast<uint8_t>(source[lane] >> (8 * i));
    }
  }
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) {
      const RowAndByte place = PlaceOfByte(Fragment::kColumns16, static_cast<size_t>(lane), 0, i);
      value |= uint32_t{rows[place.row][place.byte]} << (8 * i);
    }
    result[lane] = value;
  });
  return Step::kNext;
}

// --- Decoding.

/// `.sync.aligned`, which all instructions here have, and the slot of a mask of all lanes.
absl::StatusOr<Slot> TakeWholeWarp(InstructionDecoder& d) {
  const bool is_sync = d.Take("sync");
  if (!d.Take("aligned") || !is_sync) {
    return d.Error(std::string(d.opcode()) + " needs .sync.aligned");
  }
  return d.ConstantSlot(Type::kB32, kAllLanes);
}

/// What ldmatrix and stmatrix have in common: `.x1 .x2 .x4` and `.shared`.
absl::StatusOr<Space> TakeCountAndSpace(InstructionDecoder& d, MatrixDetails& details) {
  const std::optional<int> num = d.TakeOneOf({"x1", "x2", "x4"});
  if (!num) return d.Error(std::string(d.opcode()) + " needs one of .x1, .x2, .x4");
  details.num_matrices = size_t{1} << *num;
  const Space space = d.TakeSpace();
  if (space != Space::kGeneric && space != Space::kShared) {
    return d.Error(std::string(d.opcode()) + " is of shared memory, not of ." +
                   std::string(NameOf(space)));
  }
  return space;
}

/// Checks that the shape goes with type, `.trans` and count. `shape`: 0 m8n8, 1 m16n16, 2 m8n16.
absl::StatusOr<Fragment> LoadedFragment(InstructionDecoder& d, int shape, bool is_transposed,
                                        MatrixDetails& details) {
  const bool has_format = shape != 0 && d.Take("b8x16");
  if (has_format) {
    const std::optional<int> format = d.TakeOneOf({"b6x16_p32", "b4x16_p64"});
    if (!format) return d.Error(".b8x16 needs .b6x16_p32 or .b4x16_p64");
    details.format = *format == 0 ? SourceFormat::kSixBits : SourceFormat::kFourBits;
  } else {
    HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({shape == 0 ? Type::kB16 : Type::kB8}).status());
  }
  if (shape == 0) return is_transposed ? Fragment::kColumns16 : Fragment::kRows16;
  if (shape == 1) {
    if (!is_transposed) return d.Error("ldmatrix.m16n16 needs .trans");
    if (details.num_matrices > 2) return d.Error("ldmatrix.m16n16 has no .x4");
    return Fragment::kColumns8Load;
  }
  if (is_transposed) return d.Error("ldmatrix.m8n16 has no .trans");
  if (!has_format) return d.Error("ldmatrix.m8n16 needs .b8x16 and a source format");
  return Fragment::kRows8;
}

Execute LoadFunction(Fragment fragment) {
  switch (fragment) {
    case Fragment::kColumns16:
      return ExecuteLoadMatrix<Fragment::kColumns16>;
    case Fragment::kRows8:
      return ExecuteLoadMatrix<Fragment::kRows8>;
    case Fragment::kColumns8Load:
      return ExecuteLoadMatrix<Fragment::kColumns8Load>;
    default:
      return ExecuteLoadMatrix<Fragment::kRows16>;
  }
}

absl::Status DecodeLoadMatrix(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, TakeWholeWarp(d));
  auto details = std::make_shared<MatrixDetails>();
  const std::optional<int> shape = d.TakeOneOf({"m8n8", "m16n16", "m8n16"});
  if (!shape) return d.Error("ldmatrix needs one of .m8n8, .m16n16, .m8n16");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Space space, TakeCountAndSpace(d, *details));
  const bool is_transposed = d.Take("trans");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Fragment fragment,
                                LoadedFragment(d, *shape, is_transposed, *details));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  const size_t num_registers = details->num_matrices * RegistersOf(fragment);
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto results,
                                FragmentRegisters(d, 0, static_cast<int>(num_registers)));
  for (size_t r = 0; r < num_registers; ++r) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->registers[r], d.Destination(results[r], Type::kB32));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeMemoryOperand(d, 1, space));
  return d.Emit({.execute = LoadFunction(fragment),
                 .pipe = Pipe::kMemory,
                 .members = members,
                 .details = std::move(details)});
}

/// A matrix lies in registers: numbers in their place are refused.
absl::Status ExpectRegister(const InstructionDecoder& d, const syntax::Operand& operand) {
  if (operand.kind == syntax::OperandKind::kRegister) return absl::OkStatus();
  return d.ErrorAt(operand.place, "a register is needed here");
}

absl::Status DecodeStoreMatrix(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, TakeWholeWarp(d));
  auto details = std::make_shared<MatrixDetails>();
  const std::optional<int> shape = d.TakeOneOf({"m8n8", "m16n8"});
  if (!shape) return d.Error("stmatrix needs one of .m8n8, .m16n8");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Space space, TakeCountAndSpace(d, *details));
  const bool is_transposed = d.Take("trans");
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({*shape == 0 ? Type::kB16 : Type::kB8}).status());
  if (*shape == 1 && !is_transposed) return d.Error("stmatrix.m16n8 needs .trans");
  Execute execute = ExecuteStoreMatrix<Fragment::kColumns8Store>;
  if (*shape == 0) {
    execute = is_transposed ? ExecuteStoreMatrix<Fragment::kColumns16>
                            : ExecuteStoreMatrix<Fragment::kRows16>;
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeMemoryOperand(d, 0, space));
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto sources,
                                FragmentRegisters(d, 1, static_cast<int>(details->num_matrices)));
  for (size_t m = 0; m < details->num_matrices; ++m) {
    HLO_INDEXING_RETURN_IF_ERROR(ExpectRegister(d, sources[m]));
    HLO_INDEXING_ASSIGN_OR_RETURN(details->registers[m], d.Source(sources[m], Type::kB32));
  }
  return d.Emit({.execute = execute,
                 .pipe = Pipe::kMemory,
                 .members = members,
                 .details = std::move(details)});
}

absl::Status DecodeMoveMatrix(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, TakeWholeWarp(d));
  const bool is_transposed = d.Take("trans");
  if (!d.Take("m8n8") || !is_transposed) return d.Error("movmatrix needs .m8n8.trans");
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB16}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot result, d.Destination(0, Type::kB32));
  HLO_INDEXING_RETURN_IF_ERROR(ExpectRegister(d, d.operand(1)));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot source, d.Source(1, Type::kB32));
  return d.Emit({.execute = ExecuteMoveMatrix,
                 .slots = {result, source},
                 .pipe = Pipe::kMove,
                 .members = members});
}

constexpr OpcodeRow kRows[] = {{"ldmatrix", DecodeLoadMatrix},
                               {"stmatrix", DecodeStoreMatrix},
                               {"movmatrix", DecodeMoveMatrix}};

}  // namespace

std::span<const OpcodeRow> MatrixOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
