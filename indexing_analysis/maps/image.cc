#include "indexing_analysis/maps/image.h"

#include <string>

#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::indexing_analysis {

namespace {

// In simplest form, the variables in the order of the map: dimensions, ranges, runtime variables.
simplifier::QuasiAffineMap ReadSimplified(simplifier::DigitContext& context,
                                          const IndexingMap& map) {
  simplifier::QuasiAffineMap f = ReadMap(context, map, RuntimeVariablesAs::kVariables);
  if (!f.empty) simplifier::Simplify(context, f);
  if (f.empty) f.results.assign(map.affine_map().getNumResults(), simplifier::Constant(0));
  return f;
}

// The number of the first variable without a lower or an upper bound.
std::optional<size_t> FindWithoutBound(const simplifier::QuasiAffineMap& f) {
  const auto* const found =
      llvm::find_if_not(f.boxes, [](const Interval& box) { return box.IsFinite(); });
  if (f.empty || found == f.boxes.end()) return std::nullopt;
  return static_cast<size_t>(found - f.boxes.begin());
}

}  // namespace

std::optional<Image> ImageOf(const IndexingMap& map, int64_t max_points) {
  if (map.IsUnknown()) return std::nullopt;
  simplifier::DigitContext context;
  const simplifier::QuasiAffineMap f = ReadSimplified(context, map);
  if (FindWithoutBound(f)) return std::nullopt;
  return simplifier::ImageOf(context, f, max_points);
}

std::string WhyNoImage(const IndexingMap& map) {
  if (map.IsUnknown()) return "the map is unknown";
  simplifier::DigitContext context;
  const std::optional<size_t> variable = FindWithoutBound(ReadSimplified(context, map));
  if (!variable) return "";
  const bool is_dimension = *variable < map.num_dimensions();
  return (is_dimension ? map.DimensionName(*variable)
                       : map.SymbolName(*variable - map.num_dimensions())) +
         " has no bound";
}

namespace {

std::string TextOf(const Image::Count& count) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << count.lower;
  if (!count.IsExact()) out << " to " << count.upper;
  return text;
}

ReasonedAnswer IsInjective(const Image& image) {
  if (image.injective == Answer::kUnknown) return {Answer::kUnknown, image.reason};
  return {image.injective,
          TextOf(image.points) + " points have " + TextOf(image.size) + " results"};
}

ReasonedAnswer IsSurjective(const Image& image, llvm::ArrayRef<Interval> box) {
  const Answer answer = simplifier::IsOnto(image, box);
  if (answer == Answer::kYes) return {answer, "every value of the box is reached, and no other"};
  if (answer == Answer::kUnknown) return {answer, image.reason};
  for (size_t i = 0; i < box.size(); ++i) {
    // Only then the bounds are those that are reached.
    if (!image.size.IsExact() || box[i].Contains(image.bounds[i])) continue;
    return {answer, "result " + std::to_string(i) + " lies in " + image.bounds[i].ToString() +
                        ", not in " + box[i].ToString()};
  }
  return {answer, TextOf(image.size) + " values of the box are reached, not all"};
}

}  // namespace

ReasonedAnswer IsInjective(const IndexingMap& map) {
  const std::optional<Image> image = ImageOf(map);
  return image ? IsInjective(*image) : ReasonedAnswer{Answer::kUnknown, WhyNoImage(map)};
}

ReasonedAnswer IsSurjective(const IndexingMap& map, llvm::ArrayRef<Interval> box) {
  const std::optional<Image> image = ImageOf(map);
  return image ? IsSurjective(*image, box) : ReasonedAnswer{Answer::kUnknown, WhyNoImage(map)};
}

ReasonedAnswer IsBijective(const IndexingMap& map, llvm::ArrayRef<Interval> box) {
  const std::optional<Image> image = ImageOf(map);
  if (!image) return {Answer::kUnknown, WhyNoImage(map)};
  ReasonedAnswer injective = IsInjective(*image);
  ReasonedAnswer onto = IsSurjective(*image, box);
  if (injective.answer == Answer::kNo) return injective;
  if (onto.answer == Answer::kNo || injective.answer == Answer::kYes) return onto;
  return injective;
}

}  // namespace hlo_indexing::indexing_analysis
