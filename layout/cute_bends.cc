#include "layout/cute_bends.h"

#include <optional>
#include <utility>

#include "support/checked_math.h"

namespace hlo_indexing::layout {

void MergeRates(llvm::SmallVectorImpl<Rate>& rates) {
  for (size_t i = 0; i < rates.size(); ++i) {
    for (size_t k = rates.size() - 1; k > i; --k) {
      if (!rates[i].SameAs(rates[k])) continue;
      rates[i].bend += rates[k].bend;
      rates.erase(rates.begin() + static_cast<ptrdiff_t>(k));
    }
  }
  llvm::erase_if(rates, [](const Rate& rate) { return rate.bend == 0; });
}

LeftSide::LeftSide(CuteModes modes) : modes_(std::move(modes)) {
  int64_t place = 1;
  places_.push_back(place);
  for (size_t k = 0; k + 1 < modes_.size(); ++k) {
    const std::optional<int64_t> next = support::CheckedMul(place, modes_[k].extent.value);
    // No index reaches the modes beyond 2^63.
    if (!next) {
      modes_.truncate(k + 1);
      break;
    }
    place = *next;
    places_.push_back(place);
  }
  for (const CuteMode& mode : modes_) {
    if (!llvm::is_contained(axes_, mode.stride.axes)) axes_.push_back(mode.stride.axes);
  }
  for (const AxisPath& axis : axes_) bends_.push_back(BendsAlong(axis));
}

Wide LeftSide::Evaluate(int64_t index, AxisPath axis) const {
  Wide value = 0;
  for (size_t k = 0; k < modes_.size(); ++k) {
    if (modes_[k].stride.axes != axis) continue;
    value += static_cast<Wide>(Digit(index, k)) * modes_[k].stride.value;
  }
  return value;
}

llvm::SmallVector<Place, 4> LeftSide::BendsAlong(AxisPath axis) const {
  llvm::SmallVector<Place, 4> bends;
  const auto stride = [&](size_t k) -> Wide {
    return modes_[k].stride.axes == axis ? modes_[k].stride.value : 0;
  };
  for (size_t k = 1; k < modes_.size(); ++k) {
    const Wide bend = stride(k) - modes_[k - 1].extent.value * stride(k - 1);
    if (bend != 0) bends.push_back({places_[k], bend});
  }
  return bends;
}

}  // namespace hlo_indexing::layout
