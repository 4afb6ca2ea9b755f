// The indexing maps of HLO instructions.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/indexing_map.h"

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
  /// Why the maps are not exact.
  std::string reason;
  /// Dimension variables are the index of the output array, results the index of the operand's; an
  /// element reads the union. Not empty unless exactness is kUnknown. Shared by equal instructions.
  std::shared_ptr<const std::vector<IndexingMap>> maps;
};

/// What the elements of one output array read.
struct OutputIndexing {
  /// The operand arrays that are read, in order; the others are not read at all.
  std::vector<OperandIndexing> operands;
  /// Where it is not empty, nothing is known of any operand, and this is why.
  std::string unknown_reason;
};

struct AnalysisOptions {
  /// Whether domains are tightened and expressions simplified by them.
  enum class Simplification : uint8_t { kFull, kNone };
  Simplification simplification = Simplification::kFull;
  /// An instruction that is reached in more ways is taken to be read whole, and maps through it are
  /// supersets.
  size_t max_accesses = 1024;
  /// So many reads are followed through the computations that an instruction calls; then every
  /// instruction counts as read whole.
  int64_t max_steps = 4'000'000;
  /// How deep calls may nest to be followed.
  int max_call_depth = 200;
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

 private:
  class Cache;

  OutputIndexing PassThrough(const hlo::Instruction& instruction, int64_t output_leaf,
                             const hlo::Shape& output);

  mlir::MLIRContext* context_;
  AnalysisOptions options_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_
