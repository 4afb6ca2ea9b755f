#include "codegen/ptx/instructions/decoder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/special_registers.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using syntax::Operand;
using syntax::OperandKind;

int LaneBytes(int bits) { return bits == 1 ? 0 : bits <= 32 ? 4 : bits <= 64 ? 8 : 16; }
int LaneBytes(Type type) {
  return type == Type::kPred ? 0 : LaneBytes(std::max(BitWidth(type), 8));
}

struct SpecialRegisterName : OperationDetails {
  std::string_view name;
};

bool IsBits(Type type) {
  return type == Type::kPred || type == Type::kB8 || type == Type::kB16 || type == Type::kB32 ||
         type == Type::kB64 || type == Type::kB128;
}

/// Whether registers of this type hold values of `type`, widths aside (§9.4): bits go with all,
/// integers with integers, floating-point numbers with their own type alone. Packed halves go with
/// integers, which the ISA leaves open and ptxas allows.
bool AgreeingTypes(Type declared, Type type) {
  if (IsBits(declared) || IsBits(type) || declared == type) return true;
  if (declared == Type::kF16x2) return !IsFloat(type);
  return !IsFloat(declared) && !IsFloat(type);
}

Step Negate(const Operation& operation, Execution& execution) {
  execution.Predicate(operation.slots[0]) = ~execution.Predicate(operation.slots[1]);
  return Step::kNext;
}

Step ReadClock(const Operation& operation, Execution& execution) {
  FillSpecialRegister(operation.Details<SpecialRegisterName>().name, operation.slots[0], execution);
  return Step::kNext;
}

Step AddToBase(const Operation& operation, Execution& execution) {
  uint64_t* result = execution.At<uint64_t>(operation.slots[0]);
  const uint64_t* base = execution.At<uint64_t>(operation.slots[1]);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    result[lane] = base[lane] + static_cast<uint64_t>(operation.immediate);
  }
  return Step::kNext;
}

// The bits of a floating-point constant in a type.
uint64_t FloatBits(const Operand& operand, Type type) {
  const bool is_wide = BitWidth(type) == 64;
  if (operand.is_single) {
    const auto bits = static_cast<uint32_t>(operand.bits);
    return is_wide && IsFloat(type)
               ? std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(bits)))
               : bits;
  }
  if (is_wide) return operand.bits;
  return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
}

}  // namespace

InstructionDecoder::InstructionDecoder(FunctionDecoder& function,
                                       const syntax::Instruction& instruction)
    : function_(function),
      instruction_(instruction),
      is_taken_(instruction.modifiers.size(), false) {}

bool InstructionDecoder::Take(std::string_view name) {
  for (size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i] || instruction_.modifiers[i].name != name) continue;
    is_taken_[i] = true;
    return true;
  }
  return false;
}

std::optional<int> InstructionDecoder::TakeOneOf(std::initializer_list<std::string_view> names) {
  int index = 0;
  for (const std::string_view name : names) {
    if (Take(name)) return index;
    ++index;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<Type>> InstructionDecoder::TakeOptionalType(
    std::initializer_list<Type> allowed) {
  for (size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i]) continue;
    const std::optional<Type> type = TypeNamed(instruction_.modifiers[i].name);
    if (!type.has_value()) continue;
    if (allowed.size() != 0 && std::ranges::find(allowed, *type) == allowed.end()) {
      return ErrorAt(
          instruction_.modifiers[i].place,
          absl::StrCat("instruction '", std::string(opcode()), "' is not supported with type '.",
                       std::string(instruction_.modifiers[i].name), "'"));
    }
    is_taken_[i] = true;
    return type;
  }
  return std::optional<Type>();
}

absl::StatusOr<Type> InstructionDecoder::TakeType(std::initializer_list<Type> allowed) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<Type> type, TakeOptionalType(allowed));
  if (!type.has_value()) {
    return Error(absl::StrCat("instruction '", std::string(opcode()), "' needs a type"));
  }
  return *type;
}

std::optional<std::string_view> InstructionDecoder::TakePrefixed(std::string_view prefix) {
  for (size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i] || !instruction_.modifiers[i].name.starts_with(prefix)) continue;
    is_taken_[i] = true;
    return instruction_.modifiers[i].name;
  }
  return std::nullopt;
}

Space InstructionDecoder::TakeSpace() {
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"const", Space::kConst},        {"global", Space::kGlobal},
      {"local", Space::kLocal},        {"param", Space::kParam},
      {"shared", Space::kShared},      {"shared::cta", Space::kShared},
      {"param::entry", Space::kParam}, {"param::func", Space::kParam},
  };
  for (const auto& [name, space] : kSpaces) {
    if (Take(name)) return space;
  }
  return Space::kGeneric;
}

std::vector<std::string_view> InstructionDecoder::TakeRest() {
  std::vector<std::string_view> rest;
  for (size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i]) continue;
    is_taken_[i] = true;
    rest.push_back(instruction_.modifiers[i].name);
  }
  return rest;
}

absl::Status InstructionDecoder::ExpectOperands(int fewest, int most) {
  if (num_operands() >= fewest && num_operands() <= most) return absl::OkStatus();
  return Error(absl::StrCat("instruction '", std::string(opcode()), "' has ", num_operands(),
                            " operands and needs ", fewest,
                            fewest == most ? "" : absl::StrCat(" to ", most)));
}

absl::StatusOr<Slot> InstructionDecoder::Source(const Operand& operand, Type type) {
  bool is_wide = false;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, WideSource(operand, type, &is_wide));
  if (operand.kind == OperandKind::kRegister) {
    const Type declared = function_.source().registers[operand.index].type;
    if (BitWidth(declared) != BitWidth(type)) {
      return ErrorAt(operand.place,
                     absl::StrCat("a value of ", BitWidth(type),
                                  " bits is needed, the register has ", BitWidth(declared)));
    }
  }
  return slot;
}

absl::StatusOr<Slot> InstructionDecoder::WideSource(const Operand& operand, Type type,
                                                    bool* is_wide) {
  const int width = BitWidth(type);
  const int lane_bytes = LaneBytes(type);
  *is_wide = lane_bytes == 8;
  if (operand.is_negated) {
    if (type != Type::kPred) return ErrorAt(operand.place, "only a predicate can be negated");
    return PredicateSource(operand);
  }
  switch (operand.kind) {
    case OperandKind::kRegister: {
      const Type declared = function_.source().registers[operand.index].type;
      if ((declared == Type::kPred) != (type == Type::kPred)) {
        return ErrorAt(operand.place, declared == Type::kPred ? "a predicate is no number"
                                                              : "a predicate is needed here");
      }
      if (BitWidth(declared) < width) {
        return ErrorAt(operand.place,
                       absl::StrCat("a value of ", width, " bits is needed, the register has ",
                                    BitWidth(declared)));
      }
      HLO_INDEXING_RETURN_IF_ERROR(CheckRegisterType(operand, type));
      *is_wide = LaneBytes(declared) == 8;
      return function_.RegisterSlot(operand.index);
    }
    case OperandKind::kSpecialRegister: {
      const int bits = SpecialRegisterWidth(operand.name);
      if (bits == 0) {
        return ErrorAt(operand.place, absl::StrCat("special register '", std::string(operand.name),
                                                   "' is not supported"));
      }
      if (LaneBytes(bits) != lane_bytes) {
        return ErrorAt(operand.place,
                       absl::StrCat("special register '", std::string(operand.name), "' has ", bits,
                                    " bits, ", width, " are needed"));
      }
      if (!IsClock(operand.name)) return function_.SpecialSlot(operand.name, lane_bytes);
      const Slot slot = function_.NewSlot(lane_bytes);
      Operation read{.execute = ReadClock, .slots = {slot}, .pipe = Pipe::kMove};
      auto name = std::make_shared<SpecialRegisterName>();
      name->name = operand.name;
      read.details = std::move(name);
      HLO_INDEXING_RETURN_IF_ERROR(Emit(std::move(read), false));
      return slot;
    }
    case OperandKind::kInteger:
      if (IsFloat(type) && width >= 32 && type != Type::kF16x2 && type != Type::kBf16x2) {
        return ErrorAt(operand.place,
                       absl::StrCat("an integer is no value of type .", std::string(NameOf(type))));
      }
      return ConstantSlot(type, operand.bits);
    case OperandKind::kFloat:
      if (type == Type::kPred || (width != 32 && width != 64) ||
          (!IsFloat(type) && !IsBits(type))) {
        return ErrorAt(operand.place, absl::StrCat("a floating-point number is no value of type .",
                                                   std::string(NameOf(type))));
      }
      return ConstantSlot(type, FloatBits(operand, type));
    case OperandKind::kFunction:
      if (width != 64) return ErrorAt(operand.place, "an address of a function has 64 bits");
      return ConstantSlot(type, kFunctionWindow + uint64_t{16} * operand.index);
    case OperandKind::kVariable: {
      if (width != 64 && width != 32) {
        return ErrorAt(operand.place, "an address has 32 or 64 bits");
      }
      HLO_INDEXING_ASSIGN_OR_RETURN(const AddressOperand address, Address(operand));
      if (!address.is_in_frame) {
        return ConstantSlot(type, static_cast<uint64_t>(address.offset));
      }
      if (width != 64) return ErrorAt(operand.place, "an address of local memory has 64 bits");
      const Slot slot = function_.NewSlot(8);
      HLO_INDEXING_RETURN_IF_ERROR(Emit({.execute = AddToBase,
                                         .slots = {slot, function_.SpecialSlot(kLocalBase, 8)},
                                         .immediate = address.offset},
                                        false));
      return slot;
    }
    default:
      return ErrorAt(operand.place, absl::StrCat("a register or a number is needed here"));
  }
}

absl::Status InstructionDecoder::CheckRegisterType(const Operand& operand, Type type) const {
  const Type declared = function_.source().registers[operand.index].type;
  if (AgreeingTypes(declared, type)) return absl::OkStatus();
  return ErrorAt(operand.place,
                 absl::StrCat("a register of type .", std::string(NameOf(declared)),
                              " holds no value of type .", std::string(NameOf(type))));
}

absl::Status InstructionDecoder::CheckSink(const Operand& operand) const {
  const bool is_result = std::ranges::any_of(
      instruction_.operands, [&](const Operand& whole) { return &whole == &operand; });
  // Elements of vectors and of `d|p` may be left away, of these also the only result.
  if (!is_result || opcode() == "setp" || opcode() == "lop3" || opcode() == "match") {
    return absl::OkStatus();
  }
  return ErrorAt(operand.place, absl::StrCat("the result of '", std::string(opcode()),
                                             "' cannot be left away: '_' is no register"));
}

absl::StatusOr<Slot> InstructionDecoder::Destination(const Operand& operand, Type type) {
  bool is_wide = false;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, WideDestination(operand, type, &is_wide));
  if (operand.kind == OperandKind::kRegister) {
    const Type declared = function_.source().registers[operand.index].type;
    if (BitWidth(declared) != BitWidth(type)) {
      return ErrorAt(operand.place,
                     absl::StrCat("a register of ", BitWidth(type),
                                  " bits is needed, this one has ", BitWidth(declared)));
    }
  }
  return slot;
}

absl::StatusOr<Slot> InstructionDecoder::WideDestination(const Operand& operand, Type type,
                                                         bool* is_wide) {
  const int lane_bytes = LaneBytes(type);
  *is_wide = lane_bytes == 8;
  if (operand.kind == OperandKind::kSink) {
    HLO_INDEXING_RETURN_IF_ERROR(CheckSink(operand));
    return function_.NewSlot(lane_bytes);
  }
  if (operand.kind != OperandKind::kRegister || operand.is_negated) {
    return ErrorAt(operand.place, "a register is needed here");
  }
  const Type declared = function_.source().registers[operand.index].type;
  if ((declared == Type::kPred) != (type == Type::kPred)) {
    return ErrorAt(operand.place, declared == Type::kPred ? "a predicate cannot hold this result"
                                                          : "a predicate is needed here");
  }
  if (BitWidth(declared) < BitWidth(type)) {
    return ErrorAt(operand.place,
                   absl::StrCat("a register of ", BitWidth(type), " bits is needed, this one has ",
                                BitWidth(declared)));
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckRegisterType(operand, type));
  *is_wide = LaneBytes(declared) == 8;
  return function_.RegisterSlot(operand.index);
}

absl::StatusOr<Slot> InstructionDecoder::PredicateSource(const Operand& operand) {
  if (!operand.is_negated) return Source(operand, Type::kPred);
  Operand plain = operand;
  plain.is_negated = false;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot source, Source(plain, Type::kPred));
  const Slot slot = function_.NewSlot(0);
  HLO_INDEXING_RETURN_IF_ERROR(Emit({.execute = Negate, .slots = {slot, source}}, false));
  return slot;
}

absl::StatusOr<std::span<const Operand>> InstructionDecoder::Vector(int i, int count) {
  const Operand& vector = operand(i);
  const std::span<const Operand> elements = vector.kind == OperandKind::kVector
                                                ? std::span<const Operand>(vector.elements)
                                                : std::span<const Operand>(&vector, 1);
  if (static_cast<int>(elements.size()) != count) {
    return OperandError(
        i, absl::StrCat("a vector of ", count, " elements is needed, this has ", elements.size()));
  }
  if (vector.kind == OperandKind::kVector &&
      std::ranges::all_of(
          elements, [](const Operand& element) { return element.kind == OperandKind::kSink; })) {
    return OperandError(i, "at least one element of a vector is a register or a number");
  }
  return elements;
}

absl::StatusOr<int64_t> InstructionDecoder::Constant(int i) {
  if (operand(i).kind != OperandKind::kInteger) {
    return OperandError(i, "a constant integer is needed here");
  }
  return static_cast<int64_t>(operand(i).bits);
}

absl::StatusOr<AddressOperand> InstructionDecoder::Address(const Operand& operand) {
  AddressOperand address;
  const bool is_bracketed = operand.kind == OperandKind::kAddress;
  if (!is_bracketed && operand.kind != OperandKind::kVariable) {
    return ErrorAt(operand.place, "an address is needed here");
  }
  const Operand& base = is_bracketed ? operand.elements.front() : operand;
  address.offset = operand.offset;
  switch (base.kind) {
    case OperandKind::kRegister: {
      const int width = BitWidth(function_.source().registers[base.index].type);
      if (width != 32 && width != 64) {
        return ErrorAt(base.place, "an address has 32 or 64 bits");
      }
      address.base = function_.RegisterSlot(base.index);
      address.is_wide = width == 64;
      return address;
    }
    case OperandKind::kInteger:
      address.offset += static_cast<int64_t>(base.bits);
      return address;
    case OperandKind::kVariable:
      break;
    default:
      return ErrorAt(base.place, "an address is a register, a variable or a number");
  }
  if (is_bracketed) address.offset += base.offset;
  ProgramDecoder& program = function_.program();
  const syntax::Variable& variable = base.is_local ? function_.source().variables[base.index]
                                                   : program.loaded().module->variables[base.index];
  address.variable_space = variable.space;
  switch (variable.space) {
    case Space::kShared: {
      HLO_INDEXING_ASSIGN_OR_RETURN(
          const uint64_t offset,
          program.SharedOffset(base.is_local ? &function_.source() : nullptr, base.index));
      address.offset += static_cast<int64_t>(offset);
      return address;
    }
    case Space::kLocal:
    case Space::kParam:
      if (!base.is_local) return ErrorAt(base.place, "a variable of the module in this space");
      address.offset += static_cast<int64_t>(function_.LocalPlace(base.index).offset);
      address.is_kernel_parameter = function_.source().is_entry &&
                                    std::ranges::find(function_.source().parameters, base.index) !=
                                        function_.source().parameters.end();
      address.is_in_frame = !address.is_kernel_parameter;
      return address;
    default:
      if (base.is_local) {
        return ErrorAt(base.place, "variables of a function are in local, shared or param space");
      }
      address.offset += static_cast<int64_t>(program.loaded().variable_addresses[base.index]);
      return address;
  }
}

Slot InstructionDecoder::Scratch(Type type) { return function_.NewSlot(LaneBytes(type)); }

Slot InstructionDecoder::ConstantSlot(Type type, uint64_t bits) {
  const int width = BitWidth(type);
  if (type == Type::kPred) return function_.ConstantSlot(0, bits != 0 ? 1 : 0);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  return function_.ConstantSlot(LaneBytes(type), bits);
}

absl::Status InstructionDecoder::Emit(Operation operation, bool is_last) {
  if (is_last) {
    for (size_t i = 0; i < is_taken_.size(); ++i) {
      if (!is_taken_[i]) return ModifierError(instruction_.modifiers[i].name);
    }
  }
  if (instruction_.guard.has_value()) {
    const uint32_t index = instruction_.guard->register_index;
    if (function_.source().registers[index].type != Type::kPred) {
      return Error("the guard is not a predicate");
    }
    operation.guard = function_.RegisterSlot(index);
    operation.guard_is_negated = instruction_.guard->is_negated;
  }
  operation.source = &instruction_;
  function_.Append(std::move(operation));
  return absl::OkStatus();
}

absl::Status InstructionDecoder::ErrorAt(Place place, std::string_view message) const {
  return function_.program().ErrorAt(place, message);
}

absl::Status InstructionDecoder::ModifierError(std::string_view name) const {
  for (const syntax::Modifier& modifier : instruction_.modifiers) {
    if (modifier.name != name) continue;
    return ErrorAt(modifier.place,
                   absl::StrCat("modifier '.", std::string(name), "' of instruction '",
                                std::string(opcode()), "' is not supported here"));
  }
  return Error(absl::StrCat("instruction '", std::string(opcode()), "' needs a modifier"));
}

int InstructionDecoder::target() const { return function_.program().loaded().module->target; }
std::string_view InstructionDecoder::target_name() const {
  return function_.program().loaded().module->target_name;
}

}  // namespace hlo_indexing::ptx
