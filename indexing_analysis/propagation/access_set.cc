#include "indexing_analysis/propagation/access_set.h"

#include <vector>

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::indexing_analysis {

OutputSet AccessSet::Outputs(OutputSets& sets) const {
  OutputSet outputs = kNoOutputs;
  for (const Entry& entry : entries_) outputs = sets.Union(outputs, entry.outputs);
  return outputs;
}

OutputSet AccessSet::OutputsWithDevice(OutputSets& sets) const {
  OutputSet outputs = kNoOutputs;
  for (const Entry& entry : entries_) {
    if (entry.access->HasDevice()) outputs = sets.Union(outputs, entry.outputs);
  }
  return outputs;
}

OutputSet AccessSet::OutputsWithMoreThan(OutputSets& sets, size_t num_entries) const {
  if (entries_.size() <= num_entries) return kNoOutputs;
  return OutputsWithTotalAbove(sets, num_entries, [](const Entry&) { return 1; });
}

OutputSet AccessSet::OutputsWithMoreValuesThan(OutputSets& sets, size_t num_values) const {
  const auto values_of = [](const Entry& entry) { return entry.access->runtime.size(); };
  size_t total = 0;
  for (const Entry& entry : entries_) total += values_of(entry);
  return total <= num_values ? kNoOutputs : OutputsWithTotalAbove(sets, num_values, values_of);
}

OutputSet AccessSet::OutputsWithTotalAbove(
    OutputSets& sets, size_t limit, llvm::function_ref<size_t(const Entry&)> amount_of) const {
  std::vector<size_t> totals(sets.num_outputs(), 0);
  for (const Entry& entry : entries_) {
    const size_t amount = amount_of(entry);
    for (const unsigned output : sets.Members(entry.outputs).set_bits()) totals[output] += amount;
  }
  llvm::SmallBitVector outputs(static_cast<unsigned>(totals.size()));
  for (size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] > limit) outputs.set(static_cast<unsigned>(i));
  }
  return sets.Of(std::move(outputs));
}

llvm::SmallVector<AccessSet::Entry*, 2> AccessSet::WithContentOf(const BoundAccess& access) {
  // Comparing with as many costs less than hashing.
  constexpr size_t kFew = 32;
  llvm::SmallVector<Entry*, 2> found;
  if (entries_.size() <= kFew) {
    for (Entry& known : entries_) {
      if (known.access->HasContentOf(access)) found.push_back(&known);
    }
    return found;
  }
  const auto hash_of = [](const BoundAccess& bound) -> size_t {
    return llvm::hash_combine(bound.interned->content,
                              llvm::hash_combine_range(bound.runtime.begin(), bound.runtime.end()));
  };
  PlacesByContent& by_content = places_.Get();
  for (size_t& i = by_content.num_entries; i < entries_.size(); ++i) {
    by_content.places[hash_of(*entries_[i].access)].push_back(i);
  }
  for (const size_t place : by_content.places.lookup(hash_of(access))) {
    if (entries_[place].access->HasContentOf(access)) found.push_back(&entries_[place]);
  }
  return found;
}

void AccessSet::Add(OutputSets& sets, Entry entry) {
  for (const Unknown& unknown : unknown_) {
    entry.outputs = sets.Difference(entry.outputs, unknown.outputs);
  }
  if (entry.outputs == kNoOutputs) return;
  if (entry.reason.empty()) return AddExact(sets, entry);
  Entry* same = nullptr;
  for (Entry* const known : WithContentOf(*entry.access)) {
    entry.outputs = sets.Difference(entry.outputs, known->outputs);
    if (known->reason == entry.reason) same = known;
  }
  if (entry.outputs == kNoOutputs) return;
  if (same != nullptr) {
    same->outputs = sets.Union(same->outputs, entry.outputs);
  } else {
    entries_.push_back(entry);
  }
}

// Takes the outputs away from inexact entries with the same access.
void AccessSet::AddExact(OutputSets& sets, const Entry& entry) {
  Entry* exact = nullptr;
  Entry* replaced = nullptr;
  for (Entry* const known : WithContentOf(*entry.access)) {
    if (known->reason.empty()) {
      exact = known;
      continue;
    }
    known->outputs = sets.Difference(known->outputs, entry.outputs);
    if (known->outputs == kNoOutputs && replaced == nullptr) replaced = known;
  }
  if (exact != nullptr) {
    exact->outputs = sets.Union(exact->outputs, entry.outputs);
  } else if (replaced != nullptr) {
    *replaced = entry;
  } else {
    entries_.push_back(entry);
  }
  if (replaced == nullptr) return;
  llvm::erase_if(entries_, [](const Entry& known) { return known.outputs == kNoOutputs; });
  places_.Clear();
}

void AccessSet::AddUnknown(OutputSets& sets, llvm::StringRef reason, OutputSet outputs) {
  Unknown* same = nullptr;
  for (Unknown& known : unknown_) {
    outputs = sets.Difference(outputs, known.outputs);
    if (known.reason == reason) same = &known;
  }
  if (outputs == kNoOutputs) return;
  Remove(sets, outputs);
  if (same != nullptr) {
    same->outputs = sets.Union(same->outputs, outputs);
  } else {
    unknown_.push_back({reason, outputs});
  }
}

void AccessSet::AddAll(OutputSets& sets, const AccessSet& other) {
  for (const Unknown& unknown : other.unknown_) AddUnknown(sets, unknown.reason, unknown.outputs);
  if (IsEmpty()) {
    entries_ = other.entries_;
    places_.Clear();
    return;
  }
  for (const Entry& entry : other.entries_) Add(sets, entry);
}

void AccessSet::Remove(OutputSets& sets, OutputSet outputs) {
  Remove(sets, [&](const Entry&) { return outputs; });
}

void AccessSet::Remove(OutputSets& sets, llvm::function_ref<OutputSet(const Entry&)> outputs_of) {
  for (Entry& entry : entries_) entry.outputs = sets.Difference(entry.outputs, outputs_of(entry));
  llvm::erase_if(entries_, [](const Entry& entry) { return entry.outputs == kNoOutputs; });
  places_.Clear();
}

void AccessSet::Entry::Print(const OutputSets& sets, llvm::raw_ostream& out) const {
  out << *access << " for " << sets.ToString(outputs);
  if (!reason.empty()) out << ", superset: " << reason;
}

void AccessSet::Unknown::Print(const OutputSets& sets, llvm::raw_ostream& out) const {
  out << "unknown for " << sets.ToString(outputs) << ": " << reason;
}

void AccessSet::Print(const OutputSets& sets, llvm::raw_ostream& out) const {
  llvm::ListSeparator end_of_line("\n");
  for (const Entry& entry : entries_) out << end_of_line << WithOutputs(sets, entry);
  for (const Unknown& unknown : unknown_) out << end_of_line << WithOutputs(sets, unknown);
}

AccessSet& SetOfLeaf(AccessSets& arrays, const hlo::Shape& shape, int64_t leaf) {
  if (arrays.empty()) arrays.resize(static_cast<size_t>(shape.num_array_leaves()));
  return arrays[static_cast<size_t>(leaf)];
}

void AddAll(OutputSets& sets, const AccessSets& from, const hlo::Shape& shape, AccessSets& to) {
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k].IsEmpty()) continue;
    SetOfLeaf(to, shape, static_cast<int64_t>(k)).AddAll(sets, from[k]);
  }
}

}  // namespace hlo_indexing::indexing_analysis
