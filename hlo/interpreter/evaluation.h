// One instruction while it is evaluated, on one device or on all of them: its operands, its result,
// and how it fails. Private to the folder.
//
// Every opcode's function is written once, for values and for traced values: an element carries its
// sources, and whoever moves or combines elements moves and combines both. Fast paths that look at
// bytes only are used if nothing is traced.
#ifndef HLO_INDEXING_HLO_INTERPRETER_EVALUATION_H_
#define HLO_INDEXING_HLO_INTERPRETER_EVALUATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "hlo/interpreter/session.h"
#include "hlo/interpreter/source_sets.h"
#include "hlo/interpreter/value.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo {

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
  /// Of work that is long: whether all of it is within the limit. It is spent as it is done.
  bool CanSpend(int64_t steps) { return session_.CanSpend(instruction_, steps); }
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

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_EVALUATION_H_
