// Operations between devices, which are simulated side by side.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "hlo/interpreter/collective_groups.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/scalar_function.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// The shape of the results: the second element of (operands, results, ...) if the operation is
// only started.
const Shape& ResultsShape(const Instruction& instruction) {
  const bool is_started = instruction.opcode() == Opcode::kAllGatherStart ||
                          instruction.opcode() == Opcode::kCollectivePermuteStart;
  return is_started ? *instruction.shape().elements()[1] : instruction.shape();
}

const Shape& ResultShape(const Instruction& instruction, size_t i) {
  const Shape& shape = ResultsShape(instruction);
  return shape.IsTuple() ? *shape.elements()[i] : shape;
}

std::shared_ptr<ArrayValue> NewResult(GroupEvaluation& e, size_t i) {
  return e.session().NewArray(e.instruction(), ResultShape(e.instruction(), i));
}

// Makes the arrays the result of a slot.
bool SetResults(GroupEvaluation& e, size_t slot, std::vector<std::shared_ptr<ArrayValue>> arrays) {
  const Shape& shape = ResultsShape(e.instruction());
  Value results = shape.IsTuple()
                      ? Value::Tuple(&shape, std::vector<Value>(arrays.begin(), arrays.end()))
                      : Value(arrays.front());
  if (&shape != &e.instruction().shape()) {
    const Shape& whole = e.instruction().shape();
    const llvm::ArrayRef<Value> operands = e.operands(slot);
    std::vector<Value> elements = {
        whole.elements()[0]->IsTuple()
            ? Value::Tuple(whole.elements()[0], std::vector<Value>(operands))
            : operands[0]};
    elements.push_back(std::move(results));
    for (const Shape* context : whole.elements().drop_front(2)) {
      if (!e.session().ZeroValue(e.instruction(), *context, elements.emplace_back())) return false;
    }
    results = Value::Tuple(&whole, std::move(elements));
  }
  e.results()[slot] = std::move(results);
  return true;
}

// Every operand must be an array, as many as there are results.
bool CheckArrays(GroupEvaluation& e) {
  const Shape& shape = ResultsShape(e.instruction());
  const size_t results = shape.IsTuple() ? shape.elements().size() : 1;
  bool fits = e.instruction().operands().size() == results;
  for (const Instruction* operand : e.instruction().operands()) {
    fits = fits && operand->shape().IsArray();
  }
  for (size_t i = 0; fits && i < results; ++i) {
    fits = ResultShape(e.instruction(), i).IsArray();
  }
  return fits || e.Fail("its operands must be arrays, as many as its results");
}

// Whether a reducer on these parameters computes what it would on the operands.
bool CheckReducer(GroupEvaluation& e, const Computation& reducer) {
  if (reducer.parameters().size() != 2) return e.Fail("its computation must take two values");
  const Shape& parameter = reducer.parameters()[0]->shape();
  for (const Instruction* operand : e.instruction().operands()) {
    const ElementType type = operand->shape().element_type();
    const bool fits = parameter.IsScalar() && ClassOf(parameter.element_type()) == ClassOf(type) &&
                      ElementBits(parameter.element_type()) >= ElementBits(type) &&
                      (ClassOf(type) == ElementClass::kFloat || parameter.element_type() == type);
    if (fits) continue;
    return e.FailUnsupported("its computation on " + parameter.ToString() +
                             " does not compute with " + ElementTypeName(type).str());
  }
  return true;
}

// The combination over a group, in its order, of element `position` of operand i.
bool Combine(GroupEvaluation& e, const ScalarFunction& reducer, llvm::ArrayRef<size_t> group,
             size_t i, int64_t position, Element& sum) {
  for (size_t k = 0; k < group.size(); ++k) {
    const Element next = e.operands(group[k])[i].array().Get(position);
    if (k == 0) {
      sum = next;
      continue;
    }
    const Element pair[] = {sum, next};
    if (!reducer.Apply(e.instruction(), e.devices()[group[k]], pair, sum)) return false;
  }
  return true;
}

bool IsEmptyTuple(GroupEvaluation& e) {
  if (!e.instruction().operands().empty()) return false;
  for (Value& result : e.results()) result = Value::Tuple(&e.instruction().shape(), {});
  return true;
}

}  // namespace

bool ReplicaId(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  result->Set(0, IntegerElement(e.device() / e.session().options().num_partitions));
  return e.Return(result);
}

bool PartitionId(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  result->Set(0, IntegerElement(e.device() % e.session().options().num_partitions));
  return e.Return(result);
}

bool AllReduce(GroupEvaluation& e) {
  if (IsEmptyTuple(e)) return true;
  const Computation& computation = *e.instruction().Callee(AttributeName::kToApply);
  std::vector<std::vector<size_t>> groups;
  if (!CheckArrays(e) || !CheckReducer(e, computation) || !FindGroups(e, groups)) {
    return false;
  }
  const ScalarFunction& reducer = e.session().FunctionOf(computation);
  for (const std::vector<size_t>& group : groups) {
    std::vector<std::vector<std::shared_ptr<ArrayValue>>> arrays(group.size());
    for (size_t i = 0; i < e.instruction().operands().size(); ++i) {
      for (auto& of_slot : arrays) {
        of_slot.push_back(NewResult(e, i));
        if (of_slot.back() == nullptr) return false;
      }
      for (int64_t position = 0; position < arrays[0][i]->size(); ++position) {
        Element sum;
        if (!Combine(e, reducer, group, i, position, sum)) return false;
        for (auto& of_slot : arrays) of_slot[i]->Set(position, sum);
      }
    }
    for (size_t k = 0; k < group.size(); ++k) {
      if (!SetResults(e, group[k], std::move(arrays[k]))) return false;
    }
  }
  return true;
}

namespace {

// The parts of so many devices do not make the whole; says how many would, if there is an answer.
bool FailForGroupSize(GroupEvaluation& e, size_t devices, const Shape& shape, int64_t whole,
                      int64_t part) {
  std::string hint;
  if (part > 0 && whole % part == 0 && whole / part <= kMaxDevices) {
    hint = absl::StrCat(", ", whole / part, " would (--replicas, --partitions)");
  }
  return e.Fail(absl::StrCat("a group of ", devices, devices == 1 ? " device" : " devices",
                             " does not give ", shape.ToString(), hint));
}

}  // namespace

bool AllGather(GroupEvaluation& e) {
  std::vector<std::vector<size_t>> groups;
  if (!CheckArrays(e) || !FindGroups(e, groups)) {
    return false;
  }
  const int64_t dimension = e.instruction().Integers(AttributeName::kDimensions)[0];
  for (const std::vector<size_t>& group : groups) {
    for (const size_t slot : group) {
      std::vector<std::shared_ptr<ArrayValue>> arrays;
      for (size_t i = 0; i < e.operands(slot).size(); ++i) {
        const std::shared_ptr<ArrayValue> result = NewResult(e, i);
        if (result == nullptr) return false;
        const int64_t part = e.operands(slot)[i].array().shape().sizes()[dimension];
        if (support::CheckedMul(part, static_cast<int64_t>(group.size())) !=
            result->shape().sizes()[dimension]) {
          return FailForGroupSize(e, group.size(), result->shape(),
                                  result->shape().sizes()[dimension], part);
        }
        const Index strides = RowMajorStrides(result->shape().sizes());
        for (size_t k = 0; k < group.size(); ++k) {
          const ArrayValue& operand = e.operands(group[k])[i].array();
          ForEachStrided(operand.shape().sizes(), strides,
                         static_cast<int64_t>(k) * part * strides[dimension],
                         [&](int64_t from, int64_t to) { result->CopyFrom(to, operand, from); });
        }
        arrays.push_back(result);
      }
      if (!SetResults(e, slot, std::move(arrays))) return false;
    }
  }
  return true;
}

bool ReduceScatter(GroupEvaluation& e) {
  const Computation& computation = *e.instruction().Callee(AttributeName::kToApply);
  std::vector<std::vector<size_t>> groups;
  if (!CheckArrays(e) || !CheckReducer(e, computation) || !FindGroups(e, groups)) {
    return false;
  }
  const ScalarFunction& reducer = e.session().FunctionOf(computation);
  const int64_t dimension = e.instruction().Integers(AttributeName::kDimensions)[0];
  for (const std::vector<size_t>& group : groups) {
    for (size_t k = 0; k < group.size(); ++k) {
      std::vector<std::shared_ptr<ArrayValue>> arrays;
      for (size_t i = 0; i < e.operands(group[k]).size(); ++i) {
        const std::shared_ptr<ArrayValue> result = NewResult(e, i);
        if (result == nullptr) return false;
        const llvm::ArrayRef<int64_t> whole = e.operands(group[k])[i].array().shape().sizes();
        const int64_t part = result->shape().sizes()[dimension];
        if (support::CheckedMul(part, static_cast<int64_t>(group.size())) != whole[dimension]) {
          return FailForGroupSize(e, group.size(), result->shape(), whole[dimension], part);
        }
        const Index strides = RowMajorStrides(whole);
        bool ok = true;
        ForEachStrided(result->shape().sizes(), strides,
                       static_cast<int64_t>(k) * part * strides[dimension],
                       [&](int64_t to, int64_t from) {
                         Element sum;
                         ok = ok && Combine(e, reducer, group, i, from, sum);
                         result->Set(to, sum);
                       });
        if (!ok) return false;
        arrays.push_back(result);
      }
      if (!SetResults(e, group[k], std::move(arrays))) return false;
    }
  }
  return true;
}

namespace {

// One array: its parts along a dimension go to the devices of the group, and theirs come.
bool ExchangeParts(GroupEvaluation& e, llvm::ArrayRef<size_t> group, int64_t dimension) {
  for (size_t rank = 0; rank < group.size(); ++rank) {
    const std::shared_ptr<ArrayValue> result = NewResult(e, 0);
    if (result == nullptr) return false;
    Index sizes(result->shape().sizes());
    const int64_t count = static_cast<int64_t>(group.size());
    if (sizes[dimension] % count != 0) {
      return e.Fail(absl::StrCat("dimension ", dimension, " of ", result->shape().ToString(),
                                 " cannot be split between ", count, " devices"));
    }
    const Index strides = RowMajorStrides(sizes);
    sizes[dimension] /= count;
    const int64_t step = sizes[dimension] * strides[dimension];
    for (size_t k = 0; k < group.size(); ++k) {
      const ArrayValue& operand = e.operands(group[k])[0].array();
      const int64_t shift = (static_cast<int64_t>(rank) - static_cast<int64_t>(k)) * step;
      ForEachStrided(sizes, strides, static_cast<int64_t>(k) * step,
                     [&](int64_t, int64_t to) { result->CopyFrom(to, operand, to + shift); });
    }
    if (!SetResults(e, group[rank], {result})) return false;
  }
  return true;
}

// An array for each device of the group.
bool ExchangeArrays(GroupEvaluation& e, llvm::ArrayRef<size_t> group) {
  if (e.instruction().operands().size() != group.size()) {
    return e.Fail(
        absl::StrCat("it needs an operand for each of the ", group.size(), " devices of a group"));
  }
  for (size_t rank = 0; rank < group.size(); ++rank) {
    std::vector<std::shared_ptr<ArrayValue>> arrays;
    for (size_t k = 0; k < group.size(); ++k) {
      const std::shared_ptr<ArrayValue> result = NewResult(e, k);
      if (result == nullptr) return false;
      const ArrayValue& operand = e.operands(group[k])[rank].array();
      for (int64_t i = 0; i < result->size(); ++i) result->CopyFrom(i, operand, i);
      arrays.push_back(result);
    }
    if (!SetResults(e, group[rank], std::move(arrays))) return false;
  }
  return true;
}

}  // namespace

bool AllToAll(GroupEvaluation& e) {
  std::vector<std::vector<size_t>> groups;
  if (!CheckArrays(e) || !FindGroups(e, groups)) return false;
  const llvm::ArrayRef<int64_t> dimensions = e.instruction().Integers(AttributeName::kDimensions);
  if (!dimensions.empty() && e.instruction().operands().size() != 1) {
    return e.Fail("with dimensions it takes one array");
  }
  for (const std::vector<size_t>& group : groups) {
    const bool ok =
        dimensions.empty() ? ExchangeArrays(e, group) : ExchangeParts(e, group, dimensions[0]);
    if (!ok) return false;
  }
  return true;
}

namespace {

// Gives each slot the operands of the slot that sends to it, and zeros if none does.
bool CopyFromSenders(GroupEvaluation& e, llvm::ArrayRef<int64_t> senders) {
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    std::vector<std::shared_ptr<ArrayValue>> arrays;
    for (size_t i = 0; i < e.operands(slot).size(); ++i) {
      const std::shared_ptr<ArrayValue> result = NewResult(e, i);
      if (result == nullptr) return false;
      if (senders[slot] >= 0) {
        const ArrayValue& operand = e.operands(static_cast<size_t>(senders[slot]))[i].array();
        for (int64_t k = 0; k < result->size(); ++k) result->CopyFrom(k, operand, k);
      }
      arrays.push_back(result);
    }
    if (!SetResults(e, slot, std::move(arrays))) return false;
  }
  return true;
}

}  // namespace

bool CollectivePermute(GroupEvaluation& e) {
  if (e.instruction().Find(AttributeName::kSliceSizes) != nullptr) {
    return e.FailUnsupported("a permute of slices in place");
  }
  if (!CheckArrays(e)) return false;
  const GroupMode mode = GroupModeOf(e.instruction());
  const InterpreterOptions& options = e.session().options();
  const IdSpace space = IdsOf(mode, options);
  using Pairs = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;
  const Pairs pairs =
      e.instruction().Get<Pairs>(AttributeName::kSourceTargetPairs).value_or(Pairs());
  std::vector<std::vector<int64_t>> ids;
  for (const llvm::ArrayRef<int64_t> pair : pairs) {
    if (pair.size() != 2) return e.Fail("source_target_pairs must be pairs");
    ids.push_back(pair.vec());
  }
  if (!CheckIds(e, space, ids)) return false;
  std::vector<int64_t> senders(e.devices().size(), -1);
  for (const std::vector<int64_t>& pair : ids) {
    std::vector<std::vector<int64_t>> devices;
    AppendDevices(mode, options, pair, devices);
    for (const std::vector<int64_t>& of_pair : devices) {
      const int64_t from = e.SlotOf(of_pair[0]);
      const int64_t to = e.SlotOf(of_pair[1]);
      if (to < 0) continue;
      if (from < 0) return e.Fail("a source does not take part: control flow differs");
      if (senders[static_cast<size_t>(to)] >= 0) return e.Fail("two sources have one target");
      senders[static_cast<size_t>(to)] = from;
    }
  }
  return CopyFromSenders(e, senders);
}

// The first device of each group sends; who is in no group gets zeros.
bool CollectiveBroadcast(GroupEvaluation& e) {
  if (e.instruction().Get<bool>(AttributeName::kHasDynamicRoot).value_or(false)) {
    return e.FailUnsupported("a broadcast whose root is known at run time only");
  }
  const GroupMode mode = GroupModeOf(e.instruction());
  const IdSpace space = IdsOf(mode, e.session().options());
  std::vector<std::vector<int64_t>> ids;
  if (!ListIds(e, space, ids) || !CheckIds(e, space, ids) || !CheckArrays(e)) return false;
  std::vector<int64_t> senders(e.devices().size(), -1);
  for (const std::vector<int64_t>& group : ids) {
    std::vector<std::vector<int64_t>> devices;
    AppendDevices(mode, e.session().options(), group, devices);
    for (const std::vector<int64_t>& members : devices) {
      for (const int64_t device : members) {
        const int64_t to = e.SlotOf(device);
        const int64_t from = e.SlotOf(members[0]);
        if (to < 0) continue;
        if (from < 0) return e.Fail("a root does not take part: control flow differs");
        senders[static_cast<size_t>(to)] = from;
      }
    }
  }
  return CopyFromSenders(e, senders);
}

}  // namespace hlo_indexing::hlo::evaluate
