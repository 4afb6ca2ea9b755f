#include "tests/codegen/plan/kernel_fixtures.h"

#include <gtest/gtest.h>

#include "codegen/plan/our_plan.h"
#include "codegen/plan/xla_plan.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {
namespace {

// A module whose root is a fusion of this computation. Parameters are read off the text.
std::string Fusion(const std::string& output, const std::vector<std::string>& parameters,
                   const std::string& body) {
  const std::string sums =
      "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n";
  std::string fused = "fused {\n";
  std::string entry = "ENTRY main {\n";
  std::string operands;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string line = "  p" + std::to_string(i) + " = " + parameters[i] + " parameter(" +
                             std::to_string(i) + ")\n";
    fused += line;
    entry += line;
    operands += (i == 0 ? "p" : ", p") + std::to_string(i);
  }
  return "HloModule m\n" + sums + fused + body + "}\n" + entry + "  ROOT f = " + output +
         " fusion(" + operands + "), kind=kLoop, calls=fused\n}\n";
}

}  // namespace

const std::vector<NamedModule>& KernelModules() {
  static const auto* const modules = new std::vector<NamedModule>{
      {"loop", Fusion("f32[30,50]", {"f32[30,50]", "f32[50]"},
                      "  b = f32[30,50] broadcast(p1), dimensions={1}\n"
                      "  ROOT r = f32[30,50] add(p0, b)\n")},
      {"loop over a transpose of few elements",
       Fusion("f32[7,5,3]", {"f32[3,5,7]"},
              "  ROOT r = f32[7,5,3] transpose(p0), dimensions={2,1,0}\n")},
      {"loop with an output in another layout",
       Fusion("f32[20,30]{0,1}", {"f32[20,30]{1,0}"}, "  ROOT r = f32[20,30]{0,1} negate(p0)\n")},
      {"unrolled loop",
       Fusion("f32[540672]", {"f32[540672]"}, "  ROOT r = f32[540672] negate(p0)\n")},
      {"unrolled loop with a ragged end",
       Fusion("f32[129028]", {"f32[129028]"}, "  ROOT r = f32[129028] negate(p0)\n")},
      {"two roots", Fusion("(f32[100], f32[10,10])", {"f32[100]"},
                           "  n = f32[100] negate(p0)\n"
                           "  c = f32[10,10] bitcast(p0)\n"
                           "  ROOT r = (f32[100], f32[10,10]) tuple(n, c)\n")},
      {"transpose", Fusion("f32[64,96]", {"f32[96,64]"},
                           "  e = f32[96,64] exponential(p0)\n"
                           "  t = f32[64,96] transpose(e), dimensions={1,0}\n"
                           "  ROOT r = f32[64,96] negate(t)\n")},
      {"batched transpose", Fusion("f32[3,40,35]", {"f32[3,35,40]"},
                                   "  ROOT t = f32[3,40,35] transpose(p0), dimensions={0,2,1}\n")},
      {"packed transpose", Fusion("bf16[128,64]", {"bf16[64,128]"},
                                  "  ROOT t = bf16[128,64] transpose(p0), dimensions={1,0}\n")},
      {"transpose of 8 bits", Fusion("s8[130,70]", {"s8[70,130]"},
                                     "  ROOT t = s8[130,70] transpose(p0), dimensions={1,0}\n")},
      {"transpose with a side output", Fusion("(f32[64,64], f32[64,64])", {"f32[64,64]"},
                                              "  e = f32[64,64] exponential(p0)\n"
                                              "  t = f32[64,64] transpose(e), dimensions={1,0}\n"
                                              "  ROOT r = (f32[64,64], f32[64,64]) tuple(t, e)\n")},
      {"row reduction", Fusion("f32[20]", {"f32[20,1000]"},
                               "  c = f32[] constant(0)\n"
                               "  e = f32[20,1000] exponential(p0)\n"
                               "  r0 = f32[20] reduce(e, c), dimensions={1}, to_apply=sum\n"
                               "  ROOT r = f32[20] negate(r0)\n")},
      {"multi-row reduction",
       Fusion("f32[4096]", {"f32[4096,16]"},
              "  c = f32[] constant(0)\n"
              "  ROOT r = f32[4096] reduce(p0, c), dimensions={1}, to_apply=sum\n")},
      // The vectors that would give each multiprocessor a block leave rows of more threads than
      // one.
      {"rows of packed elements",
       "HloModule m\n"
       "sum4 { a = s4[] parameter(0)\n b = s4[] parameter(1)\n ROOT s = s4[] add(a, b) }\n"
       "fused { p0 = s4[6,512] parameter(0)\n c = s4[] constant(0)\n"
       "  ROOT r = s4[6] reduce(p0, c), dimensions={1}, to_apply=sum4 }\n"
       "ENTRY main { p0 = s4[6,512] parameter(0)\n"
       "  ROOT f = s4[6] fusion(p0), kind=kInput, calls=fused }\n"},
      {"column reduction",
       Fusion("f32[96]", {"f32[200,96]"},
              "  c = f32[] constant(0)\n"
              "  ROOT r = f32[96] reduce(p0, c), dimensions={0}, to_apply=sum\n")},
      {"small column reduction",
       Fusion("f32[3,4]", {"f32[3,300,4]"},
              "  c = f32[] constant(0)\n"
              "  ROOT r = f32[3,4] reduce(p0, c), dimensions={1}, to_apply=sum\n")},
      {"reduction with a side output",
       Fusion("(f32[20], f32[20,640])", {"f32[20,640]"},
              "  c = f32[] constant(0)\n"
              "  e = f32[20,640] exponential(p0)\n"
              "  r0 = f32[20] reduce(e, c), dimensions={1}, to_apply=sum\n"
              "  ROOT r = (f32[20], f32[20,640]) tuple(r0, e)\n")},
      {"concatenate", Fusion("f32[300]", {"f32[100]", "f32[80]", "f32[120]"},
                             "  n = f32[100] negate(p0)\n"
                             "  ROOT r = f32[300] concatenate(n, p1, p2), dimensions={0}\n")},
      {"concatenate of columns",
       Fusion("f32[40,30]", {"f32[40,20]", "f32[40,10]"},
              "  ROOT r = f32[40,30] concatenate(p0, p1), dimensions={1}\n")},
      {"copy",
       "HloModule m\nENTRY main { p = f32[60,40]{1,0} parameter(0)\n"
       " ROOT r = f32[60,40]{0,1} copy(p) }"},
      {"single reduction",
       "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, "
       "b) }\n"
       "ENTRY main { p = f32[32,2048] parameter(0)\n c = f32[] constant(0)\n"
       " ROOT r = f32[32] reduce(p, c), dimensions={1}, to_apply=sum }"},
      {"variadic reduction",
       "HloModule m\nboth { a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] "
       "parameter(2)\n"
       " d = s32[] parameter(3)\n x = f32[] maximum(a, c)\n y = s32[] maximum(b, d)\n"
       " ROOT r = (f32[], s32[]) tuple(x, y) }\n"
       "ENTRY main { p = f32[16,512] parameter(0)\n q = s32[16,512] parameter(1)\n"
       " c = f32[] constant(0)\n d = s32[] constant(0)\n"
       " ROOT r = (f32[16], s32[16]) reduce(p, q, c, d), dimensions={1}, to_apply=both }"},
      {"loop of packed elements",
       "HloModule m\nENTRY main { p = u2[5,7]{1,0:E(2)} parameter(0)\n"
       " ROOT r = u2[5,7]{0,1:E(2)} copy(p) }"},
      {"transpose of packed elements",
       "HloModule m\nENTRY main { p = s4[64,96]{1,0:E(4)} parameter(0)\n"
       " ROOT r = s4[96,64]{1,0:E(4)} transpose(p), dimensions={1,0} }"},
      {"transpose of an odd number of packed elements",
       "HloModule m\nENTRY main { p = s4[33,40]{1,0:E(4)} parameter(0)\n"
       " ROOT r = s4[40,33]{1,0:E(4)} transpose(p), dimensions={1,0} }"},
      {"concatenate of packed elements",
       "HloModule m\nENTRY main { p = u2[5,8]{1,0:E(2)} parameter(0)\n"
       " q = u2[5,3]{1,0:E(2)} parameter(1)\n"
       " ROOT r = u2[5,11]{1,0:E(2)} concatenate(p, q), dimensions={1} }"},
  };
  return *modules;
}

PlannedModule::PlannedModule(const std::string& text)
    : mlir_context_(mlir::MLIRContext::Threading::DISABLED),
      device_(*ptx::FindDeviceModel("rtx-a6000")),
      analysis_(&mlir_context_),
      plans_(device_, analysis_, &mlir_context_) {
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  module_ = *std::move(module);
  EXPECT_EQ(hlo::Verify(*module_).message(), "");
}

absl::StatusOr<KernelPlan> PlannedModule::Plan(Planner planner) {
  return planner == Planner::kOurs ? PlanKernel(root(), plans_) : PlanLikeXla(root(), plans_);
}

void ForEachPoint(const indexing_analysis::IndexingMap& map, llvm::ArrayRef<int64_t> runtime,
                  const std::function<void(llvm::ArrayRef<int64_t>)>& visit) {
  llvm::SmallVector<indexing_analysis::Interval, 8> bounds;
  for (const auto& variable : map.dimensions()) bounds.push_back(variable.bounds);
  for (const auto& variable : map.ranges()) bounds.push_back(variable.bounds);
  llvm::SmallVector<int64_t, 8> point;
  for (const auto& interval : bounds) {
    if (interval.upper < interval.lower) return;
    point.push_back(interval.lower);
  }
  const size_t num_dimensions = map.num_dimensions();
  for (;;) {
    const llvm::ArrayRef<int64_t> dimensions = llvm::ArrayRef(point).take_front(num_dimensions);
    llvm::SmallVector<int64_t, 8> symbols(
        llvm::ArrayRef<int64_t>(point).drop_front(num_dimensions));
    symbols.append(runtime.begin(), runtime.end());
    if (map.DomainContains(dimensions, symbols)) {
      const auto results = map.Evaluate(dimensions, symbols);
      ASSERT_TRUE(results.has_value());
      visit(*results);
    }
    size_t i = 0;
    while (i < point.size() && point[i] == bounds[i].upper) {
      point[i] = bounds[i].lower;
      ++i;
    }
    if (i == point.size()) return;
    ++point[i];
  }
}

}  // namespace hlo_indexing::plan
