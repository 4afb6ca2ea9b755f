#include "indexing_analysis/rules/custom_calls.h"

#include <utility>

#include "hlo/custom_call_targets.h"

namespace hlo_indexing::indexing_analysis {
namespace {

// TopK: values and indices along the last dimension depend on the whole of it.
std::optional<CustomCallReads> ReadLastDimension(const hlo::Instruction& call, int64_t output_leaf,
                                                 mlir::MLIRContext* context) {
  const hlo::Shape& output = call.shape().ArrayLeaf(output_leaf);
  const bool fits = call.operands().size() == 1 && call.operand(0).shape().IsArray() &&
                    call.operand(0).shape().rank() == output.rank() && output.rank() > 0;
  if (!fits) return std::nullopt;
  const unsigned rank = static_cast<unsigned>(output.rank());
  llvm::SmallVector<mlir::AffineExpr> results;
  for (unsigned i = 0; i + 1 < rank; ++i) results.push_back(mlir::getAffineDimExpr(i, context));
  results.push_back(mlir::getAffineSymbolExpr(0, context));
  std::vector<Variable> dimensions;
  for (const int64_t size : output.sizes()) dimensions.push_back({{0, size - 1}, ""});
  const IndexingMap map(mlir::AffineMap::get(rank, 1, results, context), std::move(dimensions),
                        {{{0, call.operand(0).shape().sizes().back() - 1}, ""}}, {}, {});
  return CustomCallReads{{0, 0, map, ""}};
}

}  // namespace

std::optional<CustomCallReads> ReadSameIndex(const hlo::Instruction& call, int64_t output_leaf,
                                             mlir::MLIRContext* context) {
  const hlo::Shape& output = call.shape().ArrayLeaf(output_leaf);
  int64_t leaf = output_leaf;
  for (size_t i = 0; i < call.operands().size(); ++i) {
    const hlo::Shape& operand = call.operand(i).shape();
    if (leaf >= operand.num_array_leaves()) {
      leaf -= operand.num_array_leaves();
      continue;
    }
    if (operand.ArrayLeaf(leaf).sizes() != output.sizes()) return std::nullopt;
    const mlir::AffineMap identity =
        mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(output.rank()), context);
    return CustomCallReads{{i, leaf, IndexingMap::FromSizes(identity, output.sizes()), ""}};
  }
  return std::nullopt;
}

std::optional<CustomCallReads> ReadEverything(const hlo::Instruction& call, int64_t,
                                              mlir::MLIRContext*) {
  CustomCallReads reads;
  for (size_t i = 0; i < call.operands().size(); ++i) {
    const int64_t leaves = call.operand(i).shape().num_array_leaves();
    for (int64_t leaf = 0; leaf < leaves; ++leaf) {
      reads.push_back({i, leaf, std::nullopt, "registered as reading everything"});
    }
  }
  return reads;
}

CustomCallRegistry CustomCallRegistry::WithXlaTargets() {
  CustomCallRegistry registry;
  for (const llvm::StringRef target : hlo::IdentityCustomCallTargets()) {
    registry.Register(target, ReadSameIndex);
  }
  registry.Register("TopK", ReadLastDimension);
  return registry;
}

void CustomCallRegistry::Register(llvm::StringRef target, CustomCallRule rule) {
  rules_[target.str()] = std::move(rule);
}

const CustomCallRule* CustomCallRegistry::Find(llvm::StringRef target) const {
  const auto found = rules_.find(target.str());
  return found == rules_.end() ? nullptr : &found->second;
}

}  // namespace hlo_indexing::indexing_analysis
