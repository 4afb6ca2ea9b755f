// Decodes a kernel and the functions that it can call into a Program: gives registers, constants
// and variables their places, decodes each instruction by its family, and resolves labels.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_FUNCTION_DECODER_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_FUNCTION_DECODER_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/machine/program.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// A parsed module whose variables have addresses.
struct LoadedModule {
  std::string_view text;
  std::string_view file;
  const syntax::Module* module = nullptr;
  /// Of variable i of the module: a global address, or an offset in constant memory; not used for
  /// shared variables, whose places differ by kernel.
  std::vector<uint64_t> variable_addresses;
};

/// The kernel that is function `kernel` of the module, ready to be launched. Errors: the first
/// instruction that is not supported or not well-formed, with its place.
absl::StatusOr<Program> DecodeKernel(const LoadedModule& loaded, uint32_t kernel);

/// What all functions of a program share while it is decoded.
class ProgramDecoder {
 public:
  ProgramDecoder(const LoadedModule& loaded, Program& program);

  const LoadedModule& loaded() const { return loaded_; }
  Program& program() { return program_; }
  absl::Status ErrorAt(Place place, std::string_view message) const;

  /// Number in the program of function `index` of the module, which will be decoded.
  uint32_t FunctionNumber(uint32_t index);
  /// Offset in the block's shared memory of a variable of the module or (`function` not null) of a
  /// function.
  absl::StatusOr<uint64_t> SharedOffset(const syntax::Function* function, uint32_t variable);
  /// Decodes the kernel and all that is reached from it.
  absl::Status Decode(uint32_t kernel);

 private:
  const LoadedModule& loaded_;
  Program& program_;
  std::vector<uint32_t> pending_;
  std::map<std::pair<const syntax::Function*, uint32_t>, uint64_t> shared_offsets_;
};

/// One function while it is decoded.
class FunctionDecoder {
 public:
  FunctionDecoder(ProgramDecoder& program, const syntax::Function& source,
                  ProgramFunction& function);

  absl::Status Decode();

  ProgramDecoder& program() { return program_; }
  const syntax::Function& source() const { return source_; }
  ProgramFunction& function() { return function_; }

  Slot RegisterSlot(uint32_t index) const { return register_slots_[index]; }
  /// A new place of 4, 8 or 16 bytes a lane, or of 4 bytes (a predicate: `lane_bytes` 0).
  Slot NewSlot(int lane_bytes);
  /// The place that holds `bits` in each lane of 4, 8 or 16 bytes (or a mask); one for equal
  /// values.
  Slot ConstantSlot(int lane_bytes, uint64_t bits);
  /// The place of a special register that does not change during an activation.
  Slot SpecialSlot(std::string_view name, int lane_bytes);
  /// The carry flag of the extended-precision instructions (§9.7.2).
  Slot CarryFlag();
  /// Where a variable of the function lies in the activation's local memory.
  const VariablePlace& LocalPlace(uint32_t variable) const { return local_places_[variable]; }

  /// The index of the next operation.
  uint32_t NextIndex() const { return static_cast<uint32_t>(function_.operations.size()); }
  void Append(Operation operation);
  /// Index of the operation that a label stands before; known when all is decoded.
  uint32_t TargetOf(uint32_t label) const;
  /// Calls `finish(operation)` when the targets of labels are known.
  void AtEnd(uint32_t operation, absl::Status (*finish)(FunctionDecoder&, Operation&));

 private:
  absl::Status PlaceVariables();
  // The turns of the function, where they are not the order of the text.
  void SetTurns();

  ProgramDecoder& program_;
  const syntax::Function& source_;
  ProgramFunction& function_;
  std::vector<Slot> register_slots_;
  std::vector<VariablePlace> local_places_;
  std::map<std::pair<int, uint64_t>, Slot> constants_;
  std::map<std::string_view, Slot> specials_;
  Slot carry_flag_ = kNoSlot;
  /// Of each instruction, the index of its first operation.
  std::vector<uint32_t> first_operations_;
  std::vector<std::pair<uint32_t, absl::Status (*)(FunctionDecoder&, Operation&)>> at_end_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_FUNCTION_DECODER_H_
