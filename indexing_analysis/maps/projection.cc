#include "indexing_analysis/maps/projection.h"

#include <string>
#include <utility>

#include "indexing_analysis/maps/access.h"
#include "indexing_analysis/maps/relation_steps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "simplifier/arithmetic.h"
#include "simplifier/elimination.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineExpr;
using simplifier::Atom;
using simplifier::AtomKind;
using Expressions = llvm::SmallVector<AffineExpr, 8>;

// The maps that one map becomes when its ranges go, and maps that are joined afterwards.
constexpr size_t kMaxPieces = 64;
constexpr size_t kMaxMaps = 1024;

// Moves dimensions among the ranges.
class DimensionsAsRanges {
 public:
  DimensionsAsRanges(const IndexingMap& map, llvm::ArrayRef<size_t> kept) : map_(map), kept_(kept) {
    for (size_t i = 0; i < map.num_dimensions(); ++i) {
      if (llvm::is_contained(kept, i)) continue;
      const auto range = static_cast<unsigned>(ranges_.size());
      gone_.emplace_back(i, mlir::getAffineSymbolExpr(range, map.context()));
      ranges_.push_back({map.dimensions()[i].bounds, ""});
    }
    for (const Variable& range : map.ranges()) ranges_.push_back({range.bounds, ""});
  }

  IndexingMap Apply(llvm::ArrayRef<size_t> kept_results) const {
    std::vector<Variable> dimensions;
    for (const size_t i : kept_) dimensions.push_back(map_.dimensions()[i]);
    std::vector<RuntimeVariable> runtime = map_.runtime().vec();
    for (RuntimeVariable& variable : runtime) {
      if (!variable.index.IsUnknown()) variable.index = IndexOf(variable.index);
    }
    const Expressions symbols = SymbolsOf(map_);
    std::vector<MapConstraint> constraints;
    for (const MapConstraint& constraint : map_.constraints()) {
      constraints.push_back({Moved(constraint.expression, symbols), constraint.bounds});
    }
    Expressions results;
    for (const size_t i : kept_results) {
      results.push_back(Moved(map_.affine_map().getResult(static_cast<unsigned>(i)), symbols));
    }
    return {AffineMapOf(map_, results), std::move(dimensions), ranges_, std::move(runtime),
            constraints};
  }

 private:
  // The index of a runtime variable, in the variables of the map and runtime variables of its own.
  IndexingMap IndexOf(const IndexingMap& index) const {
    std::vector<Variable> dimensions;
    for (const size_t i : kept_) dimensions.push_back(index.dimensions()[i]);
    std::vector<RuntimeVariable> runtime = index.runtime().vec();
    for (RuntimeVariable& variable : runtime) {
      if (!variable.index.IsUnknown()) variable.index = IndexOf(variable.index);
    }
    const Expressions symbols = SymbolsOf(index);
    Expressions results;
    for (const AffineExpr result : index.affine_map().getResults()) {
      results.push_back(Moved(result, symbols));
    }
    return {AffineMapOf(index, results), std::move(dimensions), ranges_, std::move(runtime), {}};
  }

  mlir::AffineMap AffineMapOf(const IndexingMap& map, llvm::ArrayRef<AffineExpr> results) const {
    return mlir::AffineMap::get(static_cast<unsigned>(kept_.size()),
                                static_cast<unsigned>(ranges_.size() + map.num_runtime()), results,
                                map_.context());
  }

  // The ranges, then the runtime variables, behind the dimensions that become ranges.
  Expressions SymbolsOf(const IndexingMap& map) const {
    Expressions symbols;
    for (unsigned i = 0; i < map_.num_ranges() + map.num_runtime(); ++i) {
      symbols.push_back(
          mlir::getAffineSymbolExpr(static_cast<unsigned>(gone_.size()) + i, map_.context()));
    }
    return symbols;
  }

  AffineExpr Moved(AffineExpr expression, llvm::ArrayRef<AffineExpr> symbols) const {
    Expressions dimensions(map_.num_dimensions());
    for (const auto& [i, range] : gone_) dimensions[i] = range;
    for (size_t i = 0; i < kept_.size(); ++i) {
      dimensions[kept_[i]] = mlir::getAffineDimExpr(static_cast<unsigned>(i), map_.context());
    }
    return expression.replaceDimsAndSymbols(dimensions, symbols);
  }

  const IndexingMap& map_;
  llvm::ArrayRef<size_t> kept_;
  std::vector<std::pair<size_t, AffineExpr>> gone_;
  std::vector<Variable> ranges_;
};

// The variables of an access that a sum mentions, by number.
void Mention(const Sum& sum, std::vector<bool>& mentioned) {
  llvm::SmallPtrSet<const Atom*, 16> seen;
  ForEachAtom(sum, seen, [&](const Atom& atom) {
    if (atom.kind == AtomKind::kVariable) mentioned[atom.variable] = true;
  });
}

// Those that results, or indices of runtime values, mention.
std::vector<bool> MentionedByResults(const Access& access, const RuntimeTable& table) {
  std::vector<bool> mentioned(access.map.boxes.size(), false);
  for (const Sum& result : access.map.results) Mention(result, mentioned);
  for (const RuntimeSource& source : table) {
    for (const Sum& index : source.index) Mention(index, mentioned);
  }
  return mentioned;
}

std::vector<bool> MentionedAnywhere(const Access& access, const RuntimeTable& table) {
  std::vector<bool> mentioned = MentionedByResults(access, table);
  for (const auto& constraint : access.map.constraints) {
    Mention(constraint.expression, mentioned);
  }
  return mentioned;
}

absl::Status CheckNumbers(llvm::ArrayRef<size_t> numbers, size_t count, const char* what) {
  std::vector<bool> seen(count, false);
  for (const size_t number : numbers) {
    if (number >= count) {
      return absl::OutOfRangeError("there is no " + std::string(what) + " " +
                                   std::to_string(number) + ": the map has " +
                                   std::to_string(count));
    }
    if (seen[number]) {
      return absl::InvalidArgumentError(std::string(what) + " " + std::to_string(number) +
                                        " is named twice");
    }
    seen[number] = true;
  }
  return absl::OkStatus();
}

// The steps are those of joining what one map becomes, and of other maps of the answer.
absl::StatusOr<std::vector<IndexingMap>> EliminateRanges(const IndexingMap& map,
                                                         RelationSteps& steps) {
  // Variables and constraints of the domains that are looked at, in sum.
  constexpr size_t kMaxWork = size_t{1} << 14;
  DigitContext context;
  RuntimeTable table;
  Access access = ImportMap(context, table, map);
  if (!access.map.empty) simplifier::Simplify(context, access.map);
  if (access.map.empty) return std::vector<IndexingMap>();
  const std::vector<bool> is_result = MentionedByResults(access, table);
  std::vector<simplifier::QuasiAffineMap> pieces = {access.map};
  size_t work = 0;
  for (const VariableId range : access.ranges) {
    if (is_result[range]) continue;
    for (const simplifier::QuasiAffineMap& piece : pieces) {
      work += piece.boxes.size() + piece.constraints.size();
    }
    if (work > kMaxWork) break;
    std::vector<simplifier::QuasiAffineMap> next;
    bool is_gone = true;
    for (const simplifier::QuasiAffineMap& piece : pieces) {
      auto without = simplifier::Eliminate(context, piece, range, kMaxPieces);
      is_gone = without && next.size() + without->size() <= kMaxPieces;
      if (!is_gone) break;
      next.insert(next.end(), without->begin(), without->end());
    }
    if (is_gone) pieces = std::move(next);
  }
  DropAmbiguousNames(access, table);
  std::vector<IndexingMap> maps;
  for (simplifier::QuasiAffineMap& piece : pieces) {
    Access written = access;
    written.map = std::move(piece);
    const std::vector<bool> mentioned = MentionedAnywhere(written, table);
    llvm::erase_if(written.ranges, [&](VariableId range) { return !mentioned[range]; });
    std::optional<IndexingMap> exported =
        ExportMap(context, table, written, UnusedVariables::kKeep, map.context());
    if (!exported) {
      return absl::OutOfRangeError(
          "an expression of the projection overflows 64 bits, divides by zero or is too long to be "
          "written");
    }
    maps.push_back(*std::move(exported));
  }
  return Joined(maps, steps);
}

absl::StatusOr<std::vector<IndexingMap>> Project(const IndexingMap& map, const Projection& kept,
                                                 RelationSteps& steps) {
  if (map.IsUnknown()) return std::vector<IndexingMap>{map};
  if (absl::Status status = CheckProjection(map, kept); !status.ok()) return status;
  if (map.IsKnownEmpty()) return std::vector<IndexingMap>();
  return EliminateRanges(DimensionsAsRanges(map, kept.dimensions).Apply(kept.results), steps);
}

}  // namespace

absl::StatusOr<std::vector<IndexingMap>> EliminateRanges(const IndexingMap& map) {
  RelationSteps steps;
  return EliminateRanges(map, steps);
}

absl::Status CheckProjection(const IndexingMap& map, const Projection& kept) {
  absl::Status status = CheckNumbers(kept.dimensions, map.num_dimensions(), "dimension");
  status.Update(CheckNumbers(kept.results, map.affine_map().getNumResults(), "result"));
  return status;
}

absl::StatusOr<std::vector<IndexingMap>> Project(const IndexingMap& map, const Projection& kept) {
  RelationSteps steps;
  return Project(map, kept, steps);
}

absl::StatusOr<std::vector<IndexingMap>> Project(llvm::ArrayRef<IndexingMap> maps,
                                                 const Projection& kept) {
  RelationSteps steps;
  std::vector<IndexingMap> projected;
  const IndexingMap* first = nullptr;
  for (const IndexingMap& map : maps) {
    if (!map.IsUnknown()) {
      if (first == nullptr) first = &map;
      if (map.num_dimensions() != first->num_dimensions() ||
          map.affine_map().getNumResults() != first->affine_map().getNumResults() ||
          map.num_runtime() != first->num_runtime()) {
        return absl::InvalidArgumentError(
            "the maps have different numbers of dimensions, results or runtime variables");
      }
    }
    absl::StatusOr<std::vector<IndexingMap>> pieces = Project(map, kept, steps);
    if (!pieces.ok()) return pieces.status();
    projected.insert(projected.end(), pieces->begin(), pieces->end());
    if (projected.size() > kMaxMaps) {
      return absl::ResourceExhaustedError("the answer has more than " + std::to_string(kMaxMaps) +
                                          " maps");
    }
  }
  return Joined(projected, steps);
}

}  // namespace hlo_indexing::indexing_analysis
