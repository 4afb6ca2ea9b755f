#include "indexing_analysis/image.h"

#include "indexing_analysis/read_map.h"

namespace hlo_indexing::indexing_analysis {

std::optional<Image> ImageOf(const IndexingMap& map) {
  if (map.IsUnknown()) return std::nullopt;
  simplifier::DigitContext context;
  simplifier::QuasiAffineMap f = ReadMap(context, map, RuntimeVariablesAs::kVariables);
  if (!f.empty) simplifier::Simplify(context, f);
  if (f.empty) f.results.assign(map.affine_map().getNumResults(), simplifier::Constant(0));
  return simplifier::ImageOf(context, f);
}

Answer IsInjective(const IndexingMap& map) {
  const std::optional<Image> image = ImageOf(map);
  return image ? image->injective : Answer::kUnknown;
}

Answer IsSurjective(const IndexingMap& map, llvm::ArrayRef<Interval> box) {
  const std::optional<Image> image = ImageOf(map);
  return image ? simplifier::IsOnto(*image, box) : Answer::kUnknown;
}

Answer IsBijective(const IndexingMap& map, llvm::ArrayRef<Interval> box) {
  const std::optional<Image> image = ImageOf(map);
  if (!image) return Answer::kUnknown;
  const Answer onto = simplifier::IsOnto(*image, box);
  if (image->injective == Answer::kNo || onto == Answer::kNo) return Answer::kNo;
  const bool both = image->injective == Answer::kYes && onto == Answer::kYes;
  return both ? Answer::kYes : Answer::kUnknown;
}

}  // namespace hlo_indexing::indexing_analysis
