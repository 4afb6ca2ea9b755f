// Which arrays the state of random loops is read from, against a search by the loop's own table.
#include "indexing_analysis/propagation/array_reads.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/rules/device_groups.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using Arrays = std::set<int64_t>;

// What an iteration makes of an array of the state.
struct Step {
  enum class Kind : uint8_t { kHandOn, kCopyOther, kAdd, kConcatenate, kPermute, kDotOfEmpty };
  Kind kind = Kind::kHandOn;
  int64_t first = 0;
  int64_t second = 0;
};

// A loop over arrays f32[2], of which the condition compares one, and arrays f32[0] and f32[2,0].
struct Loop {
  std::vector<Step> steps;
  int64_t compared = 0;

  int64_t size() const { return static_cast<int64_t>(steps.size()); }
};

Loop RandomLoop(std::mt19937& random, int64_t size) {
  const auto below = [&](int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  };
  Loop loop;
  // Mostly few are read, so that not every array depends on every other one.
  const int64_t spread = 1 + below(size);
  for (int64_t i = 0; i < size; ++i) {
    const auto kind = static_cast<Step::Kind>(below(6));
    const bool is_permute = kind == Step::Kind::kPermute && below(4) != 0;
    loop.steps.push_back({is_permute ? Step::Kind::kHandOn : kind, (i + below(spread)) % size,
                          (i + below(spread)) % size});
  }
  loop.compared = below(size);
  return loop;
}

Arrays ReadInOneIteration(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kCopyOther:
    case Step::Kind::kConcatenate:
    case Step::Kind::kPermute:
      return {step.first};
    case Step::Kind::kAdd:
      return {step.first, step.second};
    default:
      return {};
  }
}

// All that these arrays depend on, themselves included.
Arrays Closure(const Loop& loop, Arrays arrays) {
  size_t before = 0;
  while (before != arrays.size()) {
    before = arrays.size();
    for (const int64_t array : Arrays(arrays)) {
      const Arrays read = ReadInOneIteration(loop.steps[static_cast<size_t>(array)]);
      arrays.insert(read.begin(), read.end());
    }
  }
  return arrays;
}

bool AnyPermutes(const Loop& loop, const Arrays& arrays) {
  return llvm::any_of(arrays, [&](int64_t array) {
    return loop.steps[static_cast<size_t>(array)].kind == Step::Kind::kPermute;
  });
}

std::string Element(const std::string& name, const std::string& type, int64_t index) {
  return " " + name + " = " + type + " get-tuple-element(p), index=" + std::to_string(index) + "\n";
}

std::string StepText(const Step& step, int64_t number) {
  const std::string name = " n" + std::to_string(number) + " = f32[2] ";
  const std::string first = "a" + std::to_string(step.first);
  switch (step.kind) {
    case Step::Kind::kHandOn:
      return name + "copy(a" + std::to_string(number) + ")\n";
    case Step::Kind::kCopyOther:
      return name + "negate(" + first + ")\n";
    case Step::Kind::kAdd:
      return name + "add(" + first + ", a" + std::to_string(step.second) + ")\n";
    case Step::Kind::kConcatenate:
      return name + "concatenate(none, " + first + "), dimensions={0}\n";
    case Step::Kind::kPermute:
      return name + "collective-permute(" + first + "), source_target_pairs={{0,1},{1,2}}\n";
    case Step::Kind::kDotOfEmpty:
      break;
  }
  return name + "dot(rows, none), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
}

// The entry calls the loop.
std::string Text(const Loop& loop) {
  std::string state = "(f32[0], f32[2,0]";
  std::string arrays;
  std::string steps;
  std::string results = "none, rows";
  for (int64_t i = 0; i < loop.size(); ++i) {
    state += ", f32[2]";
    arrays += Element("a" + std::to_string(i), "f32[2]", i + 2);
    steps += StepText(loop.steps[static_cast<size_t>(i)], i);
    results += ", n" + std::to_string(i);
  }
  state += ")";
  const std::string parameter = " p = " + state + " parameter(0)\n";
  return "HloModule m, replica_count=3\nbody {\n" + parameter + Element("none", "f32[0]", 0) +
         Element("rows", "f32[2,0]", 1) + arrays + steps + " ROOT t = " + state + " tuple(" +
         results + ") }\ncondition {\n" + parameter + Element("x", "f32[2]", loop.compared + 2) +
         " f = f32[1] slice(x), slice={[0:1]}\n s = f32[] reshape(f)\n"
         " ROOT r = pred[] compare(s, s), direction=EQ }\nrun {\n" +
         parameter + " ROOT w = " + state + " while(p), condition=condition, body=body }\n" +
         "ENTRY e {\n" + parameter + " ROOT c = " + state + " call(p), to_apply=run }\n";
}

Arrays StateArrays(const ArrayReads& reads) {
  Arrays arrays;
  for (const auto& [operand, leaf] : reads.arrays) arrays.insert(leaf - 2);
  return arrays;
}

TEST(ArrayReadsTest, RandomLoops) {
  std::mt19937 random(7);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const AnalysisOptions options;
  for (int round = 0; round < 100; ++round) {
    const int64_t size = std::uniform_int_distribution<int64_t>(1, round < 60 ? 12 : 200)(random);
    const Loop loop = RandomLoop(random, size);
    const std::string text = Text(loop);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    ASSERT_EQ(hlo::Verify(**module).message(), "");
    const hlo::Instruction& call = (*module)->entry().root();
    const hlo::Instruction& instruction = call.Callee(hlo::AttributeName::kToApply)->root();
    ArrayReadsFinder finder(&context, options, CountDevices(**module));
    const Arrays deciding = Closure(loop, {loop.compared});
    for (int64_t i = 0; i < size; ++i) {
      Arrays expected = Closure(loop, {i});
      expected.insert(deciding.begin(), deciding.end());
      for (const hlo::Instruction* asked : {&call, &instruction}) {
        const ArrayReads reads = finder.ReadsOf(*asked, i + 2);
        EXPECT_EQ(StateArrays(reads), expected) << i << " of\n" << text;
        EXPECT_EQ(reads.reaches_other_devices, AnyPermutes(loop, expected)) << i << " of\n" << text;
      }
      EXPECT_EQ(finder.ReadsOfLoop(instruction).deciding.test(static_cast<unsigned>(i + 2)),
                deciding.contains(i))
          << i << " of\n"
          << text;
    }
  }
}

// The loops of the header: (x, y) -> (x + y, y), and (x, y, z) -> (x + 1, y + z, z) while x says
// so.
TEST(ArrayReadsTest, ExamplesOfTheHeader) {
  const auto module = hlo::ParseModule(R"(HloModule m
body { p = (f32[], f32[]) parameter(0)
  x = f32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1
  s = f32[] add(x, y)
  ROOT t = (f32[], f32[]) tuple(s, y) }
once { p = (f32[], f32[]) parameter(0)
  ROOT r = pred[] constant(false) }
body3 { p = (f32[], f32[], f32[]) parameter(0)
  x = f32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1
  z = f32[] get-tuple-element(p), index=2
  one = f32[] constant(1)
  n = f32[] add(x, one)
  s = f32[] add(y, z)
  ROOT t = (f32[], f32[], f32[]) tuple(n, s, z) }
until3 { p = (f32[], f32[], f32[]) parameter(0)
  x = f32[] get-tuple-element(p), index=0
  three = f32[] constant(3)
  ROOT r = pred[] compare(x, three), direction=LT }
ENTRY e { p = (f32[], f32[]) parameter(0)
  q = (f32[], f32[], f32[]) parameter(1)
  two = (f32[], f32[]) while(p), condition=once, body=body
  ROOT three = (f32[], f32[], f32[]) while(q), condition=until3, body=body3 })");
  ASSERT_TRUE(module.ok()) << module.status();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const AnalysisOptions options;
  ArrayReadsFinder finder(&context, options, CountDevices(**module));
  const llvm::ArrayRef<const hlo::Instruction*> entry = (*module)->entry().instructions();
  Arrays read;
  for (const auto& [operand, leaf] : finder.ReadsOf(*entry[2], 0).arrays) read.insert(leaf);
  EXPECT_EQ(read, Arrays({0, 1}));
  const LoopReads& reads = finder.ReadsOfLoop((*module)->entry().root());
  EXPECT_TRUE(reads.deciding.test(0));
  EXPECT_EQ(reads.deciding.count(), 1);
  using Numbers = llvm::SmallVector<unsigned, 2>;
  EXPECT_EQ(reads.groups[reads.group_of_array[1]].arrays, Numbers({1, 2}));
  EXPECT_EQ(reads.groups[reads.group_of_array[2]].arrays, Numbers({2}));
}

TEST(ArrayReadsTest, NothingIsReadOfEmptyOperands) {
  const auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { none = f32[0] parameter(0)\n x = f32[2] parameter(1)\n"
      " rows = f32[2,0] parameter(2)\n c = f32[2] concatenate(none, x), dimensions={0}\n"
      " d = f32[2] dot(rows, none), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " ROOT t = (f32[2], f32[2]) tuple(c, d) }");
  ASSERT_TRUE(module.ok()) << module.status().message();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const AnalysisOptions options;
  ArrayReadsFinder finder(&context, options, CountDevices(**module));
  const hlo::Instruction& root = (*module)->entry().root();
  const ArrayReads concatenate = finder.ReadsOf(root.operand(0), 0);
  ASSERT_EQ(concatenate.arrays.size(), 1);
  EXPECT_EQ(concatenate.arrays[0], (OperandArray{1, 0}));
  EXPECT_TRUE(finder.ReadsOf(root.operand(1), 0).arrays.empty());
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
