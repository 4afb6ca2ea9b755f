#include "layout/cute_bends.h"

#include <map>
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
  std::map<AxisPath, size_t> number_of;
  size_t before = 0;
  for (size_t k = 0; k < modes_.size(); ++k) {
    const AxisPath& axis = modes_[k].stride.axes;
    const auto [known, is_new] = number_of.emplace(axis, axes_.size());
    if (is_new) {
      axes_.push_back(axis);
      bends_.emplace_back();
    }
    const size_t number = known->second;
    // The digit of the mode before is over, and that of this mode begins.
    const Wide end =
        k == 0 ? 0 : -static_cast<Wide>(modes_[k - 1].extent.value) * modes_[k - 1].stride.value;
    const Wide begin = k == 0 ? 0 : modes_[k].stride.value;
    AddBend(before, k, number == before ? end + begin : end);
    if (number != before) AddBend(number, k, begin);
    before = number;
  }
}

void LeftSide::AddBend(size_t axis, size_t mode, Wide bend) {
  if (bend != 0) bends_[axis].push_back({places_[mode], bend});
}

Wide LeftSide::Evaluate(int64_t index, AxisPath axis) const {
  Wide value = 0;
  for (size_t k = 0; k < modes_.size(); ++k) {
    if (modes_[k].stride.axes != axis) continue;
    value += static_cast<Wide>(Digit(index, k)) * modes_[k].stride.value;
  }
  return value;
}

}  // namespace hlo_indexing::layout
