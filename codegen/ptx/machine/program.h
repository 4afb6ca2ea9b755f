// A kernel that is ready to be launched: its operations and those of the functions that it can
// call, with the places of registers and variables decided.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_PROGRAM_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/machine/named_bytes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// A special register whose lanes are filled when an activation begins (§10).
struct SpecialRegisterSlot {
  std::string_view name;
  Slot slot = 0;
};

/// Where a parameter, a result or a local variable lies: bytes from the start of the kernel's
/// parameters, or of the activation's local memory.
struct VariablePlace {
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct ProgramFunction {
  std::string_view name;
  const syntax::Function* source = nullptr;
  std::vector<Operation> operations;
  /// The register file of a new activation: zeros, and the constants.
  std::vector<std::byte> initial_registers;
  std::vector<SpecialRegisterSlot> special_registers;
  /// Bytes of local memory of an activation: `.local` variables, parameters and results of
  /// functions, `.param` variables for calls.
  uint64_t local_bytes = 0;
  std::vector<VariablePlace> parameters;
  std::vector<VariablePlace> results;
  /// Of groups of lanes that stand at different operations the one at the smaller turn goes first:
  /// so they meet where their ways do (syntax/control_flow.h). By operation, its turn and the first
  /// operation behind its block; both empty if the turns are the order of the text.
  std::vector<uint32_t> turns;
  std::vector<uint32_t> block_ends;

  uint32_t TurnOf(uint32_t operation) const { return turns.empty() ? operation : turns[operation]; }
};

struct Program {
  /// Text and name of the module, for messages.
  std::string_view text;
  std::string_view file;
  const syntax::Module* module = nullptr;
  /// functions[0] is the kernel; others by need. `function_numbers[i]` is the place here of
  /// function i of the module plus one, 0 if the kernel cannot call it.
  std::vector<ProgramFunction> functions;
  std::vector<uint32_t> function_numbers;
  uint32_t num_operations = 0;
  /// Bytes of static shared memory; dynamic shared memory begins at `dynamic_shared_offset`.
  uint64_t shared_bytes = 0;
  uint64_t dynamic_shared_offset = 0;
  /// The first bytes of shared memory are the system's, where a kernel asks for their place
  /// (%reserved_smem_offset_1, §10): zeros that count as written. 0 of other kernels.
  uint64_t reserved_shared_bytes = 0;
  /// Names for messages: variables of static shared memory, in order of their offsets.
  std::vector<NamedBytes> shared_variables;
  uint64_t parameter_bytes = 0;
  /// Registers of 32 bits that a thread needs at most at once as the text stands: an upper end of
  /// what ptxas will use is not known from PTX, this is the largest number of values alive.
  uint32_t live_registers = 0;
  /// Blocks may communicate: atomics, volatile or synchronising accesses of global memory. Such a
  /// kernel is executed by one thread of the host, so that the same seed gives the same bytes.
  bool blocks_communicate = false;
  /// Lanes may wait in a loop for what other lanes of their warp write: there are atomics, barriers
  /// in memory, or volatile or synchronising loads. Weak loads are no way to wait (§8.2).
  bool lanes_communicate = false;

  /// What a block has for itself, in a launch with so much dynamic shared memory.
  uint64_t OwnSharedBytes(uint64_t dynamic_bytes) const {
    return dynamic_shared_offset - reserved_shared_bytes + dynamic_bytes;
  }
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_PROGRAM_H_
