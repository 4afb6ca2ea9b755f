// For every fusion of an HLO file: how far apart the elements are that neighbouring output elements
// read. A stride of 1 in the last dimension is what memory likes.
//   print_maps examples/transformer_block.hlo
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace {

using hlo_indexing::hlo::Instruction;
using hlo_indexing::hlo::Opcode;
using hlo_indexing::indexing_analysis::IndexingAnalysis;
using hlo_indexing::indexing_analysis::IndexingMap;
using hlo_indexing::indexing_analysis::OperandIndexing;
using hlo_indexing::indexing_analysis::OperandMap;

// What one step along the last output dimension adds to each result, at the start of the domain.
void PrintStrides(const IndexingMap& map) {
  llvm::SmallVector<int64_t> dimensions;
  llvm::SmallVector<int64_t> symbols;
  for (const auto& variable : map.dimensions()) dimensions.push_back(variable.bounds.lower);
  for (const auto& variable : map.ranges()) symbols.push_back(variable.bounds.lower);
  for (const auto& variable : map.runtime()) symbols.push_back(variable.bounds.lower);
  if (dimensions.empty()) return;
  const auto here = map.Evaluate(dimensions, symbols);
  ++dimensions.back();
  const auto next = map.Evaluate(dimensions, symbols);
  if (!here || !next) return;
  std::cout << "      steps:";
  for (size_t i = 0; i < here->size(); ++i) std::cout << ' ' << (*next)[i] - (*here)[i];
  std::cout << '\n';
}

void PrintFusion(const Instruction& fusion, IndexingAnalysis& analysis) {
  for (int64_t leaf = 0; leaf < fusion.shape().num_array_leaves(); ++leaf) {
    const auto indexing = analysis.OutputToInput(fusion, leaf);
    if (indexing.IsUnknown()) {
      std::cout << fusion.name().str() << ": " << indexing.unknown_reason() << '\n';
      continue;
    }
    for (const OperandIndexing& operand : indexing.operands()) {
      std::cout << fusion.name().str() << " reads "
                << fusion.operand(operand.operand()).name().str() << ", "
                << ExactnessName(operand.exactness()).str() << '\n';
      for (const OperandMap& map : operand.maps()) {
        std::cout << "   " << map.ToString() << '\n';
        PrintStrides(map.map);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: print_maps FILE.hlo\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::cerr << "cannot open " << argv[1] << '\n';
    return 3;
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto module = hlo_indexing::hlo::ParseModule(text, {.file_name = argv[1]});
  if (!module.ok()) {
    std::cerr << module.status().message() << '\n';
    return 3;
  }
  // The analysis relies on shapes that fit.
  if (const auto status = hlo_indexing::hlo::Verify(**module); !status.ok()) {
    std::cerr << status.message() << '\n';
    return 3;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  for (const Instruction* instruction : (*module)->entry().instructions()) {
    if (instruction->opcode() == Opcode::kFusion) PrintFusion(*instruction, analysis);
  }
  return 0;
}
