// The instructions that become one kernel: those of a fusion's computation, or one instruction.
// Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_PLAN_FUSED_COMPUTATION_H_
#define HLO_INDEXING_CODEGEN_PLAN_FUSED_COMPUTATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::plan {

/// An instruction whose value leaves the kernel.
struct FusionRoot {
  const hlo::Instruction* instruction = nullptr;
  /// The number of its first array among the output arrays of the kernel.
  int64_t first_output = 0;
};

class FusedComputation {
 public:
  /// Of a fusion, or of another instruction by itself.
  explicit FusedComputation(const hlo::Instruction& instruction);
  /// Of a computation that is itself the one to be fused.
  explicit FusedComputation(const hlo::Computation& computation);

  /// Whether an instruction is computed in the kernel; parameters are not, they are read.
  bool Contains(const hlo::Instruction& instruction) const {
    return instructions_.contains(&instruction);
  }
  /// Those that the roots depend on, operands before users.
  llvm::ArrayRef<const hlo::Instruction*> instructions() const { return post_order_; }
  /// What the kernel reads from memory: parameters, or the operands of one instruction.
  llvm::ArrayRef<const hlo::Instruction*> inputs() const { return inputs_; }
  /// The elements of a tuple at the root, else the root: those that have elements, for others
  /// nothing is computed.
  llvm::ArrayRef<FusionRoot> roots() const { return roots_; }
  /// Those without elements, too.
  llvm::ArrayRef<FusionRoot> all_roots() const { return all_roots_; }

  /// Whether `from` is `to` or one of the values that it is computed from inside of the kernel.
  bool Reaches(const hlo::Instruction& from, const hlo::Instruction& to) const;

  /// kUnimplemented for arrays whose sizes are not known, and if no result has elements.
  absl::Status CheckShapes() const;

  /// The fewest and the most bits of an element of the inputs or outputs, a pred being a byte, but
  /// for packed outputs; INT_MAX and 0 if there are none.
  int64_t SmallestInputBits() const;
  int64_t LargestInputBits() const;
  int64_t SmallestOutputBits() const;
  int64_t LargestOutputBits() const;
  /// The fewest bits of memory that an element of the outputs has: 8 for an s4 that is not packed.
  int64_t SmallestStorageBits() const;

 private:
  void Collect(const hlo::Instruction& root);
  void AddRoot(const hlo::Instruction& root, int64_t first_output);

  llvm::DenseSet<const hlo::Instruction*> instructions_;
  std::vector<const hlo::Instruction*> post_order_;
  std::vector<const hlo::Instruction*> inputs_;
  std::vector<FusionRoot> roots_;
  std::vector<FusionRoot> all_roots_;
};

/// Whether what a bitcast gives can lie where its operand does: an error if one of its arrays takes
/// other bytes, or if bits of the operand need not be elements of the result.
absl::Status CheckBitcast(const hlo::Instruction& bitcast);

/// Bits of an element as the emitters count them: 8 for pred.
int64_t ElementWidth(const hlo::Shape& shape);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_FUSED_COMPUTATION_H_
