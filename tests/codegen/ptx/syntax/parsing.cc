#include "tests/codegen/ptx/syntax/parsing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/syntax/parser.h"
#include "codegen/ptx/syntax/printer.h"

namespace hlo_indexing::testing {
namespace {

constexpr std::string_view kHeader = ".version 8.5 .target sm_90a .address_size 64\n";
constexpr std::string_view kKernel =
    ".entry kernel() { .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n";

// The first line of the error, without the text's name, `lines` lines higher.
std::string Shortened(const std::string& message, int lines) {
  const std::string line = message.substr(0, message.find('\n'));
  const size_t first = line.find(':');
  const size_t second = line.find(':', first + 1);
  std::string rest = line.substr(second);
  const std::string error = " error:";
  if (const size_t at = rest.find(error); at != std::string::npos) rest.erase(at, error.size());
  return std::to_string(std::stoi(line.substr(first + 1, second - first - 1)) - lines) + rest;
}

}  // namespace

std::string WithHeader(std::string_view declarations) {
  return std::string(kHeader) + std::string(declarations);
}

std::string WithKernel(std::string_view body) {
  return WithHeader(std::string(kKernel) + std::string(body) + "\n}\n");
}

ParsedModule Parse(std::string text) {
  ParsedModule result;
  result.text = std::move(text);
  auto module = ptx::syntax::ParseModule(result.text, "test.ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) {
    result.module.functions.emplace_back();
    return result;
  }
  const std::string printed = Print(*module);
  const auto again = ptx::syntax::ParseModule(printed, "printed.ptx");
  EXPECT_TRUE(again.ok()) << again.status().message() << "\n" << printed;
  EXPECT_EQ(again.ok() ? Print(*again) : "", printed);
  // The text moves with its module.
  result.module = *std::move(module);
  return result;
}

std::string ParsedModule::Line(size_t instruction) const {
  std::string printed = Print(module);
  const size_t body = printed.rfind("{\n");
  size_t begin = body + 2;
  for (;; begin = printed.find('\n', begin) + 1) {
    const std::string line = printed.substr(begin, printed.find('\n', begin) - begin);
    const bool is_instruction = line[0] == '\t' && line[1] != '.';
    if (is_instruction && instruction-- == 0) return line.substr(1);
    if (line == "}") return "";
  }
}

std::string ErrorOf(std::string_view text) {
  const auto module = ptx::syntax::ParseModule(text, "test.ptx");
  EXPECT_FALSE(module.ok()) << text;
  if (module.ok()) return "";
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(module.status().message());
}

std::string DeclarationError(std::string_view declarations) {
  const std::string error = ErrorOf(WithHeader(declarations));
  return error.empty() ? "" : Shortened(error, 1);
}

std::string BodyError(std::string_view body) {
  const std::string error = ErrorOf(WithKernel(body));
  return error.empty() ? "" : Shortened(error, 2);
}

}  // namespace hlo_indexing::testing
