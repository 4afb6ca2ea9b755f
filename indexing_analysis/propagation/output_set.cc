#include "indexing_analysis/propagation/output_set.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::indexing_analysis {

OutputSets::OutputSets(size_t num_outputs) : num_outputs_(num_outputs) {
  const auto size = static_cast<unsigned>(num_outputs);
  sets_.emplace_back(size);
  sets_.emplace_back(size, true);
  // Of one output there are no other sets, and nothing to be looked up.
  if (num_outputs == 1) return;
  numbers_.try_emplace(sets_[kNoOutputs], kNoOutputs);
  numbers_.try_emplace(sets_[kAll], kAll);
}

OutputSet OutputSets::Single(size_t output) {
  if (num_outputs_ == 1) return kAll;
  llvm::SmallBitVector set(static_cast<unsigned>(num_outputs_));
  set.set(static_cast<unsigned>(output));
  return Of(std::move(set));
}

OutputSet OutputSets::Of(llvm::SmallBitVector members) {
  if (num_outputs_ == 1) return members.any() ? kAll : kNoOutputs;
  const auto next = static_cast<OutputSet>(sets_.size());
  const auto [position, is_new] = numbers_.try_emplace(members, next);
  if (is_new) sets_.push_back(std::move(members));
  return position->second;
}

OutputSet OutputSets::Union(OutputSet a, OutputSet b) {
  if (a == b || b == kNoOutputs) return a;
  if (a == kNoOutputs) return b;
  if (a == kAll || b == kAll) return kAll;
  llvm::SmallBitVector set = sets_[a];
  set |= sets_[b];
  return Of(std::move(set));
}

OutputSet OutputSets::Difference(OutputSet a, OutputSet b) {
  if (a == b || b == kAll) return kNoOutputs;
  if (a == kNoOutputs || b == kNoOutputs) return a;
  llvm::SmallBitVector set = sets_[a];
  set.reset(sets_[b]);
  return Of(std::move(set));
}

void OutputSets::Print(llvm::raw_ostream& out) const {
  llvm::interleaveComma(llvm::seq<OutputSet>(0, static_cast<OutputSet>(sets_.size())), out,
                        [&](OutputSet set) { out << set << ": " << ToString(set); });
}

std::string OutputSets::ToString(OutputSet set) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << '{';
  llvm::interleaveComma(Members(set).set_bits(), out);
  out << '}';
  return text;
}

}  // namespace hlo_indexing::indexing_analysis
