// mma and wmma: which shapes and types there are, and their operands (PTX ISA 9.7.14.4 and
// 9.7.14.5). What they compute is in matrix_product.h.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/matrix_fragment.h"
#include "codegen/ptx/instructions/matrix_product.h"
#include "codegen/ptx/instructions/quad_multiply.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Rounding;

/// The shapes of A's types (§9.7.14.2).
constexpr Type kHalves[] = {Type::kF16, Type::kBf16};
constexpr Type kBytes[] = {Type::kS8, Type::kU8};
constexpr Type kNibbles[] = {Type::kS4, Type::kU4};
constexpr Type kFp8[] = {Type::kE4m3, Type::kE5m2};
constexpr Type kOnlyTf32[] = {Type::kTf32};
constexpr Type kOnlyF64[] = {Type::kF64};
constexpr Type kOnlyB1[] = {Type::kB1};

struct TypesOfShape {
  MatrixShape shape;
  bool is_wmma;
  std::span<const Type> types;
};
constexpr TypesOfShape kShapes[] = {
    {{16, 8, 8}, false, kHalves},   {{16, 8, 16}, false, kHalves},  {{16, 8, 4}, false, kOnlyTf32},
    {{16, 8, 8}, false, kOnlyTf32}, {{16, 8, 16}, false, kFp8},     {{16, 8, 32}, false, kFp8},
    {{8, 8, 4}, false, kOnlyF64},   {{16, 8, 4}, false, kOnlyF64},  {{16, 8, 8}, false, kOnlyF64},
    {{16, 8, 16}, false, kOnlyF64}, {{8, 8, 16}, false, kBytes},    {{16, 8, 16}, false, kBytes},
    {{16, 8, 32}, false, kBytes},   {{8, 8, 32}, false, kNibbles},  {{16, 8, 32}, false, kNibbles},
    {{16, 8, 64}, false, kNibbles}, {{8, 8, 128}, false, kOnlyB1},  {{16, 8, 128}, false, kOnlyB1},
    {{16, 8, 256}, false, kOnlyB1}, {{16, 16, 16}, true, kHalves},  {{32, 8, 16}, true, kHalves},
    {{8, 32, 16}, true, kHalves},   {{16, 16, 16}, true, kBytes},   {{32, 8, 16}, true, kBytes},
    {{8, 32, 16}, true, kBytes},    {{16, 16, 8}, true, kOnlyTf32}, {{8, 8, 4}, true, kOnlyF64},
    {{8, 8, 32}, true, kNibbles},   {{8, 8, 128}, true, kOnlyB1},
};

bool HasShape(bool is_wmma, const MatrixShape& shape, Type type) {
  return std::ranges::any_of(kShapes, [&](const TypesOfShape& row) {
    return row.is_wmma == is_wmma && row.shape == shape &&
           std::ranges::find(row.types, type) != row.types.end();
  });
}

/// Whether sums of A's type can be of this type.
bool HasSumType(Type a, Type sum) {
  switch (a) {
    case Type::kF16:
    case Type::kE4m3:
    case Type::kE5m2:
      return sum == Type::kF16 || sum == Type::kF32;
    case Type::kBf16:
    case Type::kTf32:
      return sum == Type::kF32;
    case Type::kF64:
      return sum == Type::kF64;
    default:
      return sum == Type::kS32;
  }
}

// --- Decoding.

struct MultiplyTypes {
  Type d = Type::kF32;
  Type a = Type::kF16;
  Type b = Type::kF16;
  Type c = Type::kF32;
};

/// `.d.a.b.c`, or for wmma on f16 `.d.c`.
absl::StatusOr<MultiplyTypes> TakeTypes(InstructionDecoder& d, bool is_wmma) {
  MultiplyTypes types;
  HLO_INDEXING_ASSIGN_OR_RETURN(types.d, d.TakeType());
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type second, d.TakeType());
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<Type> third, d.TakeOptionalType());
  if (!third) {
    if (!is_wmma) return d.Error("mma needs the types of D, A, B and C");
    types.c = second;
    return types;
  }
  if (is_wmma && second == Type::kF16) return d.Error("wmma.mma on f16 names D and C only");
  types.a = second;
  types.b = *third;
  HLO_INDEXING_ASSIGN_OR_RETURN(types.c, d.TakeType());
  return types;
}

absl::StatusOr<FragmentOperand> DecodeFragment(InstructionDecoder& d, int operand,
                                               const FragmentLayout& layout, Type type,
                                               size_t copies) {
  FragmentOperand fragment;
  fragment.num_registers = layout.Registers();
  fragment.places = layout.Places();
  const Type of_register = RegisterTypeOf(type);
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const auto elements,
      FragmentRegisters(d, operand, static_cast<int>(fragment.num_registers * copies)));
  for (size_t r = 0; r < elements.size(); ++r) {
    // wmma on f16 holds elements several times: the first copy counts.
    HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, operand == 0
                                                       ? d.Destination(elements[r], of_register)
                                                       : d.Source(elements[r], of_register));
    if (r < fragment.num_registers) fragment.slots[r] = slot;
  }
  return fragment;
}

/// Elements of a type in a register; b1 counts words.
size_t PerRegister(Type type) {
  const auto bits = static_cast<size_t>(BitWidth(type));
  return bits == 1 || bits >= 32 ? 1 : 32 / bits;
}

/// `.and.popc`, `.xor.popc` of b1: whether it is `.and`.
absl::StatusOr<bool> TakeBitOperation(InstructionDecoder& d, Type a) {
  if (a != Type::kB1) return false;
  const std::optional<int> operation = d.TakeOneOf({"and", "xor"});
  if (!operation || !d.Take("popc")) return d.Error("b1 needs .and.popc or .xor.popc");
  return *operation == 0;
}

Rounding TakeRounding(InstructionDecoder& d, Type a) {
  static constexpr Rounding kRoundings[] = {Rounding::kNearestEven, Rounding::kTowardZero,
                                            Rounding::kDown, Rounding::kUp};
  if (a != Type::kF64) return Rounding::kNearestEven;
  return kRoundings[static_cast<size_t>(d.TakeOneOf({"rn", "rz", "rm", "rp"}).value_or(0))];
}

absl::Status CheckTypes(InstructionDecoder& d, bool is_wmma, const MatrixShape& shape,
                        const MultiplyTypes& types) {
  if (!HasShape(is_wmma, shape, types.a)) {
    return d.Error(std::string(d.opcode()) + " does not have this shape for ." +
                   std::string(NameOf(types.a)));
  }
  if (!HasSumType(types.a, types.c) || !HasSumType(types.a, types.d) ||
      (!is_wmma && types.c != types.d)) {
    return d.Error("C of ." + std::string(NameOf(types.c)) + " and D of ." +
                   std::string(NameOf(types.d)) + " do not go with A of ." +
                   std::string(NameOf(types.a)));
  }
  return absl::OkStatus();
}

absl::Status DecodeMultiply(InstructionDecoder& d, bool is_wmma, MatrixShape shape,
                            const MultiplyTypes& types, Slot members) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckTypes(d, is_wmma, shape, types));
  HLO_INDEXING_ASSIGN_OR_RETURN(const bool is_and, TakeBitOperation(d, types.a));
  const Rounding rounding = TakeRounding(d, types.a);
  const Execute execute = ProductFunction(types.a, types.b, is_and, rounding);
  if (execute == nullptr) {
    return d.Error("A of ." + std::string(NameOf(types.a)) + " does not go with B of ." +
                   std::string(NameOf(types.b)));
  }
  auto details = std::make_shared<MultiplyDetails>();
  if (types.c == Type::kS32 && types.a != Type::kB1) details->saturates = d.Take("satfinite");
  if (types.a == Type::kB1) shape.k /= 32;
  details->shape = shape;
  details->type_of_c = types.c;
  details->type_of_d = types.d;
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(4));
  const FragmentLayout of_a = {MatrixRole::kA, shape, PerRegister(types.a)};
  const FragmentLayout of_b = {MatrixRole::kB, shape, PerRegister(types.b)};
  const bool has_copies = is_wmma && types.a == Type::kF16;
  const auto copies = [&](const FragmentLayout& layout) {
    return has_copies ? kMaxFragmentRegisters / layout.Registers() : 1;
  };
  HLO_INDEXING_ASSIGN_OR_RETURN(
      details->d, DecodeFragment(d, 0, {MatrixRole::kC, shape, PerRegister(types.d)}, types.d, 1));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->a, DecodeFragment(d, 1, of_a, types.a, copies(of_a)));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->b, DecodeFragment(d, 2, of_b, types.b, copies(of_b)));
  HLO_INDEXING_ASSIGN_OR_RETURN(
      details->c, DecodeFragment(d, 3, {MatrixRole::kC, shape, PerRegister(types.c)}, types.c, 1));
  return d.Emit({.execute = execute,
                 .pipe = Pipe::kTensor,
                 .members = members,
                 .details = std::move(details)});
}

/// `.row` or `.col` of A, then of B: whether they are `.row`.
absl::StatusOr<std::pair<bool, bool>> TakeLayouts(InstructionDecoder& d) {
  // Modifiers are taken from left to right, so that the order has to be looked up.
  std::vector<bool> is_row;
  for (const syntax::Modifier& modifier : d.instruction().modifiers) {
    if (modifier.name == "row" || modifier.name == "col") {
      is_row.push_back(modifier.name == "row");
      d.Take(modifier.name);
    }
  }
  if (is_row.size() != 2) return d.Error("the layouts of A and B are needed: .row or .col each");
  return std::pair<bool, bool>(is_row[0], is_row[1]);
}

absl::StatusOr<Slot> TakeWholeWarp(InstructionDecoder& d) {
  const bool is_sync = d.Take("sync");
  if (!d.Take("aligned") || !is_sync) {
    return d.Error(std::string(d.opcode()) + " needs .sync.aligned");
  }
  return d.ConstantSlot(Type::kB32, kAllLanes);
}

absl::Status DecodeMma(InstructionDecoder& d) {
  if (const auto sparse = d.TakePrefixed("sp")) {
    return d.Error("mma." + std::string(*sparse) + " (sparse A) is not supported");
  }
  if (const auto kind = d.TakePrefixed("kind::")) return d.ModifierError(*kind);
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, TakeWholeWarp(d));
  const auto shape =
      TakeMatrixShape(d, {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64",
                          "m8n8k16", "m8n8k32", "m8n8k128", "m16n8k128", "m16n8k256"});
  if (!shape) return d.Error("mma needs a shape as .m16n8k16");
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto layouts, TakeLayouts(d));
  HLO_INDEXING_ASSIGN_OR_RETURN(const MultiplyTypes types, TakeTypes(d, false));
  if (*shape == MatrixShape{8, 8, 4} && types.a == Type::kF16) {
    if (types.b != Type::kF16 || !HasSumType(Type::kF16, types.c) ||
        !HasSumType(Type::kF16, types.d) || (types.c == Type::kF32 && types.d != Type::kF32)) {
      return d.Error("mma.m8n8k4 does not have these types");
    }
    return DecodeQuadMultiply(d,
                              {.a_is_row = layouts.first,
                               .b_is_row = layouts.second,
                               .c_is_float = types.c == Type::kF32,
                               .d_is_float = types.d == Type::kF32},
                              members);
  }
  if (!layouts.first || layouts.second) {
    return d.Error("this mma has A by rows and B by columns: .row.col");
  }
  return DecodeMultiply(d, false, *shape, types, members);
}

absl::Status DecodeWmma(InstructionDecoder& d) {
  if (!d.Take("mma")) return DecodeWmmaMemory(d);
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, TakeWholeWarp(d));
  const auto shape = TakeMatrixShape(
      d, {"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"});
  if (!shape) return d.Error("wmma needs a shape as .m16n16k16");
  // The fragments are the same whichever layout the matrices had in memory.
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto layouts, TakeLayouts(d));
  HLO_INDEXING_ASSIGN_OR_RETURN(const MultiplyTypes types, TakeTypes(d, true));
  if (types.a != types.b) return d.Error("A and B of wmma are of one type");
  const bool needs_row_col = BitWidth(types.a) < 8;
  if (needs_row_col && (!layouts.first || layouts.second)) {
    return d.Error("this wmma has A by rows and B by columns: .row.col");
  }
  return DecodeMultiply(d, true, *shape, types, members);
}

constexpr OpcodeRow kRows[] = {{"mma", DecodeMma}, {"wmma", DecodeWmma}};

}  // namespace

std::optional<MatrixShape> TakeMatrixShape(InstructionDecoder& d,
                                           std::initializer_list<std::string_view> names) {
  const std::optional<int> index = d.TakeOneOf(names);
  if (!index) return std::nullopt;
  const std::string_view name = names.begin()[*index];
  // mMnNkK
  std::array<size_t, 3> numbers = {};
  size_t number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') {
      ++number;
    } else {
      numbers[number] = 10 * numbers[number] + static_cast<size_t>(c - '0');
    }
  }
  return MatrixShape{numbers[0], numbers[1], numbers[2]};
}

Type RegisterTypeOf(Type element) {
  switch (element) {
    case Type::kF16:
      return Type::kF16x2;
    case Type::kBf16:
      return Type::kBf16x2;
    case Type::kTf32:
    case Type::kF32:
    case Type::kF64:
    case Type::kS32:
      return element;
    case Type::kE4m3:
    case Type::kE5m2:
      return Type::kB32;
    default:
      return Type::kU32;
  }
}

absl::StatusOr<std::span<const syntax::Operand>> FragmentRegisters(InstructionDecoder& d,
                                                                   int operand, int count) {
  if (d.operand(operand).kind != syntax::OperandKind::kVector) {
    return d.OperandError(operand, "the registers of a matrix stand in braces");
  }
  return d.Vector(operand, count);
}

std::span<const OpcodeRow> MatrixMultiplyOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
