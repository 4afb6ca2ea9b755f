#include "indexing_analysis/queries/tile_fit_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::indexing_analysis {

size_t TileFitTable::Hash::operator()(const Question& question) const {
  llvm::hash_code code = llvm::hash_value(question.arrays);
  for (const IndexingMap& map : question.maps) code = llvm::hash_combine(code, hash_value(map));
  return code;
}

const TileFits& TileFitTable::Fit(const OutputIndexing& indexing,
                                  const hlo::Instruction& instruction, int64_t output_leaf) {
  Question question;
  question.arrays = absl::StrCat(instruction.shape().ArrayLeaf(output_leaf).ToString(), " ",
                                 indexing.unknown_reason());
  // Operands may be the same array: each by the first operand that it is.
  llvm::DenseMap<const hlo::Instruction*, size_t> first_operands;
  for (const OperandIndexing& operand : indexing.operands()) {
    const hlo::Instruction& array = instruction.operand(operand.operand());
    const size_t first = first_operands.try_emplace(&array, operand.operand()).first->second;
    const hlo::Shape& shape = array.shape();
    absl::StrAppend(&question.arrays, "\n", operand.operand(), " ", first, " ", operand.leaf(), " ",
                    shape.ArrayLeaf(operand.leaf()).ToString(), " ",
                    static_cast<int>(operand.exactness()), " ", operand.reason());
    for (const OperandMap& map : operand.maps()) {
      question.maps.push_back(map.map);
      if (map.replica_map.has_value()) question.maps.push_back(*map.replica_map);
      absl::StrAppend(&question.arrays, map.replica_map.has_value() ? " device" : " map");
    }
  }
  const auto [known, is_new] = fits_.try_emplace(std::move(question));
  if (is_new) known->second = FitTiles(indexing, instruction, output_leaf, capacity_);
  return known->second;
}

}  // namespace hlo_indexing::indexing_analysis
