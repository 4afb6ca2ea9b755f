// Writes what has reached the operands of an instruction as maps. Private to the folder.
//
// Propagation ends with access sets: for every array of an operand the accesses that have reached
// it, each for some of the outputs of the query. What is left to do is to say that in the
// terms of the public interface, for one output and one direction. An example: of
//
//   f = (f32[3,2], f32[3,2]) fusion(f32[2,3] p), whose outputs are  t = transpose(p)  and  t + 1
//
// one access has reached p, for both outputs: results (d1, d0) in dimensions d0 in [0, 2], d1 in
// [0, 1]. Then
//
//   Write(0, kOutputToInput)   operand 0, exact: (d0, d1) -> (d1, d0), d0 in [0, 2], d1 in [0, 1]
//   Write(1, kOutputToInput)   an equal result, which shares the list of maps: it is written once
//   Write(0, kInputToOutput)   operand 0, exact: (d0, d1) -> (d1, d0), d0 in [0, 1], d1 in [0, 2]
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_MAP_WRITER_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_MAP_WRITER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/access.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/propagation/access_interner.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// Why a map of an access cannot be given: one of its expressions has too many operations
/// (write_map.h) or, which is rarer, overflows.
inline constexpr llvm::StringLiteral kTooLongReason =
    "an index expression is too long to be written down";

/// The map of a simplified access, its device as the last result; nullopt if it is too long.
std::optional<IndexingMap> ExportShortest(DigitContext& digits, const RuntimeTable& runtime_values,
                                          const Access& access, const AnalysisOptions& options,
                                          mlir::MLIRContext* mlir_context);

/// The map of one access in one direction.
struct WrittenMap {
  bool is_too_long = false;
  /// The one map; none if the access reaches nothing.
  MapList list;
};

/// The maps of one access, by direction, once they have been written.
struct AccessMaps {
  std::optional<WrittenMap> maps[2];
};

/// What an analysis has written.
class WrittenMaps {
 public:
  /// The maps of an access without runtime values; `num_devices` is 0 unless it reaches others.
  /// Most are identities, lines and whole arrays, which come again and again.
  AccessMaps& MapsOf(const InternedAccess& access, int64_t num_devices) {
    std::unique_ptr<AccessMaps>& maps = maps_[{&access, num_devices}];
    if (maps == nullptr) maps = std::make_unique<AccessMaps>();
    return *maps;
  }

  /// A reason, once for each text.
  const SharedText& Shared(llvm::StringRef reason) {
    SharedText& text = reasons_[reason];
    if (text == nullptr) text = std::make_shared<const std::string>(reason.str());
    return text;
  }

 private:
  llvm::DenseMap<std::pair<const InternedAccess*, int64_t>, std::unique_ptr<AccessMaps>> maps_;
  llvm::StringMap<SharedText> reasons_;
};

/// What has reached the operands of an instruction from some of its output arrays, which have the
/// same sizes. Refers to what the propagation holds.
struct OperandAccesses {
  const hlo::Instruction& instruction;
  /// The output arrays; output i of an OutputSet is number i of these.
  llvm::ArrayRef<int64_t> output_leaves;
  const OutputSets& sets;
  /// The operands: those of the instruction, or the parameters of its computation.
  llvm::ArrayRef<const hlo::Instruction*> inputs;
  /// By operand and array.
  llvm::ArrayRef<AccessSets> operands;
  /// What the runtime values of the accesses stand for; kExecutingDevice is the executing device.
  const RuntimeTable& runtime_values;
  int64_t num_devices;
};

/// Writes the maps of the outputs of one propagation.
class MapWriter {
 public:
  /// All arguments must outlive the writer.
  MapWriter(mlir::MLIRContext* mlir_context, const AnalysisOptions& options, WrittenMaps& written,
            const OperandAccesses& accesses);

  /// How one of the output arrays and the arrays of the operands are related.
  OutputIndexing Write(int64_t output_leaf, MapDirection direction);

 private:
  // A way in which an array of the operands is read.
  struct OperandRead {
    OperandArray array;
    OutputSet outputs = kNoOutputs;
    // Why it is not exact; null if it is.
    const SharedText* reason = nullptr;
    const BoundAccess* access = nullptr;
    // Null if it is not known which elements are read.
    AccessMaps* maps = nullptr;
  };

  // Outputs that read the same.
  struct EqualOutputs {
    // Those of an array stand together.
    llvm::SmallVector<const OperandRead*, 4> reads;
    // By direction, once they have been written.
    std::optional<OutputIndexing> answers[2];
  };

  void ListOperandReads();
  void GroupOutputs();
  OutputIndexing WriteReads(llvm::ArrayRef<const OperandRead*> reads, MapDirection direction);
  void Collect(llvm::ArrayRef<const OperandRead*> reads, MapDirection direction,
               OutputIndexing::Operands::Elements& operands);
  AccessMaps& MapsOf(const BoundAccess& access);
  const WrittenMap* MapOfRead(const OperandRead& read, MapDirection direction);
  WrittenMap WriteAccess(const BoundAccess& access, MapDirection direction);
  std::optional<IndexingMap> MapOf(const BoundAccess& bound, MapDirection direction);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  WrittenMaps& written_;
  OperandAccesses accesses_;
  llvm::SmallVector<OperandRead, 4> operand_reads_;
  llvm::SmallVector<EqualOutputs, 1> groups_;
  // For each output the number of its group.
  llvm::SmallVector<size_t, 1> group_of_output_;
  // Of accesses with runtime values, which no other query has.
  llvm::DenseMap<const BoundAccess*, std::unique_ptr<AccessMaps>> own_maps_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_MAP_WRITER_H_
