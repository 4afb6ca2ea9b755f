// Reports on random fusions against all threads of the grid, and what they load against what the
// indexing maps of the whole fusion read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/explain/changed_kernels.h"
#include "codegen/explain/kernel_copy.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/plan_cures.h"
#include "codegen/explain/shared_report.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/xla_alternatives.h"
#include "codegen/plan/xla_plan.h"
#include "hlo/parser/parser.h"
#include "hlo/printer.h"
#include "hlo/shape_inference/verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/codegen/explain/every_shared_access.h"
#include "tests/codegen/explain/every_thread.h"
#include "tests/codegen/plan/kernel_fixtures.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::Image;
using plan::AccessKind;
using plan::KernelAccess;
using plan::KernelPlan;
using plan::PlannedModule;
using plan::Planner;
using testing::NumCases;
using testing::Random;
using testing::Sizes;

// A fusion around a transpose, a reduction, a concatenate, a slice at run time or none of these,
// large enough for XLA's emitters to take it: what comes before and after moves elements about.
class RandomKernel {
 public:
  explicit RandomKernel(Random& random) : random_(random) {}

  std::string Make() {
    type_ = random_.Pick(std::vector<std::string>{"f32", "f32", "bf16", "s8", "f64"});
    sizes_ = RandomSizes();
    last_ = AddParameter(Layout());
    for (int64_t i = random_.Between(0, 2); i > 0; --i) Move();
    const Sizes side_sizes = sizes_;
    const std::string side = last_;
    Hero();
    for (int64_t i = random_.Between(0, 1); i > 0; --i) Move();
    std::string result = ShapeOf(sizes_);
    if (random_.OneIn(4) && Elements(side_sizes) == Elements(sizes_)) {
      result = absl::StrCat("(", result, ", ", ShapeOf(side_sizes), ")");
      body_ += absl::StrCat("  ROOT t = ", result, " tuple(", last_, ", ", side, ")\n");
    } else {
      body_ += absl::StrCat("  ROOT t = ", result, " exponential(", last_, ")\n");
    }
    std::vector<std::string> names;
    for (size_t i = 0; i < parameters_.size(); ++i) names.push_back(absl::StrCat("p", i));
    const std::string parameters = absl::StrJoin(parameters_, "");
    const std::string scalar = type_ + "[]";
    return absl::StrCat("HloModule m\nsum {\n  a = ", scalar, " parameter(0)\n  b = ", scalar,
                        " parameter(1)\n  ROOT r = ", scalar, " add(a, b)\n}\nfused {\n",
                        parameters, "  zero = ", scalar, " constant(0)\n", body_,
                        "}\nENTRY main {\n", parameters, "  ROOT f = ", result, " fusion(",
                        absl::StrJoin(names, ", "), "), kind=kLoop, calls=fused\n}\n");
  }

 private:
  static int64_t Elements(const Sizes& sizes) {
    int64_t elements = 1;
    for (const int64_t size : sizes) elements *= size;
    return elements;
  }

  Sizes RandomSizes() {
    static const Sizes kSizes = {1, 2, 3, 4, 7, 8, 16, 17, 32, 33, 40, 64, 100, 128};
    constexpr int64_t kMostElements = 12000;
    Sizes sizes;
    for (int64_t i = random_.Between(1, 4); i > 0; --i) {
      const int64_t size = random_.Pick(kSizes);
      sizes.push_back(Elements(sizes) * size > kMostElements ? 2 : size);
    }
    return sizes;
  }

  std::string ShapeOf(const Sizes& sizes) const {
    return absl::StrCat(type_, "[", absl::StrJoin(sizes, ","), "]");
  }

  std::string Layout() {
    if (!random_.OneIn(3)) return "";
    return absl::StrCat("{", absl::StrJoin(random_.Permutation(sizes_.size()), ","), "}");
  }

  std::string AddParameter(const std::string& layout) {
    const size_t number = parameters_.size();
    parameters_.push_back(
        absl::StrCat("  p", number, " = ", ShapeOf(sizes_), layout, " parameter(", number, ")\n"));
    return absl::StrCat("p", number);
  }

  void Add(const Sizes& sizes, const std::string& operation) {
    last_ = absl::StrCat("i", num_instructions_++);
    sizes_ = sizes;
    body_ += absl::StrCat("  ", last_, " = ", ShapeOf(sizes), " ", operation, "\n");
  }

  void Move() {
    if (sizes_.empty()) return Add(sizes_, absl::StrCat("negate(", last_, ")"));
    const size_t dimension =
        static_cast<size_t>(random_.Between(0, static_cast<int64_t>(sizes_.size()) - 1));
    Sizes sizes = sizes_;
    std::vector<std::string> texts;
    switch (random_.Between(0, 6)) {
      case 0:
        return Add(sizes, absl::StrCat("negate(", last_, ")"));
      case 1:
        return Add(sizes, absl::StrCat("reverse(", last_, "), dimensions={", dimension, "}"));
      case 2: {
        const int64_t start = random_.Between(0, sizes[dimension] - 1);
        const int64_t stride = random_.Between(1, 3);
        for (size_t i = 0; i < sizes.size(); ++i) {
          texts.push_back(i == dimension ? absl::StrCat("[", start, ":", sizes[i], ":", stride, "]")
                                         : absl::StrCat("[0:", sizes[i], "]"));
        }
        sizes[dimension] = (sizes[dimension] - start + stride - 1) / stride;
        return Add(sizes,
                   absl::StrCat("slice(", last_, "), slice={", absl::StrJoin(texts, ", "), "}"));
      }
      case 3: {
        const int64_t low = random_.Between(0, 5);
        const int64_t high = random_.Between(0, 5);
        for (size_t i = 0; i < sizes.size(); ++i) {
          texts.push_back(i == dimension ? absl::StrCat(low, "_", high) : "0_0");
        }
        sizes[dimension] += low + high;
        return Add(sizes,
                   absl::StrCat("pad(", last_, ", zero), padding=", absl::StrJoin(texts, "x")));
      }
      case 4:
        return Add(testing::RandomFactors(random_, Elements(sizes), 4),
                   absl::StrCat("reshape(", last_, ")"));
      case 5: {
        const std::string operand = last_;
        const std::string other = AddParameter(Layout());
        return Add(sizes, absl::StrCat("add(", operand, ", ", other, ")"));
      }
      default:
        return Transpose();
    }
  }

  void Transpose() {
    const std::vector<int64_t> permutation = random_.Permutation(sizes_.size());
    Sizes sizes;
    for (const int64_t i : permutation) sizes.push_back(sizes_[static_cast<size_t>(i)]);
    Add(sizes,
        absl::StrCat("transpose(", last_, "), dimensions={", absl::StrJoin(permutation, ","), "}"));
  }

  void Hero() {
    Sizes sizes;
    switch (random_.Between(0, 5)) {
      case 0:
      case 1:
        return Transpose();
      case 2:
      case 3: {
        std::vector<size_t> reduced;
        for (size_t i = 0; i < sizes_.size(); ++i) {
          random_.OneIn(2) ? reduced.push_back(i) : sizes.push_back(sizes_[i]);
        }
        return Add(sizes, absl::StrCat("reduce(", last_, ", zero), dimensions={",
                                       absl::StrJoin(reduced, ","), "}, to_apply=sum"));
      }
      case 4: {
        const std::string operand = last_;
        const std::string other = AddParameter(Layout());
        sizes = sizes_;
        sizes[0] *= 2;
        return Add(sizes, absl::StrCat("concatenate(", operand, ", ", other, "), dimensions={0}"));
      }
      default: {
        std::vector<std::string> starts;
        for (const int64_t size : sizes_) {
          sizes.push_back(random_.Between(1, size));
          const size_t number = parameters_.size();
          parameters_.push_back(absl::StrCat("  p", number, " = s32[] parameter(", number, ")\n"));
          starts.push_back(absl::StrCat("p", number));
        }
        return Add(sizes, absl::StrCat("dynamic-slice(", last_, ", ", absl::StrJoin(starts, ", "),
                                       "), dynamic_slice_sizes={", absl::StrJoin(sizes, ","), "}"));
      }
    }
  }

  Random& random_;
  std::string type_;
  Sizes sizes_;
  std::vector<std::string> parameters_;
  std::string body_;
  // The instruction that the next one has as its operand.
  std::string last_;
  int num_instructions_ = 0;
};

using Elements = std::set<std::vector<int64_t>>;
// By operand, or output, and array.
using ElementsOfArrays = std::map<std::pair<int64_t, int64_t>, Elements>;

void AddElements(const indexing_analysis::IndexingMap& map, Elements& elements) {
  plan::ForEachPoint(map, {},
                     [&](llvm::ArrayRef<int64_t> element) { elements.insert(element.vec()); });
}

bool IsOrdered(const Image::Count& count) { return count.lower <= count.upper; }

// Not where it is unknown which element a value known at run time is, or where that depends on
// another one.
bool CanBeTried(const KernelAccess& access) {
  // Partial results in scratch memory: kernel_test counts what a run moves.
  if (access.scratch.has_value()) return false;
  if (access.shape->layout() != nullptr && !access.shape->layout()->HasOnlyOrder()) return false;
  return llvm::all_of(access.element.runtime(), [](const auto& value) {
    return !value.index.IsUnknown() && value.index.num_runtime() == 0;
  });
}

// How many accesses were compared with all threads.
struct Compared {
  int exact = 0;
  int ranges = 0;
};

void CheckAccess(const AccessReport& report, Compared& compared) {
  const KernelAccess& access = report.access;
  if (!report.coalescing.has_value()) {
    EXPECT_NE(access.reason, "");
    return;
  }
  const indexing_analysis::Coalescing& found = *report.coalescing;
  SCOPED_TRACE(absl::StrCat(plan::AccessKindName(access.kind).str(), " ", access.operand, " ",
                            access.access.position.ToString(), "\n", found.ToString(), "\n",
                            report.reason()));
  EXPECT_TRUE(IsOrdered(found.requests) && IsOrdered(found.sectors) &&
              IsOrdered(found.ideal_sectors) && IsOrdered(found.distinct_sectors));
  EXPECT_LE(found.ideal_sectors.upper, found.sectors.upper);
  EXPECT_GE(found.Efficiency(), 0);
  EXPECT_LE(found.Efficiency(), 1);
  if (!CanBeTried(access)) return;
  const bool is_drawn = access.element.num_runtime() != 0;
  for (uint64_t draw = 0; draw < (is_drawn ? 3U : 1U); ++draw) {
    Traffic tried = CountByEveryThread(access, /*sector_bytes=*/32, draw, found.vector_elements);
    // Turns of loops that the position does not speak of.
    tried.sectors *= access.access.repetitions;
    tried.least *= access.access.repetitions;
    if (found.IsExact() && !is_drawn) {
      EXPECT_EQ(found.sectors.upper, tried.sectors);
      EXPECT_EQ(found.ideal_sectors.upper, tried.least);
      ++compared.exact;
    } else {
      EXPECT_LE(found.sectors.lower, tried.sectors);
      EXPECT_GE(found.sectors.upper, tried.sectors);
      ++compared.ranges;
    }
  }
}

// Whether a kernel loads what its outputs read and nothing else, where no value known at run time
// decides.
void CheckLoads(PlannedModule& module, const KernelReport& report) {
  ElementsOfArrays loaded;
  for (const AccessReport& access : report.accesses) {
    if (!access.access.IsOfOperand()) continue;
    if (!access.access.reason.empty() || access.access.element.num_runtime() != 0) return;
    AddElements(access.access.element, loaded[{access.access.operand, access.access.leaf}]);
  }
  ElementsOfArrays read;
  for (int64_t output = 0; output < module.root().shape().num_array_leaves(); ++output) {
    for (const auto& operand :
         module.plans().analysis.OutputToInput(module.root(), output).operands()) {
      for (const auto& map : operand.maps()) {
        AddElements(map.map, read[{static_cast<int64_t>(operand.operand()), operand.leaf()}]);
      }
    }
  }
  // Indices of slices that have one place are not loaded.
  for (auto array = read.begin(); array != read.end();) {
    const hlo::Shape& shape = module.root()
                                  .operand(static_cast<size_t>(array->first.first))
                                  .shape()
                                  .ArrayLeaf(array->first.second);
    const bool is_index = hlo::ClassOf(shape.element_type()) != hlo::ElementClass::kFloat;
    array = is_index && !loaded.contains(array->first) ? read.erase(array) : std::next(array);
  }
  EXPECT_EQ(loaded, read);
}

// Whether a kernel stores every element of every output.
void CheckStores(PlannedModule& module, const KernelReport& report) {
  ElementsOfArrays stored;
  for (const AccessReport& access : report.accesses) {
    if (access.access.kind != AccessKind::kStore || access.access.scratch.has_value()) continue;
    if (!access.access.reason.empty() || access.access.element.num_runtime() != 0) return;
    AddElements(access.access.element, stored[{access.access.output, 0}]);
  }
  for (int64_t output = 0; output < module.root().shape().num_array_leaves(); ++output) {
    const hlo::Shape& shape = module.root().shape().ArrayLeaf(output);
    EXPECT_EQ(static_cast<int64_t>(stored[{output, 0}].size()), shape.num_elements());
  }
}

// Bank conflicts against all threads.
void CheckSharedAccesses(const KernelPlan& plan) {
  for (const SharedAccessReport& report : ReportSharedAccesses(plan)) {
    const plan::SharedTile& tile = plan.shared_tiles[report.tile];
    SCOPED_TRACE(absl::StrCat(tile.LayoutText(), " ", tile.accesses[report.access].index.ToString(),
                              "\n", report.conflicts.ToString()));
    EXPECT_TRUE(report.conflicts.IsExact()) << report.conflicts.reason;
    const SharedTraffic tried = CountSharedByEveryThread(plan, tile, tile.accesses[report.access],
                                                         report.conflicts.vector_bytes);
    EXPECT_EQ(report.conflicts.requests.upper, tried.requests);
    EXPECT_EQ(report.conflicts.wavefronts.upper, tried.wavefronts);
    EXPECT_EQ(report.conflicts.ideal_wavefronts.upper, tried.ideal_wavefronts);
  }
}

Compared Check(const std::string& text, Planner planner) {
  SCOPED_TRACE(text);
  Compared compared;
  PlannedModule module(text);
  if (::testing::Test::HasFailure()) return compared;
  absl::StatusOr<KernelPlan> plan = module.Plan(planner);
  if (!plan.ok()) {
    EXPECT_TRUE(absl::IsUnimplemented(plan.status())) << plan.status().message();
    return compared;
  }
  SCOPED_TRACE(plan->ToString());
  CoalescingTable table;
  const KernelReport report = ReportKernel(*std::move(plan), module.plans(), table);
  EXPECT_LE(report.totals.ideal_sectors, report.totals.sectors);
  EXPECT_GE(report.bandwidth_share, 0);
  EXPECT_LE(report.bandwidth_share, 1);
  for (const AccessReport& access : report.accesses) CheckAccess(access, compared);
  CheckSharedAccesses(report.plan);
  // What is updated in place is neither read nor written elsewhere.
  const bool is_in_place =
      report.plan.emitter == plan::Emitter::kScatter || report.plan.variant.starts_with("in-place");
  if (!is_in_place) {
    CheckLoads(module, report);
    CheckStores(module, report);
  }
  return compared;
}

// Whether other ways to make a kernel compute the same, as all threads do. Returns how many there
// are.
int CheckAlternatives(const std::string& text) {
  SCOPED_TRACE(text);
  PlannedModule module(text);
  const absl::StatusOr<KernelPlan> plan = module.Plan();
  if (!plan.ok()) return 0;
  std::vector<plan::Alternative> alternatives = plan::OtherHeroes(*plan, module.plans());
  llvm::append_range(alternatives, plan::WiderVectors(*plan));
  CoalescingTable table;
  for (const plan::Alternative& alternative : alternatives) {
    absl::StatusOr<KernelPlan> other = PlanAlternative(*plan, alternative, module.plans());
    EXPECT_TRUE(other.ok()) << other.status().message();
    if (!other.ok()) continue;
    SCOPED_TRACE(other->ToString());
    const KernelReport report = ReportKernel(*std::move(other), module.plans(), table);
    Compared compared;
    for (const AccessReport& access : report.accesses) CheckAccess(access, compared);
    if (report.plan.variant.starts_with("in-place")) continue;
    CheckLoads(module, report);
    CheckStores(module, report);
  }
  return static_cast<int>(alternatives.size());
}

TEST(RandomAlternatives, ComputeTheSame) {
  const int kernels = NumCases("HLO_INDEXING_RANDOM_KERNELS", 300);
  int alternatives = 0;
  for (int seed = 0; seed < kernels && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    alternatives += CheckAlternatives(RandomKernel(random).Make());
  }
  EXPECT_GT(alternatives, kernels / 2);
}

// A part of a kernel as a module: what is printed of it is valid, and planned as the part itself.
void CheckPart(PlannedModule& module, const KernelPlan& plan, const KernelPart& part) {
  const std::unique_ptr<hlo::Module> copy = CopyPart(plan, part);
  ASSERT_NE(copy, nullptr);
  const std::string text = ToString(*copy);
  SCOPED_TRACE(text);
  const auto parsed = hlo::ParseModule(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(hlo::Verify(**parsed).message(), "");
  std::vector<KernelReport> reports;
  for (const hlo::Module* of : {copy.get(), parsed->get()}) {
    indexing_analysis::IndexingAnalysis analysis(module.mlir_context());
    plan::PlanContext plans(module.plans().device, analysis, module.mlir_context());
    absl::StatusOr<KernelPlan> of_part = plan::PlanLikeXla(of->entry(), plans);
    if (!of_part.ok()) continue;
    CoalescingTable table;
    reports.push_back(ReportKernel(*std::move(of_part), plans, table));
  }
  EXPECT_NE(reports.size(), 1U);
  if (reports.size() != 2) return;
  EXPECT_EQ(reports[0].plan.variant, reports[1].plan.variant);
  EXPECT_EQ(reports[0].totals.sectors, reports[1].totals.sectors);
  EXPECT_EQ(reports[0].totals.requests, reports[1].totals.requests);
}

// Returns how many parts there are.
int CheckParts(const std::string& text) {
  SCOPED_TRACE(text);
  PlannedModule module(text);
  absl::StatusOr<KernelPlan> plan = module.Plan();
  if (!plan.ok()) return 0;
  CoalescingTable table;
  const KernelReport report = ReportKernel(*std::move(plan), module.plans(), table);
  std::vector<KernelPart> parts(1);
  parts.front().roots = RootsOf(report.plan);
  for (const plan::PlannedRoot& root : report.plan.roots) {
    for (const ResultLayout& other : OtherResultLayouts(report.plan, root)) {
      parts.push_back(other.part);
    }
  }
  for (const hlo::Instruction* at : SplitsOf(report)) {
    parts.emplace_back().roots = {at};
    KernelPart& consumer = parts.emplace_back();
    consumer.roots = RootsOf(report.plan);
    consumer.given = {at};
  }
  for (const KernelPart& part : parts) CheckPart(module, report.plan, part);
  // The same within the limits of a module.
  PlanCureFinder finder(module.plans(), {.min_us = 0});
  if (const auto found = finder.Find(report)) {
    for (const PlanCure& cure : found->cures) {
      EXPECT_LE(cure.then.sectors, cure.now.sectors);
      EXPECT_LE(cure.now.sectors, report.totals.sectors);
    }
  }
  return static_cast<int>(parts.size());
}

TEST(RandomParts, AreModulesOfTheirOwn) {
  const int kernels = NumCases("HLO_INDEXING_RANDOM_KERNELS", 300);
  int parts = 0;
  for (int seed = 0; seed < kernels && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    parts += CheckParts(RandomKernel(random).Make());
    parts += CheckParts(RandomFusion(random, testing::FusibleOpcodes()));
  }
  EXPECT_GT(parts, kernels * 3);
}

class RandomKernels : public ::testing::TestWithParam<Planner> {};

std::string NameOfPlanner(const ::testing::TestParamInfo<Planner>& info) {
  return info.param == Planner::kOurs ? "Ours" : "Xla";
}

INSTANTIATE_TEST_SUITE_P(Plans, RandomKernels, ::testing::Values(Planner::kXla, Planner::kOurs),
                         NameOfPlanner);

TEST_P(RandomKernels, AreReportedAsAllThreadsDo) {
  const int kernels = NumCases("HLO_INDEXING_RANDOM_KERNELS", 300);
  Compared all;
  for (int seed = 0; seed < kernels && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const Compared compared = Check(RandomKernel(random).Make(), GetParam());
    all.exact += compared.exact;
    all.ranges += compared.ranges;
  }
  EXPECT_GT(all.exact, kernels * 2);
  EXPECT_GT(all.ranges, kernels / 20);
}

TEST_P(RandomKernels, OfAllOpcodes) {
  const int kernels = NumCases("HLO_INDEXING_RANDOM_KERNELS", 300);
  for (int seed = 0; seed < kernels && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Check(RandomFusion(random, testing::FusibleOpcodes()), GetParam());
  }
}

}  // namespace
}  // namespace hlo_indexing::explain
