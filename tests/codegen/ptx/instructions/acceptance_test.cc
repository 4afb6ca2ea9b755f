// Instructions that a warp executes together, and asynchronous copies: each target accepts what
// ptxas accepts and refuses what it refuses (acceptance.txt).
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"
#include "gtest/gtest.h"

namespace hlo_indexing::ptx {
namespace {

constexpr std::string_view kTargets[] = {"70",  "75",  "80",  "89",   "90",
                                         "100", "120", "90a", "100a", "120a"};

/// A line of the list: `80 89 90 | instruction;`.
struct Line {
  std::vector<std::string> targets;
  std::string instruction;

  bool IsOf(std::string_view target) const {
    return targets.front() == "all" || std::ranges::find(targets, target) != targets.end();
  }
};

std::vector<Line> List() {
  std::ifstream file(HLO_INDEXING_PTX_ACCEPTANCE);
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text.front() == '#') continue;
    const size_t bar = text.find(" | ");
    if (bar == std::string::npos) {
      ADD_FAILURE() << "no bar in: " << text;
      continue;
    }
    Line& line = lines.emplace_back();
    line.instruction = text.substr(bar + 3);
    for (size_t begin = 0; begin < bar;) {
      const size_t end = std::min(text.find(' ', begin), bar);
      line.targets.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return lines;
}

/// A kernel for each line, `k0` for the first.
std::string ModuleOf(const std::vector<Line>& lines, std::string_view target) {
  std::string text = absl::StrCat(".version 9.0\n.target sm_", std::string(target),
                                  "\n.address_size 64\n.shared .align 128 .b8 tile[4096];\n"
                                  ".global .align 128 .b8 glob[4096];\n");
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StrAppend(&text, ".visible .entry k", i,
                    "() { .reg .pred %p<16>; .reg .b16 %h<64>; .reg .b32 %r<64>; .reg .b64 %rd<64>;"
                    " .reg .f32 %f<64>; .reg .f64 %d<64>; .reg .b128 %q<8>; ",
                    lines[i].instruction, " ret; }\n");
  }
  return text;
}

TEST(AcceptanceTest, AsPtxas) {
  const std::vector<Line> lines = List();
  ASSERT_GT(lines.size(), 600U);
  for (const std::string_view target : kTargets) {
    const absl::StatusOr<Module> module = Module::Parse(ModuleOf(lines, target), "list.ptx");
    ASSERT_TRUE(module.ok()) << module.status();
    for (size_t i = 0; i < lines.size(); ++i) {
      Device device;
      LaunchOptions options;
      options.block = {32, 1, 1};
      options.num_host_threads = 1;
      options.max_warp_instructions = 100;  // a try_wait may wait forever
      const auto result = device.Launch(*module, absl::StrCat("k", i), {}, options);
      EXPECT_EQ(result.ok(), lines[i].IsOf(target))
          << "sm_" << target << ": " << lines[i].instruction << '\n'
          << result.status();
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx
