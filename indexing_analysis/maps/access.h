// Maps in the making: indices as digit sums, from the root of an analysis to some instruction.
//
// Composition happens here, without a detour over affine expressions. An Access says how an element
// of the tensor that is mapped from reaches an element of another tensor; a read rule turns an
// access to an instruction's output into accesses to its operands. Only what is reported becomes an
// IndexingMap.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_ACCESS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_ACCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::DigitContext;
using simplifier::Sum;
using simplifier::VariableId;

/// What a function atom of the digit context stands for.
struct RuntimeSource {
  const hlo::Instruction* instruction = nullptr;
  int64_t leaf = 0;
  llvm::SmallVector<const hlo::Instruction*, 0> calls;
  /// The bounds, the element's index and the name that a variable has which no result mentions.
  Interval bounds;
  llvm::SmallVector<Sum, 1> index;
  std::string name;
  /// Whether it comes from a map that has been composed with accesses.
  bool is_composed = false;
};

/// The runtime values of one analysis; function atoms carry their numbers.
using RuntimeTable = std::vector<RuntimeSource>;

/// A map whose results are the index into the array that the access has reached.
struct Access {
  /// Variables 0 to num_dimensions - 1 are dimension variables, the others range variables.
  simplifier::QuasiAffineMap map;
  size_t num_dimensions = 0;
  /// The range variables and the runtime values, in the order in which they print.
  llvm::SmallVector<VariableId, 4> ranges;
  llvm::SmallVector<uint32_t, 2> runtime;
  /// Names of variables by number; variables beyond its end have the default name.
  llvm::SmallVector<std::string, 0> names;
  /// Whether the last result is the device whose array is reached; else it is the device itself.
  bool has_device = false;
  /// Why more is covered than is read; empty if it is not. Not a part of the access's identity.
  std::string superset_reason;

  /// The results without the device.
  llvm::ArrayRef<Sum> Index() const {
    return llvm::ArrayRef<Sum>(map.results).drop_back(has_device ? 1 : 0);
  }

  /// Writes the access as an indexing map is written, with numbers for the runtime values and the
  /// element that they are read at, and the device behind the results.
  /// Example: (d0)[s0]{rt1} -> (d0 + rt1(s0)) on device rt0, domain: d0 in [0, 3], s0 in [0, 1]
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

  /// A new range variable, to be printed before the present ones; its number.
  VariableId AddRange(Interval bounds);
};

/// Makes every element of an array of these sizes what is read, behind the present results: a new
/// range variable along each dimension.
void ReadAll(DigitContext& context, llvm::ArrayRef<int64_t> sizes, Access& access);

/// Adds the variables of `map` that are not dimensions to `access`, in front of the present ones,
/// and makes the results of `map`, with the present results for its dimensions, the new results.
/// The present results are constrained to the bounds of the dimensions.
void ComposeInto(DigitContext& context, RuntimeTable& table, const IndexingMap& map,
                 Access& access);

/// The variables and results of a map as an access.
Access ImportMap(DigitContext& context, RuntimeTable& table, const IndexingMap& map);

/// Numbers the range variables by their first appearance, so that accesses that differ in the
/// choice of variables become equal, and drops those that nothing mentions.
void RenumberRanges(DigitContext& context, Access& access);

/// Forgets names that two variables share or that read like default ones, after variables have
/// moved.
void DropAmbiguousNames(Access& access, RuntimeTable& table);

enum class UnusedVariables : uint8_t { kKeep, kDrop };

/// The map of a simplified access, in shortest form; with a device, that is its last result.
/// nullopt if an expression overflows or is too long (write_map.h).
std::optional<IndexingMap> ExportMap(DigitContext& context, const RuntimeTable& table,
                                     const Access& access, UnusedVariables unused,
                                     mlir::MLIRContext* mlir_context);

/// Whether all results and constraints of the map are sums of variables with constant
/// coefficients.
bool IsLinear(const IndexingMap& map);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_ACCESS_H_
