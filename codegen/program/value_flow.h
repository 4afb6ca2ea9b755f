// Which arrays a computation has, which of them are the same, and which steps make and read them:
// what is known before they have places. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_VALUE_FLOW_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_VALUE_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::program {

/// An array: a parameter of the computation, a constant of the program, or what a step makes. The
/// elements of tuples and what only has another shape, as a bitcast, are no arrays of their own.
struct ArrayOrigin {
  enum class Kind : uint8_t { kParameter, kConstant, kMade };
  Kind kind = Kind::kMade;
  /// Of the parameter or constant.
  size_t number = 0;
  /// kMade: by this instruction.
  const hlo::Instruction* instruction = nullptr;
  int64_t bytes = 0;
};

using ArrayIds = llvm::SmallVector<size_t, 4>;

/// An instruction that something is done for.
struct FlowStep {
  const hlo::Instruction* instruction = nullptr;
  ArrayIds reads;
  ArrayIds makes;
  /// Of a launch.
  std::optional<size_t> kernel;
  /// Of a loop: what it ends with, of each array of its state.
  ArrayIds results;
  /// A made array and a read one whose memory it may take over: it begins with its contents.
  llvm::SmallVector<std::pair<size_t, size_t>, 2> updates;
  /// The zeros that a kernel begins with, and leaves.
  std::optional<size_t> zeros;
};

/// In the order of the computation.
struct ValueFlow {
  std::vector<ArrayOrigin> arrays;
  std::vector<FlowStep> steps;
  /// The arrays of the root.
  ArrayIds outputs;
};

/// Where the arrays that steps make are to lie: several in one storage, one after the other.
struct Storage {
  int64_t bytes = 0;
  size_t first_step = 0;
  size_t last_step = 0;
  /// The output whose memory it is; else it is a buffer of the frame.
  std::optional<size_t> output;
  /// What it was made of, if the first array in it updates a parameter.
  std::optional<size_t> updated_parameter;
  const hlo::Instruction* instruction = nullptr;
};

struct StorageAssignment {
  std::vector<Storage> storages;
  /// By array; nullopt for parameters and constants.
  std::vector<std::optional<size_t>> of_array;
  /// By array: the last step that reads it; that behind the last one for outputs.
  std::vector<size_t> last_reads;
};

StorageAssignment AssignStorages(const ValueFlow& flow);

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_VALUE_FLOW_H_
