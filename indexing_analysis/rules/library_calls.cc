#include "indexing_analysis/rules/library_calls.h"

#include <utility>

#include "mlir/IR/AffineMap.h"

namespace hlo_indexing::indexing_analysis {

ReadMapBuilder::ReadMapBuilder(const hlo::Shape& output, mlir::MLIRContext* context)
    : context_(context) {
  for (const int64_t size : output.sizes()) dimensions_.push_back({{0, size - 1}, ""});
}

mlir::AffineExpr ReadMapBuilder::Dimension(int64_t i) const {
  return mlir::getAffineDimExpr(static_cast<unsigned>(i), context_);
}

mlir::AffineExpr ReadMapBuilder::Constant(int64_t value) const {
  return mlir::getAffineConstantExpr(value, context_);
}

mlir::AffineExpr ReadMapBuilder::Range(int64_t size) {
  ranges_.push_back({{0, size - 1}, ""});
  return mlir::getAffineSymbolExpr(static_cast<unsigned>(ranges_.size() - 1), context_);
}

void ReadMapBuilder::Constrain(mlir::AffineExpr expression, Interval bounds) {
  constraints_.push_back({expression, bounds});
}

IndexingMap ReadMapBuilder::Build(llvm::ArrayRef<mlir::AffineExpr> index) const {
  return {mlir::AffineMap::get(static_cast<unsigned>(dimensions_.size()),
                               static_cast<unsigned>(ranges_.size()), index, context_),
          dimensions_,
          ranges_,
          {},
          constraints_};
}

IndexingMap SameIndex(const hlo::Shape& output, mlir::MLIRContext* context) {
  return IndexingMap::FromSizes(
      mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(output.rank()), context),
      output.sizes());
}

CustomCallReads ReadAllOperands(const hlo::Instruction& call, llvm::StringRef reason) {
  CustomCallReads reads;
  for (size_t i = 0; i < call.operands().size(); ++i) {
    const int64_t leaves = call.operand(i).shape().num_array_leaves();
    for (int64_t leaf = 0; leaf < leaves; ++leaf) {
      reads.push_back({i, leaf, std::nullopt, reason.str()});
    }
  }
  return reads;
}

std::string BackendConfigOf(const hlo::Instruction& call) {
  const auto config = call.Get<hlo::RawText>(hlo::AttributeName::kBackendConfig);
  if (!config) return "";
  llvm::StringRef text = config->text;
  const bool is_quoted = text.size() >= 2 && text.consume_front("\"") && text.consume_back("\"");
  return is_quoted ? hlo::QuotedString{text}.Unescape() : text.str();
}

std::optional<CustomCallReads> ReadByLibrary(const hlo::Instruction& call, int64_t,
                                             mlir::MLIRContext*) {
  return ReadAllOperands(call, "what this call of a library reads is not followed by element");
}

}  // namespace hlo_indexing::indexing_analysis
