// Random modules as programs against the interpreter: one of each opcode, and such that call,
// branch and repeat.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "codegen/emit/ptx_backend.h"
#include "hlo/opcode.h"
#include "llvm/ADT/StringRef.h"
#include "tests/codegen/program/program_check.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"
#include "tests/property/random_calls.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::program {
namespace {

using hlo::Opcode;
using testing::NumCases;
using testing::Random;

// Sums are added in another order, and functions are not exact.
constexpr double kTolerance = 1e-3;

// What a run came to.
enum class Outcome : uint8_t { kEqual, kNoValue, kUnsupported, kRefused, kWrong };

Outcome Check(const std::string& text, emit::PtxBackend& backend, uint64_t seed,
              std::string& message) {
  const ProgramCheck check(text, backend);
  if (!check.is_accepted()) return Outcome::kRefused;
  // Initial values of several arrays must change nothing (docs/kernels.md); these do.
  const hlo::Instruction& root = check.module().entry().root();
  if (root.opcode() == Opcode::kReduce && root.shape().IsTuple()) return Outcome::kRefused;
  message = check.Run(seed, kTolerance);
  if (message.empty()) return Outcome::kEqual;
  if (llvm::StringRef(message).starts_with("no value: ")) return Outcome::kNoValue;
  if (llvm::StringRef(message).starts_with("unsupported: ")) return Outcome::kUnsupported;
  return Outcome::kWrong;
}

// Opcodes of which an instance may have a value and no program: what several devices do together,
// or the outside; calls of what only has a name; arrays of a size that is known when they are
// there; what is started and never awaited.
bool MayHaveNoProgram(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
    case Opcode::kCustomCall:
    case Opcode::kDynamicReshape:
    case Opcode::kSetDimensionSize:
      return true;
    default:
      return false;
  }
}

TEST(RandomProgramsTest, EveryOpcode) {
  emit::PtxBackend backend;
  const int num_cases = NumCases("HLO_INDEXING_PROGRAM_CASES", 6);
  int num_equal = 0;
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    for (int round = 0; round < num_cases; ++round) {
      Random random(static_cast<uint64_t>(round * 1000 + i));
      const std::string text = testing::RandomInstance(random, opcode);
      std::string message;
      const Outcome outcome = Check(text, backend, static_cast<uint64_t>(round), message);
      EXPECT_NE(outcome, Outcome::kWrong) << text << "\n" << message;
      if (outcome == Outcome::kUnsupported && !MayHaveNoProgram(opcode)) {
        // Then it has no value, either, is there for several devices, or has arrays with and
        // without elements.
        const ProgramCheck check(text, backend);
        const llvm::StringRef reason = message;
        EXPECT_TRUE(!check.HasValue(static_cast<uint64_t>(round)) ||
                    reason.contains("moves data between devices") ||
                    reason.contains("of which one array has elements and another none"))
            << text << "\n"
            << message;
      }
      // What has no program says where.
      if (outcome == Outcome::kUnsupported) {
        EXPECT_NE(message.find("test.hlo:"), std::string::npos) << message;
      }
      num_equal += outcome == Outcome::kEqual ? 1 : 0;
    }
  }
  EXPECT_GT(num_equal, num_cases * hlo::kNumOpcodes / 2);
}

TEST(RandomProgramsTest, CallsBranchesAndLoops) {
  emit::PtxBackend backend;
  const int num_cases = NumCases("HLO_INDEXING_PROGRAM_CALLS", 60);
  std::map<Outcome, int> count;
  std::string reasons;
  for (int round = 0; round < num_cases; ++round) {
    Random random(static_cast<uint64_t>(round));
    const std::string text = testing::RandomCalls(random);
    std::string message;
    const Outcome outcome = Check(text, backend, static_cast<uint64_t>(round), message);
    EXPECT_NE(outcome, Outcome::kWrong) << text << "\n" << message;
    ++count[outcome];
    if (outcome == Outcome::kUnsupported) reasons += message + "\n";
  }
  // Others have collectives, or loops inside of a fusion.
  EXPECT_GT(count[Outcome::kEqual] * 5, num_cases)
      << count[Outcome::kNoValue] << " without a value, " << count[Outcome::kUnsupported]
      << " without a program:\n"
      << reasons;
}

}  // namespace
}  // namespace hlo_indexing::program
