#include "simplifier/sum_set.h"

#include <algorithm>
#include <vector>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;
using support::CheckedSub;

// 16 MiB.
constexpr int64_t kMaxBits = int64_t{1} << 27;
// 8 MiB.
constexpr int64_t kMaxSums = int64_t{1} << 20;

// Steps of positive size, smallest first, those that fill each other's gaps taken together; adds
// the lowest ends of negative steps to `offset`. Nullopt on overflow.
std::optional<llvm::SmallVector<Steps, 8>> Nest(llvm::ArrayRef<Steps> steps, int64_t& offset) {
  llvm::SmallVector<Steps, 8> positive;
  for (Steps s : steps) {
    if (s.count <= 1 || s.step == 0) continue;
    if (s.step < 0) {
      const auto lowest = CheckedMul(s.step, s.count - 1);
      const auto sum = lowest ? CheckedAdd(offset, *lowest) : std::nullopt;
      if (!sum || s.step == support::kInt64Min) return std::nullopt;
      offset = *sum;
      s.step = -s.step;
    }
    positive.push_back(s);
  }
  llvm::sort(positive, [](const Steps& a, const Steps& b) {
    return std::pair(a.step, a.count) < std::pair(b.step, b.count);
  });
  llvm::SmallVector<Steps, 8> nested;
  for (const Steps& s : positive) {
    if (!nested.empty() && s.step % nested.back().step == 0) {
      Steps& below = nested.back();
      const int64_t ratio = s.step / below.step;
      const auto added = CheckedMul(ratio, s.count - 1);
      const auto count = added ? CheckedAdd(below.count, *added) : std::nullopt;
      if (!count) return std::nullopt;
      if (ratio <= below.count) {
        below.count = *count;
        continue;
      }
    }
    nested.push_back(s);
  }
  return nested;
}

// The largest sum of the steps; nullopt on overflow.
std::optional<int64_t> SpanOf(llvm::ArrayRef<Steps> nested) {
  int64_t span = 0;
  for (const Steps& s : nested) {
    const auto height = CheckedMul(s.step, s.count - 1);
    const auto sum = height ? CheckedAdd(span, *height) : std::nullopt;
    if (!sum) return std::nullopt;
    span = *sum;
  }
  return span;
}

// Whether every step is larger than all below it together: then no two sums are equal.
bool AreApart(llvm::ArrayRef<Steps> nested, int64_t reach) {
  for (const Steps& s : nested) {
    if (s.step <= reach) return false;
    reach += s.step * (s.count - 1);
  }
  return true;
}

// Between neighbouring sums of steps that are apart: each step begins behind all below it.
int64_t LargestGap(llvm::ArrayRef<Steps> nested) {
  int64_t gap = 0;
  int64_t reach = 0;
  for (const Steps& s : nested) {
    gap = std::max(gap, s.step - reach);
    reach += s.step * (s.count - 1);
  }
  return gap;
}

// bits |= bits << distance.
void OrShifted(llvm::BitVector& bits, int64_t distance) {
  llvm::BitVector shifted = bits;
  shifted <<= static_cast<unsigned>(distance);
  bits |= shifted;
}

// Adds 0, step, ..., step * (count - 1) to every element, doubling what has been added.
void AddSteps(const Steps& steps, llvm::BitVector& bits) {
  int64_t added = 1;
  while (added < steps.count) {
    const int64_t next = std::min(added, steps.count - added);
    OrShifted(bits, steps.step * next);
    added += next;
  }
}

std::optional<Progression> ProgressionOf(const llvm::BitVector& bits, int64_t offset) {
  const auto size = static_cast<int64_t>(bits.count());
  const int first = bits.find_first();
  if (size == 1) return Progression{offset + first, 1, 1};
  const int stride = bits.find_next(static_cast<unsigned>(first)) - first;
  // As many numbers between the ends, and each at its place.
  if (int64_t{bits.find_last() - first} != stride * (size - 1)) return std::nullopt;
  if (stride == 1) return Progression{offset + first, size, 1};
  for (int last = first, i = first; i >= 0; i = bits.find_next(static_cast<unsigned>(i))) {
    if (i != last && i - last != stride) return std::nullopt;
    last = i;
  }
  return Progression{offset + first, size, stride};
}

SumSet Enumerate(llvm::ArrayRef<int64_t> bases, llvm::ArrayRef<Steps> nested, int64_t offset,
                 int64_t span) {
  llvm::BitVector bits(static_cast<unsigned>(span) + 1);
  for (const int64_t base : bases) bits.set(static_cast<unsigned>(base - bases.front()));
  for (const Steps& steps : nested) AddSteps(steps, bits);
  SumSet set;
  set.size = llvm::DynamicAPInt(static_cast<int64_t>(bits.count()));
  set.progression = ProgressionOf(bits, offset);
  return set;
}

std::optional<Progression> ProgressionOf(llvm::ArrayRef<int64_t> values) {
  if (values.size() == 1) return Progression{values.front(), 1, 1};
  const auto stride = CheckedSub(values[1], values[0]);
  for (size_t i = 1; stride && i < values.size(); ++i) {
    if (CheckedSub(values[i], values[i - 1]) != stride) return std::nullopt;
  }
  if (!stride) return std::nullopt;
  return Progression{values.front(), static_cast<int64_t>(values.size()), *stride};
}

// Every sum by itself; nullopt if there are more than `limit`.
std::optional<SumSet> Expand(llvm::ArrayRef<int64_t> bases, llvm::ArrayRef<Steps> nested,
                             int64_t offset, int64_t limit) {
  int64_t count = static_cast<int64_t>(bases.size());
  for (const Steps& steps : nested) {
    if (count > limit || steps.count > limit / count) return std::nullopt;
    count *= steps.count;
  }
  std::vector<int64_t> sums;
  for (const int64_t base : bases) sums.push_back(base + offset);
  for (const Steps& steps : nested) {
    const size_t size = sums.size();
    for (int64_t i = 1; i < steps.count; ++i) {
      for (size_t k = 0; k < size; ++k) sums.push_back(sums[k] + steps.step * i);
    }
  }
  if (!llvm::is_sorted(sums)) llvm::sort(sums);
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
  SumSet set;
  set.size = llvm::DynamicAPInt(static_cast<int64_t>(sums.size()));
  set.progression = ProgressionOf(sums);
  return set;
}

}  // namespace

std::optional<SumSet> SumsOf(llvm::ArrayRef<int64_t> bases, llvm::ArrayRef<Steps> steps) {
  llvm::SmallVector<Steps, 8> all(steps);
  if (const std::optional<Progression> progression = ProgressionOf(bases)) {
    all.push_back({progression->stride, progression->size});
    bases = bases.take_front();
  }
  int64_t offset = 0;
  const auto nested = Nest(all, offset);
  const auto lower = nested ? CheckedAdd(bases.front(), offset) : std::nullopt;
  const auto base_span = CheckedSub(bases.back(), bases.front());
  const auto steps_span = nested ? SpanOf(*nested) : std::nullopt;
  const auto span = base_span && steps_span ? CheckedAdd(*base_span, *steps_span) : std::nullopt;
  const auto upper = lower && span ? CheckedAdd(*lower, *span) : std::nullopt;
  if (!upper) return std::nullopt;
  SumSet set;
  if (AreApart(*nested, *base_span)) {
    set.size = llvm::DynamicAPInt(static_cast<int64_t>(bases.size()));
    for (const Steps& s : *nested) set.size *= llvm::DynamicAPInt(s.count);
    if (bases.size() == 1) set.largest_gap = LargestGap(*nested);
    if (bases.size() == 1 && nested->empty()) set.progression = Progression{*lower, 1, 1};
    if (bases.size() == 1 && nested->size() == 1) {
      set.progression = Progression{*lower, nested->front().count, nested->front().step};
    }
  } else if (const auto few = Expand(bases, *nested, offset, std::min(kMaxSums, *span / 64))) {
    set = *few;
  } else if (*span < kMaxBits) {
    set = Enumerate(bases, *nested, *lower, *span);
  } else {
    return std::nullopt;
  }
  set.bounds = {*lower, *upper};
  return set;
}

}  // namespace hlo_indexing::simplifier
