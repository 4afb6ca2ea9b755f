#include "indexing_analysis/call_memory.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

void SortUnique(llvm::SmallVectorImpl<uint32_t>& numbers) {
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
}

uint32_t PlaceOf(uint32_t number, llvm::ArrayRef<uint32_t> ascending) {
  return static_cast<uint32_t>(llvm::lower_bound(ascending, number) - ascending.begin());
}

}  // namespace

CallTerms::CallTerms(OutputSets& sets, llvm::ArrayRef<Reached> result)
    : sets_(sets), result_(result) {
  FindClasses();
  FindGiven();
}

void CallTerms::FindClasses() {
  std::vector<llvm::SmallVector<uint32_t, 2>> sets_of_output(sets_.num_outputs());
  for (const Reached& array : result_) {
    for (const Entry& entry : array.entries) {
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

void CallTerms::FindGiven() {
  given_.push_back(kOwnDevice);
  for (const Reached& array : result_) {
    for (const Entry& entry : array.entries) {
      given_.append(entry.access->runtime.begin(), entry.access->runtime.end());
    }
  }
  SortUnique(given_);
}

void CallTerms::Profile(llvm::FoldingSetNodeID& node_id) const {
  node_id.AddInteger(given_.size());
  for (size_t leaf = 0; leaf < result_.size(); ++leaf) {
    if (result_[leaf].entries.empty()) continue;
    node_id.AddInteger(leaf);
    node_id.AddInteger(result_[leaf].entries.size());
    for (const Entry& entry : result_[leaf].entries) {
      node_id.AddPointer(entry.access->shared);
      for (const uint32_t number : entry.access->runtime) {
        node_id.AddInteger(PlaceOf(number, given_));
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

CallTerms::Classes CallTerms::ClassesOf(OutputSet outputs) const {
  Classes classes;
  const llvm::SmallBitVector& members = sets_.Members(outputs);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members.test(members_[i].front())) classes.push_back(static_cast<uint32_t>(i));
  }
  return classes;
}

OutputSet CallTerms::OutputsOf(const Classes& classes) const {
  llvm::SmallBitVector outputs(static_cast<unsigned>(sets_.num_outputs()));
  for (const uint32_t number : classes) {
    for (const unsigned output : members_[number]) outputs.set(output);
  }
  return sets_.Of(std::move(outputs));
}

FoundCall& CallMemory::Find(const CallKey& key, const CallTerms& terms) {
  llvm::FoldingSetNodeID node_id;
  node_id.AddPointer(key.callee);
  node_id.AddInteger(key.num_operands);
  node_id.AddBoolean(key.is_in_loop);
  node_id.AddInteger(key.level);
  node_id.AddPointer(key.root);
  terms.Profile(node_id);
  return *calls_.Insert(node_id).first;
}

void Remember(
    llvm::ArrayRef<ReachedLeaves> found, const CallTerms& terms,
    llvm::function_ref<llvm::SmallVector<const hlo::Instruction*, 2>(uint32_t number)> path,
    FoundCall& call) {
  // The given values, then those that have been met inside.
  llvm::SmallVector<uint32_t, 8> numbers(terms.given());
  for (const ReachedLeaves& leaves : found) {
    for (const Reached& array : leaves) {
      for (const Entry& entry : array.entries) {
        numbers.append(entry.access->runtime.begin(), entry.access->runtime.end());
      }
    }
  }
  SortUnique(numbers);
  for (const uint32_t number : llvm::ArrayRef<uint32_t>(numbers).drop_front(terms.given().size())) {
    call.values.push_back(path(number));
  }
  llvm::SmallDenseMap<OutputSet, size_t, 4> known_outputs;
  const auto outputs_of = [&](OutputSet outputs) {
    const auto [position, is_new] = known_outputs.try_emplace(outputs, call.outputs.size());
    if (is_new) call.outputs.push_back(terms.ClassesOf(outputs));
    return position->second;
  };
  for (size_t operand = 0; operand < found.size(); ++operand) {
    for (size_t leaf = 0; leaf < found[operand].size(); ++leaf) {
      const Reached& reached = found[operand][leaf];
      if (!reached.Any()) continue;
      FoundCall::Array& array = call.arrays.emplace_back();
      array.operand = operand;
      array.leaf = static_cast<int64_t>(leaf);
      for (const Entry& entry : reached.entries) {
        FoundCall::Read& read = array.reads.emplace_back();
        read.access = entry.access->shared;
        for (const uint32_t number : entry.access->runtime) {
          read.runtime.push_back(PlaceOf(number, numbers));
        }
        read.reason = entry.reason;
        read.outputs = outputs_of(entry.outputs);
      }
      for (const auto& [reason, outputs] : reached.unknown) {
        array.unknown.emplace_back(reason, outputs_of(outputs));
      }
    }
  }
  call.is_known = true;
}

void Recall(const FoundCall& call, const hlo::Computation& callee, const CallTerms& terms,
            llvm::ArrayRef<uint32_t> values, AccessTable& accesses,
            llvm::function_ref<ReachedLeaves*(size_t operand)> operands) {
  llvm::SmallVector<uint32_t, 8> numbers(terms.given());
  numbers.append(values.begin(), values.end());
  llvm::SmallVector<OutputSet, 8> outputs;
  for (const CallTerms::Classes& classes : call.outputs) {
    outputs.push_back(terms.OutputsOf(classes));
  }
  for (const FoundCall::Array& array : call.arrays) {
    const hlo::Shape& shape = callee.parameters()[array.operand]->shape();
    Reached& target = LeafOf(*operands(array.operand), shape, array.leaf);
    for (const auto& [reason, set] : array.unknown) {
      AddUnknown(terms.sets(), target, reason, outputs[set]);
    }
    for (const FoundCall::Read& read : array.reads) {
      llvm::SmallVector<uint32_t, 2> runtime;
      for (const uint32_t place : read.runtime) runtime.push_back(numbers[place]);
      const PlacedAccess* access = accesses.Intern(*read.access, runtime);
      AddEntry(terms.sets(), target, {access, read.reason, outputs[read.outputs]});
    }
  }
}

}  // namespace hlo_indexing::indexing_analysis
