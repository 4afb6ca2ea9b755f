#include "indexing_analysis/queries/reached_elements.h"

#include <algorithm>
#include <utility>

#include "indexing_analysis/queries/element_bits.h"
#include "layout/row_major.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;

constexpr int64_t kMostBits = int64_t{1} << 30;
// Beyond that, remembered images are dropped.
constexpr size_t kMaxImages = size_t{1} << 16;

bool IsInside(const StridedBox& box, llvm::ArrayRef<int64_t> sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Progression& side = box.sides[i];
    if (side.offset < 0 || side.offset + side.stride * (side.size - 1) >= sizes[i]) return false;
  }
  return true;
}

// The box of an image, if it is one inside of the array.
std::optional<StridedBox> BoxOf(const Image& image, llvm::ArrayRef<int64_t> sizes) {
  if (!image.box.has_value()) return std::nullopt;
  StridedBox box{*image.box};
  if (!IsInside(box, sizes)) return std::nullopt;
  return box;
}

// Whether nothing that lies in the bounds of an image is in a box.
bool IsApart(const Image& image, const StridedBox& box) {
  for (size_t i = 0; i < box.sides.size(); ++i) {
    const Progression& side = box.sides[i];
    const Interval values = {side.offset, side.offset + side.stride * (side.size - 1)};
    if (values.Intersect(image.bounds[i]).IsEmpty()) return true;
  }
  return false;
}

ReachedElements All(const DynamicAPInt& count) {
  return {.count = {count, count}, .unreached = std::vector<StridedBox>(), .reason = ""};
}

ReachedElements AllBut(const DynamicAPInt& all, std::vector<StridedBox> unreached) {
  Join(unreached);
  const DynamicAPInt count = all - NumElements(unreached);
  return {.count = {count, count}, .unreached = std::move(unreached), .reason = ""};
}

}  // namespace

const Image& ReachCounter::ImageOfMap(const IndexingMap& map) {
  const auto found = images_.find(map);
  if (found != images_.end()) return found->second;
  // Only an unknown map has none, and one with a variable without bound.
  Image image = ImageOf(map, limits_.max_image_points).value_or(Image());
  if (!image.points.IsExact()) {
    const auto points = NumPointsOf(map, limits_.max_work);
    if (points.has_value()) image.points = {*points, *points};
  }
  return images_.emplace(map, std::move(image)).first->second;
}

ReachedElements ReachCounter::Count(llvm::ArrayRef<IndexingMap> maps,
                                    llvm::ArrayRef<int64_t> sizes) {
  if (images_.size() > kMaxImages) images_.clear();
  const StridedBox whole = WholeArray(sizes);
  if (llvm::is_contained(sizes, 0)) return All(DynamicAPInt(0));
  const DynamicAPInt all = whole.NumElements();
  std::vector<const Image*> others;
  std::vector<IndexingMap> maps_with_bits;
  std::vector<StridedBox> boxes;
  for (const IndexingMap& map : maps) {
    const Image& image = ImageOfMap(map);
    if (image.size.upper == 0) continue;
    std::optional<StridedBox> box = BoxOf(image, sizes);
    if (box.has_value() && *box == whole) return All(all);
    if (box.has_value()) {
      if (llvm::is_contained(boxes, *box)) continue;
      boxes.push_back(*std::move(box));
    } else {
      others.push_back(&image);
    }
    maps_with_bits.push_back(map);
  }
  // The large ones first: then there is less to cut.
  llvm::stable_sort(boxes, [](const StridedBox& a, const StridedBox& b) {
    return a.NumElements() > b.NumElements();
  });
  std::vector<StridedBox> unreached = {whole};
  const bool is_cut = llvm::all_of(
      boxes, [&](const StridedBox& box) { return Subtract(box, limits_.max_boxes, unreached); });
  if (is_cut) {
    llvm::erase_if(others, [&](const Image* image) {
      return llvm::all_of(unreached, [&](const StridedBox& box) { return IsApart(*image, box); });
    });
    if (others.empty()) return AllBut(all, std::move(unreached));
  }
  const auto limit = DynamicAPInt(std::min(kMostBits, limits_.max_elements_with_bits));
  if (all <= limit) {
    ElementBits bits(sizes, limits_.max_work);
    const bool is_counted =
        llvm::all_of(maps_with_bits, [&](const IndexingMap& map) { return bits.AddImage(map); });
    if (is_counted) {
      const DynamicAPInt count(bits.NumElements());
      return {
          .count = {count, count}, .unreached = bits.Unreached(limits_.max_boxes), .reason = ""};
    }
  }
  const DynamicAPInt of_boxes = is_cut ? all - NumElements(unreached) : DynamicAPInt(0);
  ReachedElements result;
  result.count = {of_boxes, of_boxes};
  for (const IndexingMap& map : maps_with_bits) {
    const Image& image = ImageOfMap(map);
    result.count.lower = std::max(result.count.lower, image.size.lower);
    if (!is_cut || llvm::is_contained(others, &image)) result.count.upper += image.size.upper;
  }
  result.count.upper = std::min(result.count.upper, all);
  if (result.count.IsExact()) return result;
  result.reason = all <= limit ? "counting takes too much work"
                               : "the array is too large for a bit for each element";
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
