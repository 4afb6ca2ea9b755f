// Counts the requests of an access and their sectors over all warps. Private to the folder.
//
// The offset of an access is a sum in coordinates (coordinates.h) of the grid, of the loops, of
// values known at run time and of the lane. A box of coordinates is split until constraints are
// decided or few points are left. On each box:
//
//   - a coordinate on which the offset depends linearly only matters by its residue modulo the
//     period of the memory, a sector or all banks: all of these together are a histogram of
//     residues;
//   - any other coordinate is tried for one period, each value as often as it comes again;
//   - for each point, and each residue, the sectors that the lanes touch, or the wavefronts that
//     they take, are counted: `sectors` says which of them below. Where no
//     quotient mixes lanes with other coordinates, that depends on a residue alone; else mostly on
//     it and one of a few patterns of lanes (lane_patterns.h).
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_REQUEST_COUNTER_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_REQUEST_COUNTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/queries/coordinates.h"
#include "indexing_analysis/queries/lane_patterns.h"
#include "indexing_analysis/queries/sectors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

/// A value that is known at run time, by the sums that say which element it is: lanes for which
/// these differ may have different values.
struct RuntimeKey {
  llvm::SmallVector<size_t, 2> sums;
  /// Nobody knows which element it is: all lanes may have different values.
  bool is_unknown = false;
};

/// What one request costs its memory: from the numbers of its active lanes, and the offsets in bits
/// that they access, which it may reorder. It stays the same if all offsets move by a period.
using RequestCost =
    std::function<RequestSectors(llvm::ArrayRef<int64_t> lanes, llvm::MutableArrayRef<int64_t>)>;

/// What is counted: sums of a system, and which of its coordinates are what.
struct RequestProblem {
  explicit RequestProblem(const CoordinateSystem& coordinates)
      : system(coordinates), runtime(static_cast<unsigned>(coordinates.num_coordinates())) {}

  const CoordinateSystem& system;
  /// The sum that is the offset in bits.
  size_t offset = 0;
  /// Sums that must lie in an interval.
  std::vector<std::pair<size_t, Interval>> constraints;
  std::vector<RuntimeKey> runtime_keys;
  /// The coordinate of the lane, if it matters, and how many lanes there are.
  std::optional<size_t> lane;
  int64_t num_lanes = 0;
  /// The coordinates of values that are known at run time.
  llvm::BitVector runtime;
  /// Bits that a lane accesses.
  int64_t width = 0;
  RequestCost cost;
  /// Bits after which the cost repeats, and that one sector, or wavefront, can move.
  int64_t period_bits = 0;
  int64_t unit_bits = 0;
  int64_t max_lane_accesses = 0;
  /// Whether values known at run time decide who accesses anything, beyond the constraints.
  bool domain_depends_on_runtime = false;
};

/// Sums over the requests of a box of the grid.
struct RequestTotals {
  Image::Count requests;
  Image::Count sectors;
  Image::Count ideal_sectors;
  /// Of all requests that were looked at, if it is the same.
  std::optional<int64_t> lane_stride_bits;
  /// Why counts are ranges.
  std::string reason;
  /// Accesses of lanes that were looked at, and whether more would have been without the limit.
  int64_t lane_accesses = 0;
  bool is_cut = false;
};

class RequestCounter {
 public:
  explicit RequestCounter(const RequestProblem& problem);

  RequestTotals Count();

 private:
  using Box = llvm::SmallVector<Interval, 8>;
  using Constraints = llvm::SmallVector<size_t, 4>;

  // A coordinate whose first `trials` values are tried.
  struct Trial {
    size_t coordinate = 0;
    int64_t trials = 1;
    int64_t size = 1;
  };
  // How the coordinates of a box are gone through.
  struct Plan {
    llvm::SmallVector<Trial, 6> grid;
    llvm::SmallVector<Trial, 2> runtime;
    // How often the linear coordinates together have each residue modulo a sector.
    std::vector<std::pair<int64_t, llvm::DynamicAPInt>> residues;
    // Constraints that must be tested.
    Constraints undecided;
    // Whether a request's sectors follow from the residue of its first lane's offset.
    bool is_uniform = false;
    // Whether it depends on values known at run time who accesses anything.
    bool domain_depends_on_runtime = false;
    // Lanes whose offsets are looked at; nullopt if too many.
    std::optional<int64_t> cost;
  };
  // What a request touches, for each choice of values known at run time; if lanes may have
  // different values, no less and no more than that in the last ones. Empty if no lane is active.
  using Choices = llvm::SmallVector<RequestSectors, 1>;

  CoordinateSum OffsetByResidue() const;
  void CountBox(Box box);
  Constraints UndecidedIn(const Box& box, bool& is_empty) const;
  std::optional<size_t> CoordinateToSplit(const Box& box, const Constraints& undecided) const;
  Plan MakePlan(const Box& box, const Constraints& undecided) const;
  int64_t TrialsOf(size_t coordinate, int64_t size, const Constraints& undecided) const;
  std::vector<std::pair<int64_t, llvm::DynamicAPInt>> ResiduesOf(llvm::ArrayRef<size_t> coordinates,
                                                                 const Box& box) const;
  bool IsUniform(const Plan& plan) const;
  void CountPlan(const Box& box, const Plan& plan);
  void AddUncounted(const Box& box, const Plan& plan);
  void Add(const Choices& choices, const llvm::DynamicAPInt& times, const Plan& plan);
  bool IsInDomain(const Plan& plan, llvm::ArrayRef<int64_t> point) const;
  int64_t ResidueOf(int64_t offset) const {
    return support::FloorMod(offset, problem_.period_bits);
  }
  Choices RequestAt(const Plan& plan, const Box& box, llvm::MutableArrayRef<int64_t> point,
                    int64_t residue);
  LanePatterns* PatternsFor(const Plan& plan);
  void LookAtFirstLane(const Plan& plan, const Box& box, llvm::MutableArrayRef<int64_t> point);
  RequestSectors RequestByPattern(const Plan& plan, const Box& box,
                                  llvm::MutableArrayRef<int64_t> point, int64_t residue);
  void GatherLanes(const Plan& plan, const Box& box, llvm::MutableArrayRef<int64_t> point,
                   int64_t residue);
  void GroupLanes(const Box& box, llvm::MutableArrayRef<int64_t> point);
  void NoteStride();

  const RequestProblem& problem_;
  const CoordinateSum& offset_;
  // By coordinate and sum.
  std::vector<std::vector<std::optional<CoordinateSystem::Period>>> periods_;
  // The offset as far as it decides on sectors, and by coordinate its periods.
  CoordinateSum residue_offset_;
  std::vector<std::optional<CoordinateSystem::Period>> residue_periods_;
  std::vector<llvm::BitVector> dependences_;
  std::vector<llvm::BitVector> quotient_dependences_;
  // Whether lanes of a request may have different values of what is known at run time; and whether
  // all requests have the same.
  bool runtime_is_divergent_ = false;
  bool runtime_is_constant_ = true;

  int64_t remaining_;
  int64_t max_boxes_ = 0;
  int64_t num_boxes_ = 0;
  bool has_stride_ = false;
  RequestTotals totals_;
  // Sectors for each choice of values known at run time, where all requests have the same.
  std::vector<Image::Count> by_choice_;

  // By the constraints that are tested; nullopt where there are no patterns.
  std::map<std::vector<size_t>, std::optional<LanePatterns>> patterns_;
  // Of the plan that is counted; null where it has none.
  LanePatterns* plan_patterns_ = nullptr;
  // By the patterns and the pattern's number, the active lanes, and the residue of the first lane.
  using RequestKey =
      std::pair<std::pair<const LanePatterns*, int64_t>, std::pair<uint64_t, int64_t>>;
  llvm::DenseMap<RequestKey, RequestSectors> known_requests_;
  // Of the request whose first lane was looked at; a bit for each lane that is active.
  struct FirstLane {
    const LanePatterns::Pattern* pattern = nullptr;
    int64_t offset = 0;
    uint64_t active = 0;
  };
  FirstLane first_lane_;
  bool has_first_lane_ = false;

  // Scratch of one request: values of quotients, the active lanes, their offsets, and of each the
  // group that has the same values known at run time.
  std::vector<int64_t> quotients_;
  llvm::SmallVector<int64_t, 32> lanes_;
  llvm::SmallVector<int64_t, 32> offsets_;
  llvm::SmallVector<size_t, 32> group_of_lane_;
  size_t num_groups_ = 0;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_REQUEST_COUNTER_H_
