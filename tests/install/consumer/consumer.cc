#include <cstdio>

#include "hlo/parser/parser.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

int main() {
  const auto module = hlo_indexing::hlo::ParseModule(
      "ENTRY e { p = f32[2,3] parameter(0)\n ROOT t = f32[3,2] transpose(p), dimensions={1,0} }");
  if (!module.ok()) return 1;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  hlo_indexing::indexing_analysis::IndexingAnalysis analysis(&context);
  const auto indexing = analysis.OutputToInput((*module)->entry().root(), 0);
  std::puts(indexing.operands().front().maps().front().ToString().c_str());
  return 0;
}
