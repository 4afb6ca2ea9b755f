#include "layout/cute_algebra/element_positions.h"

#include <optional>
#include <string>

#include "layout/cute_algebra/conversion.h"
#include "layout/cute_algebra/tuple.h"
#include "simplifier/arithmetic.h"

namespace hlo_indexing::layout {

absl::StatusOr<ElementPositions> PositionsOf(simplifier::DigitContext& context,
                                             llvm::ArrayRef<int64_t> sizes,
                                             const CuteLayout& layout, int64_t element_bits) {
  const auto error = [&](const std::string& message) {
    return absl::InvalidArgumentError("the layout " + layout.ToString() + " " + message);
  };
  if (layout.has_axes()) return error("maps to coordinates, not to positions");
  if (layout.size() > 0 && layout.offsets().lower < 0) return error("has negative offsets");
  const llvm::ArrayRef<IntTuple> modes = Modes(layout.shape());
  if (modes.size() != sizes.size()) {
    return error("has " + std::to_string(modes.size()) + " modes, the array has " +
                 std::to_string(sizes.size()) + " dimensions");
  }
  llvm::SmallVector<simplifier::ScaledSum, 6> parts;
  int64_t stride = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    // The sizes of modes fit, for that of the layout does.
    const int64_t mode_size = Product(modes[i]).value_or(0);
    if (mode_size < sizes[i]) {
      return error("has " + std::to_string(mode_size) + " elements in mode " + std::to_string(i) +
                   ", the array " + std::to_string(sizes[i]));
    }
    const auto variable = static_cast<simplifier::VariableId>(i);
    parts.emplace_back(context.Variable(variable, {0, sizes[i] - 1}), stride);
    stride *= mode_size;
  }
  const absl::StatusOr<simplifier::Sum> position =
      OffsetSum(context, layout, Linear(context, parts));
  if (!position.ok()) return position.status();
  const std::optional<int64_t> cosize = layout.cosize();
  if (!cosize) return error("has offsets that no array holds");
  return PositionsOf(context, sizes, *position, *cosize, element_bits);
}

}  // namespace hlo_indexing::layout
