// The figures of cures against all threads of the grid, of kernels that are written as the change
// says where text can say that.
#include "codegen/explain/plan_cures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "codegen/explain/kernel_copy.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/xla_alternatives.h"
#include "codegen/plan/xla_plan.h"
#include "tests/codegen/explain/every_thread.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::explain {
namespace {

using plan::KernelPlan;
using plan::NamedModule;
using plan::PlannedModule;

// Small kernels are tried, too.
constexpr PlanCureLimits kLimits = {.min_us = 0};

struct Tried {
  int64_t requests = 0;
  int64_t sectors = 0;

  Tried& operator+=(const Tried& other) {
    requests += other.requests;
    sectors += other.sectors;
    return *this;
  }
};

Tried TryEveryThread(const KernelPlan& plan, plan::PlanContext& plans) {
  Tried sum;
  for (const plan::KernelAccess& access : AccessesOf(plan, plans)) {
    const Traffic traffic = CountByEveryThread(access, /*sector_bytes=*/32, /*draw=*/0);
    sum += {traffic.requests, traffic.sectors};
  }
  return sum;
}

Tried TryEveryThread(const std::string& text) {
  PlannedModule module(text);
  const auto plan = module.Plan();
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return TryEveryThread(*plan, module.plans());
}

void ExpectFigures(const KernelFigures& figures, const Tried& tried) {
  EXPECT_TRUE(figures.is_exact);
  EXPECT_EQ(figures.requests, tried.requests);
  EXPECT_EQ(figures.sectors, tried.sectors);
  EXPECT_EQ(figures.moved_bytes(), tried.sectors * 32);
}

KernelReport ReportOf(PlannedModule& module) {
  auto plan = module.Plan();
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  CoalescingTable table;
  return ReportKernel(*std::move(plan), module.plans(), table);
}

PlanCures CuresOf(PlannedModule& module, const PlanCureLimits& limits = kLimits) {
  PlanCureFinder finder(module.plans(), limits);
  return finder.Find(ReportOf(module)).value_or(PlanCures());
}

const PlanCure* FindChange(const PlanCures& cures, PlanChange change) {
  for (const PlanCure& cure : cures.cures) {
    if (cure.change == change) return &cure;
  }
  return nullptr;
}

std::string Fusion(const std::string& parameters, const std::string& body,
                   const std::string& result, const std::string& operands) {
  return absl::StrCat(
      "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT r = f32[] add(a, b) }\nfused {\n",
      parameters, body, "}\nENTRY main {\n", parameters, " ROOT f = ", result, " fusion(", operands,
      "), kind=kLoop, calls=fused }");
}

std::string ColumnsTo(const std::string& layout) {
  return Fusion(" p = f32[512,256]{0,1} parameter(0)\n",
                absl::Substitute(" n = f32[512,256]$0 negate(p)\n"
                                 " ROOT r = f32[512,256]$0 exponential(n)\n",
                                 layout),
                "f32[512,256]" + layout, "p");
}

TEST(PlanCures, AnotherLayoutOfTheResult) {
  const std::string text = ColumnsTo("{1,0}");
  PlannedModule module(text);
  const PlanCures cures = CuresOf(module);
  const PlanCure* cure = FindChange(cures, PlanChange::kResultLayout);
  ASSERT_NE(cure, nullptr);
  EXPECT_EQ(cure->output, 0);
  EXPECT_EQ(cure->minor_to_major, (llvm::SmallVector<int64_t, 6>{0, 1}));
  EXPECT_EQ(cure->array_bytes, 2 * 512 * 256 * 4);
  ExpectFigures(cure->now, TryEveryThread(text));
  ExpectFigures(cure->then, TryEveryThread(ColumnsTo("{0,1}")));
  EXPECT_LE(cure->then.us, cure->now.us);
}

// Of one instruction, and of one output of two that do not share what they are computed from.
TEST(PlanCures, AnotherLayoutOfOneResult) {
  const auto transpose = [](const std::string& layout) {
    return "HloModule m\nENTRY main { p = f32[8,4,100] parameter(0)\n ROOT t = f32[8,100,4]" +
           layout + " transpose(p), dimensions={0,2,1} }";
  };
  PlannedModule module(transpose("{2,1,0}"));
  const PlanCures cures = CuresOf(module);
  const PlanCure* cure = FindChange(cures, PlanChange::kResultLayout);
  ASSERT_NE(cure, nullptr);
  EXPECT_EQ(cure->minor_to_major, (llvm::SmallVector<int64_t, 6>{1, 2, 0}));
  ExpectFigures(cure->now, TryEveryThread(transpose("{2,1,0}")));
  ExpectFigures(cure->then, TryEveryThread(transpose("{1,2,0}")));

  const auto two = [](const std::string& layout) {
    return Fusion(" p = f32[512,256]{0,1} parameter(0)\n q = f32[512,256] parameter(1)\n",
                  absl::Substitute(" n = f32[512,256]$0 negate(p)\n e = f32[512,256] "
                                   "exponential(q)\n ROOT t = (f32[512,256], f32[512,256]$0) "
                                   "tuple(e, n)\n",
                                   layout),
                  "(f32[512,256], f32[512,256]" + layout + ")", "p, q");
  };
  PlannedModule of_two(two("{1,0}"));
  const PlanCures cures_of_two = CuresOf(of_two);
  const PlanCure* second = FindChange(cures_of_two, PlanChange::kResultLayout);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->output, 1);
  ExpectFigures(second->now, TryEveryThread(two("{1,0}")));
  ExpectFigures(second->then, TryEveryThread(two("{0,1}")));
}

// A bitcast of other memory would be another value.
TEST(PlanCures, NoOtherLayoutBelowABitcast) {
  PlannedModule module(Fusion(" p = f32[512,256]{0,1} parameter(0)\n",
                              " n = f32[512,256]{1,0} negate(p)\n"
                              " b = f32[256,512]{1,0} bitcast(n)\n"
                              " ROOT r = f32[256,512]{1,0} exponential(b)\n",
                              "f32[256,512]{1,0}", "p"));
  EXPECT_EQ(FindChange(CuresOf(module), PlanChange::kResultLayout), nullptr);
}

// What the best of the alternatives does in all threads.
std::optional<Tried> BestOf(PlannedModule& module,
                            const std::vector<plan::Alternative>& alternatives) {
  const KernelReport report = ReportOf(module);
  std::optional<Tried> best;
  for (const plan::Alternative& alternative : alternatives) {
    const auto plan = PlanAlternative(report.plan, alternative, module.plans());
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    const Tried tried = TryEveryThread(*plan, module.plans());
    if (!best.has_value() || tried.sectors < best->sectors) best = tried;
  }
  return best;
}

void ExpectHero(const std::string& text, const std::string& hero, const std::string& variant) {
  PlannedModule module(text);
  const PlanCures cures = CuresOf(module);
  const PlanCure* cure = FindChange(cures, PlanChange::kHero);
  ASSERT_NE(cure, nullptr);
  EXPECT_EQ(cure->at == nullptr ? "" : cure->at->name(), hero);
  EXPECT_EQ(cure->variant, variant);
  ExpectFigures(cure->now, TryEveryThread(text));
  const auto best = BestOf(module, OtherHeroes(ReportOf(module).plan, module.plans()));
  ASSERT_TRUE(best.has_value());
  ExpectFigures(cure->then, *best);
  EXPECT_LT(cure->then.sectors, cure->now.sectors);
}

// XLA makes a loop of a fusion with two transposes.
TEST(PlanCures, OneOfTwoTransposesAsHero) {
  ExpectHero(Fusion(" p = f32[256,256] parameter(0)\n q = f32[256,256] parameter(1)\n",
                    " t = f32[256,256] transpose(p), dimensions={1,0}\n"
                    " u = f32[256,256] transpose(q), dimensions={1,0}\n"
                    " ROOT r = f32[256,256] add(t, u)\n",
                    "f32[256,256]", "p, q"),
             "t", "transpose");
}

// XLA looks for a reduction through instructions with one operand only.
TEST(PlanCures, AReductionAsHero) {
  ExpectHero(Fusion(" p = f32[512,256] parameter(0)\n q = f32[512] parameter(1)\n",
                    " z = f32[] constant(0)\n"
                    " s = f32[512] reduce(p, z), dimensions={1}, to_apply=sum\n"
                    " ROOT r = f32[512] multiply(s, q)\n",
                    "f32[512]", "p, q"),
             "s", "row reduction");
}

// Every thread of XLA's kernel stores an element from each operand by itself.
TEST(PlanCures, ALoopInsteadOfAConcatenate) {
  ExpectHero(
      "HloModule m\nENTRY main { p = f32[8192,1] parameter(0)\n q = f32[8192,7] parameter(1)\n"
      " ROOT c = f32[8192,8] concatenate(p, q), dimensions={1} }",
      "", "loop");
}

TEST(PlanCures, AKernelOfItsOwn) {
  const std::string p = " p = s8[1024,1024] parameter(0)\n";
  const std::string n = " n = s8[1024,1024] negate(p)\n";
  const std::string t = " t = s8[1024,1024] transpose(n), dimensions={1,0}\n";
  const std::string r = " ROOT r = s8[1024,960] slice(t), slice={[0:1024], [64:1024]}\n";
  const std::string text = Fusion(p, n + t + r, "s8[1024,960]", "p");
  PlannedModule module(text);
  const PlanCures cures = CuresOf(module);
  const PlanCure* cure = FindChange(cures, PlanChange::kSplit);
  ASSERT_NE(cure, nullptr);
  EXPECT_EQ(cure->at->name(), "t");
  EXPECT_EQ(cure->array_bytes, 1024 * 1024);
  ExpectFigures(cure->now, TryEveryThread(text));
  Tried both = TryEveryThread(Fusion(p, n + " ROOT" + t, "s8[1024,1024]", "p"));
  both += TryEveryThread(Fusion(" t = s8[1024,1024] parameter(0)\n", r, "s8[1024,960]", "t"));
  ExpectFigures(cure->then, both);
}

// Of f32 the sectors that a transpose in a loop fetches again cost less than an array between.
TEST(PlanCures, NoKernelOfItsOwnThatTakesLonger) {
  PlannedModule module(Fusion(" p = f32[512,512] parameter(0)\n",
                              " t = f32[512,512] transpose(p), dimensions={1,0}\n"
                              " ROOT r = f32[512,448] slice(t), slice={[0:512], [64:512]}\n",
                              "f32[512,448]", "p"));
  const PlanCures cures = CuresOf(module);
  EXPECT_EQ(FindChange(cures, PlanChange::kSplit), nullptr);
  EXPECT_NE(FindChange(cures, PlanChange::kResultLayout), nullptr);
}

// Eight elements of two bytes are 16 bytes, the widest vector; half as many instructions move them.
TEST(PlanCures, WiderVectors) {
  const std::string text =
      "HloModule m\nENTRY main { p = bf16[1048576] parameter(0)\n"
      " ROOT n = bf16[1048576] negate(p) }";
  PlannedModule module(text);
  const PlanCures cures = CuresOf(module);
  ASSERT_EQ(cures.cures.size(), 1U);
  const PlanCure& cure = cures.cures.front();
  EXPECT_EQ(cure.change, PlanChange::kVector);
  EXPECT_EQ(cure.vector_elements, 8);
  // A request of 32 lanes with 8 elements each, of the load and of the store.
  EXPECT_EQ(cure.now.requests, 2 * 1048576 / (32 * 4));
  EXPECT_EQ(cure.then.requests, 2 * 1048576 / (32 * 8));
  EXPECT_EQ(cure.then.sectors, cure.now.sectors);
  ExpectFigures(cure.now, TryEveryThread(text));
  const KernelReport report = ReportOf(module);
  plan::Alternative wide;
  wide.vector_elements = 8;
  const auto plan = PlanAlternative(report.plan, wide, module.plans());
  ASSERT_TRUE(plan.ok());
  ExpectFigures(cure.then, TryEveryThread(*plan, module.plans()));
}

// Fewer threads than the device holds would be left, or more sectors be touched.
TEST(PlanCures, NoneWhereNothingHelps) {
  for (const std::string text : {"HloModule m\nENTRY main { p = bf16[262144] parameter(0)\n"
                                 " ROOT n = bf16[262144] negate(p) }",
                                 "HloModule m\nENTRY main { p = f32[1048576] parameter(0)\n"
                                 " ROOT n = f32[1048576] negate(p) }",
                                 "HloModule m\nENTRY main { p = f32[64,128,32] parameter(0)\n"
                                 " ROOT t = f32[64,32,128] transpose(p), dimensions={0,2,1} }"}) {
    PlannedModule module(text);
    const PlanCures cures = CuresOf(module);
    EXPECT_EQ(cures.cures.size(), 0U) << text;
    EXPECT_EQ(cures.num_left_out, 0) << text;
  }
}

// Nothing is claimed of an in-place update but what its own order of elements does.
TEST(PlanCures, UpdatesStayInPlace) {
  PlannedModule module(
      "HloModule m\nENTRY main { x = f32[512,512] parameter(0)\n u = f32[512,8]{0,1} parameter(1)\n"
      " i = s32[] parameter(2)\n j = s32[] parameter(3)\n"
      " ROOT r = f32[512,512] dynamic-update-slice(x, u, i, j) }");
  for (const PlanCure& cure : CuresOf(module).cures) {
    EXPECT_EQ(cure.change, PlanChange::kVector);
  }
}

// A copy is planned as the kernel itself, and every change makes fewer sectors or requests.
TEST(PlanCures, OfAllKernels) {
  for (const NamedModule& named : plan::KernelModules()) {
    SCOPED_TRACE(named.name);
    PlannedModule module(named.text);
    const KernelReport report = ReportOf(module);
    KernelPart all;
    all.roots = RootsOf(report.plan);
    const auto copy = CopyPart(report.plan, all);
    ASSERT_NE(copy, nullptr);
    indexing_analysis::IndexingAnalysis analysis(module.mlir_context());
    plan::PlanContext plans(module.plans().device, analysis, module.mlir_context());
    auto plan = plan::PlanLikeXla(copy->entry(), plans);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->variant, report.plan.variant);
    CoalescingTable table;
    const KernelReport of_copy = ReportKernel(*std::move(plan), plans, table);
    EXPECT_EQ(of_copy.totals.sectors, report.totals.sectors);
    EXPECT_EQ(of_copy.totals.requests, report.totals.requests);
    EXPECT_EQ(of_copy.totals.distinct_sectors, report.totals.distinct_sectors);
    EXPECT_DOUBLE_EQ(of_copy.time.us(), report.time.us());
    PlanCureFinder finder(module.plans(), kLimits);
    const std::optional<PlanCures> cures = finder.Find(report);
    ASSERT_TRUE(cures.has_value());
    for (const PlanCure& cure : cures->cures) {
      EXPECT_EQ(cure.now.sectors, report.totals.sectors);
      EXPECT_LE(cure.then.sectors, cure.now.sectors);
      EXPECT_TRUE(cure.then.sectors < cure.now.sectors || cure.then.requests < cure.now.requests);
      EXPECT_LE(cure.then.us, cure.now.us * 1.0001);
    }
  }
}

// Two fusions that compute the same are planned again once; each names its own instruction.
TEST(PlanCures, EqualKernelsAreTriedOnce) {
  const auto fused = [](const std::string& name) {
    return absl::Substitute(
        "$0 {\n p$0 = s8[1024,1024] parameter(0)\n n$0 = s8[1024,1024] negate(p$0)\n"
        " t$0 = s8[1024,1024] transpose(n$0), dimensions={1,0}\n"
        " ROOT r$0 = s8[1024,960] slice(t$0), slice={[0:1024], [64:1024]}\n}\n",
        name);
  };
  PlannedModule module(absl::StrCat("HloModule m\n", fused("a"), fused("b"),
                                    "ENTRY main {\n p = s8[1024,1024] parameter(0)\n"
                                    " x = s8[1024,960] fusion(p), kind=kLoop, calls=a\n"
                                    " y = s8[1024,960] fusion(p), kind=kLoop, calls=b\n"
                                    " ROOT t = (s8[1024,960], s8[1024,960]) tuple(x, y)\n}\n"));
  PlanCureLimits limits = kLimits;
  limits.max_different_kernels = 1;
  PlanCureFinder finder(module.plans(), limits);
  CoalescingTable table;
  for (const std::string name : {"a", "b"}) {
    const hlo::Instruction& fusion = module.root().operand(name == "a" ? 0 : 1);
    auto plan = plan::PlanLikeXla(fusion, module.plans());
    ASSERT_TRUE(plan.ok());
    const auto cures = finder.Find(ReportKernel(*std::move(plan), module.plans(), table));
    ASSERT_TRUE(cures.has_value());
    const PlanCure* split = FindChange(*cures, PlanChange::kSplit);
    ASSERT_NE(split, nullptr);
    EXPECT_EQ(split->at->name(), "t" + name);
  }
  EXPECT_EQ(finder.num_left_out(), 0);
}

// Each result of a reduction of many arrays is made of all of them: that counts as many
// instructions.
TEST(PlanCures, ReductionsOfManyArraysAreLarge) {
  constexpr int kArrays = 400;
  std::string left;
  std::string right;
  std::string parameters;
  std::string operands;
  std::string initial;
  std::string scalars;
  std::string shape;
  std::string results;
  for (int i = 0; i < kArrays; ++i) {
    const char* const comma = i == 0 ? "" : ", ";
    absl::StrAppend(&left, "a", i, " = f32[] parameter(", i, ")\n");
    absl::StrAppend(&right, "b", i, " = f32[] parameter(", kArrays + i, ")\n");
    absl::StrAppend(&parameters, "p", i, " = f32[64,4096] parameter(", i, ")\n");
    absl::StrAppend(&operands, comma, "p", i);
    absl::StrAppend(&initial, ", z");
    absl::StrAppend(&scalars, comma, "f32[]");
    absl::StrAppend(&shape, comma, "f32[64]");
    absl::StrAppend(&results, comma, "a", i);
  }
  PlannedModule module(absl::StrCat("HloModule m\nc {\n", left, right, "ROOT t = (", scalars,
                                    ") tuple(", results, ")\n}\nENTRY e {\n", parameters,
                                    "z = f32[] constant(0)\nROOT r = (", shape, ") reduce(",
                                    operands, initial, "), dimensions={1}, to_apply=c\n}\n"));
  PlanCureFinder finder(module.plans(), {.min_us = 0});
  EXPECT_FALSE(finder.Find(ReportOf(module)).has_value());
  EXPECT_EQ(finder.num_left_out(), 1);
}

TEST(PlanCures, LimitsAreTold) {
  const std::string text = ColumnsTo("{1,0}");
  PlannedModule module(text);
  PlanCureLimits limits = kLimits;
  limits.max_tried = 1;
  const PlanCures cures = CuresOf(module, limits);
  EXPECT_EQ(cures.num_tried, 1);
  EXPECT_GT(cures.num_left_out, 0);
  limits.max_different_kernels = 0;
  PlanCureFinder none(module.plans(), limits);
  EXPECT_FALSE(none.Find(ReportOf(module)).has_value());
  EXPECT_EQ(none.num_left_out(), 1);
  // Too short to be worth it: that is no limit.
  PlanCureFinder of_long_ones(module.plans(), {.min_us = 1e9});
  EXPECT_FALSE(of_long_ones.Find(ReportOf(module)).has_value());
  EXPECT_EQ(of_long_ones.num_left_out(), 0);
}

}  // namespace
}  // namespace hlo_indexing::explain
