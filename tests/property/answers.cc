#include "tests/property/answers.h"

namespace hlo_indexing::testing {

using hlo::Instruction;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;

namespace {

// A map and the instructions that give the values of its runtime variables.
std::string Describe(const IndexingMap& map) {
  std::string text = map.ToString();
  for (const RuntimeVariable& variable : map.runtime()) {
    text += " {" + variable.name;
    for (const Instruction* call : variable.calls) text += " " + call->name().str();
    if (variable.instruction != nullptr) text += " " + variable.instruction->name().str();
    text += " " + std::to_string(variable.leaf) + " " + Describe(variable.index) + "}";
  }
  return text;
}

std::string Describe(const OutputIndexing& indexing) {
  std::string text = indexing.unknown_reason();
  for (const auto& operand : indexing.operands()) {
    text += std::to_string(operand.operand()) + "/" + std::to_string(operand.leaf()) + " " +
            indexing_analysis::ExactnessName(operand.exactness()).str() + " " + operand.reason() +
            "\n";
    for (const auto& [map, replica_map] : operand.maps()) {
      text += "  " + Describe(map);
      if (replica_map) text += " from " + Describe(*replica_map);
      text += "\n";
    }
  }
  return text;
}

}  // namespace

std::string Answers(IndexingAnalysis& analysis, const Instruction& instruction, int64_t leaf) {
  return Describe(analysis.OutputToInput(instruction, leaf)) + "to output\n" +
         Describe(analysis.InputToOutput(instruction, leaf));
}

std::vector<Output> OutputsOf(const hlo::Module& module) {
  std::vector<Output> outputs;
  for (const hlo::Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (int64_t leaf = 0; leaf < instruction->shape().num_array_leaves(); ++leaf) {
        outputs.emplace_back(instruction, leaf);
      }
    }
  }
  return outputs;
}

}  // namespace hlo_indexing::testing
