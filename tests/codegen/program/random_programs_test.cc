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

// Opcodes that every accepted instance of has a program.
bool AlwaysHasProgram(Opcode opcode) {
  switch (opcode) {
    case Opcode::kFft:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kSort:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kAdd:
    case Opcode::kTranspose:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kGather:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
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
      const bool is_for_devices = llvm::StringRef(message).contains("moves data between devices");
      EXPECT_FALSE(outcome == Outcome::kUnsupported && AlwaysHasProgram(opcode) && !is_for_devices)
          << text << "\n"
          << message;
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
