// Any bytes as HLO text: parsed modules print to text that parses back to the same text, and their
// maps can be asked for.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "hlo/parser/parser.h"
#include "hlo/printer.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace {

using hlo_indexing::hlo::Instruction;
using hlo_indexing::hlo::Module;
using hlo_indexing::support::Diagnostic;

void Require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  llvm::errs() << what << "\n" << text;
  std::abort();
}

void CheckRoundTrip(const Module& module) {
  const std::string text = ToString(module);
  const auto again = hlo_indexing::hlo::ParseModule(text);
  Require(again.ok(), "does not parse back", text + std::string(again.status().message()));
  Require(ToString(**again) == text, "prints differently", text);
}

void CheckMaps(const Module& module, mlir::MLIRContext* context) {
  constexpr int64_t kMaxLeaves = 64;
  hlo_indexing::indexing_analysis::AnalysisOptions options;
  options.max_accesses = 64;
  options.max_steps = 20000;
  hlo_indexing::indexing_analysis::IndexingAnalysis analysis(context, options);
  for (const auto* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const int64_t leaves = std::min(instruction->shape().num_array_leaves(), kMaxLeaves);
      for (int64_t leaf = 0; leaf < leaves; ++leaf) analysis.OutputToInput(*instruction, leaf);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static mlir::MLIRContext* const context =
      new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
  const auto text = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  std::vector<Diagnostic> diagnostics;
  for (const auto& module : hlo_indexing::hlo::ParseModules(text, {}, diagnostics)) {
    CheckRoundTrip(*module);
    if (hlo_indexing::hlo::Verify(*module).ok()) CheckMaps(*module, context);
  }
  for (const Diagnostic& diagnostic : diagnostics) diagnostic.Render();
  return 0;
}
