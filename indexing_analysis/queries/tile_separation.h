// A map from (tile)[place in the tile] to indices, its sums taken apart into what depends on the
// tile and what depends on the place. Private to the folder.
//
// Example: (d0)[s0] -> ((d0 * 8 + s0) floordiv 4), d0 in [0, 7], s0 in [0, 7] is d0 * 2 of the tile
// and s0 floordiv 4 of the place. With d0 * 6 in place of d0 * 8 the quotient mixes both; then
// every second tile is alike: FindKinds() cuts the tiles into the even and the odd ones.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_SEPARATION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_SEPARATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/arithmetic.h"
#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {

class TileSeparation {
 public:
  /// Dimensions of the map are tiles, numbered from 0 to `counts`, ranges are places. Values known
  /// at run time that are the same for the whole tile belong to it, others to the place.
  TileSeparation(const IndexingMap& map, llvm::ArrayRef<int64_t> counts);

  /// Whether no tile needs anything.
  bool IsEmpty() const { return f_.empty; }
  /// Whether a value that differs between places of a tile says which elements are needed.
  bool PlacesDependOnRuntime() const { return places_depend_on_runtime_; }

  /// tile + place; the constant is the tile's. What mixes both is in neither.
  struct Parts {
    simplifier::Sum tile;
    simplifier::Sum place;
    llvm::SmallVector<simplifier::Term, 2> mixed;
  };
  /// Of each result.
  llvm::ArrayRef<Parts> results() const { return results_; }

  /// Whether nothing is mixed, but in constraints that are bounds of a result.
  bool IsSeparated() const { return is_separated_; }

  /// bounds.lower <= result `result` - shift <= bounds.upper, where shift is the tile's.
  struct Bound {
    size_t result = 0;
    simplifier::Sum shift;
    Interval bounds;
  };
  llvm::ArrayRef<Bound> bounds() const { return bounds_; }

  /// Cuts tiles into progressions in one dimension, so that fewer sums mix tile and place within
  /// each; nullopt if nothing helps, or these would be more than `max_kinds`. Needed until
  /// IsSeparated().
  /// Example: six tiles, period 2 -> 0, 2, 4 | 1, 3, 5
  struct Kinds {
    size_t dimension = 0;
    std::vector<Progression> tiles;
  };
  std::optional<Kinds> FindKinds(size_t max_kinds);
  /// What mixes both, for people; empty if nothing does.
  std::string MixedText() const;

  /// The places that the domain allows, and what they add to the offset: places as dimensions.
  /// nullopt if it is too long to be written down.
  std::optional<IndexingMap> PlaceMap();
  /// A map from the tile, with the tile's conditions and runtime values, to these sums of the
  /// tile's. The domain is all tiles if `ignore_conditions`.
  std::optional<IndexingMap> TileMap(llvm::ArrayRef<simplifier::Sum> sums, bool ignore_conditions);

  /// A progression around what a result is in each tile, and the tile's part of it.
  struct Hull {
    simplifier::Sum tile;
    Interval place;
    int64_t stride = 1;
  };
  Hull HullOf(size_t result);

 private:
  enum class Side : uint8_t { kNeither, kTile, kPlace, kBoth };

  Side SideOf(const simplifier::Sum& sum) const;
  Side SideOf(const simplifier::Term& term) const;
  Side SideOfAtom(const simplifier::Atom& atom) const;
  bool IsTile(const simplifier::Atom& leaf) const;
  void RemovePlacesOfOneConstraint();
  void OpenEndsWithoutEffect();
  Parts Separate(const simplifier::Sum& sum);
  std::optional<Bound> AsBound(const simplifier::Constraint& constraint, const Parts& parts);
  std::optional<Kinds> KindsByPeriod(const simplifier::Term& term, size_t max_kinds) const;
  std::optional<Kinds> KindsByConstraint(const simplifier::Constraint& constraint,
                                         const Parts& parts, size_t max_kinds) const;
  std::optional<Kinds> OneByOne(const simplifier::Sum& sum, size_t max_kinds) const;

  // What it was read from.
  IndexingMap map_;
  // Of tiles; the bounds of the map may be narrower.
  llvm::SmallVector<int64_t, 4> counts_;
  simplifier::DigitContext context_;
  simplifier::QuasiAffineMap f_;
  // Of each runtime variable: whether all places of a tile have the same value, and whether the
  // tile depends on that.
  std::vector<bool> is_same_in_tile_;
  std::vector<bool> is_used_by_tile_;
  bool places_depend_on_runtime_ = false;
  bool is_separated_ = true;
  std::vector<Parts> results_;
  std::vector<Bound> bounds_;
  std::vector<simplifier::Constraint> of_tile_;
  std::vector<simplifier::Constraint> of_place_;
  struct MixedConstraint {
    simplifier::Constraint constraint;
    Parts parts;
  };
  std::vector<MixedConstraint> mixed_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_SEPARATION_H_
