// What an analysis answers: how one output array and the arrays of the operands are related.
//
// An answer is a value: it owns what it holds, and its copies share that. It may outlive the
// analysis. What its maps are made of must outlive it: the expressions belong to the
// mlir::MLIRContext, the instructions whose values index to their hlo::Module.
//
// Example: `ROOT r = f32[4,2] concatenate(p, q), dimensions={0}` of f32[2,2] p and q, from output
// to input. Printed, the answer is
//
//   operand 0: (d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1]
//   operand 1: (d0, d1) -> (d0 - 2, d1), domain: d0 in [2, 3], d1 in [0, 1]
//
// and a loop over it is
//
//   for (const OperandIndexing& operand : analysis.OutputToInput(r, 0).operands()) {
//     for (const OperandMap& map : operand.maps()) use(operand.operand(), map.map);
//   }
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OUTPUT_INDEXING_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OUTPUT_INDEXING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/operand_array.h"
#include "indexing_analysis/maps/shared_list.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

/// Which way the maps of an answer lead.
enum class MapDirection : uint8_t {
  kOutputToInput,  // which elements of the operands an element of the output reads
  kInputToOutput,  // which elements of the output an element of an operand goes to
};

/// "output_to_input" or "input_to_output".
llvm::StringRef MapDirectionName(MapDirection direction);

/// How much a set of maps says.
enum class Exactness : uint8_t {
  kExact,     // the element reads what the maps give, nothing else
  kSuperset,  // it reads nothing else, but perhaps less
  kUnknown,   // nothing is known
};

/// "exact", "superset" or "unknown".
llvm::StringRef ExactnessName(Exactness exactness);

/// A map between an output array and an array of an operand.
struct OperandMap {
  /// From output to input, dimension variables are the index of the output array, results the index
  /// of the operand's; from input to output, they change roles. The values that index, as that of
  /// the start of a dynamic-slice, are its runtime variables, `map.runtime()`; in both directions
  /// they are values on the device of the output.
  IndexingMap map;
  /// Which device the map reaches: a map with the same variables and domain, whose runtime variable
  /// `replica` is the executing device and whose one result is the device whose array is meant.
  /// nullopt if that is the executing device itself. Device r * num_partitions + p runs partition p
  /// of replica r.
  std::optional<IndexingMap> replica_map;

  /// The last result of a map, a device, as the result of `replica_map`.
  static OperandMap WithDeviceApart(const IndexingMap& map);

  /// Writes `MAP` or `MAP on replica MAP`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const OperandMap&, const OperandMap&) = default;
};

/// The maps between two arrays: an element is related to what any of them gives.
using MapList = SharedList<OperandMap>;

/// A text that its copies share; null stands for none. Thousands of answers have the same reason.
using SharedText = std::shared_ptr<const std::string>;

/// What the elements of one output array read of one operand array, or the inverse relation.
class OperandIndexing {
 public:
  static OperandIndexing Exact(OperandArray array, MapList maps) {
    return OperandIndexing(array, Exactness::kExact, nullptr, std::move(maps));
  }
  /// `reason` must not be null.
  static OperandIndexing Superset(OperandArray array, MapList maps, SharedText reason) {
    return OperandIndexing(array, Exactness::kSuperset, std::move(reason), std::move(maps));
  }
  static OperandIndexing Unknown(OperandArray array, SharedText reason) {
    return OperandIndexing(array, Exactness::kUnknown, std::move(reason), MapList());
  }
  /// The same with other maps.
  OperandIndexing WithMaps(MapList maps) const {
    return OperandIndexing(array_, exactness_, reason_, std::move(maps));
  }

  const OperandArray& array() const { return array_; }
  size_t operand() const { return array_.operand; }
  int64_t leaf() const { return array_.leaf; }

  Exactness exactness() const { return exactness_; }
  /// Why the maps are not exact; empty if they are.
  std::string reason() const { return reason_ == nullptr ? "" : *reason_; }

  /// The maps, of which an element has the union. Empty if and only if exactness() is kUnknown:
  /// what is not read at all has no OperandIndexing.
  const MapList& maps() const& { return maps_; }
  MapList maps() && { return std::move(maps_); }

  /// Writes the array and, behind it, one exact map, or a line for each map.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

 private:
  OperandIndexing(OperandArray array, Exactness exactness, SharedText reason, MapList maps)
      : maps_(std::move(maps)), reason_(std::move(reason)), array_(array), exactness_(exactness) {}

  MapList maps_;
  SharedText reason_;
  OperandArray array_;
  Exactness exactness_;
};

/// How one output array and the arrays of the operands are related, in one direction.
class OutputIndexing {
 public:
  using Operands = SharedList<OperandIndexing>;

  /// Of an output that reads nothing.
  OutputIndexing() = default;
  explicit OutputIndexing(Operands::Elements operands) {
    if (!operands.empty()) answer_ = std::make_shared<const Answer>(std::move(operands), nullptr);
  }
  /// `reason` must not be null.
  static OutputIndexing Unknown(SharedText reason) {
    OutputIndexing result;
    result.answer_ = std::make_shared<const Answer>(Operands::Elements(), std::move(reason));
    return result;
  }

  /// The operand arrays that are read, in order; the others are not read at all. Valid as long as a
  /// copy of this object; those of a temporary object are a list of their own.
  llvm::ArrayRef<OperandIndexing> operands() const& {
    if (answer_ == nullptr) return {};
    return answer_->operands;
  }
  Operands operands() const&& {
    if (operands().empty()) return Operands();
    return Operands(std::shared_ptr<const Operands::Elements>(answer_, &answer_->operands));
  }

  /// Whether nothing is known of any operand, not even which are read; unknown_reason() says why.
  bool IsUnknown() const { return answer_ != nullptr && answer_->unknown_reason != nullptr; }
  /// Empty unless IsUnknown().
  std::string unknown_reason() const { return IsUnknown() ? *answer_->unknown_reason : ""; }

  /// Writes a line for each operand array, or `all operands: unknown: REASON`, or `reads nothing`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

 private:
  struct Answer {
    Operands::Elements operands;
    SharedText unknown_reason;
  };

  // Null if nothing is read.
  std::shared_ptr<const Answer> answer_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OUTPUT_INDEXING_H_
