// How the lanes of a warp differ from its first lane, in sums with digits of unaligned divisions.
// Private to the folder.
//
// A digit changes where the lanes cross a multiple of its divisor. Example: in
//
//   ((b * 128 + lane) floordiv 100) * 7
//
// only (b * 128) mod 100 matters: up to 68 all 32 lanes have the sum of the first one, at 69 the
// last lane has 7 more, at 70 the last two. So a few patterns stand for all warps of a grid, and
// the first lane tells which of them a warp has.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_LANE_PATTERNS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_LANE_PATTERNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "indexing_analysis/queries/coordinates.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

class LanePatterns {
 public:
  /// What lanes have more than the first one, by lane. Like the sums themselves (coordinates.h),
  /// they wrap around beyond 64 bits.
  struct Shifts {
    llvm::SmallVector<int64_t, 32> of_lane;
    int64_t least = 0;
    int64_t most = 0;
  };
  struct Pattern {
    /// Equal numbers, equal patterns.
    int64_t number = 0;
    /// For each of the sums.
    std::vector<Shifts> sums;
  };

  /// Of some sums of a system, which must outlive the patterns. `lane` is the coordinate of the
  /// lane, none if nothing depends on it. nullopt if numbers are too large.
  static std::optional<LanePatterns> Create(const CoordinateSystem& system,
                                            std::optional<size_t> lane, int64_t num_lanes,
                                            llvm::ArrayRef<size_t> sums);

  /// The pattern of the warp whose first lane has these values of the system's quotients, until the
  /// next call. Most warps with equal patterns have the same number.
  const Pattern& At(llvm::ArrayRef<int64_t> quotients);

 private:
  // ((quotient floordiv divisor) mod modulus), where the quotient depends on the lane.
  struct Digit {
    size_t quotient = 0;  // of quotients_
    int64_t divisor = 1;
    int64_t modulus = 0;
  };
  // step * lane + sum of coefficient * digit.
  struct LaneSum {
    struct Use {
      int64_t coefficient = 0;
      size_t digit = 0;
    };
    int64_t step = 0;
    llvm::SmallVector<Use, 4> digits;
  };
  using Key = llvm::SmallVector<int64_t, 8>;
  struct Hash {
    size_t operator()(const Key& key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };
  // What lanes have more of a quotient than the first one.
  struct Shape {
    int64_t number = 0;
    Shifts shifts;
    // For each digit of the quotient, the remainders of the first lane from which on one more lane,
    // or several, is in the next block.
    std::vector<llvm::SmallVector<int64_t, 32>> boundaries;
  };
  struct Quotient {
    size_t number = 0;  // of the system
    LaneSum sum;
    // How far its values for all lanes are at most from that of the first one.
    int64_t reach = 0;
    // Of digits_.
    llvm::SmallVector<size_t, 2> digits;
    // By the keys of the digits in it.
    std::unordered_map<Key, Shape, Hash> shapes;
    // Of the last warp; what does not fit the table.
    Key key;
    const Shape* shape = nullptr;
    Shape spare;
  };
  // Of the first lane of the last warp.
  struct Place {
    int64_t rest = 0;
    int64_t value = 0;
    // The shape of the quotient, how many boundaries are behind, and where the digit wraps around.
    int64_t key[3] = {0, 0, 0};
  };

  LanePatterns(const CoordinateSystem& system, size_t lane, int64_t num_lanes)
      : system_(&system), lane_(lane), num_lanes_(num_lanes) {}
  // The lane's part of a sum, which adds what it needs; nullopt if numbers are too large.
  std::optional<LaneSum> Read(const CoordinateSum& sum);
  std::optional<size_t> AddQuotient(size_t number);
  size_t AddDigit(size_t quotient, const QuotientTerm& term);

  template <typename Value>
  Value& PlaceFor(const Key& key, std::unordered_map<Key, Value, Hash>& table, Value& spare);
  void FindShape(Quotient& quotient);
  void FindPlaces(const Quotient& quotient, int64_t value);
  void AppendKeys(const LaneSum& sum, Key& key) const;
  Shifts ShiftsOf(const LaneSum& sum) const;

  const CoordinateSystem* system_;
  size_t lane_;
  int64_t num_lanes_;
  std::vector<Digit> digits_;
  // Each needs only those before it.
  std::vector<Quotient> quotients_;
  std::vector<LaneSum> sums_;
  std::unordered_map<Key, Pattern, Hash> patterns_;
  std::vector<Place> places_;  // by digit
  Key key_;
  const Pattern* last_ = nullptr;
  Pattern spare_;
  int64_t num_made_ = 0;
  Key next_key_;  // scratch
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_LANE_PATTERNS_H_
