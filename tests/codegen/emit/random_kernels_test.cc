// Kernels of random fusions against the interpreter.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hlo/opcode.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::emit {
namespace {

using hlo::Opcode;

// Those that a kernel has code for.
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
      case Opcode::kScatter:
      case Opcode::kSelectAndScatter:
      case Opcode::kSetDimensionSize:
      case Opcode::kSort:
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

TEST(RandomKernels, Fusions) {
  PtxBackend backend;
  testing::Random random(1);
  std::map<std::string, int> unsupported;
  int64_t num_run = 0;
  const int num_cases = testing::NumCases("KERNEL_CASES", 300);
  for (int i = 0; i < num_cases; ++i) {
    const std::string text = testing::RandomFusion(random, KernelOpcodes());
    KernelCheck check(text, backend);
    const std::string result = check.Run(static_cast<uint64_t>(i), 1e-5);
    if (result.rfind("unsupported", 0) == 0) {
      ++unsupported[result];
      continue;
    }
    ++num_run;
    EXPECT_EQ(result, "") << text;
  }
  for (const auto& [reason, count] : unsupported) {
    std::cout << count << " " << reason << "\n";
  }
  std::cout << num_run << " run of " << num_cases << "\n";
}

}  // namespace
}  // namespace hlo_indexing::emit
