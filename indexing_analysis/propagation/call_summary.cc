#include "indexing_analysis/propagation/call_summary.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

void SortUnique(llvm::SmallVectorImpl<uint32_t>& numbers) {
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
}

uint32_t PositionOf(uint32_t number, llvm::ArrayRef<uint32_t> ascending) {
  return static_cast<uint32_t>(llvm::lower_bound(ascending, number) - ascending.begin());
}

}  // namespace

CallNumbering::CallNumbering(OutputSets& sets, llvm::ArrayRef<AccessSet> result)
    : sets_(sets), result_(result) {
  FindClasses();
  FindGivenValues();
}

void CallNumbering::FindClasses() {
  std::vector<llvm::SmallVector<uint32_t, 2>> sets_of_output(sets_.num_outputs());
  for (const AccessSet& array : result_) {
    for (const AccessSet::Entry& entry : array.entries()) {
      const auto number = static_cast<uint32_t>(set_numbers_.size());
      if (!set_numbers_.try_emplace(entry.outputs, number).second) continue;
      for (const unsigned output : sets_.Members(entry.outputs).set_bits()) {
        sets_of_output[output].push_back(number);
      }
    }
  }
  std::vector<std::pair<llvm::ArrayRef<uint32_t>, size_t>> outputs;
  for (size_t i = 0; i < sets_of_output.size(); ++i) {
    if (!sets_of_output[i].empty()) outputs.emplace_back(sets_of_output[i], i);
  }
  llvm::sort(outputs);
  for (const auto& [membership, output] : outputs) {
    if (memberships_.empty() || membership != llvm::ArrayRef<uint32_t>(memberships_.back())) {
      memberships_.emplace_back(membership);
      members_.emplace_back();
    }
    members_.back().push_back(static_cast<unsigned>(output));
  }
}

void CallNumbering::FindGivenValues() {
  given_values_.push_back(kExecutingDevice);
  for (const AccessSet& array : result_) {
    for (const AccessSet::Entry& entry : array.entries()) {
      given_values_.append(entry.access->runtime.begin(), entry.access->runtime.end());
    }
  }
  SortUnique(given_values_);
}

void CallNumbering::AddFingerprint(llvm::FoldingSetNodeID& node_id) const {
  node_id.AddInteger(given_values_.size());
  for (size_t leaf = 0; leaf < result_.size(); ++leaf) {
    const llvm::ArrayRef<AccessSet::Entry> entries = result_[leaf].entries();
    if (entries.empty()) continue;
    node_id.AddInteger(leaf);
    node_id.AddInteger(entries.size());
    for (const AccessSet::Entry& entry : entries) {
      node_id.AddPointer(entry.access->interned);
      for (const uint32_t number : entry.access->runtime) {
        node_id.AddInteger(PositionOf(number, given_values_));
      }
      node_id.AddPointer(entry.reason.data());
      node_id.AddInteger(entry.reason.size());
      node_id.AddInteger(set_numbers_.at(entry.outputs));
    }
  }
  for (const auto& membership : memberships_) {
    node_id.AddInteger(membership.size());
    for (const uint32_t number : membership) node_id.AddInteger(number);
  }
}

CallNumbering::Classes CallNumbering::ClassesOf(OutputSet outputs) const {
  Classes classes;
  const llvm::SmallBitVector& members = sets_.Members(outputs);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members.test(members_[i].front())) classes.push_back(static_cast<uint32_t>(i));
  }
  return classes;
}

OutputSet CallNumbering::OutputsOf(const Classes& classes) const {
  llvm::SmallBitVector outputs(static_cast<unsigned>(sets_.num_outputs()));
  for (const uint32_t number : classes) {
    for (const unsigned output : members_[number]) outputs.set(output);
  }
  return sets_.Of(std::move(outputs));
}

MemoizedCall& CallSummaries::Find(const CallKey& key, const CallNumbering& numbering) {
  if (!is_enabled_) return nothing_ = MemoizedCall();
  llvm::FoldingSetNodeID node_id;
  node_id.AddPointer(key.callee);
  node_id.AddInteger(key.num_operands);
  node_id.AddBoolean(key.is_in_loop);
  node_id.AddBoolean(key.is_in_whole_loop);
  node_id.AddInteger(key.depth);
  node_id.AddPointer(key.identity);
  numbering.AddFingerprint(node_id);
  return *calls_.Insert(node_id).first;
}

void Memoize(llvm::ArrayRef<AccessSets> parameters, const Dependences& dependences,
             const CallNumbering& numbering, llvm::function_ref<ValuePath(uint32_t number)> path_of,
             MemoizedCall& call) {
  // The given values, then those that were met inside.
  llvm::SmallVector<uint32_t, 8> numbers(numbering.given_values());
  for (const AccessSets& leaves : parameters) {
    for (const AccessSet& array : leaves) {
      for (const AccessSet::Entry& entry : array.entries()) {
        numbers.append(entry.access->runtime.begin(), entry.access->runtime.end());
      }
    }
  }
  SortUnique(numbers);
  const auto met_inside =
      llvm::ArrayRef<uint32_t>(numbers).drop_front(numbering.given_values().size());
  for (const uint32_t number : met_inside) call.values.push_back(path_of(number));
  llvm::SmallDenseMap<OutputSet, size_t, 4> known_outputs;
  const auto outputs_of = [&](OutputSet outputs) {
    const auto [position, is_new] = known_outputs.try_emplace(outputs, call.outputs.size());
    if (is_new) call.outputs.push_back(numbering.ClassesOf(outputs));
    return position->second;
  };
  for (size_t operand = 0; operand < parameters.size(); ++operand) {
    for (size_t leaf = 0; leaf < parameters[operand].size(); ++leaf) {
      const AccessSet& accesses = parameters[operand][leaf];
      if (accesses.IsEmpty()) continue;
      MemoizedCall::Array& array = call.arrays.emplace_back();
      array.operand = operand;
      array.leaf = static_cast<int64_t>(leaf);
      for (const AccessSet::Entry& entry : accesses.entries()) {
        MemoizedCall::Read& read = array.reads.emplace_back();
        read.access = entry.access->interned;
        for (const uint32_t number : entry.access->runtime) {
          read.runtime.push_back(PositionOf(number, numbers));
        }
        read.reason = entry.reason;
        read.outputs = outputs_of(entry.outputs);
      }
      for (const AccessSet::Unknown& unknown : accesses.unknown()) {
        array.unknown.emplace_back(unknown.reason, outputs_of(unknown.outputs));
      }
    }
  }
  call.dependences = dependences;
  call.is_known = true;
}

bool IsUnknown(const CallSummary& summary) {
  bool is_unknown = false;
  for (const AccessSets& leaves : summary.parameters) {
    for (const AccessSet& array : leaves) {
      if (array.IsEmpty()) continue;
      if (!array.entries().empty()) return false;
      is_unknown = true;
    }
  }
  return is_unknown;
}

void Recall(const MemoizedCall& call, const hlo::Computation& callee,
            const CallNumbering& numbering, llvm::ArrayRef<uint32_t> values,
            BoundAccesses& accesses, OperandSets operands) {
  llvm::SmallVector<uint32_t, 8> numbers(numbering.given_values());
  numbers.append(values.begin(), values.end());
  llvm::SmallVector<OutputSet, 8> outputs;
  for (const CallNumbering::Classes& classes : call.outputs) {
    outputs.push_back(numbering.OutputsOf(classes));
  }
  for (const MemoizedCall::Array& array : call.arrays) {
    const hlo::Shape& shape = callee.parameters()[array.operand]->shape();
    AccessSet& target = SetOfLeaf(*operands(array.operand), shape, array.leaf);
    for (const auto& [reason, set] : array.unknown) {
      target.AddUnknown(numbering.sets(), reason, outputs[set]);
    }
    for (const MemoizedCall::Read& read : array.reads) {
      llvm::SmallVector<uint32_t, 2> runtime;
      for (const uint32_t position : read.runtime) runtime.push_back(numbers[position]);
      const BoundAccess* access = accesses.Bind(*read.access, runtime);
      target.Add(numbering.sets(), {access, read.reason, outputs[read.outputs]});
    }
  }
}

}  // namespace hlo_indexing::indexing_analysis
