#include "tests/codegen/ptx/instructions/instruction_runner.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"
#include "support/status_macros.h"
#include "tests/codegen/ptx/test_device.h"

namespace hlo_indexing::ptx {
namespace {

int WidthOf(std::string_view type) {
  return type == "pred" ? 1 : type == "b16" ? 16 : type == "b32" ? 32 : 64;
}

uint64_t MaskOf(std::string_view type) {
  const int width = WidthOf(type);
  return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

/// Rows of cells of 8 bytes: results first, then sources.
std::string KernelText(std::string_view text, const std::vector<std::string>& results,
                       const std::vector<std::string>& sources, bool is_sparse) {
  const size_t row_bytes = 8 * (results.size() + sources.size());
  std::string kernel =
      ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 rows, .param "
      ".u32 count) {\n"
      ".reg .b64 %row, %offset;\n.reg .b32 %i, %thread, %block, %n, %t;\n.reg .pred %out, %odd;\n";
  std::string loads;
  std::string stores;
  const auto add = [&](std::string_view name, size_t cell, const std::string& type,
                       bool is_result) {
    absl::StrAppend(&kernel, ".reg .", type, " ", std::string(name), ";\n");
    const std::string place = absl::StrCat("[%row+", 8 * cell, "]");
    if (type == "pred") {
      absl::StrAppend(&loads, "ld.global.u32 %t, ", place, ";\nand.b32 %t, %t, 1;\nsetp.ne.u32 ",
                      std::string(name), ", %t, 0;\n");
      if (is_result) {
        absl::StrAppend(&stores, "selp.u32 %t, 1, 0, ", std::string(name), ";\nst.global.u32 ",
                        place, ", %t;\n");
      }
      return;
    }
    absl::StrAppend(&loads, "ld.global.", type, " ", std::string(name), ", ", place, ";\n");
    if (is_result) {
      absl::StrAppend(&stores, "st.global.", type, " ", place, ", ", std::string(name), ";\n");
    }
  };
  for (size_t i = 0; i < results.size(); ++i) add(absl::StrCat("%d", i), i, results[i], true);
  for (size_t i = 0; i < sources.size(); ++i) {
    add(absl::StrCat("%s", i), results.size() + i, sources[i], false);
  }
  absl::StrAppend(&kernel,
                  "ld.param.u64 %row, [rows];\nld.param.u32 %n, [count];\n"
                  "mov.u32 %thread, %tid.x;\nmov.u32 %block, %ctaid.x;\n"
                  "mad.lo.u32 %i, %block, 256, %thread;\nsetp.ge.u32 %out, %i, %n;\n@%out exit;\n"
                  "mul.wide.u32 %offset, %i, ",
                  row_bytes, ";\nadd.u64 %row, %row, %offset;\n", loads);
  if (is_sparse) {
    absl::StrAppend(&kernel,
                    "and.b32 %t, %thread, 1;\nsetp.ne.u32 %odd, %t, 0;\n@!%odd bra SKIP;\n");
  }
  absl::StrAppend(&kernel, std::string(text), "\nSKIP:\n", stores, "ret;\n}\n");
  return kernel;
}

}  // namespace

absl::StatusOr<Rows> RunInstruction(std::string_view text, const std::vector<std::string>& results,
                                    const std::vector<std::string>& sources, const Rows& operands,
                                    bool is_sparse) {
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const Module module,
      Module::Parse(KernelText(text, results, sources, is_sparse), "test.ptx"));
  Values cells;
  for (const Values& row : operands) {
    cells.insert(cells.end(), results.size(), kUntouched);
    cells.insert(cells.end(), row.begin(), row.end());
  }
  TestDevice device;
  const uint64_t bytes = 8 * cells.size();
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t address, device.Allocate(bytes, "rows"));
  HLO_INDEXING_RETURN_IF_ERROR(device.Write(address, cells.data(), bytes));
  LaunchOptions options;
  const uint32_t count = static_cast<uint32_t>(operands.size());
  options.grid = {(count + 255) / 256, 1, 1};
  options.block = {256, 1, 1};
  options.num_host_threads = 1;
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const LaunchResult result,
      device.Launch(module, "k", {Argument::Of(address), Argument::Of(count)}, options));
  HLO_INDEXING_RETURN_IF_ERROR(result.status);
  if (!result.findings.empty()) return absl::InternalError(result.findings.front().ToString());
  HLO_INDEXING_RETURN_IF_ERROR(device.Read(address, cells.data(), bytes));
  Rows rows;
  const size_t row_cells = results.size() + sources.size();
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto begin = cells.begin() + static_cast<ptrdiff_t>(i * row_cells);
    rows.emplace_back(begin, begin + static_cast<ptrdiff_t>(results.size()));
  }
  return rows;
}

void CheckInstruction(std::string_view text, const std::vector<std::string>& results,
                      const std::vector<std::string>& sources, const Rows& operands,
                      const std::function<Values(const Values&)>& model) {
  for (const bool is_sparse : {false, true}) {
    const absl::StatusOr<Rows> rows = RunInstruction(text, results, sources, operands, is_sparse);
    if (TestDevice::LacksInstructions(rows.status())) return;
    ASSERT_TRUE(rows.ok()) << text << "\n" << rows.status();
    int errors = 0;
    for (size_t i = 0; i < operands.size() && errors < 5; ++i) {
      Values row = operands[i];
      for (size_t j = 0; j < row.size(); ++j) row[j] &= MaskOf(sources[j]);
      const bool is_touched = !is_sparse || i % 2 == 1;
      const Values expected = is_touched ? model(row) : Values(results.size(), kUntouched);
      for (size_t j = 0; j < results.size(); ++j) {
        const uint64_t mask = MaskOf(results[j]);
        if (((*rows)[i][j] & mask) == (expected[j] & mask)) continue;
        ++errors;
        std::string message = absl::StrCat(std::string(text), " result ", j, ":");
        for (const uint64_t value : row) absl::StrAppend(&message, " 0x", absl::Hex(value));
        ADD_FAILURE() << message << " gives 0x" << std::hex << ((*rows)[i][j] & mask)
                      << ", expected 0x" << (expected[j] & mask) << (is_sparse ? " (sparse)" : "");
      }
    }
  }
}

absl::Status ErrorOf(std::string_view text, const std::vector<std::string>& results,
                     const std::vector<std::string>& sources) {
  return RunInstruction(text, results, sources, Rows{Values(sources.size(), 0)}, false).status();
}

namespace {

Rows RowsOf(const Values& specials, int num_sources, int random) {
  Rows rows;
  size_t total = 1;
  for (int i = 0; i < num_sources; ++i) total *= specials.size();
  for (size_t i = 0; i < total; ++i) {
    Values row;
    size_t rest = i;
    for (int j = 0; j < num_sources; ++j, rest /= specials.size()) {
      row.push_back(specials[rest % specials.size()]);
    }
    rows.push_back(row);
  }
  std::mt19937_64 generator(17);
  for (int i = 0; i < random; ++i) {
    Values row;
    for (int j = 0; j < num_sources; ++j) row.push_back(generator() >> (generator() % 3 * 20));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Rows IntegerRows(int num_sources, int random) {
  Values specials = {0,
                     1,
                     2,
                     5,
                     31,
                     32,
                     33,
                     0x7f,
                     0x80,
                     0xff,
                     0x7fff,
                     0x8000,
                     0xffff,
                     0x7fff'ffff,
                     0x8000'0000,
                     0xffff'ffff,
                     uint64_t{1} << 63,
                     ~uint64_t{0},
                     ~(uint64_t{1} << 63),
                     0x1234'5678'9abc'def0};
  if (num_sources > 2) {
    specials = {0,
                1,
                31,
                33,
                0x8000,
                0xffff,
                0x7fff'ffff,
                0x8000'0000,
                0xffff'ffff,
                ~(uint64_t{1} << 63),
                uint64_t{1} << 63,
                ~uint64_t{0}};
  }
  return RowsOf(specials, num_sources, random);
}

Rows FloatRows(int num_sources, int bits, int random) {
  Values specials;
  if (bits == 16) {
    specials = {0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x3f80, 0x7bff, 0x7c00, 0x7f80, 0x7e00, 0x7fff};
  } else if (bits == 32) {
    specials = {0,           1,           0x7f'ffff,   0x80'0000,   0x3f80'0000, 0x3f80'0001,
                0x3eaa'aaab, 0x4f00'0000, 0x7f7f'ffff, 0x7f80'0000, 0x7fc0'1234};
  } else {
    specials = {0,
                1,
                uint64_t{1} << 52,
                0x3ff0'0000'0000'0000,
                0x3ff0'0000'0000'0001,
                0x3fd5'5555'5555'5555,
                0x41ef'ffff'ffe0'0000,
                0x7fef'ffff'ffff'ffff,
                0x7ff0'0000'0000'0000,
                0x7ff8'0000'0000'1234};
  }
  if (num_sources > 2) specials.resize(8);
  const size_t positive = specials.size();
  for (size_t i = 0; i < positive; ++i) specials.push_back(specials[i] | uint64_t{1} << (bits - 1));
  return RowsOf(specials, num_sources, random);
}

Rows AllOf16Bits() {
  Rows rows;
  for (uint64_t value = 0; value < 65536; ++value) rows.push_back({value});
  return rows;
}

}  // namespace hlo_indexing::ptx
