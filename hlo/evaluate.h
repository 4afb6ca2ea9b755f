// What the functions that evaluate opcodes have in common. Private to the folder.
//
// Every function is written once, for values and for traced values: an element carries its sources,
// and whoever moves or combines elements moves and combines both. Fast paths that look at bytes
// only are taken where nothing is traced.
#ifndef HLO_INDEXING_HLO_EVALUATE_H_
#define HLO_INDEXING_HLO_EVALUATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hlo/interpreter.h"
#include "hlo/module.h"
#include "hlo/value.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo {

class ScalarFunction;

/// The state of one run: limits, the first error, what has been prepared.
class Session {
 public:
  /// `sources` is null where nothing is traced.
  Session(const Module& module, const InterpreterOptions& options, SourceSets* sources);
  ~Session();

  const InterpreterOptions& options() const { return options_; }
  SourceSets* sources() const { return sources_; }
  const absl::Status& status() const { return status_; }

  /// Records the first error, with the place of the instruction; false, to be returned.
  bool Fail(const Instruction& instruction, absl::StatusCode code, const std::string& message);
  /// Counts steps; false after an error where the limit is reached.
  bool Spend(const Instruction& instruction, int64_t steps);
  /// A new array of that shape, all 0; null after an error.
  std::shared_ptr<ArrayValue> NewArray(const Instruction& instruction, const Shape& shape);
  /// Takes memory for other things than values, until the lease goes; null after an error.
  std::shared_ptr<MemoryLease> Reserve(const Instruction& instruction, int64_t bytes);
  /// A value of any shape whose arrays are 0.
  bool ZeroValue(const Instruction& instruction, const Shape& shape, Value& value);

  /// Runs a computation on these devices; arguments and results in their order. The caller is named
  /// in errors.
  bool RunComputation(const Instruction& caller, const Computation& computation,
                      llvm::ArrayRef<int64_t> devices, llvm::ArrayRef<Arguments> arguments,
                      std::vector<Value>& results);
  bool RunInstruction(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                      llvm::ArrayRef<Arguments> operands, std::vector<Value>& results);
  /// A computation on scalars, prepared once.
  const ScalarFunction& FunctionOf(const Computation& computation);

 private:
  // The instructions to run, and for each, by its index, how often it is an operand of those.
  struct Plan {
    std::vector<const Instruction*> order;
    std::vector<int64_t> uses;
  };
  const Plan& PlanOf(const Computation& computation);
  bool RunPlan(const Plan& plan, const Computation& computation, llvm::ArrayRef<int64_t> devices,
               llvm::ArrayRef<Arguments> arguments, std::vector<Value>& results);
  bool RunOnEach(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                 llvm::ArrayRef<Arguments> operands, std::vector<Value>& results);

  const Module& module_;
  const InterpreterOptions& options_;
  SourceSets* sources_;
  std::shared_ptr<MemoryBudget> budget_;
  absl::Status status_;
  int64_t steps_ = 0;
  int depth_ = 0;
  // By the index of the computation.
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<std::unique_ptr<ScalarFunction>> functions_;
};

/// One instruction on one device.
class Evaluation {
 public:
  Evaluation(Session& session, const Instruction& instruction, int64_t device,
             llvm::ArrayRef<Value> operands)
      : session_(session), instruction_(instruction), device_(device), operands_(operands) {}

  Session& session() { return session_; }
  const Instruction& instruction() const { return instruction_; }
  int64_t device() const { return device_; }
  size_t num_operands() const { return operands_.size(); }
  const Value& operand(size_t i) const { return operands_[i]; }
  const ArrayValue& array(size_t i) const { return operands_[i].array(); }
  bool is_traced() const { return session_.sources() != nullptr; }

  bool Fail(const std::string& message) {
    return session_.Fail(instruction_, absl::StatusCode::kInvalidArgument, message);
  }
  bool FailUnsupported(const std::string& message) {
    return session_.Fail(instruction_, absl::StatusCode::kUnimplemented, message);
  }
  bool Spend(int64_t steps) { return session_.Spend(instruction_, steps); }
  /// A new array of the instruction's shape; null after an error.
  std::shared_ptr<ArrayValue> NewResult() { return NewArray(instruction_.shape()); }
  std::shared_ptr<ArrayValue> NewArray(const Shape& shape) {
    return session_.NewArray(instruction_, shape);
  }
  SourceSet Union(SourceSet a, SourceSet b) {
    return session_.sources() == nullptr ? kNoSources : session_.sources()->Union(a, b);
  }
  /// What all elements of an array depend on.
  SourceSet SourcesOfAll(const ArrayValue& array);

  bool Return(Value value) {
    result_ = std::move(value);
    return true;
  }
  bool Return(std::shared_ptr<ArrayValue> array) { return Return(Value(std::move(array))); }
  /// The arrays as the instruction's shape has it: one, or a tuple.
  bool ReturnEach(std::vector<std::shared_ptr<ArrayValue>> arrays);
  /// The shape of the i-th of several results, which may be the only one.
  const Shape& ResultShape(size_t i) const;
  Value TakeResult() { return std::move(result_); }

 private:
  Session& session_;
  const Instruction& instruction_;
  int64_t device_;
  llvm::ArrayRef<Value> operands_;
  Value result_;
};

/// One instruction on all devices that have reached it.
class GroupEvaluation {
 public:
  GroupEvaluation(Session& session, const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                  llvm::ArrayRef<Arguments> operands, std::vector<Value>& results)
      : session_(session),
        instruction_(instruction),
        devices_(devices),
        operands_(operands),
        results_(results) {}

  Session& session() { return session_; }
  const Instruction& instruction() const { return instruction_; }
  llvm::ArrayRef<int64_t> devices() const { return devices_; }
  /// Whether the device takes part, and at which position of devices(): or -1.
  int64_t SlotOf(int64_t device) const;
  llvm::ArrayRef<Value> operands(size_t slot) const { return operands_[slot]; }
  std::vector<Value>& results() { return results_; }

  bool Fail(const std::string& message) {
    return session_.Fail(instruction_, absl::StatusCode::kInvalidArgument, message);
  }
  bool FailUnsupported(const std::string& message) {
    return session_.Fail(instruction_, absl::StatusCode::kUnimplemented, message);
  }
  bool Spend(int64_t steps) { return session_.Spend(instruction_, steps); }

 private:
  Session& session_;
  const Instruction& instruction_;
  llvm::ArrayRef<int64_t> devices_;
  llvm::ArrayRef<Arguments> operands_;
  std::vector<Value>& results_;
};

/// The value with these sources added to those of every element of every array in it.
bool AddSources(Session& session, const Instruction& instruction, SourceSet sources, Value& value);

/// The value with the sources of each element of `other`, of the same shape, added to its own.
bool AddSourcesOf(Session& session, const Instruction& instruction, const Value& other,
                  Value& value);

/// What the results of a computation count as read from.
enum class TracedThrough : uint8_t {
  kNothing,      // every argument, whatever the computation does
  kComputation,  // the arguments that each of them depends on
};

/// A computation from scalars to one scalar or a tuple of them, as reductions apply it.
class ScalarFunction {
 public:
  ScalarFunction(Session& session, const Computation& computation);
  ~ScalarFunction();

  /// Applies it; floats may have another precision than the parameters. False after an error.
  bool Apply(const Instruction& caller, int64_t device, llvm::ArrayRef<Element> arguments,
             llvm::MutableArrayRef<Element> results,
             TracedThrough traced = TracedThrough::kNothing) const;

 private:
  struct Program;
  bool RunProgram(const Instruction& caller, llvm::ArrayRef<Element> arguments,
                  llvm::MutableArrayRef<Element> results, SourceSets* sources) const;
  bool RunGenerally(const Instruction& caller, int64_t device, llvm::ArrayRef<Element> arguments,
                    llvm::MutableArrayRef<Element> results) const;

  Session& session_;
  const Computation& computation_;
  // Null where the computation has more than elementwise operations on scalars.
  std::unique_ptr<Program> program_;
};

/// Whether arrays may come in whose dynamic dimensions are not filled to their bounds.
enum class PartlyFilled : uint8_t { kNo, kYes };

/// How an opcode is evaluated: device by device, or on all of them together.
struct EvaluateRow {
  Opcode opcode;
  bool (*on_one)(Evaluation&);
  bool (*on_group)(GroupEvaluation&);
  PartlyFilled partly_filled = PartlyFilled::kNo;
};

/// The row of an opcode. There is one for every opcode but parameter.
const EvaluateRow* EvaluateRowOf(Opcode opcode);

// The functions of the table, by file; each returns false after it has recorded an error.
namespace evaluate {

// evaluate_elementwise.cc
bool Elementwise(Evaluation& e);
bool Map(Evaluation& e);

// evaluate_movement.cc
bool Constant(Evaluation& e);
bool Iota(Evaluation& e);
bool Broadcast(Evaluation& e);
bool Transpose(Evaluation& e);
bool Reverse(Evaluation& e);
bool Reshape(Evaluation& e);
bool Slice(Evaluation& e);
bool Pad(Evaluation& e);
bool Concatenate(Evaluation& e);
bool Identity(Evaluation& e);

// evaluate_bitcast.cc
bool Bitcast(Evaluation& e);
bool BitcastConvert(Evaluation& e);

// evaluate_dynamic.cc
bool DynamicSlice(Evaluation& e);
bool DynamicUpdateSlice(Evaluation& e);
bool GetDimensionSize(Evaluation& e);
bool SetDimensionSize(Evaluation& e);
bool DynamicReshape(Evaluation& e);

// evaluate_indexed.cc
bool Gather(Evaluation& e);
bool Scatter(Evaluation& e);

// evaluate_reduction.cc
bool Reduce(Evaluation& e);
bool ReduceWindow(Evaluation& e);
bool SelectAndScatter(Evaluation& e);
bool Scan(Evaluation& e);

// evaluate_contraction.cc
bool Dot(Evaluation& e);
bool RaggedDot(Evaluation& e);
bool ScaledDot(Evaluation& e);

// evaluate_convolution.cc
bool Convolution(Evaluation& e);

// evaluate_ordering.cc
bool Sort(Evaluation& e);
bool TopK(Evaluation& e);

// evaluate_linear_algebra.cc
bool Cholesky(Evaluation& e);
bool TriangularSolve(Evaluation& e);
bool Fft(Evaluation& e);

// evaluate_normalization.cc
bool BatchNormTraining(Evaluation& e);
bool BatchNormInference(Evaluation& e);
bool BatchNormGrad(Evaluation& e);

// evaluate_random.cc
bool RngBitGenerator(Evaluation& e);

// evaluate_control.cc
bool Tuple(Evaluation& e);
bool GetTupleElement(Evaluation& e);
bool AfterAll(Evaluation& e);
bool CopyStart(Evaluation& e);
bool FirstElement(Evaluation& e);
bool SecondElement(Evaluation& e);
bool Call(GroupEvaluation& e);
bool While(GroupEvaluation& e);
bool Conditional(GroupEvaluation& e);
bool AsyncStart(GroupEvaluation& e);
bool AsyncUpdate(GroupEvaluation& e);
bool AsyncDone(Evaluation& e);
bool OutsideWorld(Evaluation& e);

// evaluate_collectives.cc
bool ReplicaId(Evaluation& e);
bool PartitionId(Evaluation& e);
bool AllReduce(GroupEvaluation& e);
bool AllGather(GroupEvaluation& e);
bool ReduceScatter(GroupEvaluation& e);
bool AllToAll(GroupEvaluation& e);
bool CollectivePermute(GroupEvaluation& e);
bool CollectiveBroadcast(GroupEvaluation& e);
bool RaggedAllToAll(GroupEvaluation& e);

}  // namespace evaluate

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_EVALUATE_H_
