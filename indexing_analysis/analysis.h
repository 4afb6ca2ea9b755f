// The indexing maps of HLO instructions. A whole program:
//
//   #include <iostream>
//   #include "hlo/parser/parser.h"
//   #include "hlo/shape_inference/verifier.h"
//   #include "indexing_analysis/analysis.h"
//   #include "mlir/IR/MLIRContext.h"
//
//   using namespace hlo_indexing;
//
//   int main() {
//     const auto module = hlo::ParseModule(R"(
//         ENTRY entry {
//           p = f32[2,3] parameter(0)
//           t = f32[3,2] transpose(p), dimensions={1,0}
//           ROOT s = f32[2,2] slice(t), slice={[0:2], [0:2]}
//         })");
//     if (!module.ok() || !hlo::Verify(**module).ok()) return 1;
//     mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
//     indexing_analysis::IndexingAnalysis analysis(&context);
//     for (const hlo::Instruction* instruction : (*module)->entry().instructions()) {
//       std::cout << instruction->name().str() << ": "
//                 << analysis.OutputToInput(*instruction, /*output_leaf=*/0).ToString() << '\n';
//     }
//     return 0;
//   }
//
// It prints
//
//   p: reads nothing
//   t: operand 0: (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]
//   s: operand 0: (d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1]
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/propagation/options.h"
#include "indexing_analysis/propagation/trace.h"
#include "indexing_analysis/rules/custom_calls.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// Computes indexing maps, and memoizes what instructions of the same kind share. The modules must
/// have passed the verifier and outlive the analysis; an analysis belongs to one thread. Answers do
/// not depend on earlier queries, unless a limit of the options is met, and may outlive the
/// analysis (output_indexing.h).
class IndexingAnalysis {
 public:
  explicit IndexingAnalysis(mlir::MLIRContext* context, AnalysisOptions options = {});
  ~IndexingAnalysis();
  IndexingAnalysis(const IndexingAnalysis&) = delete;
  IndexingAnalysis& operator=(const IndexingAnalysis&) = delete;

  /// What each element of the output array `output_leaf` reads of the operands. A fusion or call is
  /// composed through its computation, whatever that calls in turn.
  /// Example: transpose f32[3,2] of f32[2,3] -> operand 0: (d0, d1) -> (d1, d0)
  OutputIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_leaf);

  /// Where each element of the operands goes in the output array `output_leaf`: the inverse
  /// relation.
  /// Example: slice f32[3] of f32[16], slice={[1:10:3]} -> operand 0: (d0) -> ((d0 - 1) floordiv
  /// 3), d0 in [1, 7], (d0 - 1) mod 3 in [0, 0]
  OutputIndexing InputToOutput(const hlo::Instruction& instruction, int64_t output_leaf);

  /// What each element of an array of an instruction's output reads of the parameters of its own
  /// computation, on all ways that do not lead through the instructions `available`, and of these:
  /// what a kernel still has to load where it has these already. Operands of the answer are the
  /// parameters by number, then `available`.
  /// Example: r = add(s, p1) of (p0, p1) with s = exponential(p0), s available -> operand 1:
  /// (d0) -> (d0), operand 2: (d0) -> (d0)
  OutputIndexing OutputToParameters(const hlo::Instruction& instruction, int64_t output_leaf,
                                    llvm::ArrayRef<const hlo::Instruction*> available);

  /// How the maps of an output array are made: the instructions that propagation visits, each with
  /// the accesses that have reached it, users before operands. What other queries have found is not
  /// used, so that no step is missing.
  /// Example: for a fusion whose root is a transpose f32[3,2] of its parameter: the fusion and the
  /// transpose with (d0, d1) -> (d0, d1), the parameter with (d0, d1) -> (d1, d0)
  std::vector<TraceStep> TracePropagation(const hlo::Instruction& instruction, int64_t output_leaf);

 private:
  class Cache;

  OutputIndexing Indexing(const hlo::Instruction& instruction, int64_t output_leaf,
                          MapDirection direction);

  mlir::MLIRContext* context_;
  AnalysisOptions options_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ANALYSIS_H_
