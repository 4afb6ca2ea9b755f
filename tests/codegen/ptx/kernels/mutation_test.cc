// Faults put into the kernels of this folder, one at a time: a barrier deleted, an address shifted
// by an element, a guard dropped. Values that are wrong, findings or errors have to tell of each
// one that is tried, but for those of unseen_faults.md, which says why nothing is seen of them; of
// these nothing may be seen, so that the list stays true, and they are 5 in 100 at most.
//
// Builds for release try about 400 faults, sanitizers about 60. After a change of a kernel, of its
// case or of a check try all of them, in 10 minutes: HLO_INDEXING_ALL_MUTATIONS=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
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
#include "tests/property/num_cases.h"

namespace hlo_indexing::ptx {
namespace {

enum class Fault : uint8_t { kDeletedBarrier, kShiftedAddress, kDroppedGuard };
constexpr Fault kFaults[] = {Fault::kDeletedBarrier, Fault::kShiftedAddress, Fault::kDroppedGuard};

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

// A fault and the line of the kernel, among all of its file, that has it.
struct Mutation {
  Fault fault = Fault::kDeletedBarrier;
  std::string kernel;
  size_t line = 0;

  std::string ToString() const {
    return absl::StrCat(std::string(NameOf(fault)), " in ", kernel, ", line ", line);
  }
};

// All faults of a kind that a kernel has a place for.
std::vector<Mutation> MutationsOf(const KernelCase& kernel, const std::vector<std::string>& lines,
                                  Fault fault, const LineCounts& counts) {
  std::vector<Mutation> mutations;
  const auto [begin, end] = LinesOf(lines, kernel.kernel);
  for (size_t i = begin; i < end; ++i) {
    const auto found = counts.find(static_cast<uint32_t>(i + 1));
    if (found == counts.end() || !Matters(fault, found->second)) continue;
    if (WithFault(lines[i], fault).empty()) continue;
    mutations.push_back({.fault = fault, .kernel = kernel.kernel, .line = i + 1});
  }
  return mutations;
}

// Whether anything is seen of the fault in one of several orders of warps and blocks; most faults
// show in the first.
bool IsSeen(const KernelCase& kernel, std::vector<std::string> lines, const Mutation& mutation,
            uint64_t max_warp_instructions) {
  std::string& line = lines[mutation.line - 1];
  line = WithFault(line, mutation.fault);
  const absl::StatusOr<Module> module =
      Module::Parse(absl::StrJoin(lines, "\n"), kernel.file + ".ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return false;
  LaunchOptions options = AllChecks();
  options.max_warp_instructions = std::min(options.max_warp_instructions, max_warp_instructions);
  for (uint64_t schedule = 0; schedule < 8; ++schedule) {
    options.schedule = schedule;
    KernelRun run(*module, kernel.kernel, options);
    kernel.run(run);
    if (!run.problems().empty()) return true;
  }
  return false;
}

std::vector<std::string> LinesOfFile(const std::string& name) {
  std::ifstream stream(absl::StrCat(HLO_INDEXING_PTX_KERNELS, "/", name));
  std::stringstream text;
  text << stream.rdbuf();
  return absl::StrSplit(text.str(), '\n');
}

// The rows of unseen_faults.md, as Mutation::ToString gives them.
std::set<std::string> UnseenFaults() {
  std::set<std::string> faults;
  for (const std::string& line : LinesOfFile("unseen_faults.md")) {
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (cells.size() != 4 || !cells[0].starts_with("| ") || cells[0] == "| fault") continue;
    const bool is_new =
        faults.insert(absl::StrCat(cells[0].substr(2), " in ", cells[1], ", line ", cells[2]))
            .second;
    EXPECT_TRUE(is_new) << line;
  }
  return faults;
}

// Of how many faults of a kind one is tried. Sanitizers take ten times as long.
size_t StepOf(Fault fault) {
  if (std::getenv("HLO_INDEXING_ALL_MUTATIONS") != nullptr) return 1;
  const size_t share = testing::kShareOfCases == 1 ? 1 : 7;
  switch (fault) {
    case Fault::kDeletedBarrier:
      return 2 * share;
    case Fault::kShiftedAddress:
      return 5 * share;
    case Fault::kDroppedGuard:
      return 3 * share;
  }
  return 1;
}

TEST(MutationTest, FaultsAreSeen) {
  const std::set<std::string> unseen = UnseenFaults();
  std::set<std::string> of_no_line = unseen;
  // Over all kernels: if each were counted anew, its first fault would always be tried.
  std::map<Fault, size_t> numbers;
  size_t num_tried = 0;
  size_t num_unseen = 0;
  for (const auto& cases : {ReductionCases(), ScanAndSortCases(), MatrixCases(), NetworkCases(),
                            LanguageCases(), LlvmCases()}) {
    const std::vector<std::string> lines = LinesOfFile(cases.front().file + ".ptx");
    for (const KernelCase& kernel : cases) {
      const LineCounts counts = ExecutedLines(kernel, lines);
      for (const Fault fault : kFaults) {
        for (const Mutation& mutation : MutationsOf(kernel, lines, fault, counts)) {
          const std::string name = mutation.ToString();
          of_no_line.erase(name);
          if (numbers[fault]++ % StepOf(fault) != 0) continue;
          const bool is_seen = IsSeen(kernel, lines, mutation, LimitOf(counts));
          EXPECT_NE(is_seen, unseen.contains(name))
              << name << (is_seen ? " is seen: it must not be in" : " is not seen: not in")
              << " unseen_faults.md\n"
              << lines[mutation.line - 1];
          ++num_tried;
          if (!is_seen) ++num_unseen;
        }
      }
    }
  }
  EXPECT_TRUE(of_no_line.empty()) << "no such faults: " << absl::StrJoin(of_no_line, "; ");
  size_t num_faults = 0;
  for (const auto& [fault, number] : numbers) num_faults += number;
  EXPECT_GT(num_faults, 1400);
  EXPECT_LE(20 * unseen.size(), num_faults);
  std::cout << num_tried << " of " << num_faults << " faults tried, " << num_unseen
            << " of them not seen\n";
}

}  // namespace
}  // namespace hlo_indexing::ptx
