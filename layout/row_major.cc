#include "layout/row_major.h"

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {

using simplifier::DigitContext;
using simplifier::Sum;

std::optional<int64_t> Product(llvm::ArrayRef<int64_t> sizes) {
  std::optional<int64_t> product = 1;
  for (const int64_t size : sizes) {
    product = support::CheckedMul(*product, size);
    if (!product) return std::nullopt;
  }
  return product;
}

std::optional<Sum> Linearize(DigitContext& context, llvm::ArrayRef<Sum> index,
                             llvm::ArrayRef<int64_t> sizes) {
  if (!Product(sizes)) return std::nullopt;
  llvm::SmallVector<simplifier::ScaledSum, 8> parts;
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    parts.emplace_back(index[i], stride);
    stride *= sizes[i];
  }
  return Linear(context, parts);
}

llvm::SmallVector<Sum, 6> Delinearize(DigitContext& context, Sum position,
                                      llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<Sum, 6> index(sizes.size(), simplifier::Constant(0));
  size_t leading = 0;
  while (leading < sizes.size() && sizes[leading] == 1) ++leading;
  for (size_t i = sizes.size(); i-- > leading;) {
    if (i == leading || sizes[i] == 0) {
      index[i] = position;
      break;
    }
    const simplifier::Division division = DivMod(context, position, sizes[i]);
    index[i] = division.remainder;
    position = division.quotient;
  }
  return index;
}

}  // namespace hlo_indexing::layout
