#include "indexing_analysis/rules/custom_calls.h"

#include <utility>

#include "hlo/custom_call_targets.h"
#include "indexing_analysis/rules/library_calls.h"

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

struct LibraryTarget {
  llvm::StringLiteral target;
  std::optional<CustomCallReads> (*rule)(const hlo::Instruction&, int64_t, mlir::MLIRContext*);
};

constexpr LibraryTarget kLibraryTargets[] = {
    {"__cublas$gemm", ReadGemm},
    {"__cublas$lt$matmul", ReadGemm},
    {"__cublas$lt$matmul$f8", ReadGemm},
    {"__cublas$triangularSolve", ReadByLibrary},
    {"__cudnn$convBackwardFilter", ReadConvolutionBackwardKernel},
    {"__cudnn$convBackwardInput", ReadConvolutionBackwardInput},
    {"__cudnn$convBiasActivationForward", ReadConvolutionForward},
    {"__cudnn$convForward", ReadConvolutionForward},
    {"__cudnn$convForwardGraph", ReadByLibrary},
    {"__cudnn$fmhaSoftmax", ReadByLibrary},
    {"__cudnn$fmhaSoftmaxBackward", ReadByLibrary},
    {"__cudnn$fmhaScaleBiasSoftmax", ReadByLibrary},
    {"__cudnn$fmhaScaleBiasSoftmaxBackward", ReadByLibrary},
    {"__cudnn$norm", ReadByLibrary},
    {"cusolver$cholesky", ReadByLibrary},
    {"te_fused_attn_backward_ffi", ReadAttentionBackward},
    {"te_fused_attn_forward_ffi", ReadAttentionForward},
    {"te_norm_backward_ffi", ReadByLibrary},
    {"te_norm_forward_ffi", ReadByLibrary},
};

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
    return CustomCallReads{{i, leaf, SameIndex(output, context), ""}};
  }
  return std::nullopt;
}

std::optional<CustomCallReads> ReadEverything(const hlo::Instruction& call, int64_t,
                                              mlir::MLIRContext*) {
  return ReadAllOperands(call, "registered as reading everything");
}

CustomCallRegistry CustomCallRegistry::WithXlaTargets() {
  CustomCallRegistry registry;
  for (const llvm::StringRef target : hlo::IdentityCustomCallTargets()) {
    registry.Register(target, ReadSameIndex);
  }
  registry.Register("TopK", ReadLastDimension);
  for (const LibraryTarget& library : kLibraryTargets) {
    registry.Register(library.target, library.rule);
  }
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
