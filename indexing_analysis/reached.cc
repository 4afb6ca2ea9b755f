#include "indexing_analysis/reached.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
OutputSets::OutputSets(size_t num_outputs) : num_outputs_(num_outputs) {
  const auto size = static_cast<unsigned>(num_outputs);
  sets_ = {llvm::SmallBitVector(size), llvm::SmallBitVector(size, true)};
  // Of one output there are no other sets, and nothing to be looked up.
  if (num_outputs == 1) return;
  numbers_.try_emplace(sets_[kNoOutputs], kNoOutputs);
  numbers_.try_emplace(sets_[all_], all_);
}

OutputSet OutputSets::Single(size_t output) {
  llvm::SmallBitVector set(static_cast<unsigned>(num_outputs_));
  set.set(static_cast<unsigned>(output));
  return Of(std::move(set));
}

OutputSet OutputSets::Of(llvm::SmallBitVector members) {
  if (num_outputs_ == 1) return members.any() ? all_ : kNoOutputs;
  return Intern(std::move(members));
}

OutputSet OutputSets::Intern(llvm::SmallBitVector set) {
  const auto [position, is_new] = numbers_.try_emplace(set, static_cast<OutputSet>(sets_.size()));
  if (is_new) sets_.push_back(std::move(set));
  return position->second;
}

OutputSet OutputSets::Union(OutputSet a, OutputSet b) {
  if (a == b || b == kNoOutputs) return a;
  if (a == kNoOutputs) return b;
  const std::pair key = std::minmax(a, b);
  if (const auto known = unions_.find(key); known != unions_.end()) return known->second;
  llvm::SmallBitVector set = sets_[a];
  set |= sets_[b];
  return unions_[key] = Intern(std::move(set));
}

OutputSet OutputSets::Difference(OutputSet a, OutputSet b) {
  if (a == b) return kNoOutputs;
  if (a == kNoOutputs || b == kNoOutputs) return a;
  const std::pair key(a, b);
  if (const auto known = differences_.find(key); known != differences_.end()) return known->second;
  llvm::SmallBitVector set = sets_[a];
  set.reset(sets_[b]);
  return differences_[key] = Intern(std::move(set));
}

Reached& LeafOf(ReachedLeaves& leaves, const hlo::Shape& shape, int64_t leaf) {
  if (leaves.empty()) leaves.resize(static_cast<size_t>(shape.num_array_leaves()));
  return leaves[static_cast<size_t>(leaf)];
}

OutputSet OutputsOf(OutputSets& sets, const Reached& reached) {
  OutputSet outputs = kNoOutputs;
  for (const Entry& entry : reached.entries) outputs = sets.Union(outputs, entry.outputs);
  return outputs;
}

OutputSet OutputsWithDevice(OutputSets& sets, const Reached& reached) {
  OutputSet outputs = kNoOutputs;
  for (const Entry& entry : reached.entries) {
    if (entry.access->HasDevice()) outputs = sets.Union(outputs, entry.outputs);
  }
  return outputs;
}

namespace {

// Makes an exact access exact for its outputs where it is not.
void AddExact(OutputSets& sets, Reached& target, const Entry& entry) {
  Entry* exact = nullptr;
  bool any_replaced = false;
  for (Entry& known : target.entries) {
    if (!known.access->HasContentOf(*entry.access)) continue;
    if (known.reason.empty()) {
      exact = &known;
      continue;
    }
    known.outputs = sets.Difference(known.outputs, entry.outputs);
    any_replaced |= known.outputs == kNoOutputs;
  }
  if (exact != nullptr) {
    exact->outputs = sets.Union(exact->outputs, entry.outputs);
  } else if (!any_replaced) {
    target.entries.push_back(entry);
  }
  if (!any_replaced) return;
  if (exact == nullptr) {
    *llvm::find_if(target.entries, [](const Entry& known) { return known.outputs == kNoOutputs; }) =
        entry;
  }
  llvm::erase_if(target.entries, [](const Entry& known) { return known.outputs == kNoOutputs; });
}

}  // namespace

void AddEntry(OutputSets& sets, Reached& target, Entry entry) {
  for (const auto& [reason, unknown] : target.unknown) {
    entry.outputs = sets.Difference(entry.outputs, unknown);
  }
  if (entry.outputs == kNoOutputs) return;
  if (entry.reason.empty()) return AddExact(sets, target, entry);
  Entry* same = nullptr;
  for (Entry& known : target.entries) {
    if (!known.access->HasContentOf(*entry.access)) continue;
    entry.outputs = sets.Difference(entry.outputs, known.outputs);
    if (known.reason == entry.reason) same = &known;
  }
  if (entry.outputs == kNoOutputs) return;
  if (same != nullptr) {
    same->outputs = sets.Union(same->outputs, entry.outputs);
  } else {
    target.entries.push_back(entry);
  }
}

void AddUnknown(OutputSets& sets, Reached& target, llvm::StringRef reason, OutputSet outputs) {
  std::pair<llvm::StringRef, OutputSet>* same = nullptr;
  for (auto& known : target.unknown) {
    outputs = sets.Difference(outputs, known.second);
    if (known.first == reason) same = &known;
  }
  if (outputs == kNoOutputs) return;
  RemoveEntries(sets, target, outputs);
  if (same != nullptr) {
    same->second = sets.Union(same->second, outputs);
  } else {
    target.unknown.emplace_back(reason, outputs);
  }
}

void AddAll(OutputSets& sets, const Reached& from, Reached& to) {
  for (const auto& [reason, outputs] : from.unknown) AddUnknown(sets, to, reason, outputs);
  if (!to.Any()) {
    to.entries = from.entries;
    return;
  }
  for (const Entry& entry : from.entries) AddEntry(sets, to, entry);
}

void AddAll(OutputSets& sets, const ReachedLeaves& from, const hlo::Shape& shape,
            ReachedLeaves& to) {
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k].Any()) AddAll(sets, from[k], LeafOf(to, shape, static_cast<int64_t>(k)));
  }
}

void RemoveEntries(OutputSets& sets, Reached& reached, OutputSet outputs) {
  for (Entry& entry : reached.entries) {
    entry.outputs = sets.Difference(entry.outputs, outputs);
  }
  llvm::erase_if(reached.entries, [](const Entry& entry) { return entry.outputs == kNoOutputs; });
}

}  // namespace hlo_indexing::indexing_analysis
