// Indexing maps: which elements of one tensor an element of another one reads.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INDEXING_MAP_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INDEXING_MAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "simplifier/interval.h"
#include "support/diagnostics.h"
#include "support/printing.h"

namespace hlo_indexing::hlo {
class Instruction;
}

namespace hlo_indexing::indexing_analysis {

using simplifier::Interval;
using support::operator<<;
using support::PrintTo;

/// A variable of a map: its bounds, both inclusive, and the name it prints with; an empty name
/// stands for the default one, d0, s0 or rt0 by kind and number. The index of a dimension whose
/// size is not known, as of f32[?,4], has no upper bound; a map holds for the elements that there
/// are.
struct Variable {
  Interval bounds;
  std::string name;
};

struct RuntimeVariable;

/// `bounds.lower <= expression <= bounds.upper`.
struct MapConstraint {
  mlir::AffineExpr expression;
  Interval bounds;

  friend bool operator==(const MapConstraint&, const MapConstraint&) = default;
};

/// A function from dimension, range and runtime variables to an index, on a domain:
///
///   (d0, d1)[s0]{rt0} -> (s0, d0 + rt0), domain: d0 in [0, 9], d1 in [0, 19], s0 in [0, 3],
///     rt0 in [0, 5], d0 + s0 in [0, 12]
///
/// Dimension variables are the index of the tensor that is mapped from. Range variables take all
/// their values: the element reads the results for every one of them. Runtime variables have one
/// value each, known at run time. In the affine map the dimension variables are dimensions; range
/// variables, then runtime variables, are symbols. A map may also be empty (no point is in its
/// domain) or unknown (nothing can be said).
///
/// Variables have values of 64 bits, expressions are functions to the integers: an equal map may
/// have other intermediate values, and leave 64 bits where this one does not. An array that fits
/// into memory is far from there.
///
/// Copies are cheap: they share what does not change.
class IndexingMap {
 public:
  /// The unknown map.
  IndexingMap() = default;
  /// A constraint on a dimension or range variable alone narrows its bounds. One on a runtime
  /// variable stays: the bounds of these say how the value is clamped, not for which values the map
  /// holds.
  IndexingMap(mlir::AffineMap affine_map, std::vector<Variable> dimensions,
              std::vector<Variable> ranges, std::vector<RuntimeVariable> runtime,
              llvm::ArrayRef<MapConstraint> constraints);
  /// A map from an array of these sizes (hlo::kUnboundedSize if one is not known), without range
  /// and runtime variables or constraints.
  static IndexingMap FromSizes(mlir::AffineMap affine_map, llvm::ArrayRef<int64_t> sizes);
  /// The same variables and number of results as `like`, and no point in the domain.
  static IndexingMap KnownEmpty(const IndexingMap& like);

  /// The same variables and domain with other results. `affine_map` must have as many dimensions
  /// and symbols; the map must not be unknown.
  IndexingMap WithResults(mlir::AffineMap affine_map) const;

  bool IsUnknown() const { return !affine_map_; }
  /// Whether the domain is known to have no point. A map may be empty without being known to be.
  bool IsKnownEmpty() const { return domain_ != nullptr && domain_->known_empty; }

  mlir::AffineMap affine_map() const { return affine_map_; }
  mlir::MLIRContext* context() const { return affine_map_.getContext(); }
  llvm::ArrayRef<Variable> dimensions() const;
  llvm::ArrayRef<Variable> ranges() const;
  llvm::ArrayRef<RuntimeVariable> runtime() const;
  llvm::ArrayRef<MapConstraint> constraints() const;
  size_t num_dimensions() const { return dimensions().size(); }
  size_t num_ranges() const { return ranges().size(); }
  size_t num_runtime() const;

  /// The name that a variable prints with: the symbols are the ranges, then the runtime variables.
  std::string DimensionName(size_t i) const;
  std::string SymbolName(size_t i) const;

  /// OK if the affine map has as many dimensions and symbols as there are variables and no
  /// constraint mentions others, and the same holds for the maps of runtime variables.
  absl::Status Verify() const;

  /// Whether the values are in the variables' bounds and meet every constraint. `symbols` are the
  /// ranges, then the runtime variables. False if a constraint cannot be evaluated.
  bool DomainContains(llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) const;

  /// The results at a point, whether or not it is in the domain. nullopt on overflow and division
  /// by zero. Example: (d0)[s0] -> (d0 * 4 + s0) at ({2}, {1}) -> {9}
  std::optional<llvm::SmallVector<int64_t>> Evaluate(llvm::ArrayRef<int64_t> dimensions,
                                                     llvm::ArrayRef<int64_t> symbols) const;

  /// Writes the map in the form above. Every text parses back to an equal map; the empty map prints
  /// `domain: KNOWN EMPTY`, the unknown one `UNKNOWN`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
  /// An expression over the variables of this map. Example: "d0 * 4 + s0"
  std::string ToString(mlir::AffineExpr expression) const;

  /// Structural equality: expressions, bounds, constraints in any order, and what runtime variables
  /// stand for. Names do not count.
  friend bool operator==(const IndexingMap& a, const IndexingMap& b) {
    return a.affine_map_ == b.affine_map_ && (a.domain_ == b.domain_ || SameDomain(a, b));
  }
  friend llvm::hash_code hash_value(const IndexingMap& map);

 private:
  struct Domain {
    // The bounds of the dimension or range variable that the expression is; null for other
    // expressions.
    Interval* NarrowableBounds(mlir::AffineExpr expression);

    std::vector<Variable> dimensions;
    std::vector<Variable> ranges;
    std::vector<RuntimeVariable> runtime;
    std::vector<MapConstraint> constraints;
    bool known_empty = false;
  };

  static bool SameDomain(const IndexingMap& a, const IndexingMap& b);

  IndexingMap(mlir::AffineMap affine_map, std::shared_ptr<const Domain> domain)
      : affine_map_(affine_map), domain_(std::move(domain)) {}

  mlir::AffineMap affine_map_;
  // Null for the unknown map.
  std::shared_ptr<const Domain> domain_;
};

/// A variable whose value is an element of an instruction's output, clamped to `bounds`.
struct RuntimeVariable {
  Interval bounds;
  std::string name;
  /// The instruction, and the array of its output by number; null for a map read from text.
  const hlo::Instruction* instruction = nullptr;
  int64_t leaf = 0;
  /// Where the instruction stands inside computations that are called: the calls that lead to it,
  /// from the outermost. The instruction of the query is not among them.
  llvm::SmallVector<const hlo::Instruction*, 0> calls;
  /// Which element: a map with the dimension and range variables of the map that the variable
  /// belongs to. Unknown if `instruction` is null.
  IndexingMap index;

  friend bool operator==(const RuntimeVariable& a, const RuntimeVariable& b);
};

inline llvm::ArrayRef<Variable> IndexingMap::dimensions() const {
  if (domain_ == nullptr) return {};
  return domain_->dimensions;
}

inline llvm::ArrayRef<Variable> IndexingMap::ranges() const {
  if (domain_ == nullptr) return {};
  return domain_->ranges;
}

inline llvm::ArrayRef<RuntimeVariable> IndexingMap::runtime() const {
  if (domain_ == nullptr) return {};
  return domain_->runtime;
}

inline llvm::ArrayRef<MapConstraint> IndexingMap::constraints() const {
  if (domain_ == nullptr) return {};
  return domain_->constraints;
}

inline size_t IndexingMap::num_runtime() const { return runtime().size(); }

/// Parses a map, or reports what is wrong with its place in the text.
///
///   map   ::= variables '->' '(' [expr {',' expr}] ')' [',' 'domain' ':' (items | 'KNOWN EMPTY')]
///           | 'KNOWN EMPTY' | 'UNKNOWN'
///   variables ::= '(' names ')' ['[' names ']'] ['{' names '}']
///   item  ::= (name | expr) 'in' '[' (integer | '-inf') ',' (integer | 'inf') ']'
///   expr  ::= sums of products of factors with + - * floordiv ceildiv mod, parentheses and
///   integers
///
/// `/` and `floorDiv` stand for floordiv, `ceilDiv` for ceildiv, `UNDEFINED` for UNKNOWN; all
/// divisions round towards minus infinity, and `mod` has the sign of its divisor. Every variable
/// needs bounds.
std::optional<IndexingMap> ParseIndexingMap(llvm::StringRef text, mlir::MLIRContext* context,
                                            support::TextError& error);

/// The same with the error as a status.
absl::StatusOr<IndexingMap> ParseIndexingMap(llvm::StringRef text, mlir::MLIRContext* context);

/// The value of an expression at a point; nullopt on overflow and division by zero.
std::optional<int64_t> EvaluateExpression(mlir::AffineExpr expression,
                                          llvm::ArrayRef<int64_t> dimensions,
                                          llvm::ArrayRef<int64_t> symbols);

/// The map in simplest form: expressions in the shortest form of their normal form, variables
/// bounded as tightly as the constraints imply, implied constraints dropped, an empty domain
/// recognised. The variables stay the same, unused ones included; so does the function on every
/// point of the domain, and the domain. Simplifying again changes nothing.
IndexingMap Simplify(const IndexingMap& map);

/// The same relation between dimensions and results with other range variables: if a constraint
/// gives the remainder of one, as `s0 mod 42 in [33, 33]` does, the new one counts the multiples. A
/// map with a runtime variable whose index is known keeps its ranges, for that may mention them.
/// Example: ()[s0] -> (s0), s0 in [0, 1000], s0 mod 42 in [33, 33] gives ()[s0] -> (s0 * 42 + 33),
/// s0 in [0, 23]
IndexingMap RescaleRanges(const IndexingMap& map);

/// The map without the range and runtime variables that neither a result nor a constraint mentions,
/// its expressions in normal form. The relation between dimensions and results stays the same: a
/// variable that is dropped has a value.
IndexingMap RemoveUnusedVariables(const IndexingMap& map);

/// `second` after `first`, simplified: (second o first)(x) = second(first(x)) for x in the
/// domain of `first` and its results in that of `second`. The variables are the dimensions of
/// `first`, the ranges of `second`, then `first`, and the runtime variables of `second`, then
/// `first`. Unknown if one of them is. `first` must have as many results as `second` has
/// dimensions.
IndexingMap Compose(const IndexingMap& first, const IndexingMap& second);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INDEXING_MAP_H_
