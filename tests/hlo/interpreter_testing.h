// Runs small programs for the tests of the interpreter.
#ifndef HLO_INDEXING_TESTS_HLO_INTERPRETER_TESTING_H_
#define HLO_INDEXING_TESTS_HLO_INTERPRETER_TESTING_H_

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"

namespace hlo_indexing::testing {

/// Computations that the bodies below may name.
inline constexpr char kCallees[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
add_s32 { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
replace { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] copy(b) }
maximum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
lt_first { a = s32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
argmax { v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
  c = pred[] compare(v, w), direction=GE
  x = f32[] select(c, v, w) y = s32[] select(c, i, j) ROOT r = (f32[], s32[]) tuple(x, y) }
running_sum { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(x, c) ROOT r = (f32[], f32[]) tuple(s, s) }
double { x = f32[2] parameter(0) ROOT r = f32[2] add(x, x) }
beside { x = f32[2] parameter(0) e = () tuple() ROOT r = ((), f32[2]) tuple(e, x) }
squared { x = f32[2] parameter(0) ROOT r = f32[2] multiply(x, x) }
below_100 { x = s32[] parameter(0) n = s32[] constant(100) ROOT r = pred[] compare(x, n), direction=LT }
forever { x = s32[] parameter(0) ROOT r = pred[] constant(true) }
triple { x = s32[] parameter(0) n = s32[] constant(3) ROOT r = s32[] multiply(x, n) }
)";

/// A module whose entry has this body.
inline std::string ModuleOf(const std::string& body) {
  return std::string("HloModule m\n") + kCallees + "ENTRY e {\n" + body + "\n}\n";
}

/// What the entry gives on each device, printed, one line each; or the message of the error.
inline std::string Interpret(const std::string& body, const hlo::InterpreterOptions& options = {}) {
  const auto module = hlo::ParseModule(ModuleOf(body));
  if (!module.ok()) return std::string(module.status().message());
  if (const absl::Status fits = hlo::Verify(**module); !fits.ok()) {
    return std::string(fits.message());
  }
  const std::vector<hlo::Arguments> none(static_cast<size_t>(options.num_devices()));
  const auto results = hlo::EvaluateOnDevices((*module)->entry(), none, options);
  if (!results.ok()) return std::string(results.status().message());
  std::string text;
  for (const hlo::Value& result : *results) {
    if (!text.empty()) text += "\n";
    text += result.ToString();
  }
  return text;
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_HLO_INTERPRETER_TESTING_H_
