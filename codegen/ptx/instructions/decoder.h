// Decodes one instruction: gives a family the modifiers and operands that it asks for, and refuses
// by name what nobody asked for.
//
// Example, of a family with `neg.{s32,f32}` and `.ftz`:
//   absl::Status DecodeNeg(InstructionDecoder& d) {
//     const bool flush = d.Take("ftz");
//     HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kS32, Type::kF32}));
//     HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
//     HLO_INDEXING_ASSIGN_OR_RETURN(const Slot result, d.Destination(0, type));
//     HLO_INDEXING_ASSIGN_OR_RETURN(const Slot source, d.Source(1, type));
//     return d.Emit({.execute = ..., .slots = {result, source}});
//   }
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_DECODER_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_DECODER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/program.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

class FunctionDecoder;

/// An address operand: a base (a register's lanes, or nothing) plus a constant.
struct AddressOperand {
  /// 64-bit or 32-bit lanes (`is_wide`); kNoSlot: the address is `offset` alone.
  Slot base = kNoSlot;
  bool is_wide = true;
  int64_t offset = 0;
  /// The space of the variable that the address names; kGeneric where it names none.
  Space variable_space = Space::kGeneric;
  /// The variable lies in the memory of the lane's activation: its frame's local base is added.
  bool is_in_frame = false;
  /// A parameter of the kernel.
  bool is_kernel_parameter = false;
};

class InstructionDecoder {
 public:
  InstructionDecoder(FunctionDecoder& function, const syntax::Instruction& instruction);

  // --- Modifiers. Each is taken once; Emit refuses those that nobody took.

  std::string_view opcode() const { return instruction_.opcode; }
  /// Takes the first modifier of this name, wherever it stands; false if there is none.
  bool Take(std::string_view name);
  /// Index of the first of `names` that is there, which is taken; nullopt if none is. An error at
  /// Emit if two of them are there, as the other one is left.
  std::optional<int> TakeOneOf(std::initializer_list<std::string_view> names);
  /// Takes the first modifier left that names a type; an error if there is none or it is not among
  /// `allowed` (empty: any).
  absl::StatusOr<Type> TakeType(std::initializer_list<Type> allowed = {});
  /// As TakeType, but nullopt where no modifier left names a type.
  absl::StatusOr<std::optional<Type>> TakeOptionalType(std::initializer_list<Type> allowed = {});
  /// Takes the first modifier left if it starts with `prefix` (as "L2::"). Takes it away.
  std::optional<std::string_view> TakePrefixed(std::string_view prefix);
  /// The state space among the modifiers (`.shared::cta` is kShared), or kGeneric.
  Space TakeSpace();
  /// All modifiers that are left, in order; takes them.
  std::vector<std::string_view> TakeRest();

  // --- Operands, numbered from 0 in the order of the text.

  int num_operands() const { return static_cast<int>(instruction_.operands.size()); }
  const syntax::Operand& operand(int i) const {
    return instruction_.operands[static_cast<size_t>(i)];
  }
  absl::Status ExpectOperands(int count) { return ExpectOperands(count, count); }
  absl::Status ExpectOperands(int fewest, int most);

  /// Where values of `type` are read: a register of the type's width, a special register, a number,
  /// or the address of a variable or function. Lanes are of 32 bits (types of up to 32), 64 or 128;
  /// a predicate is a mask. Numbers are converted to the type (§4.5, §6.5).
  absl::StatusOr<Slot> Source(int i, Type type) { return Source(operand(i), type); }
  absl::StatusOr<Slot> Source(const syntax::Operand& operand, Type type);
  /// As Source, but the register may be wider than the type (ld, st, cvt; §9.4.1): `is_wide` tells
  /// whether its lanes have 64 bits.
  absl::StatusOr<Slot> WideSource(const syntax::Operand& operand, Type type, bool* is_wide);
  /// Where results of `type` are written; `_` gives a place that nobody reads, where it may stand.
  absl::StatusOr<Slot> Destination(int i, Type type) { return Destination(operand(i), type); }
  absl::StatusOr<Slot> Destination(const syntax::Operand& operand, Type type);
  absl::StatusOr<Slot> WideDestination(const syntax::Operand& operand, Type type, bool* is_wide);
  /// The slot of a predicate that is read, `!%p` being made by an operation before this one.
  absl::StatusOr<Slot> PredicateSource(const syntax::Operand& operand);
  /// The elements of a vector operand `{a, b}`, `count` of them; one operand by itself counts as
  /// one.
  absl::StatusOr<std::span<const syntax::Operand>> Vector(int i, int count);
  /// A number that has to be known now. Example: the 1 of `cp.async.wait_group 1`
  absl::StatusOr<int64_t> Constant(int i);
  /// An address operand `[...]`.
  absl::StatusOr<AddressOperand> Address(int i) { return Address(operand(i)); }
  absl::StatusOr<AddressOperand> Address(const syntax::Operand& operand);
  /// A place for values in between, 32-, 64- or 128-bit lanes by `type`.
  Slot Scratch(Type type);
  /// A place that holds `bits` in every lane.
  Slot ConstantSlot(Type type, uint64_t bits);

  // --- Result.

  /// Adds the operation, with guard and source filled in, after what was emitted before for this
  /// instruction. An error if a modifier is left. `is_last`: false for operations in between.
  absl::Status Emit(Operation operation, bool is_last = true);

  /// An error at the instruction, a modifier or an operand.
  absl::Status Error(std::string_view message) const {
    return ErrorAt(instruction_.place, message);
  }
  absl::Status OperandError(int i, std::string_view message) const {
    return ErrorAt(operand(i).place, message);
  }
  absl::Status ErrorAt(Place place, std::string_view message) const;
  /// The error that names a modifier which this instruction does not have.
  absl::Status ModifierError(std::string_view name) const;

  FunctionDecoder& function() { return function_; }
  const syntax::Instruction& instruction() const { return instruction_; }
  /// `.target` of the module. Example: 90
  int target() const;
  /// With its features. Example: sm_90a
  std::string_view target_name() const;

 private:
  /// An error if the register is of a type that does not agree with the instruction's.
  absl::Status CheckRegisterType(const syntax::Operand& operand, Type type) const;
  /// An error if `_` stands for a result that the instruction has to have.
  absl::Status CheckSink(const syntax::Operand& operand) const;

  FunctionDecoder& function_;
  const syntax::Instruction& instruction_;
  std::vector<bool> is_taken_;
};

using DecodeFunction = absl::Status (*)(InstructionDecoder& decoder);

/// A row of a family's table: all instructions with this opcode.
struct OpcodeRow {
  std::string_view opcode;
  DecodeFunction decode;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_DECODER_H_
