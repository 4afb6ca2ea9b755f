// The indexing maps of HLO instructions.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/custom_calls.h"
#include "indexing_analysis/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// How much a set of maps says.
enum class Exactness : uint8_t {
  kExact,     // the element reads what the maps give, nothing else
  kSuperset,  // it reads nothing else, but perhaps less
  kUnknown,   // nothing is known
};

/// "exact", "superset" or "unknown".
llvm::StringRef ExactnessName(Exactness exactness);

/// What the elements of one output array read of one operand array.
struct OperandIndexing {
  /// The operand, and its array by number.
  size_t operand = 0;
  int64_t leaf = 0;
  Exactness exactness = Exactness::kExact;
  /// Why the maps are not exact; empty where they are. Valid as long as the analysis.
  llvm::StringRef reason;
  /// From output to input, dimension variables are the index of the output array, results the index
  /// of the operand's; an element reads the union. From input to output, they change roles: an
  /// element goes to the union, and one that is not read is outside all domains. Not empty unless
  /// exactness is kUnknown. Valid as long as the analysis.
  const std::vector<IndexingMap>* maps = nullptr;
  /// Which device each of the maps reaches: a map with the same variables and domain, whose runtime
  /// variable `replica` is the device that asks and whose one result is the device whose array is
  /// meant; nothing where that is the device itself. Null where no map reaches another device. In
  /// both directions the other runtime variables have their values on the device of the output.
  /// Device r * num_partitions + p runs partition p of replica r. Valid as long as the analysis.
  const std::vector<std::optional<IndexingMap>>* replica_maps = nullptr;
};

/// How one output array and the arrays of the operands are related, in one direction.
/// Copies are cheap: they share what does not change.
class OutputIndexing {
 public:
  /// Of an output that reads nothing.
  OutputIndexing() = default;
  explicit OutputIndexing(llvm::ArrayRef<OperandIndexing> operands)
      : operands_(std::make_shared<const Operands>(operands)) {}
  /// The reason must outlive the result and its copies.
  static OutputIndexing Unknown(llvm::StringRef reason) {
    OutputIndexing result;
    result.unknown_reason_ = reason;
    return result;
  }

  /// The operand arrays that are read, in order; the others are not read at all. Valid as long as a
  /// copy of this object.
  llvm::ArrayRef<OperandIndexing> operands() const& {
    if (operands_ == nullptr) return {};
    return *operands_;
  }
  llvm::ArrayRef<OperandIndexing> operands() const&& = delete;

  /// Where it is not empty, nothing is known of any operand, and this is why.
  llvm::StringRef unknown_reason() const { return unknown_reason_; }

 private:
  using Operands = llvm::SmallVector<OperandIndexing, 1>;

  std::shared_ptr<const Operands> operands_;
  llvm::StringRef unknown_reason_;
};

struct AnalysisOptions {
  /// Whether domains are tightened and expressions simplified by them.
  enum class Simplification : uint8_t { kFull, kNone };
  Simplification simplification = Simplification::kFull;
  /// An instruction that is reached in more ways is taken to be read whole, and maps through it are
  /// supersets.
  size_t max_accesses = 64;
  /// The same where the ways differ by values that are known at run time only: nobody looks at so
  /// many cases.
  size_t max_accesses_with_values = 8;
  /// So many reads are followed, for each output, through the computations that an instruction
  /// calls; then every instruction counts as read whole.
  int64_t max_steps = 4'000'000;
  /// How deep calls may nest to be followed.
  int max_call_depth = 200;
  /// What custom calls read. Must outlive the analysis; null: nothing is known of any.
  const CustomCallRegistry* custom_calls = nullptr;
};

/// Computes indexing maps and remembers what instructions of the same kind share. The modules must
/// have passed the verifier, and outlive the analysis. Not thread-safe.
class IndexingAnalysis {
 public:
  explicit IndexingAnalysis(mlir::MLIRContext* context, AnalysisOptions options = {});
  ~IndexingAnalysis();
  IndexingAnalysis(const IndexingAnalysis&) = delete;
  IndexingAnalysis& operator=(const IndexingAnalysis&) = delete;

  /// What each element of the output array `output_leaf` reads of the operands. A fusion or call is
  /// composed through its computation, whatever that calls in turn.
  /// *transpose f32[3,2] of f32[2,3] -> operand 0: (d0, d1) -> (d1, d0)*
  OutputIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_leaf);

  /// Where each element of the operands goes in the output array `output_leaf`: the inverse
  /// relation. *slice f32[3] of f32[16], slice={[1:10:3]} -> operand 0: (d0) -> ((d0 - 1) floordiv
  /// 3), d0 in [1, 7], (d0 - 1) mod 3 in [0, 0]*
  OutputIndexing InputToOutput(const hlo::Instruction& instruction, int64_t output_leaf);

 private:
  class Cache;

  enum class Direction : uint8_t { kOutputToInput, kInputToOutput };

  OutputIndexing Indexing(const hlo::Instruction& instruction, int64_t output_leaf,
                          Direction direction);
  OutputIndexing PassThrough(const hlo::Instruction& instruction, int64_t output_leaf,
                             const hlo::Shape& output);

  mlir::MLIRContext* context_;
  AnalysisOptions options_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_
