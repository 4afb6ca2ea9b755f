// What calls of libraries read: cuBLAS, cuDNN and Transformer Engine, as XLA for GPUs calls them.
// The target says which operation it is, the configuration (`backend_config`) with which
// dimensions. Private to the folder.
//
// Each rule is a CustomCallRule. Where the configuration is missing or of another form, or the
// shapes do not fit it, a rule cannot tell. A workspace is memory that the library may fill with
// anything: it counts as reading everything, as does what is not followed by element.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_LIBRARY_CALLS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_LIBRARY_CALLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/rules/custom_calls.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::indexing_analysis {

/// A map from the index of an output array to an operand's, put together expression by expression.
///
/// Example: a row of the operand, which has 16 columns, for each element of f32[8,4]
///
///   ReadMapBuilder map(output, context);
///   map.Build({map.Dimension(0), map.Range(16)});
///       // -> (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 15]
class ReadMapBuilder {
 public:
  ReadMapBuilder(const hlo::Shape& output, mlir::MLIRContext* context);

  mlir::AffineExpr Dimension(int64_t i) const;
  mlir::AffineExpr Constant(int64_t value) const;
  /// A new range variable with so many values.
  mlir::AffineExpr Range(int64_t size);
  void Constrain(mlir::AffineExpr expression, Interval bounds);
  IndexingMap Build(llvm::ArrayRef<mlir::AffineExpr> index) const;

 private:
  mlir::MLIRContext* context_;
  std::vector<Variable> dimensions_;
  std::vector<Variable> ranges_;
  std::vector<MapConstraint> constraints_;
};

/// The map of an output array to itself.
IndexingMap SameIndex(const hlo::Shape& output, mlir::MLIRContext* context);

/// Every array of every operand as a whole.
CustomCallReads ReadAllOperands(const hlo::Instruction& call, llvm::StringRef reason);

/// The reason of what a workspace reads.
inline constexpr llvm::StringLiteral kWorkspaceReason =
    "a library may fill its workspace with anything";

/// The text of `backend_config`, without quotes and escapes if it is a string; empty if there is
/// none.
std::string BackendConfigOf(const hlo::Instruction& call);

/// __cublas$gemm, __cublas$lt$matmul, __cublas$lt$matmul$f8: lhs and rhs as of a dot; then, if beta
/// is not 0, a matrix that is added, a bias if the epilogue has one, scalars that scale. The
/// result, the result before the activation function, the largest absolute value, a workspace.
std::optional<CustomCallReads> ReadGemm(const hlo::Instruction& call, int64_t output_leaf,
                                        mlir::MLIRContext* context);

/// __cudnn$convForward, __cudnn$convBiasActivationForward: input and kernel as of a convolution; a
/// bias for each output feature and an array that is added.
std::optional<CustomCallReads> ReadConvolutionForward(const hlo::Instruction& call,
                                                      int64_t output_leaf,
                                                      mlir::MLIRContext* context);
/// __cudnn$convBackwardInput: (gradient of the output, kernel), the gradient of the input. Window
/// and labels are those of the convolution forward, as below.
std::optional<CustomCallReads> ReadConvolutionBackwardInput(const hlo::Instruction& call,
                                                            int64_t output_leaf,
                                                            mlir::MLIRContext* context);
/// __cudnn$convBackwardFilter: (input, gradient of the output), the gradient of the kernel.
std::optional<CustomCallReads> ReadConvolutionBackwardKernel(const hlo::Instruction& call,
                                                             int64_t output_leaf,
                                                             mlir::MLIRContext* context);

/// te_fused_attn_forward_ffi: q[b, s, h, d], k[b, t, g, d], v[b, t, g, e], then what masks and
/// offsets; o[b, s, h, e], the statistics of softmax [b, h, s, 1], the state of random numbers, a
/// workspace. Group g of keys has the heads of queries from g * (heads / groups) on.
std::optional<CustomCallReads> ReadAttentionForward(const hlo::Instruction& call,
                                                    int64_t output_leaf,
                                                    mlir::MLIRContext* context);
/// te_fused_attn_backward_ffi: (q, k, v, bias, statistics, state, o, gradient of o, ...), the
/// gradients of q, k, v and bias, a workspace.
std::optional<CustomCallReads> ReadAttentionBackward(const hlo::Instruction& call,
                                                     int64_t output_leaf,
                                                     mlir::MLIRContext* context);

/// Operations of libraries that are not followed by element: norms, solvers, attention of cuDNN.
std::optional<CustomCallReads> ReadByLibrary(const hlo::Instruction& call, int64_t output_leaf,
                                             mlir::MLIRContext* context);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_LIBRARY_CALLS_H_
