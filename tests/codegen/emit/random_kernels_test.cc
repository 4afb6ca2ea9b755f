// Kernels of random fusions against the interpreter.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "hlo/opcode.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::emit {
namespace {

using hlo::Opcode;

// Those that a kernel has code for, but bitcast-convert, which shows the bits of a NaN, and fft,
// whose sums show in which order infinities are added.
std::vector<Opcode> KernelOpcodes() {
  std::vector<Opcode> opcodes;
  for (const Opcode opcode : testing::FusibleOpcodes()) {
    switch (opcode) {
      case Opcode::kAllGather:
      case Opcode::kAllReduce:
      case Opcode::kAllToAll:
      case Opcode::kCollectiveBroadcast:
      case Opcode::kCollectivePermute:
      case Opcode::kReduceScatter:
      case Opcode::kRaggedAllToAll:
      case Opcode::kRaggedDot:
      case Opcode::kScaledDot:
      case Opcode::kAllGatherDone:
      case Opcode::kAllReduceDone:
      case Opcode::kCollectivePermuteDone:
      case Opcode::kAllGatherStart:
      case Opcode::kAllReduceStart:
      case Opcode::kCollectivePermuteStart:
      case Opcode::kAsyncStart:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
      case Opcode::kBatchNormGrad:
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormTraining:
      case Opcode::kBitcastConvert:
      case Opcode::kCholesky:
      case Opcode::kConditional:
      case Opcode::kCopyDone:
      case Opcode::kCopyStart:
      case Opcode::kCustomCall:
      case Opcode::kDynamicReshape:
      case Opcode::kFft:
      case Opcode::kGetDimensionSize:
      case Opcode::kPartitionId:
      case Opcode::kReplicaId:
      case Opcode::kRng:
      case Opcode::kRngBitGenerator:
      case Opcode::kScan:
      case Opcode::kSetDimensionSize:
      case Opcode::kSort:
      case Opcode::kStochasticConvert:
      case Opcode::kTopK:
      case Opcode::kTriangularSolve:
      case Opcode::kWhile:
        break;
      default:
        opcodes.push_back(opcode);
    }
  }
  return opcodes;
}

TEST(RandomKernels, FusionsComputeWhatTheInterpreterDoes) {
  PtxBackend backend;
  int num_run = 0;
  const int num_cases = testing::NumCases("HLO_INDEXING_KERNEL_CASES", 400);
  for (int i = 0; i < num_cases; ++i) {
    testing::Random random(static_cast<uint64_t>(i));
    const std::string text = testing::RandomFusion(random, KernelOpcodes());
    KernelCheck check(text, backend, i % 2 == 0 ? std::optional<int>() : 1);
    // Functions of functions may lose digits.
    const std::string result = check.Run(static_cast<uint64_t>(i), 1e-3);
    if (result.rfind("unsupported", 0) == 0) continue;
    ++num_run;
    EXPECT_EQ(result, "") << "seed " << i << "\n" << text;
  }
  // Others have no elements, or an instruction that no kernel has.
  EXPECT_GE(num_run * 10, num_cases * 8);
}

}  // namespace
}  // namespace hlo_indexing::emit
