// Faults put into the kernels of this folder, one at a time: a barrier deleted, an address shifted
// by an element, a guard dropped. Values that are wrong, findings or errors have to tell of at
// least 95 in 100 of those that matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "codegen/ptx/module.h"
#include "tests/codegen/ptx/kernels/kernel_case.h"

namespace hlo_indexing::ptx {
namespace {

enum class Fault : uint8_t { kDeletedBarrier, kShiftedAddress, kDroppedGuard };

std::string_view NameOf(Fault fault) {
  switch (fault) {
    case Fault::kDeletedBarrier:
      return "deleted barrier";
    case Fault::kShiftedAddress:
      return "shifted address";
    case Fault::kDroppedGuard:
      return "dropped guard";
  }
  return "";
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The line with the fault; empty where it has no place for it.
std::string WithFault(const std::string& line, Fault fault) {
  const std::string text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  switch (fault) {
    case Fault::kDeletedBarrier:
      return text.starts_with("bar") && Contains(text, ".sync") ? "// deleted" : "";
    case Fault::kShiftedAddress: {
      const size_t end = line.find(']');
      const bool is_access = Contains(text, ".global") || Contains(text, ".shared");
      if (!is_access || text.starts_with('.') || end == std::string::npos) return "";
      const size_t plus = line.rfind('+', end);
      const bool has_offset = plus != std::string::npos && plus > line.find('[');
      if (!has_offset) return line.substr(0, end) + "+4" + line.substr(end);
      const int offset = std::stoi(line.substr(plus + 1, end - plus - 1));
      return line.substr(0, plus + 1) + std::to_string(offset + 4) + line.substr(end);
    }
    case Fault::kDroppedGuard:
      return text.starts_with('@') ? text.substr(text.find_first_of(" \t")) : "";
  }
  return "";
}

// The lines of the kernel's body, as numbers among all lines.
std::pair<size_t, size_t> LinesOf(const std::vector<std::string>& lines,
                                  const std::string& kernel) {
  size_t begin = 0;
  while (begin < lines.size() && !Contains(lines[begin], ".entry " + kernel + "(")) ++begin;
  size_t end = begin;
  while (end < lines.size() && lines[end] != "}") ++end;
  return {begin, end};
}

using LineCounts = std::map<uint32_t, KernelRun::LineCounts>;

LaunchOptions AllChecks() {
  LaunchOptions options;
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  options.max_warp_instructions = 300'000;
  return options;
}

// What the kernel without faults executes.
LineCounts ExecutedLines(const KernelCase& kernel, const std::vector<std::string>& lines) {
  const absl::StatusOr<Module> module =
      Module::Parse(absl::StrJoin(lines, "\n"), kernel.file + ".ptx");
  LaunchOptions options = AllChecks();
  options.profile = true;
  KernelRun run(*module, kernel.kernel, options);
  kernel.run(run);
  EXPECT_TRUE(run.problems().empty()) << kernel.kernel;
  return run.lines();
}

// Four times what the kernel without faults executes: a kernel that goes on for longer spins.
uint64_t LimitOf(const LineCounts& counts) {
  uint64_t executed = 10'000;
  for (const auto& [line, count] : counts) executed += 4 * count.executions;
  return executed;
}

// Whether the fault changes what is executed: a line that no lane reaches, or a guard that is true
// in all lanes, does not.
bool Matters(Fault fault, const KernelRun::LineCounts& counts) {
  return fault == Fault::kDroppedGuard ? counts.active_lanes < kWarpSize * counts.executions
                                       : counts.active_lanes > 0;
}

struct Tally {
  int faults = 0;
  // How many of each kind there were so far, tried or not. Counted over all kernels: counting anew
  // in each would try the first of each kernel always, and the fewer are tried, the more of these.
  std::map<Fault, size_t> number;
  std::vector<std::string> missed;
};

// Runs the case with each fault of a kind; `step`: every so many of them.
void RunFaults(const KernelCase& kernel, const std::vector<std::string>& lines, Fault fault,
               const LineCounts& counts, size_t step, Tally& tally) {
  LaunchOptions options = AllChecks();
  options.max_warp_instructions = std::min(options.max_warp_instructions, LimitOf(counts));
  const auto [begin, end] = LinesOf(lines, kernel.kernel);
  size_t& number = tally.number[fault];
  for (size_t i = begin; i < end; ++i) {
    const std::string line = WithFault(lines[i], fault);
    const auto found = counts.find(static_cast<uint32_t>(i + 1));
    if (line.empty() || found == counts.end() || !Matters(fault, found->second)) continue;
    if (number++ % step != 0) continue;
    std::vector<std::string> mutated = lines;
    mutated[i] = line;
    const absl::StatusOr<Module> module =
        Module::Parse(absl::StrJoin(mutated, "\n"), kernel.file + ".ptx");
    ASSERT_TRUE(module.ok()) << module.status().message();
    ++tally.faults;
    bool is_found = false;
    for (const uint64_t schedule : {0, 1}) {
      options.schedule = schedule;
      KernelRun run(*module, kernel.kernel, options);
      kernel.run(run);
      is_found = is_found || !run.problems().empty();
      if (is_found) break;
    }
    if (!is_found) {
      tally.missed.push_back(absl::StrCat(std::string(NameOf(fault)), " in ", kernel.kernel,
                                          ", line ", i + 1, ": ", lines[i]));
    }
  }
}

TEST(MutationTest, FaultsAreFound) {
  const bool all = std::getenv("HLO_INDEXING_ALL_MUTATIONS") != nullptr;
  // The same ones in all builds: what is found of a quarter of them says too little.
  const auto every = [all](size_t step) { return all ? 1 : step; };
  Tally tally;
  for (const auto& cases : {ReductionCases(), ScanAndSortCases(), MatrixCases(), NetworkCases(),
                            LanguageCases(), LlvmCases()}) {
    std::ifstream stream(absl::StrCat(HLO_INDEXING_PTX_KERNELS, "/", cases.front().file, ".ptx"));
    std::stringstream text;
    text << stream.rdbuf();
    const std::vector<std::string> lines = absl::StrSplit(text.str(), '\n');
    for (const KernelCase& kernel : cases) {
      const LineCounts counts = ExecutedLines(kernel, lines);
      RunFaults(kernel, lines, Fault::kDeletedBarrier, counts, every(2), tally);
      RunFaults(kernel, lines, Fault::kShiftedAddress, counts, every(5), tally);
      RunFaults(kernel, lines, Fault::kDroppedGuard, counts, every(3), tally);
    }
  }
  for (const std::string& missed : tally.missed) std::cout << missed << "\n";
  std::cout << tally.missed.size() << " of " << tally.faults << " faults were not found\n";
  EXPECT_GT(tally.faults, 300);
  EXPECT_LE(20 * tally.missed.size(), static_cast<size_t>(tally.faults));
}

}  // namespace
}  // namespace hlo_indexing::ptx
