#include "layout/cute_algebra/piecewise_linear.h"

#include <map>
#include <optional>
#include <utility>

#include "support/checked_math.h"

namespace hlo_indexing::layout {

void CombineLikeTerms(llvm::SmallVectorImpl<FloorTerm>& terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t k = terms.size() - 1; k > i; --k) {
      if (!terms[i].HasSlopeOf(terms[k])) continue;
      terms[i].jump += terms[k].jump;
      terms.erase(terms.begin() + static_cast<ptrdiff_t>(k));
    }
  }
  llvm::erase_if(terms, [](const FloorTerm& term) { return term.jump == 0; });
}

PiecewiseLinearLayout::PiecewiseLinearLayout(CuteModes modes) : modes_(std::move(modes)) {
  int64_t index_stride = 1;
  index_strides_.push_back(index_stride);
  for (size_t k = 0; k + 1 < modes_.size(); ++k) {
    const std::optional<int64_t> next = support::CheckedMul(index_stride, modes_[k].extent.value);
    // All indices are below 2^63: the digits of further modes are always 0.
    if (!next) {
      modes_.truncate(k + 1);
      break;
    }
    index_stride = *next;
    index_strides_.push_back(index_stride);
  }
  std::map<AxisPath, size_t> number_of;
  size_t before = 0;
  for (size_t k = 0; k < modes_.size(); ++k) {
    const AxisPath& axis = modes_[k].stride.axes;
    const auto [known, is_new] = number_of.emplace(axis, axes_.size());
    if (is_new) {
      axes_.push_back(axis);
      breakpoints_.emplace_back();
    }
    const size_t number = known->second;
    // The digit of the mode before goes back to 0, and that of this mode counts up.
    const Wide end =
        k == 0 ? 0 : -static_cast<Wide>(modes_[k - 1].extent.value) * modes_[k - 1].stride.value;
    const Wide begin = k == 0 ? 0 : modes_[k].stride.value;
    AddBreakpoints(before, k, number == before ? end + begin : end);
    if (number != before) AddBreakpoints(number, k, begin);
    before = number;
  }
}

void PiecewiseLinearLayout::AddBreakpoints(size_t axis, size_t mode, Wide jump) {
  if (jump != 0) breakpoints_[axis].push_back({index_strides_[mode], jump});
}

Wide PiecewiseLinearLayout::Evaluate(int64_t index, AxisPath axis) const {
  Wide value = 0;
  for (size_t k = 0; k < modes_.size(); ++k) {
    if (modes_[k].stride.axes != axis) continue;
    value += static_cast<Wide>(Digit(index, k)) * modes_[k].stride.value;
  }
  return value;
}

}  // namespace hlo_indexing::layout
