// Any bytes as PTX text: what is read prints to text that is read as an equal module.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codegen/ptx/syntax/parser.h"
#include "codegen/ptx/syntax/printer.h"

namespace {

void Require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hlo_indexing::ptx::syntax::ParseModule;
  hlo_indexing::ptx::syntax::ParserLimits limits;
  limits.max_items = 100'000;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto module = ParseModule(text, "fuzz", limits);
  if (!module.ok()) return 0;
  const std::string printed = Print(*module);
  const auto again = ParseModule(printed, "printed", limits);
  Require(again.ok(), "does not parse back", printed + std::string(again.status().message()));
  Require(Print(*again) == printed, "prints another text", printed);
  return 0;
}
