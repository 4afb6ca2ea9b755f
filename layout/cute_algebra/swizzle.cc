#include "layout/cute_algebra/swizzle.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tuple.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

constexpr int64_t kMostBits = 62;

bool IsPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

int64_t Ones(int64_t count) { return (int64_t{1} << count) - 1; }

// The bits that the modes set; nullopt if their offsets are not sums of distinct bits.
std::optional<int64_t> ImageBits(const CuteLayout& layout) {
  int64_t image = 0;
  for (const CuteMode& mode : FlatModes(layout)) {
    if (mode.IsConstant() && mode.extent.value > 0) continue;
    if (!IsPowerOfTwo(mode.extent.value) || !IsPowerOfTwo(mode.stride.value)) return std::nullopt;
    const int64_t bits = (mode.extent.value - 1) * mode.stride.value;
    if ((image & bits) != 0) return std::nullopt;
    image |= bits;
  }
  return image;
}

// The modes that a mode of distinct bits becomes behind a swizzle: each bit that the swizzle has to
// do with is one.
class ModeSplitter {
 public:
  ModeSplitter(const CuteSwizzle& swizzle, const TupleInteger& offset)
      : swizzle_(swizzle), offset_(offset) {}

  CuteModes Split(const CuteMode& mode) const {
    if (mode.IsConstant()) return {mode};
    CuteModes modes;
    const int64_t special = swizzle_.source_mask() | swizzle_.target_mask();
    int64_t step = mode.stride.value;
    int64_t extent = mode.extent.value;
    while (extent > 1) {
      int64_t run = 2;
      TupleInteger stride = StaticInteger(step);
      if ((step & special) != 0) {
        stride = StrideOfBit(step);
      } else {
        // Bits that the swizzle leaves alone stay one mode.
        const int64_t above = special & ~(step - 1);
        run = above == 0 ? extent : std::min(extent, (above & -above) / step);
      }
      Append(run, stride, modes);
      step *= run;
      extent /= run;
    }
    return modes;
  }

 private:
  // Static modes that continue each other are one.
  static void Append(int64_t extent, const TupleInteger& stride, CuteModes& modes) {
    if (!modes.empty() && modes.back().stride.is_static() && stride.is_static() &&
        modes.back().extent.value * modes.back().stride.value == stride.value) {
      modes.back().extent.value *= extent;
    } else {
      modes.push_back({StaticInteger(extent), stride});
    }
  }
  // The bit itself, and the change of the bit that it is added to.
  TupleInteger StrideOfBit(int64_t bit) const {
    const int64_t with = swizzle_.Apply(offset_.value | bit);
    return {with - swizzle_.Apply(offset_.value), offset_.kind, 1, {}};
  }

  const CuteSwizzle& swizzle_;
  const TupleInteger& offset_;
};

absl::StatusOr<CuteLayout> SplitModes(const CuteLayout& layout, const ModeSplitter& splitter) {
  if (layout.shape().is_integer()) {
    return LayoutOf(splitter.Split({layout.shape().integer(), layout.stride().integer()}));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  for (CuteLayout& mode : modes) {
    HLO_INDEXING_ASSIGN_OR_RETURN(mode, SplitModes(mode, splitter));
  }
  return Concatenate(modes);
}

}  // namespace

absl::StatusOr<CuteSwizzle> CuteSwizzle::Create(int64_t bits, int64_t base, int64_t shift) {
  const auto error = [&](const std::string& message) {
    return absl::InvalidArgumentError("Sw<" + std::to_string(bits) + "," + std::to_string(base) +
                                      "," + std::to_string(shift) + ">: " + message);
  };
  if (bits < 0 || base < 0) return error("bits and base must not be negative");
  if (bits > kMostBits || base > kMostBits || shift > kMostBits || shift < -kMostBits ||
      bits + base + std::abs(shift) > kMostBits) {
    return error("its bits must lie below 2^62");
  }
  if (std::abs(shift) < bits) return error("|shift| must be at least bits");
  return CuteSwizzle(bits, base, shift);
}

int64_t CuteSwizzle::source_mask() const {
  return Ones(bits_) << (base_ + std::max<int64_t>(shift_, 0));
}

int64_t CuteSwizzle::target_mask() const {
  return Ones(bits_) << (base_ + std::max<int64_t>(-shift_, 0));
}

int64_t CuteSwizzle::Moved(int64_t x) const {
  return shift_ >= 0 ? (x & source_mask()) >> shift_ : (x & source_mask()) << -shift_;
}

int64_t CuteSwizzle::block() const {
  return bits_ == 0 ? 1 : int64_t{1} << (base_ + bits_ + std::abs(shift_));
}

std::string CuteSwizzle::ToString() const {
  return "Sw<" + std::to_string(bits_) + "," + std::to_string(base_) + "," +
         std::to_string(shift_) + ">";
}

absl::StatusOr<CuteSwizzle> Compose(const CuteSwizzle& a, const CuteSwizzle& b) {
  if (a.bits() == 0) return b;
  if (b.bits() == 0) return a;
  const auto error = [&](const std::string& message) {
    return absl::FailedPreconditionError("composition of " + a.ToString() + " and " + b.ToString() +
                                         ": " + message);
  };
  if (a.shift() != b.shift()) return error("their shifts differ");
  const auto source = static_cast<uint64_t>(a.source_mask() ^ b.source_mask());
  const auto target = static_cast<uint64_t>(a.target_mask() ^ b.target_mask());
  if ((b.target_mask() & a.source_mask()) != 0) {
    return error("the first reads what the other changes");
  }
  const int64_t bits = std::popcount(source);
  if (bits == 0) return CuteSwizzle::Create(0, 4, 3);
  const int64_t from = std::countr_zero(source);
  const int64_t to = std::countr_zero(target);
  if (source >> from != static_cast<uint64_t>(Ones(bits))) {
    return error("the bits of both together are not adjacent");
  }
  return CuteSwizzle::Create(bits, std::min(from, to), from - to);
}

absl::StatusOr<int64_t> ComposedLayout::Offset(int64_t index) const {
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t inside, inner.Offset(index));
  return Apply(inside);
}

absl::StatusOr<int64_t> ComposedLayout::Apply(int64_t inside) const {
  const std::optional<int64_t> argument = support::CheckedAdd(inside, offset.value);
  if (!argument) return absl::OutOfRangeError("an offset does not fit in 64 bits");
  if (const auto* swizzle = std::get_if<CuteSwizzle>(&outer)) return swizzle->Apply(*argument);
  const auto& layout = std::get<CuteLayout>(outer);
  if (layout.has_axes() || layout.size() == 0) {
    return absl::InvalidArgumentError("the layout " + layout.ToString() + " has no offsets");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const IntTuple result,
      CoordinateToIndex(IntTuple::Dynamic(*argument), layout.shape(), layout.stride()));
  return result.integer().value;
}

absl::StatusOr<int64_t> ComposedLayout::Cosize() const {
  if (inner.size() == 0) return 0;
  if (const auto* swizzle = std::get_if<CuteSwizzle>(&outer)) {
    const std::optional<int64_t> lowest = support::CheckedAdd(offset.value, inner.offsets().lower);
    const std::optional<int64_t> highest = support::CheckedAdd(offset.value, inner.offsets().upper);
    if (!lowest || !highest) return absl::OutOfRangeError("the cosize does not fit in 64 bits");
    // The array begins at offset 0, or with the block of a negative offset.
    const int64_t first = std::min<int64_t>(support::FloorDiv(*lowest, swizzle->block()), 0);
    const int64_t last = std::max<int64_t>(support::FloorDiv(*highest, swizzle->block()), 0);
    const std::optional<int64_t> blocks = support::CheckedSub(last, first);
    const std::optional<int64_t> before_last =
        blocks ? support::CheckedMul(*blocks, swizzle->block()) : std::nullopt;
    const std::optional<int64_t> size =
        before_last ? support::CheckedAdd(*before_last, swizzle->block()) : std::nullopt;
    if (!size) return absl::OutOfRangeError("the cosize does not fit in 64 bits");
    return *size;
  }
  int64_t largest = support::kInt64Min;
  int64_t smallest = support::kInt64Max;
  constexpr int64_t kMostPoints = int64_t{1} << 20;
  if (inner.size() > kMostPoints) {
    return absl::ResourceExhaustedError("the cosize of so large a composed layout is not computed");
  }
  for (int64_t i = 0; i < inner.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t value, Offset(i));
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
  }
  const std::optional<int64_t> span = support::CheckedSub(largest, smallest);
  const std::optional<int64_t> size = span ? support::CheckedAdd(*span, 1) : std::nullopt;
  if (!size) return absl::OutOfRangeError("the cosize does not fit in 64 bits");
  return *size;
}

std::string ComposedLayout::ToString() const {
  const std::string function = std::visit([](const auto& f) { return f.ToString(); }, outer);
  return function + " o " + IntTuple::Integer(offset).ToString() + " o " + inner.ToString();
}

absl::StatusOr<SwizzledModes> SwizzleModes(const CuteSwizzle& swizzle, const TupleInteger& offset,
                                           const CuteLayout& modes) {
  const std::optional<int64_t> image = ImageBits(modes);
  const bool apart = image && offset.value >= 0 && (*image & offset.value) == 0;
  const bool one_side =
      image && ((*image & swizzle.source_mask()) == 0 || (*image & swizzle.target_mask()) == 0);
  if (apart && one_side) {
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout plain,
                                  SplitModes(modes, ModeSplitter(swizzle, offset)));
    TupleInteger base = offset;
    base.value = swizzle.Apply(offset.value);
    return SwizzledModes{std::move(plain), base};
  }
  if (apart && !offset.is_static()) {
    const int64_t special = swizzle.source_mask() | swizzle.target_mask();
    TupleInteger inside = offset;
    inside.value &= special;
    TupleInteger base = offset;
    base.value &= ~special;
    return SwizzledModes{ComposedLayout{swizzle, inside, modes}, base};
  }
  return SwizzledModes{ComposedLayout{swizzle, offset, modes}, StaticInteger(0)};
}

}  // namespace hlo_indexing::layout
