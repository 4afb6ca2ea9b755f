// Tiles as text.
#include <string>

#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {
namespace {

// Writes `8x32`.
template <typename Number>
void WriteSizes(const StridedBox& box, Number number, llvm::raw_ostream& out) {
  llvm::interleave(box.sides, out, [&](const Progression& side) { out << number(side); }, "x");
}

// The domain as maps print it, with the comma before it; nothing if there are no variables.
std::string DomainText(const IndexingMap& map) {
  const std::string text = map.ToString();
  const size_t begin = text.find(", domain: ");
  return begin == std::string::npos ? "" : text.substr(begin);
}

std::string ShiftText(const IndexingMap& shift, int64_t constant) {
  const mlir::AffineExpr result = shift.affine_map().getResult(0);
  const auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(result);
  if (number) return std::to_string(number.getValue() + constant);
  return shift.ToString(result + constant);
}

}  // namespace

void TileBound::Print(llvm::raw_ostream& out) const {
  out << "dimension " << dimension;
  const bool has_lower = bounds.lower != Interval::kMinusInfinity;
  const bool has_upper = bounds.upper != Interval::kPlusInfinity;
  if (has_lower && has_upper) {
    out << " in [" << ShiftText(shift, bounds.lower) << ", " << ShiftText(shift, bounds.upper)
        << ']';
  } else if (has_lower) {
    out << " from " << ShiftText(shift, bounds.lower);
  } else {
    out << " up to " << ShiftText(shift, bounds.upper);
  }
}

void TileRegion::Print(llvm::raw_ostream& out) const {
  if (boxes.size() == 1 && boxes.front().sides.empty()) {
    out << "the element";
  } else if (boxes.size() == 1) {
    const StridedBox& box = boxes.front();
    WriteSizes(box, [](const Progression& side) { return side.size; }, out);
    if (llvm::any_of(box.sides, [](const Progression& side) { return side.stride != 1; })) {
      out << " with strides ";
      WriteSizes(box, [](const Progression& side) { return side.stride; }, out);
    }
  } else {
    llvm::interleave(boxes, out, [&](const StridedBox& box) { out << box; }, " + ");
  }
  if (offset.affine_map().getNumResults() != 0) {
    out << " at (";
    llvm::interleaveComma(offset.affine_map().getResults(), out,
                          [&](mlir::AffineExpr result) { out << offset.ToString(result); });
    out << ')';
  }
  for (const TileBound& bound : bounds) out << ", " << bound;
  out << DomainText(offset);
}

void TileOfArray::Print(llvm::raw_ostream& out) const {
  out << ExactnessName(exactness);
  if (!reason.empty()) out << " (" << reason << ')';
  if (exactness == Exactness::kUnknown) return;
  out << ':';
  if (regions.empty()) out << " nothing";
  for (const TileRegion& region : regions) {
    out << (regions.size() == 1 ? " " : "\n  ") << region;
  }
}

}  // namespace hlo_indexing::indexing_analysis
