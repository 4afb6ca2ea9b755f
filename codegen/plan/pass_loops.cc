#include "codegen/plan/pass_loops.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "codegen/plan/thread_map.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

namespace {

// The most numbers that a loop carries, but for a single reduction.
constexpr int64_t kMostCarried = 32;

// The array of a reduction, of which the loop carries what was combined; initial values are no
// arrays.
bool IsReduced(const KernelPlan& plan, const ElementPass& pass) {
  const bool has_reductions = plan.emitter == Emitter::kReduction || plan.emitter == Emitter::kRows;
  return has_reductions && pass.store == StoreKind::kNone &&
         pass.instruction->shape().ArrayLeaf(pass.leaf).rank() > 0;
}

// What a pass makes of results that the thread has comes behind them, in a loop of its own.
bool MayShare(const KernelPlan& plan, const ElementPass& pass) {
  if (pass.map.IsUnknown()) return false;
  switch (plan.emitter) {
    case Emitter::kLoop:
    case Emitter::kConcatenate:
    case Emitter::kTranspose:
      return true;
    case Emitter::kReduction:
      return pass.available.empty();
    case Emitter::kRows:
      return !llvm::is_contained(pass.available, pass.instruction);
    default:
      return false;
  }
}

class LoopFinder {
 public:
  explicit LoopFinder(const KernelPlan& plan) : plan_(plan) {}

  std::vector<size_t> Find() && {
    for (size_t i = 0; i < plan_.passes.size(); ++i) {
      const ElementPass& pass = plan_.passes[i];
      loops_.push_back(i);
      carried_.push_back(0);
      if (!MayShare(plan_, pass)) {
        // Of rows, what follows needs these results.
        if (plan_.emitter == Emitter::kRows) alike_.clear();
        continue;
      }
      loops_[i] = LoopFor(i);
      if (IsReduced(plan_, pass)) carried_[loops_[i]] += pass.vector_elements;
    }
    return std::move(loops_);
  }

 private:
  size_t LoopFor(size_t i) {
    const ElementPass& pass = plan_.passes[i];
    const bool is_reduced = IsReduced(plan_, pass);
    // The arrays of one reduction are not parted.
    const bool goes_on = is_reduced && i > 0 && IsReduced(plan_, plan_.passes[i - 1]);
    // Results of reductions are combined by loops of the same elements; others only go through the
    // same turns, as those of a bitcast.
    const bool by_domain = plan_.emitter == Emitter::kLoop ||
                           plan_.emitter == Emitter::kConcatenate ||
                           plan_.emitter == Emitter::kTranspose;
    std::vector<size_t>& alike =
        alike_[llvm::hash_combine(pass.vector_elements, HashOfDomain(pass.map))];
    for (const size_t first : llvm::reverse(alike)) {
      const ElementPass& other = plan_.passes[first];
      if (other.vector_elements != pass.vector_elements) continue;
      // Before and behind the barrier of a transpose.
      if (plan_.emitter == Emitter::kTranspose &&
          other.available.empty() != pass.available.empty()) {
        continue;
      }
      if (by_domain ? !HaveSameDomain(other.map, pass.map) : !(other.map == pass.map)) continue;
      const bool is_of_same = other.instruction == pass.instruction;
      if (is_of_same && plan_.emitter == Emitter::kLoop && !plan_.joins_arrays) continue;
      const bool has_room = carried_[first] + pass.vector_elements <= kMostCarried;
      if (!is_reduced || goes_on || has_room) return first;
    }
    alike.push_back(i);
    return i;
  }

  const KernelPlan& plan_;
  std::vector<size_t> loops_;
  // By first pass of a loop.
  std::vector<int64_t> carried_;
  // First passes, by what makes loops the same.
  std::unordered_map<size_t, std::vector<size_t>> alike_;
};

}  // namespace

std::vector<size_t> LoopsOf(const KernelPlan& plan) { return LoopFinder(plan).Find(); }

std::vector<size_t> PassesInOrderOfCode(const KernelPlan& plan, llvm::ArrayRef<size_t> loops) {
  std::vector<size_t> order(plan.passes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (plan.emitter == Emitter::kLoop) {
    llvm::stable_sort(order, [&](size_t a, size_t b) { return loops[a] < loops[b]; });
  }
  if (plan.emitter != Emitter::kReduction && plan.emitter != Emitter::kRows) return order;
  const auto is_kept = [&](size_t i) { return plan.passes[i].store == StoreKind::kNone; };
  const auto is_initial = [&](size_t i) { return !IsReduced(plan, plan.passes[i]); };
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if_not(begin, order.end(), is_kept);
    std::stable_partition(begin, end, is_initial);
    begin = end == order.end() ? end : std::next(end);
  }
  for (size_t i = plan.passes.size(); i-- > 0 && plan.emitter == Emitter::kReduction;) {
    if (is_kept(i) || !plan.passes[i].available.empty()) continue;
    const auto place = llvm::find(order, i);
    // The last in the same loop.
    auto read = order.end();
    for (auto at = std::next(place); at != order.end(); ++at) {
      if (is_kept(*at) && loops[*at] == loops[i]) read = at;
    }
    if (read != order.end()) std::rotate(place, std::next(place), std::next(read));
  }
  return order;
}

}  // namespace hlo_indexing::plan
