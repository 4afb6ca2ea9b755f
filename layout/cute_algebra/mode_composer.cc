#include "layout/cute_algebra/mode_composer.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "layout/cute_algebra/remaining_mode.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using support::kInt64Max;

std::string WideText(Wide value) {
  const bool negative = value < 0;
  std::string text;
  do {
    const int digit = static_cast<int>(value % 10);
    text += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

absl::Status Overflow() { return absl::OutOfRangeError(": an offset does not fit in 64 bits"); }

absl::Status Undecided() {
  return absl::ResourceExhaustedError(
      ": it is not decided whether there is such a layout, for carries may cancel and the limit "
      "of points to try is reached; the composed map is exact");
}

}  // namespace

absl::StatusOr<CuteModes> ModeComposer::ComposeMode(const CuteMode& mode) {
  if (mode.stride.is_static(0)) return CuteModes{{mode.extent, StaticInteger(0)}};
  if (splitting_ == Splitting::kAtModes) {
    if (std::optional<CuteModes> modes = SplitAtModes(mode)) return *std::move(modes);
  }
  return SplitAtBreakpoints(mode);
}

std::optional<CuteModes> ModeComposer::SplitAtModes(const CuteMode& mode) {
  RemainingMode remaining(mode);
  CuteModes result;
  const size_t num_pieces = pieces_.size();
  const auto push = [&](const TupleInteger& extent, const TupleInteger& stride, size_t k) {
    const std::optional<TupleInteger> product = Times(stride, left_.modes()[k].stride);
    const std::optional<int64_t> step = support::CheckedMul(stride.value, left_.index_stride(k));
    if (!product || !step) return false;
    result.push_back({extent, *product});
    if (extent.value > 1) pieces_.push_back({extent.value, *step});
    return true;
  };
  const auto give_up = [&]() -> std::optional<CuteModes> {
    pieces_.resize(num_pieces);
    return std::nullopt;
  };
  const size_t last = left_.modes().size() - 1;
  if (last > 0 && mode.stride.value < 0 && mode.extent.value > 1) return give_up();
  for (size_t k = 0; k < last; ++k) {
    if (remaining.IsDone() && !result.empty()) return result;
    const TupleInteger& extent = left_.modes()[k].extent;
    if (remaining.Skip(extent)) continue;
    const TupleInteger stride = remaining.stride();
    const std::optional<TupleInteger> part = remaining.SplitOff(extent);
    if (!part || !push(*part, stride, k)) return give_up();
    remaining.Advance();
  }
  if (!remaining.IsDone() || result.empty()) {
    if (!push(remaining.extent(), remaining.stride(), last)) return give_up();
  }
  return result;
}

absl::StatusOr<CuteModes> ModeComposer::SplitAtBreakpoints(const CuteMode& mode) {
  if (mode.extent.value == 1 || mode.stride.value == 0) {
    return CuteModes{{mode.extent, StaticInteger(0)}};
  }
  if (left_.IsLinear()) {
    const std::optional<TupleInteger> stride =
        Times(WithoutAxes(mode.stride), left_.modes()[0].stride);
    if (!stride) return Overflow();
    return CuteModes{{mode.extent, *stride}};
  }
  if (mode.stride.value < 0) {
    return absl::InvalidArgumentError(": the mode " + mode.ToString() +
                                      " of B runs below 0, where A has no values");
  }
  CuteModes result;
  int64_t rest = mode.extent.value;
  int64_t step = mode.stride.value;
  while (true) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t extent, LinearExtent(step, rest));
    if (rest % extent != 0) return NotLinearError(mode, {rest, step}, extent);
    const Piece piece = {extent, step};
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger stride, StrideOf(step, mode));
    const bool whole = extent == mode.extent.value;
    result.push_back({whole ? mode.extent : ExtentOf(piece, mode), stride});
    pieces_.push_back(piece);
    rest /= extent;
    if (rest == 1) return result;
    step *= extent;
  }
}

// For how many steps i -> A(i * step) is linear, at most `extent`.
absl::StatusOr<int64_t> ModeComposer::LinearExtent(int64_t step, int64_t extent) {
  int64_t linear_extent = extent;
  for (const llvm::SmallVector<Breakpoints, 4>& along_axis : left_.breakpoints()) {
    llvm::SmallVector<FloorTerm, 4> terms;
    for (const Breakpoints& breakpoints : along_axis) {
      const int64_t residue = QuickRemainder(step, breakpoints.period);
      if (residue == 0 || (breakpoints.period - 1) / residue >= linear_extent - 1) continue;
      terms.push_back({residue, breakpoints.period, breakpoints.jump});
    }
    if (terms.empty()) continue;
    if (JumpsHaveOneSign(terms)) {
      for (const FloorTerm& term : terms) {
        linear_extent = std::min(linear_extent, (term.period - 1) / term.residue + 1);
      }
      continue;
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(linear_extent, FirstDeviation(std::move(terms), linear_extent));
  }
  return linear_extent;
}

// The first step below `extent` at which the sum of the terms is not 0, or else `extent`.
absl::StatusOr<int64_t> ModeComposer::FirstDeviation(llvm::SmallVector<FloorTerm, 4> terms,
                                                     int64_t extent) {
  CombineLikeTerms(terms);
  if (terms.empty()) return extent;
  // After a common period of all terms the jumps repeat.
  Wide period = 1;
  for (const FloorTerm& term : terms) {
    const Wide denominator = term.period / std::gcd(term.residue, term.period);
    const Wide common =
        std::gcd(static_cast<int64_t>(period % denominator), static_cast<int64_t>(denominator));
    period = std::min<Wide>(period / common * denominator, kInt64Max);
  }
  llvm::SmallVector<Wide, 4> jumps(terms.size(), 0);
  Wide sum = 0;
  while (true) {
    Wide next = extent;
    for (size_t k = 0; k < terms.size(); ++k) {
      next = std::min(next, terms[k].FirstReaching(jumps[k] + 1));
    }
    if (next >= extent || next > period) return extent;
    for (size_t k = 0; k < terms.size(); ++k) {
      if (terms[k].FirstReaching(jumps[k] + 1) != next) continue;
      ++jumps[k];
      sum += terms[k].jump;
    }
    if (sum != 0) return static_cast<int64_t>(next);
    if (!SpendPoint()) return Undecided();
  }
}

// The offset of a step, as a stride.
absl::StatusOr<TupleInteger> ModeComposer::StrideOf(int64_t step, const CuteMode& mode) const {
  TupleInteger stride = StaticInteger(0);
  const size_t count = left_.ModesBelow(static_cast<Wide>(step) + 1);
  const bool digits_are_static = mode.stride.is_static() && left_.ExtentsAreStatic(count - 1) &&
                                 (step == mode.stride.value || mode.extent.is_static());
  for (size_t k = 0; k < count; ++k) {
    const int64_t digit = left_.Digit(step, k);
    if (digit == 0) continue;
    TupleInteger coordinate = StaticInteger(digit);
    if (!digits_are_static) coordinate.kind = IntegerKind::kDynamic;
    const std::optional<TupleInteger> part = Times(coordinate, left_.modes()[k].stride);
    if (!part) return Overflow();
    if (part->value == 0) continue;
    if (stride.value != 0 && stride.axes != part->axes) {
      return absl::FailedPreconditionError(
          ": there is no such layout. The mode " + mode.ToString() +
          " of B would count along several axes of A's coordinates at once");
    }
    if (stride.value == 0) stride.axes = part->axes;
    const std::optional<TupleInteger> sum = Plus(stride, *part);
    if (!sum) return Overflow();
    stride = *sum;
  }
  return stride;
}

TupleInteger ModeComposer::ExtentOf(const Piece& piece, const CuteMode& mode) const {
  TupleInteger extent = StaticInteger(piece.extent);
  const size_t count = left_.ModesBelow(static_cast<Wide>(piece.step) * piece.extent);
  if (!mode.extent.is_static() || !mode.stride.is_static() || !left_.ExtentsAreStatic(count)) {
    extent.kind = IntegerKind::kDynamic;
  }
  return extent;
}

absl::Status ModeComposer::CheckSum() {
  for (size_t axis = 0; axis < left_.axes().size(); ++axis) {
    HLO_INDEXING_RETURN_IF_ERROR(CheckAlong(axis));
  }
  return absl::OkStatus();
}

absl::Status ModeComposer::CheckAlong(size_t axis) {
  // Where the residues of all pieces together do not reach the period, no sum carries.
  llvm::SmallVector<Breakpoints, 4> carrying;
  for (const Breakpoints& breakpoints : left_.breakpoints()[axis]) {
    Wide sum = 0;
    for (const Piece& piece : pieces_) {
      sum += static_cast<Wide>(piece.extent - 1) * QuickRemainder(piece.step, breakpoints.period);
    }
    if (sum >= breakpoints.period) carrying.push_back(breakpoints);
  }
  if (carrying.empty()) return absl::OkStatus();
  if (!JumpsHaveOneSign(carrying)) return TryAllPoints(axis, carrying);
  std::vector<int64_t> last;
  for (const Piece& piece : pieces_) last.push_back(piece.extent - 1);
  return CarryError(last);
}

// Tries random coordinates: if carries do not cancel, some of these nearly always show it.
absl::Status ModeComposer::TrySamples(size_t axis, llvm::ArrayRef<size_t> part) {
  constexpr int kTries = 64;
  const AxisPath along = left_.axes()[axis];
  std::vector<int64_t> digits(pieces_.size(), 0);
  uint64_t state = 1;
  for (int i = 0; i < kTries; ++i) {
    int64_t index = 0;
    Wide sum = 0;
    for (const size_t j : part) {
      // The constants of a common linear congruential generator; the last point has all digits
      // full.
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto extent = static_cast<uint64_t>(pieces_[j].extent);
      digits[j] = static_cast<int64_t>(i + 1 == kTries ? extent - 1 : (state >> 11) % extent);
      index += digits[j] * pieces_[j].step;
      sum += digits[j] * left_.Evaluate(pieces_[j].step, along);
    }
    if (left_.Evaluate(index, along) != sum) return CarryError(digits);
  }
  return absl::OkStatus();
}

// Tries all coordinates of the pieces that take part in a carry.
absl::Status ModeComposer::TryAllPoints(size_t axis, llvm::ArrayRef<Breakpoints> carrying) {
  std::vector<size_t> part;
  for (size_t j = 0; j < pieces_.size(); ++j) {
    const bool takes_part = llvm::any_of(carrying, [&](const Breakpoints& breakpoints) {
      return pieces_[j].step % breakpoints.period != 0;
    });
    if (takes_part) part.push_back(j);
  }
  HLO_INDEXING_RETURN_IF_ERROR(TrySamples(axis, part));
  const AxisPath along = left_.axes()[axis];
  std::vector<int64_t> digits(pieces_.size(), 0);
  Wide sum = 0;
  int64_t index = 0;
  while (true) {
    if (!SpendPoint()) return Undecided();
    if (left_.Evaluate(index, along) != sum) return CarryError(digits);
    size_t at = 0;
    for (; at < part.size(); ++at) {
      const Piece& piece = pieces_[part[at]];
      const Wide stride = left_.Evaluate(piece.step, along);
      int64_t& digit = digits[part[at]];
      if (++digit < piece.extent) {
        index += piece.step;
        sum += stride;
        break;
      }
      index -= (piece.extent - 1) * piece.step;
      sum -= (piece.extent - 1) * stride;
      digit = 0;
    }
    if (at == part.size()) return absl::OkStatus();
  }
}

absl::Status ModeComposer::NotLinearError(const CuteMode& mode, const Piece& piece,
                                          int64_t extent) const {
  std::string text = ": there is no such layout. Of the mode " + mode.ToString() + " of B";
  if (piece.extent != mode.extent.value) {
    text += ", what is left is " + std::to_string(piece.extent) + ":" + std::to_string(piece.step) +
            ", of which";
  }
  text += " the first " + std::to_string(extent) + " elements lie ";
  const AxisPath axis = left_.axes()[0];
  const Wide stride = left_.Evaluate(piece.step, axis);
  text += WideText(stride) + " apart in A; index " + std::to_string(extent * piece.step) +
          " is at " + WideText(left_.Evaluate(extent * piece.step, axis)) + ", not at " +
          WideText(extent * stride) + ", and " + std::to_string(extent) + " does not divide " +
          std::to_string(piece.extent);
  return absl::FailedPreconditionError(text);
}

absl::Status ModeComposer::CarryError(llvm::ArrayRef<int64_t> digits) const {
  std::string modes;
  int64_t index = 0;
  Wide expected = 0;
  const AxisPath axis = left_.axes()[0];
  for (size_t j = 0; j < pieces_.size(); ++j) {
    const Piece& piece = pieces_[j];
    modes += (j == 0 ? "" : ", ") + std::to_string(piece.extent) + ":" + std::to_string(piece.step);
    index += digits[j] * piece.step;
    expected += digits[j] * left_.Evaluate(piece.step, axis);
  }
  return absl::FailedPreconditionError(
      ": there is no such layout. The modes " + modes +
      " of B meet in a mode of A and carry over into the next: index " + std::to_string(index) +
      " is at " + WideText(left_.Evaluate(index, axis)) + ", not at the sum " + WideText(expected));
}

}  // namespace hlo_indexing::layout
