// Kernels of random fusions of arrays of all types in all kinds of layouts, against the
// interpreter.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "hlo/element_type.h"
#include "hlo/shape.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/codegen/emit/layout_fusions.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::emit {
namespace {

std::string LayoutKind(const hlo::Shape& shape) {
  const layout::Layout* const layout = shape.layout();
  if (layout == nullptr || layout->IsDefault()) return "row-major";
  std::string kind = layout->tiles.empty()       ? "order"
                     : layout->tiles.size() == 1 ? "tiles"
                                                 : "tiles of tiles";
  if (layout->tail_padding_alignment > 1) kind += ", padded";
  if (layout->element_size_in_bits != 0) kind += ", packed";
  return kind;
}

// How often things were met.
class Counts {
 public:
  void Add(const std::string& thing) { ++counts_[thing]; }
  int Of(const std::string& thing) const {
    const auto found = counts_.find(thing);
    return found == counts_.end() ? 0 : found->second;
  }
  void Print(const char* title) const {
    std::cout << title << ":";
    for (const auto& [thing, count] : counts_) std::cout << "  " << thing << " " << count;
    std::cout << "\n";
  }

 private:
  std::map<std::string, int> counts_;
};

struct Coverage {
  Counts emitters;
  Counts types;
  Counts operand_layouts;
  Counts output_layouts;
  Counts families;

  void Add(const plan::KernelPlan& plan, const std::string& family) {
    emitters.Add(plan::EmitterName(plan.emitter).str());
    families.Add(family);
    for (const hlo::Instruction* input : plan.Inputs()) AddArrays(input->shape(), operand_layouts);
    AddArrays(plan.instruction->shape(), output_layouts);
  }

  void Print() const {
    emitters.Print("emitters");
    families.Print("families");
    types.Print("types");
    operand_layouts.Print("layouts of operands");
    output_layouts.Print("layouts of outputs");
  }

 private:
  void AddArrays(const hlo::Shape& shape, Counts& layouts) {
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const hlo::Shape& array = shape.ArrayLeaf(leaf);
      types.Add(hlo::ElementTypeName(array.element_type()).str());
      layouts.Add(LayoutKind(array));
    }
  }
};

void ExpectAllWereMet(const Coverage& coverage) {
  for (int i = 0; i <= static_cast<int>(plan::Emitter::kProducts); ++i) {
    const std::string emitter = plan::EmitterName(static_cast<plan::Emitter>(i)).str();
    EXPECT_GT(coverage.emitters.Of(emitter), 0) << emitter;
  }
  for (const std::string& type : testing::AllElementTypes()) {
    EXPECT_GT(coverage.types.Of(type), 0) << type;
  }
  for (size_t i = 0; i < testing::NumFusionFamilies(); ++i) {
    const std::string family = testing::FusionFamilyName(i);
    EXPECT_GT(coverage.families.Of(family), 0) << family;
  }
  for (const std::string kind :
       {"row-major", "order", "order, packed", "order, padded", "tiles", "tiles, packed",
        "tiles, padded", "tiles of tiles", "tiles of tiles, packed", "tiles of tiles, padded"}) {
    EXPECT_GT(coverage.operand_layouts.Of(kind), 0) << kind << " of operands";
    EXPECT_GT(coverage.output_layouts.Of(kind), 0) << kind << " of outputs";
  }
}

// For a long run in parts.
int FirstCase() {
  const char* const text = std::getenv("HLO_INDEXING_FIRST_LAYOUT_CASE");
  return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 10));
}

TEST(RandomLayoutKernels, FusionsComputeWhatTheInterpreterDoes) {
  PtxBackend backend;
  Coverage coverage;
  const int num_cases = testing::NumCases("HLO_INDEXING_LAYOUT_CASES", 420);
  const int first = FirstCase();
  for (int i = first; i < first + num_cases; ++i) {
    testing::Random random(static_cast<uint64_t>(i));
    const testing::LayoutFusion fusion =
        testing::RandomLayoutFusion(random, static_cast<size_t>(i));
    KernelCheck check(fusion.text, backend, random.OneIn(2) ? std::optional<int>() : 1);
    const std::string result = check.Run(static_cast<uint64_t>(i), fusion.tolerance);
    EXPECT_EQ(result, "") << "case " << i << ", " << fusion.family << "\n" << fusion.text;
    if (result.empty()) coverage.Add(*check.Plan(), fusion.family);
  }
  coverage.Print();
  if (num_cases >= 420) ExpectAllWereMet(coverage);
}

bool HasPackedArrays(const plan::KernelPlan& plan) {
  std::vector<const hlo::Shape*> shapes = {&plan.instruction->shape()};
  for (const hlo::Instruction* input : plan.Inputs()) shapes.push_back(&input->shape());
  return llvm::any_of(shapes, [](const hlo::Shape* shape) {
    for (int64_t leaf = 0; leaf < shape->num_array_leaves(); ++leaf) {
      if (shape->ArrayLeaf(leaf).StorageBits() < 8) return true;
    }
    return false;
  });
}

// How the counts of the virtual GPU relate to those of the plan.
enum class Prediction : uint8_t { kExact, kAtMost, kUnknown };

// Where LLVM joins or drops loads that the plan has twice, or in the branches of lanes, less is
// moved. Loops inside of an element, which loops of other emitters do not have, are unrolled.
Prediction PredictionOf(const plan::KernelPlan& plan) {
  const bool is_packed = HasPackedArrays(plan);
  // One thread adds what is all beside each other in shared memory.
  const bool is_one_column =
      !plan.reduces_rows && plan.shuffled_lanes > 1 && plan.shuffle_distance == 1;
  switch (plan.emitter) {
    case plan::Emitter::kReduction:
      return is_packed || is_one_column ? Prediction::kAtMost : Prediction::kExact;
    case plan::Emitter::kRows:
    case plan::Emitter::kTranspose:
    case plan::Emitter::kDynamicUpdateSlice:
    case plan::Emitter::kConcatenate:
      return is_packed ? Prediction::kAtMost : Prediction::kExact;
    case plan::Emitter::kProducts:
    case plan::Emitter::kNormalization:
      return Prediction::kAtMost;
    default:
      return Prediction::kUnknown;
  }
}

TEST(RandomLayoutKernels, MoveWhatIsPredicted) {
  PtxBackend backend;
  Counts exact;
  Counts less;
  Counts more;
  Counts others;
  const int num_cases = testing::NumCases("HLO_INDEXING_LAYOUT_CASES", 150);
  const int first = FirstCase();
  for (int i = first; i < first + num_cases; ++i) {
    testing::Random random(static_cast<uint64_t>(i));
    const testing::LayoutFusion fusion =
        testing::RandomLayoutFusion(random, static_cast<size_t>(i));
    KernelCheck check(fusion.text, backend, random.OneIn(2) ? std::optional<int>() : 1);
    const auto plan = check.Plan();
    if (!plan.ok()) continue;
    const Traffic traffic = check.Measure();
    if (!traffic.error.empty()) continue;
    const std::string emitter = plan::EmitterName(plan->emitter).str();
    if (!traffic.is_exact) {
      others.Add(emitter);
      continue;
    }
    const auto measured = std::tie(traffic.sectors, traffic.requests, traffic.wavefronts);
    const auto planned =
        std::tie(traffic.planned_sectors, traffic.planned_requests, traffic.planned_wavefronts);
    const bool is_at_most = traffic.IsAtMostAsPlanned();
    (traffic.IsAsPlanned() ? exact : is_at_most ? less : more).Add(emitter);
    const std::string what =
        "case " + std::to_string(i) + ", " + fusion.family + ", " + emitter + "\n" + fusion.text;
    if (PredictionOf(*plan) == Prediction::kExact) {
      EXPECT_EQ(measured, planned) << what;
    } else if (PredictionOf(*plan) == Prediction::kAtMost) {
      EXPECT_TRUE(is_at_most) << what;
    }
  }
  exact.Print("as predicted");
  less.Print("less than predicted");
  more.Print("more than predicted");
  others.Print("decided by values");
}

}  // namespace
}  // namespace hlo_indexing::emit
