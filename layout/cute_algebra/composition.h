// Composition of layouts: (A o B)(c) = A(B(c)).
//
//   (10,2):(16,4) o (5,4):(1,5)  ->  (5,(2,2)):(16,(80,4))
//
// The result has the shape of B, whose modes may become tuples. Not every composition is a layout:
// (6,2):(1,10) o 4:4 has the offsets 0, 4, 12, 20, and no strides give these. Whether there is one
// is decided, not guessed from divisibility, and an error says where it fails.
//
// How. Let A have the modes (e_k, a_k), neighbours that continue each other joined, and P_k the
// product of the extents before mode k. The digit of x in mode k is
// floor(x / P_k) - e_k * floor(x / P_(k+1)), so A is piecewise linear:
//
//   A(x) = a_0 * x + sum over k > 0 of c_k * floor(x / P_k),   c_k = a_k - e_(k-1) * a_(k-1) != 0,
//
// where the last mode continues past its end, as in CuTe. With r_k = d mod P_k, the function
// i -> A(i * d) is linear as long as sum c_k * floor(i * r_k / P_k) is 0. A mode s:d of B is split
// wherever that ends: a layout function has no other modes, for its first mode ends where it stops
// being linear. What is left to decide is whether all modes together add up, which they do if and
// only if
//
//   sum over k of c_k * floor((sum over modes j of i_j * r_jk) / P_k) = 0   for all i_j < m_j.
//
// An index below 0 counts as C++ divides, A(-x) = -A(x), so modes that all run backwards are
// composed as if they ran forwards; of modes that run both ways all coordinates are tried.
//
// If no sum of residues carries over its P_k, all terms are 0. If some do and their c_k have one
// sign, the sum is not 0. Only if carries could cancel each other are coordinates tried: random
// ones first, then all, up to a limit.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_COMPOSITION_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_COMPOSITION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tree.h"

namespace hlo_indexing::layout {

struct CompositionLimits {
  /// How long a composition whose carries may cancel is tried out.
  int64_t points = int64_t{1} << 18;
  /// How many modes a result may have: split at dynamic modes of one element, each mode of B
  /// becomes as many as A has. If these are too many, they are left out.
  int64_t modes = int64_t{1} << 16;
  /// How many pairs of a mode of A and one of B are looked at.
  int64_t pairs = int64_t{1} << 28;
};

/// Counts the modes of a result that is made of parts.
class ModeCount {
 public:
  explicit ModeCount(int64_t limit = CompositionLimits().modes) : limit_(limit) {}
  /// ResourceExhausted if the integers of all shapes so far are more than the limit.
  absl::Status Add(const IntTuple& shape);
  absl::Status Add(int64_t modes);

 private:
  int64_t limit_;
  int64_t count_ = 0;
};

/// The layout R of the profile of B with R(c) = A(B(c)) for every coordinate c of B. Strides of B
/// that count along axes pick the modes of A. Errors: FailedPrecondition if there is no such
/// layout, with the mode of B, the extent or stride at which it fails, and a coordinate whose
/// offset no layout has; InvalidArgument if B counts along axes that A does not have; OutOfRange if
/// a number does not fit in 64 bits; ResourceExhausted if the limits do not suffice to decide, or
/// the result has too many modes. Example: (10,2):(16,4), (5,4):(1,5) -> (5,(2,2)):(16,(80,4))
absl::StatusOr<CuteLayout> Compose(const CuteLayout& a, const CuteLayout& b,
                                   const CompositionLimits& limits = {});

/// By modes, with a tiler of layouts, integers n (which stand for n:1) and `_` (which keeps the
/// mode). Modes of the layout beyond the tiler are left out.
/// Example: (24,8):(1,24), (8,4) -> (8,4):(1,24)
absl::StatusOr<CuteLayout> Compose(const CuteLayout& layout, const CuteTree& tiler,
                                   const CompositionLimits& limits = {});

/// The layout in another shape: composed with the compact layout of the shape.
/// Example: (4,8):(8,1), (1,32) -> (1,(4,8)):(_0,(8,1))
absl::StatusOr<CuteLayout> WithShape(const CuteLayout& layout, const IntTuple& shape);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_COMPOSITION_H_
