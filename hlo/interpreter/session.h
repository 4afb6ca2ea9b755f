// The state of one run of the interpreter: its limits, its first error, and the computations that
// it has planned. Private to the folder.
#ifndef HLO_INDEXING_HLO_INTERPRETER_SESSION_H_
#define HLO_INDEXING_HLO_INTERPRETER_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/interpreter/source_sets.h"
#include "hlo/interpreter/value.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo {

class ScalarFunction;

/// Runs computations: counts steps and memory, records the first error, and plans each computation
/// once.
class Session {
 public:
  /// `sources` is null if nothing is traced.
  Session(const Module& module, const InterpreterOptions& options, SourceSets* sources);
  ~Session();

  const InterpreterOptions& options() const { return options_; }
  SourceSets* sources() const { return sources_; }
  const absl::Status& status() const { return status_; }

  /// Records the first error, with the place of the instruction; false, to be returned.
  bool Fail(const Instruction& instruction, absl::StatusCode code, const std::string& message);
  /// Whether so many more steps are within the limit; an error if they are not.
  bool CanSpend(const Instruction& instruction, int64_t steps);
  /// Counts steps; false after an error if the limit is reached, or if whoever runs it wants no
  /// more.
  bool Spend(const Instruction& instruction, int64_t steps);
  /// A new array of that shape, all 0; null after an error.
  std::shared_ptr<ArrayValue> NewArray(const Instruction& instruction, const Shape& shape);
  /// Reserves memory for other things than values; null after an error.
  std::shared_ptr<MemoryReservation> Reserve(const Instruction& instruction, int64_t bytes);
  /// A value of any shape whose arrays are 0.
  bool ZeroValue(const Instruction& instruction, const Shape& shape, Value& value);

  /// Runs a computation on these devices; arguments and results in their order. The caller is named
  /// in errors.
  bool RunComputation(const Instruction& caller, const Computation& computation,
                      llvm::ArrayRef<int64_t> devices, llvm::ArrayRef<Arguments> arguments,
                      std::vector<Value>& results);
  bool RunInstruction(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                      llvm::ArrayRef<Arguments> operands, std::vector<Value>& results);
  /// Runs what an instruction of a computation depends on, and itself, on any one device: an error
  /// if the value depends on which. Arguments that it does not depend on may be empty values.
  bool RunUpTo(const Instruction& last, llvm::ArrayRef<Value> arguments, Value& result);
  /// A computation on scalars, prepared once.
  const ScalarFunction& FunctionOf(const Computation& computation);

 private:
  static constexpr int64_t kStepsBetweenQuestions = int64_t{1} << 20;

  // The instructions to run, and for each, by its index, how often it is an operand of those.
  struct Plan {
    std::vector<const Instruction*> order;
    std::vector<int64_t> uses;
    // One with an array of unknown size, and that array's shape; null if there is none.
    const Instruction* unbounded = nullptr;
    const Shape* unbounded_shape = nullptr;
  };
  const Plan& PlanOf(const Computation& computation);
  // What the last instruction depends on; and, unless that is all, what reaches outside.
  static Plan MakePlan(const Instruction& last, bool needs_outside);
  bool FailUnbounded(const Instruction& instruction, const Shape& shape);
  bool RunPlan(const Plan& plan, const Instruction& last, llvm::ArrayRef<int64_t> devices,
               llvm::ArrayRef<Arguments> arguments, std::vector<Value>& results);
  bool RunOnEach(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                 llvm::ArrayRef<Arguments> operands, std::vector<Value>& results);

  const Module& module_;
  const InterpreterOptions& options_;
  SourceSets* sources_;
  std::shared_ptr<MemoryBudget> budget_;
  absl::Status status_;
  int64_t steps_ = 0;
  // When to ask next whether to go on.
  int64_t next_question_ = kStepsBetweenQuestions;
  int depth_ = 0;
  bool is_any_device_ = false;
  // By the index of the computation.
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<std::unique_ptr<ScalarFunction>> functions_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_SESSION_H_
