// Runs our kernels on the virtual GPU with all checks, and holds them against the interpreter.
//
// Where HLO_INDEXING_CUDA_DRIVER names a library, as libcuda.so.1, tests of values run kernels on
// its GPU instead, and those that count what kernels do are as ever.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_KERNEL_CHECK_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_KERNEL_CHECK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/kernel.h"
#include "codegen/plan/plan_context.h"
#include "codegen/program/cuda_gpu.h"
#include "codegen/program/virtual_gpu.h"
#include "codegen/ptx/device_model.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/codegen/emit/traffic.h"

namespace hlo_indexing::emit {

/// A random array: floats are multiples of a quarter between -8 and 8, so that sums and products of
/// some are exact in any order; integers are small.
hlo::Value RandomValue(const hlo::Shape& shape, uint64_t seed);

/// How far two arrays are apart, as a sentence; empty if each element is equal (a nan equals a
/// nan), or for floats and complex numbers within `tolerance` times what is expected.
std::string Difference(const hlo::ArrayValue& expected, const hlo::ArrayValue& actual,
                       double tolerance);

/// The GPU of the driver that HLO_INDEXING_CUDA_DRIVER names; null if it names none. Fails the test
/// if it cannot be opened.
std::unique_ptr<program::CudaGpu> CudaGpuOfEnvironment();

class KernelCheck {
 public:
  /// For an RTX A6000, or one with so many multiprocessors: with one, small arrays are computed in
  /// vectors, too, which otherwise wait until every multiprocessor has a block.
  explicit KernelCheck(const std::string& text, PtxBackend& backend,
                       std::optional<int> multiprocessors = std::nullopt);

  const hlo::Module& module() const { return *module_; }
  const hlo::Instruction& root() const { return module_->entry().root(); }
  absl::StatusOr<plan::KernelPlan> Plan();
  absl::StatusOr<Kernel> Compile(const LoweringOptions& options = {});
  /// What is wrong with the kernel of the root: findings and differences; empty if nothing is.
  /// "unsupported: ..." if there is no kernel.
  std::string Run(uint64_t seed, double tolerance = 0);
  /// Whether runs whose blocks come in other orders give the same bits: what is wrong, as Run says.
  std::string RunInSchedules(int count);
  /// What a run moves, and what the plan says of it.
  Traffic Measure();

 private:
  // Random arguments of the kernel, and what is expected for them.
  struct Values {
    std::vector<hlo::Value> operands;
    hlo::Value expected;
  };
  absl::StatusOr<Values> RandomValues(uint64_t seed);

  std::unique_ptr<hlo::Module> module_;
  mlir::MLIRContext mlir_context_;
  ptx::DeviceModel device_;
  indexing_analysis::IndexingAnalysis analysis_;
  plan::PlanContext plans_;
  PtxBackend& backend_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_KERNEL_CHECK_H_
