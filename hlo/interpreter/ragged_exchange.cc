// Rows that devices send to each other, as many as the operands say.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/interpreter/collective_groups.h"
#include "hlo/interpreter/opcode_table.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// (input, output, input offsets, send sizes, output offsets, receive sizes): device j of the group
// gets input[offset, offset + size) of the j-th entries, at the output offset in its output; if
// there are n times as many entries as devices, each gets n stretches.
class RaggedExchange {
 public:
  RaggedExchange(GroupEvaluation& e, llvm::ArrayRef<size_t> group) : e_(e), group_(group) {}

  bool Run();

 private:
  bool CheckOperands(llvm::ArrayRef<Value> operands);
  bool Send(size_t sender);

  GroupEvaluation& e_;
  llvm::ArrayRef<size_t> group_;
  std::vector<std::shared_ptr<ArrayValue>> results_;
};

bool RaggedExchange::CheckOperands(llvm::ArrayRef<Value> operands) {
  bool fits =
      llvm::all_of(operands, [](const Value& value) { return value.IsArray(); }) &&
      Compatible(operands[1].shape(), e_.instruction().shape(), ShapeAspects::kTypeAndDimensions);
  fits = fits && operands[0].array().shape().rank() > 0 &&
         operands[0].array().shape().rank() == operands[1].array().shape().rank() &&
         operands[0].array().type() == operands[1].array().type() &&
         operands[0].array().shape().sizes().drop_front() ==
             operands[1].array().shape().sizes().drop_front();
  for (size_t i = 2; fits && i < operands.size(); ++i) {
    const ArrayValue& array = operands[i].array();
    fits = IsIntegral(array.type()) && array.size() == operands[2].array().size() &&
           array.size() % static_cast<int64_t>(group_.size()) == 0;
  }
  return fits || e_.Fail("its operands do not fit together, or not to a group of " +
                         std::to_string(group_.size()) + " devices");
}

bool RaggedExchange::Send(size_t sender) {
  const llvm::ArrayRef<Value> operands = e_.operands(group_[sender]);
  const ArrayValue& input = operands[0].array();
  const int64_t entries = operands[2].array().size();
  const int64_t per_device = entries / static_cast<int64_t>(group_.size());
  for (int64_t i = 0; i < entries; ++i) {
    ArrayValue& output = *results_[static_cast<size_t>(i / per_device)];
    const int64_t from = operands[2].array().Integer(i);
    const int64_t size = operands[3].array().Integer(i);
    const int64_t to = operands[4].array().Integer(i);
    const int64_t row = input.size() / std::max<int64_t>(input.shape().sizes()[0], 1);
    const auto is_inside = [size](int64_t start, int64_t rows) {
      return start >= 0 && size >= 0 && size <= rows && start <= rows - size;
    };
    if (!is_inside(from, input.shape().sizes()[0]) || !is_inside(to, output.shape().sizes()[0])) {
      return e_.Fail(absl::StrCat("entry ", i, " of device ", e_.devices()[group_[sender]],
                                  " reaches beyond the arrays"));
    }
    for (int64_t k = 0; k < size * row; ++k) output.CopyFrom(to * row + k, input, from * row + k);
  }
  return true;
}

bool RaggedExchange::Run() {
  for (const size_t slot : group_) {
    if (!CheckOperands(e_.operands(slot))) return false;
    results_.push_back(e_.session().NewArray(e_.instruction(), e_.instruction().shape()));
    if (results_.back() == nullptr) return false;
    const ArrayValue& output = e_.operands(slot)[1].array();
    for (int64_t i = 0; i < output.size(); ++i) results_.back()->CopyFrom(i, output, i);
  }
  // Where anything lands depends on all offsets and sizes.
  SourceSet addresses = kNoSources;
  for (size_t sender = 0; sender < group_.size(); ++sender) {
    if (!Send(sender)) return false;
    for (size_t i = 2; e_.session().sources() != nullptr && i < 6; ++i) {
      const ArrayValue& array = e_.operands(group_[sender])[i].array();
      for (int64_t k = 0; k < array.size(); ++k) {
        addresses = e_.session().sources()->Union(addresses, array.SourcesOf(k));
      }
    }
  }
  for (size_t k = 0; k < group_.size(); ++k) {
    Value value(results_[k]);
    if (!AddSources(e_.session(), e_.instruction(), addresses, value)) return false;
    e_.results()[group_[k]] = std::move(value);
  }
  return true;
}

}  // namespace

bool RaggedAllToAll(GroupEvaluation& e) {
  std::vector<std::vector<size_t>> groups;
  if (!FindGroups(e, groups)) return false;
  for (const std::vector<size_t>& group : groups) {
    if (!RaggedExchange(e, group).Run()) return false;
  }
  return true;
}

}  // namespace hlo_indexing::hlo::evaluate
