// A kernel as CUDA C++, in the words of layout/cute/: what a person may read and edit. Private to
// the folder.
//
// Example: the fusion `ROOT y = f32[1024] add(a, b)` is
//
//   extern "C" __global__ void __launch_bounds__(256)
//   y(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y) {
//     const int tx = threadIdx.x;
//     ...
//   }
//
// It is written from the same module as the PTX, before it is lowered, so both compute the same
// bits and access memory alike. Functions of numbers are functions there (KernelBuilder::Function).
#ifndef HLO_INDEXING_CODEGEN_EMIT_CUDA_SOURCE_H_
#define HLO_INDEXING_CODEGEN_EMIT_CUDA_SOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/kernel_builder.h"
#include "mlir/IR/BuiltinOps.h"

namespace hlo_indexing::emit {

/// A pointer that the kernel is called with.
struct CudaArgument {
  /// What it is called, as near to that as C++ allows.
  std::string name;
  /// Of its elements in C++: "float".
  std::string element;
};

struct CudaSource {
  std::vector<CudaArgument> arguments;
  /// The lines of HLO that positions in the module are about.
  SourceLines lines;
};

/// The whole text, which includes layout/cute/tensor.h. kUnimplemented for what has no code in CUDA
/// C++.
absl::StatusOr<std::string> WriteCuda(mlir::ModuleOp module, const CudaSource& source);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_CUDA_SOURCE_H_
