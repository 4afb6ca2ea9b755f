// What an output element of the more involved opcodes reads, one function per opcode: windows,
// indices, matrices, lines, devices.
#ifndef HLO_INDEXING_TESTS_PROPERTY_PROVENANCE_OPCODES_H_
#define HLO_INDEXING_TESTS_PROPERTY_PROVENANCE_OPCODES_H_

#include <cstdint>
#include <vector>

#include "hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "tests/property/provenance.h"

namespace hlo_indexing::testing {

/// An element of an instruction's output, and where to put what it reads.
struct OpcodeReads {
  const hlo::Instruction& instruction;
  int64_t leaf;
  const std::vector<int64_t>& index;
  const IntegerValues& integers;
  const std::vector<const hlo::Instruction*>& calls;
  const Circumstances& circumstances;
  /// Adds an element of an operand's array; what lies outside the array is not read. The device is
  /// -1 where it is the one that runs.
  llvm::function_ref<void(size_t operand, int64_t leaf, const std::vector<int64_t>& index,
                          int64_t device)>
      add_array;

  void Add(size_t operand, const std::vector<int64_t>& at) const {
    add_array(operand, 0, at, /*device=*/-1);
  }
  const hlo::Shape& operand(size_t i) const { return instruction.operand(i).shape(); }
  /// Every element of every array of an operand.
  void AddAll(size_t operand) const;
  /// An element of an integer operand.
  int64_t Integer(size_t operand, const std::vector<int64_t>& at) const;
};

/// Adds what the element reads; false for opcodes that are not handled here.
bool AddReadsOfOpcode(const OpcodeReads& reads);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_PROVENANCE_OPCODES_H_
