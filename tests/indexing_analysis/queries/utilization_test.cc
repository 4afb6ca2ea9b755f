// What is read of operands, against the interpreter's trace of every read, and against XLA's own
// answers.
#include "indexing_analysis/queries/utilization.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/moving_boxes.h"
#include "indexing_analysis/queries/runtime_choices.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/positions.h"
#include "tests/property/random_opcode.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::Image;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::OperandUtilization;
using indexing_analysis::ReachOfMovingBoxes;
using indexing_analysis::StridedBox;
using indexing_analysis::UniformChoices;
using indexing_analysis::UtilizationAnalysis;
using indexing_analysis::UtilizationOptions;
using llvm::DynamicAPInt;

struct Outputs {
  int64_t first = 0;
  int64_t end = 0;
};

// Places of the array that these outputs read on one device.
std::set<int64_t> TracedElements(const TracedRun& run, const Instruction& root, Outputs outputs,
                                 const OperandUtilization& operand, int64_t device) {
  std::set<int64_t> elements;
  for (int64_t output = outputs.first; output < outputs.end; ++output) {
    for (int64_t i = 0; i < root.shape().ArrayLeaf(output).num_elements(); ++i) {
      for (const hlo::Source& source : run.Reads(device, output, i)) {
        const bool is_array = source.argument == static_cast<int64_t>(operand.array.operand) &&
                              source.leaf == operand.array.leaf;
        if (is_array) elements.insert(source.element);
      }
    }
  }
  return elements;
}

// The elements of boxes; an error if one lies outside of the array or in two of them.
std::set<int64_t> ElementsOf(llvm::ArrayRef<StridedBox> boxes, const Shape& shape,
                             std::string& error) {
  std::set<int64_t> elements;
  for (const StridedBox& box : boxes) {
    std::vector<int64_t> sizes;
    for (const auto& side : box.sides) sizes.push_back(side.size);
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> index = Unflatten(i, sizes);
      for (size_t k = 0; k < index.size(); ++k) {
        index[k] = box.sides[k].offset + box.sides[k].stride * index[k];
      }
      const auto element = Flatten(index, shape.sizes());
      if (!element.has_value()) {
        error = "outside of the array: " + box.ToString();
      } else if (!elements.insert(*element).second) {
        error = "an element is in two boxes: " + box.ToString();
      }
    }
  }
  return elements;
}

bool Contains(const Image::Count& range, int64_t number) {
  return range.lower <= number && DynamicAPInt(number) <= range.upper;
}

struct Found {
  int64_t exact = 0;
  int64_t ranges = 0;
  int64_t with_unread = 0;
};

// What is wrong with the answer for one operand array.
std::string Check(const Instruction& root, const TracedRun& run, Outputs outputs,
                  const OperandUtilization& operand, bool has_runtime, Found& found) {
  if (operand.IsExact() != operand.reason.empty()) return "no reason, or one too much";
  std::string error;
  std::set<int64_t> unread;
  if (operand.unread.has_value()) {
    unread = ElementsOf(*operand.unread, *operand.shape, error);
    if (!error.empty()) return error;
  }
  ++(operand.IsExact() ? found.exact : found.ranges);
  if (!unread.empty()) ++found.with_unread;
  for (int64_t device = 0; device < run.num_devices(); ++device) {
    const std::set<int64_t> traced = TracedElements(run, root, outputs, operand, device);
    const auto count = static_cast<int64_t>(traced.size());
    if (!Contains(operand.elements_read, count)) return absl::StrCat("reads ", count);
    for (const int64_t element : traced) {
      if (unread.contains(element)) return absl::StrCat("element ", element, " is read");
    }
    if (!operand.IsExact() || has_runtime || !operand.unread.has_value()) continue;
    if (count + static_cast<int64_t>(unread.size()) != operand.shape->num_elements()) {
      return "not all that is not read is listed";
    }
  }
  return "";
}

// Points of the domains of the maps, tried one by one; nullopt where values known at run time
// count.
std::optional<int64_t> NumPoints(IndexingAnalysis& analysis, const Instruction& root,
                                 Outputs outputs, const OperandUtilization& operand) {
  int64_t points = 0;
  for (int64_t output = outputs.first; output < outputs.end; ++output) {
    for (const OperandIndexing& indexing : analysis.OutputToInput(root, output).operands()) {
      if (indexing.array() != operand.array) continue;
      if (indexing.exactness() != Exactness::kExact) return std::nullopt;
      for (const OperandMap& map : indexing.maps()) {
        if (map.map.num_runtime() != 0 || CountPoints(map.map) > 100000) return std::nullopt;
        ForEachPoint(map.map, [&](const auto& dimensions, const auto& symbols) {
          if (map.map.DomainContains(dimensions, symbols)) ++points;
        });
      }
    }
  }
  return points;
}

bool HasRuntime(IndexingAnalysis& analysis, const Instruction& root, Outputs outputs,
                const OperandUtilization& operand) {
  for (int64_t output = outputs.first; output < outputs.end; ++output) {
    for (const OperandIndexing& indexing : analysis.OutputToInput(root, output).operands()) {
      if (indexing.array() != operand.array) continue;
      for (const OperandMap& map : indexing.maps()) {
        if (map.map.num_runtime() != 0) return true;
      }
    }
  }
  return false;
}

struct Case {
  std::unique_ptr<hlo::Module> module;
  const Instruction& root() const { return module->entry().root(); }
};

Case Parse(const std::string& text) {
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return {};
  EXPECT_TRUE(hlo::Verify(**module).ok()) << hlo::Verify(**module).message();
  return {*std::move(module)};
}

// Compares the answers for the root of a module, for all outputs and each, with a run.
void CheckModule(const std::string& text, Random& random, const UtilizationOptions& options,
                 Found& found) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  SCOPED_TRACE(text);
  const Case parsed = Parse(text);
  if (parsed.module == nullptr) return;
  const Instruction& root = parsed.root();
  IndexingAnalysis analysis(&context);
  RunValues values(*parsed.module, random, DevicesOf(*parsed.module));
  const auto run = TracedRun::Make(root, values);
  ASSERT_TRUE(run.ok()) << run.status().message();
  UtilizationAnalysis utilization(analysis, options);
  const auto check = [&](Outputs outputs, llvm::ArrayRef<OperandUtilization> operands) {
    for (const OperandUtilization& operand : operands) {
      const bool has_runtime = HasRuntime(analysis, root, outputs, operand);
      EXPECT_EQ(Check(root, *run, outputs, operand, has_runtime, found), "")
          << operand.ToString() << " of outputs from " << outputs.first << " to " << outputs.end;
      const auto points = NumPoints(analysis, root, outputs, operand);
      if (points.has_value() && operand.reads.has_value()) {
        EXPECT_TRUE(operand.reads->IsExact() && operand.reads->lower == *points)
            << operand.ToString() << ", not " << *points << " reads";
      }
    }
  };
  const int64_t num_outputs = root.shape().num_array_leaves();
  check({0, num_outputs}, utilization.OfInstruction(root));
  for (int64_t output = 0; output < num_outputs; ++output) {
    check({output, output + 1}, utilization.OfOutput(root, output));
  }
  // A fusion reads of its operands what its computation by itself reads of its parameters. What
  // values known at run time, or limits, leave open may be more or less.
  if (root.opcode() != Opcode::kFusion) return;
  const std::vector<OperandUtilization> of_fusion = utilization.OfInstruction(root);
  const std::vector<OperandUtilization> of_computation =
      utilization.OfComputation(*root.Callee(hlo::AttributeName::kCalls));
  ASSERT_EQ(of_computation.size(), of_fusion.size());
  Found not_counted;
  for (size_t i = 0; i < of_computation.size(); ++i) {
    const OperandUtilization& operand = of_computation[i];
    EXPECT_EQ(Check(root, *run, {0, num_outputs}, operand, /*has_runtime=*/true, not_counted), "")
        << operand.ToString() << " of the computation";
    const auto is_exact = [](const OperandUtilization& answer) {
      return answer.reads.has_value() && answer.reads->IsExact();
    };
    if (!is_exact(operand) || !is_exact(of_fusion[i])) continue;
    if (HasRuntime(analysis, root, {0, num_outputs}, of_fusion[i])) continue;
    EXPECT_EQ(operand.ToString(), of_fusion[i].ToString());
  }
}

const std::vector<Opcode>& Movement() {
  static const std::vector<Opcode> opcodes = {
      Opcode::kAdd,       Opcode::kBitcast, Opcode::kBroadcast, Opcode::kConcatenate,
      Opcode::kDot,       Opcode::kPad,     Opcode::kPad,       Opcode::kReduceWindow,
      Opcode::kReshape,   Opcode::kReshape, Opcode::kReverse,   Opcode::kSlice,
      Opcode::kTranspose, Opcode::kSlice};
  return opcodes;
}

TEST(Utilization, OfFusionsThatMoveElementsIsExact) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 1500);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    CheckModule(RandomFusion(random, Movement()), random, {}, found);
  }
  EXPECT_GT(found.exact, modules * 2);
  EXPECT_GT(found.with_unread, modules / 3);
  EXPECT_EQ(found.ranges, 0);
}

TEST(Utilization, OfFusionsOfAllOpcodesHoldsWhatIsRead) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 1500);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    CheckModule(RandomFusion(random, FusibleOpcodes()), random, {}, found);
  }
  EXPECT_GT(found.exact, modules * 2);
  EXPECT_GT(found.ranges, modules / 100);
}

TEST(Utilization, OfSlicesAtRunTimeHoldsWhatIsRead) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 1500);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text = RandomFusion(
        random, {Opcode::kDynamicSlice, Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
                 Opcode::kGather, Opcode::kScatter, Opcode::kTranspose});
    UtilizationOptions options;
    options.max_runtime_choices = random.Between(1, 100);
    CheckModule(text, random, options, found);
  }
  EXPECT_GT(found.exact, modules);
  EXPECT_GT(found.ranges, modules / 10);
}

TEST(Utilization, OfEveryOpcodeHoldsWhatIsRead) {
  const int instances = NumCases("HLO_INDEXING_RANDOM_INSTANCES", 6);
  Found found;
  for (int number = 0; number < hlo::kNumOpcodes && !HasFailure(); ++number) {
    for (int seed = 0; seed < instances && !HasFailure(); ++seed) {
      Random random(static_cast<uint64_t>(seed * hlo::kNumOpcodes + number));
      const std::string text = RandomInstance(random, static_cast<Opcode>(number));
      // A parameter reads nothing.
      if (!text.empty()) CheckModule(text, random, {}, found);
    }
  }
  EXPECT_GT(found.exact, 2 * hlo::kNumOpcodes);
}

// The fewest and the most of all choices of values known at run time, tried one by one.
struct Extremes {
  int64_t fewest_elements = INT64_MAX;
  int64_t most_elements = 0;
  int64_t fewest_reads = INT64_MAX;
  int64_t most_reads = 0;
};

Extremes ExtremesOf(const UniformChoices& choices, const Shape& shape) {
  Extremes extremes;
  choices.ForEach([&](llvm::ArrayRef<IndexingMap> maps) {
    std::set<int64_t> elements;
    int64_t reads = 0;
    for (const IndexingMap& map : maps) {
      ForEachPoint(map, [&](const auto& dimensions, const auto& symbols) {
        if (!map.DomainContains(dimensions, symbols)) return;
        ++reads;
        elements.insert(*Flatten(*map.Evaluate(dimensions, symbols), shape.sizes()));
      });
    }
    const auto count = static_cast<int64_t>(elements.size());
    extremes.fewest_elements = std::min(extremes.fewest_elements, count);
    extremes.most_elements = std::max(extremes.most_elements, count);
    extremes.fewest_reads = std::min(extremes.fewest_reads, reads);
    extremes.most_reads = std::max(extremes.most_reads, reads);
  });
  return extremes;
}

// Where all points have the same values, ends of ranges are what the best and the worst choice
// read: tried one by one, or known from boxes that move.
TEST(Utilization, OfUniformValuesEndsAtTheBestAndTheWorstChoice) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 1500);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int compared = 0;
  int moving = 0;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text =
        RandomFusion(random, {Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
                              Opcode::kDynamicUpdateSlice, Opcode::kTranspose, Opcode::kReverse});
    SCOPED_TRACE(text);
    const Case parsed = Parse(text);
    ASSERT_NE(parsed.module, nullptr);
    IndexingAnalysis analysis(&context);
    UtilizationOptions options;
    options.max_runtime_choices = random.OneIn(2) ? 1000 : 1;
    UtilizationAnalysis utilization(analysis, options);
    const int64_t num_outputs = parsed.root().shape().num_array_leaves();
    for (const OperandUtilization& operand : utilization.OfInstruction(parsed.root())) {
      std::vector<IndexingMap> maps;
      bool is_exact = true;
      for (int64_t output = 0; output < num_outputs; ++output) {
        for (const auto& indexing : analysis.OutputToInput(parsed.root(), output).operands()) {
          if (indexing.array() != operand.array) continue;
          is_exact &= indexing.exactness() == Exactness::kExact;
          for (const OperandMap& map : indexing.maps()) maps.push_back(map.map);
        }
      }
      const auto choices = UniformChoices::Of(maps, 1000);
      const bool is_moving = ReachOfMovingBoxes(maps).has_value();
      const bool is_tried = UniformChoices::Of(maps, options.max_runtime_choices).has_value();
      const bool has_runtime =
          llvm::any_of(maps, [](const IndexingMap& map) { return map.num_runtime() != 0; });
      if (!is_exact || !has_runtime || !choices.has_value()) continue;
      if (!is_moving && !is_tried) continue;
      ++compared;
      moving += is_moving ? 1 : 0;
      const Extremes extremes = ExtremesOf(*choices, *operand.shape);
      EXPECT_EQ(operand.elements_read.lower, DynamicAPInt(extremes.fewest_elements));
      EXPECT_EQ(operand.elements_read.upper, DynamicAPInt(extremes.most_elements));
      ASSERT_TRUE(operand.reads.has_value());
      EXPECT_EQ(operand.reads->lower, DynamicAPInt(extremes.fewest_reads));
      EXPECT_EQ(operand.reads->upper, DynamicAPInt(extremes.most_reads));
    }
  }
  EXPECT_GT(compared, modules / 8);
  EXPECT_GT(moving, modules / 20);
}

// Where counting is not allowed, the range holds what is read.
TEST(Utilization, WithinLimitsHoldsWhatIsRead) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 1500);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    UtilizationOptions options;
    options.max_elements_with_bits = random.Between(0, 40);
    options.max_work = random.Between(0, 2000);
    options.max_boxes = static_cast<size_t>(random.Between(0, 4));
    CheckModule(RandomFusion(random, Movement()), random, options, found);
  }
  EXPECT_GT(found.exact, modules);
  EXPECT_GT(found.ranges, 0);
}

}  // namespace
}  // namespace hlo_indexing::testing
