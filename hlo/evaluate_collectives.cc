// Operations between devices, which are simulated side by side.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/evaluate.h"
#include "hlo/replica_groups.h"
#include "hlo/strided_walk.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Whose ids the replica groups hold, and which devices an id stands for. The names are XLA's.
enum class GroupMode : uint8_t {
  kCrossReplica,              // replicas; in each partition a group of its own
  kCrossPartition,            // partitions; in each replica a group of its own
  kCrossReplicaAndPartition,  // replicas, with all their partitions
  kFlattenedId,               // devices
};

// What a channel id means where use_global_device_ids is not set.
enum class ChannelMeaning : uint8_t { kPartitions, kReplicasAndPartitions };

GroupMode ModeOf(const Instruction& instruction, ChannelMeaning meaning) {
  if (!instruction.Get<int64_t>(AttributeName::kChannelId)) return GroupMode::kCrossReplica;
  if (instruction.Get<bool>(AttributeName::kUseGlobalDeviceIds).value_or(false)) {
    return GroupMode::kFlattenedId;
  }
  return meaning == ChannelMeaning::kPartitions ? GroupMode::kCrossPartition
                                                : GroupMode::kCrossReplicaAndPartition;
}

// The number of ids, and what they are called.
struct IdSpace {
  int64_t count;
  const char* name;
};

IdSpace IdsOf(GroupMode mode, const InterpreterOptions& options) {
  switch (mode) {
    case GroupMode::kCrossPartition:
      return {options.num_partitions, "partition"};
    case GroupMode::kFlattenedId:
      return {options.num_devices(), "device"};
    default:
      return {options.num_replicas, "replica"};
  }
}

// A group of ids as groups of devices.
void AppendDevices(GroupMode mode, const InterpreterOptions& options, llvm::ArrayRef<int64_t> ids,
                   std::vector<std::vector<int64_t>>& groups) {
  const int64_t partitions = options.num_partitions;
  if (mode == GroupMode::kFlattenedId) {
    groups.emplace_back(ids.begin(), ids.end());
  } else if (mode == GroupMode::kCrossReplica) {
    for (int64_t p = 0; p < partitions; ++p) {
      std::vector<int64_t>& group = groups.emplace_back();
      for (const int64_t replica : ids) group.push_back(replica * partitions + p);
    }
  } else if (mode == GroupMode::kCrossPartition) {
    for (int64_t r = 0; r < options.num_replicas; ++r) {
      std::vector<int64_t>& group = groups.emplace_back();
      for (const int64_t p : ids) group.push_back(r * partitions + p);
    }
  } else {
    std::vector<int64_t>& group = groups.emplace_back();
    for (const int64_t replica : ids) {
      for (int64_t p = 0; p < partitions; ++p) group.push_back(replica * partitions + p);
    }
  }
}

bool CheckId(GroupEvaluation& e, const IdSpace& space, int64_t id) {
  if (id >= 0 && id < space.count) return true;
  return e.Fail(absl::StrCat("it names ", space.name, " ", id, ", there are ", space.count, " (",
                             space.name, "s are counted from 0)"));
}

// Every device that is running here must be in one group, and every member of a group must be here.
bool CheckGroups(GroupEvaluation& e, llvm::ArrayRef<std::vector<int64_t>> groups) {
  std::vector<int64_t> members;
  for (const std::vector<int64_t>& group : groups) {
    members.insert(members.end(), group.begin(), group.end());
    for (const int64_t device : group) {
      const bool is_partly_here =
          llvm::any_of(group, [&](int64_t other) { return e.SlotOf(other) >= 0; });
      if (e.SlotOf(device) >= 0 || !is_partly_here) continue;
      return e.Fail(
          absl::StrCat("device ", device, " of a group does not take part: control flow differs"));
    }
  }
  llvm::sort(members);
  if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
    return e.Fail("the replica groups name a device twice");
  }
  for (const int64_t device : e.devices()) {
    if (std::binary_search(members.begin(), members.end(), device)) continue;
    return e.Fail(absl::StrCat("device ", device, " is in no replica group"));
  }
  return true;
}

// The groups of devices that take part, as slots.
bool FindGroups(GroupEvaluation& e, ChannelMeaning meaning,
                std::vector<std::vector<size_t>>& groups) {
  const GroupMode mode = ModeOf(e.instruction(), meaning);
  const InterpreterOptions& options = e.session().options();
  const IdSpace space = IdsOf(mode, options);
  std::vector<std::vector<int64_t>> ids;
  if (const auto given = e.instruction().Get<const ReplicaGroups*>(AttributeName::kReplicaGroups)) {
    std::string error;
    auto listed = ListReplicaGroups(**given, error);
    if (!listed) return e.FailUnsupported(error);
    ids = *std::move(listed);
  }
  // No groups are one group of all; so is one empty group.
  if (ids.empty() || (ids.size() == 1 && ids[0].empty())) {
    ids.assign(1, {});
    for (int64_t id = 0; id < space.count; ++id) ids[0].push_back(id);
  }
  std::vector<std::vector<int64_t>> devices;
  for (const std::vector<int64_t>& group : ids) {
    for (const int64_t id : group) {
      if (!CheckId(e, space, id)) return false;
    }
    AppendDevices(mode, options, group, devices);
  }
  if (!CheckGroups(e, devices)) return false;
  for (const std::vector<int64_t>& group : devices) {
    if (group.empty() || e.SlotOf(group[0]) < 0) continue;
    std::vector<size_t>& slots = groups.emplace_back();
    for (const int64_t device : group) slots.push_back(static_cast<size_t>(e.SlotOf(device)));
  }
  return true;
}

// The shape of the results: the second element of (operands, results, ...) where the operation is
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
  if (!CheckArrays(e) || !CheckReducer(e, computation) ||
      !FindGroups(e, ChannelMeaning::kReplicasAndPartitions, groups)) {
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

bool AllGather(GroupEvaluation& e) {
  std::vector<std::vector<size_t>> groups;
  if (!CheckArrays(e) || !FindGroups(e, ChannelMeaning::kReplicasAndPartitions, groups)) {
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
          return e.Fail(absl::StrCat("a group of ", group.size(), " devices does not give ",
                                     result->shape().ToString()));
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
  if (!CheckArrays(e) || !CheckReducer(e, computation) ||
      !FindGroups(e, ChannelMeaning::kReplicasAndPartitions, groups)) {
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
          return e.Fail(absl::StrCat("a group of ", group.size(), " devices does not give ",
                                     result->shape().ToString()));
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
  if (!CheckArrays(e) || !FindGroups(e, ChannelMeaning::kPartitions, groups)) return false;
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

// Gives each slot the operands of the slot that sends to it, and zeros where none does.
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
  const GroupMode mode = ModeOf(e.instruction(), ChannelMeaning::kPartitions);
  const InterpreterOptions& options = e.session().options();
  const IdSpace space = IdsOf(mode, options);
  using Pairs = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;
  const Pairs pairs =
      e.instruction().Get<Pairs>(AttributeName::kSourceTargetPairs).value_or(Pairs());
  std::vector<int64_t> senders(e.devices().size(), -1);
  for (const llvm::ArrayRef<int64_t> pair : pairs) {
    if (pair.size() != 2) return e.Fail("source_target_pairs must be pairs");
    if (!CheckId(e, space, pair[0]) || !CheckId(e, space, pair[1])) return false;
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
  const GroupMode mode = ModeOf(e.instruction(), ChannelMeaning::kPartitions);
  const IdSpace space = IdsOf(mode, e.session().options());
  std::vector<std::vector<int64_t>> ids;
  if (const auto given = e.instruction().Get<const ReplicaGroups*>(AttributeName::kReplicaGroups)) {
    std::string error;
    auto listed = ListReplicaGroups(**given, error);
    if (!listed) return e.FailUnsupported(error);
    ids = *std::move(listed);
  }
  if (!CheckArrays(e)) return false;
  std::vector<int64_t> senders(e.devices().size(), -1);
  for (const std::vector<int64_t>& group : ids) {
    for (const int64_t id : group) {
      if (!CheckId(e, space, id)) return false;
    }
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

namespace {

// (input, output, input offsets, send sizes, output offsets, receive sizes): device j of the group
// gets input[offset, offset + size) of the j-th entries, at the output offset in its output; where
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
  if (!FindGroups(e, ChannelMeaning::kPartitions, groups)) return false;
  for (const std::vector<size_t>& group : groups) {
    if (!RaggedExchange(e, group).Run()) return false;
  }
  return true;
}

}  // namespace hlo_indexing::hlo::evaluate
