// Sums and constraints as an IndexingMap: the one way from the normal form back to expressions.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_WRITE_MAP_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_WRITE_MAP_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::indexing_analysis {

/// The variables of a map, in its order: dimensions, ranges, runtime variables.
struct MapVariables {
  std::vector<Variable> dimensions;
  std::vector<Variable> ranges;
  std::vector<RuntimeVariable> runtime;
};

/// Says which variable of the map a variable or function atom is, counted through all three kinds.
using VariableNumber = llvm::function_ref<size_t(const simplifier::Atom&)>;

/// Changes the expressions of a map before their order is decided.
using AdjustExpressions =
    llvm::function_ref<void(llvm::MutableArrayRef<mlir::AffineExpr> results,
                            llvm::SmallVectorImpl<MapConstraint>& constraints)>;

/// The map with these variables, results and constraints, in shortest form. A constant of a
/// constraint belongs to its bounds, unless that overflows; constraints are in an order that does
/// not depend on the order in which they were met. nullopt if an expression overflows or is beyond
/// the limits of expression_limits.h: "too long to be written down".
std::optional<IndexingMap> WriteMap(simplifier::DigitContext& context,
                                    llvm::ArrayRef<simplifier::Sum> results,
                                    llvm::ArrayRef<simplifier::Constraint> constraints,
                                    MapVariables variables, VariableNumber number,
                                    mlir::MLIRContext* mlir_context,
                                    AdjustExpressions adjust = nullptr);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_WRITE_MAP_H_
