#include "indexing_analysis/propagation/runtime_values.h"

#include <string>
#include <utility>

#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

// The entry calls `outer`, which calls `inner`, which slices; a loop slices too.
constexpr char kModule[] = R"(HloModule m, replica_count=3
inner { x = f32[16] parameter(0)
  j = s32[] parameter(1)
  own = s32[] custom-call(), custom_call_target="number"
  ROOT s = f32[4] dynamic-slice(x, j), dynamic_slice_sizes={4} }
outer { x = f32[16] parameter(0)
  k = s32[] parameter(1)
  ROOT c = f32[4] call(x, k), to_apply=inner }
body { p = (s32[], s32[], f32[16]) parameter(0)
  n = s32[] get-tuple-element(p), index=0
  h = s32[] get-tuple-element(p), index=1
  y = f32[16] get-tuple-element(p), index=2
  m = s32[] negate(n)
  ROOT t = (s32[], s32[], f32[16]) tuple(m, h, y) }
condition { p = (s32[], s32[], f32[16]) parameter(0)
  ROOT r = pred[] constant(false) }
ENTRY e { x = f32[16] parameter(0)
  i = s32[] parameter(1)
  three = s32[] constant(3)
  small = u8[] parameter(2)
  ROOT call = f32[4] call(x, i), to_apply=outer
  state = (s32[], s32[], f32[16]) tuple(i, i, x)
  loop = (s32[], s32[], f32[16]) while(state), condition=condition, body=body })";

class RuntimeValuesTest : public PropagationTest {
 protected:
  void SetUp() override {
    Parse(kModule);
    incoming_.num_dimensions = 1;
    incoming_.map.boxes = {{0, 3}};
  }

  // The value of an instruction that a rule wants to lie in [0, 12].
  RuntimeValues::Value ValueOf(const hlo::Instruction& operand, const CallFrame* frame,
                               Access& access) {
    return values_.ValueOf(digits_, operand, {}, {0, 12}, frame, incoming_, access);
  }
  // As an access (d0) -> (value).
  std::string TextOf(const hlo::Instruction& operand, const CallFrame* frame = nullptr) {
    Access access = incoming_;
    access.map.results = {ValueOf(operand, frame, access).sum};
    return access.ToString();
  }
  size_t OutermostCallDepth(const hlo::Instruction& operand, const CallFrame* frame) {
    Access access = incoming_;
    return ValueOf(operand, frame, access).outermost_call_depth;
  }

  DigitContext digits_;
  RuntimeValues values_{/*num_devices=*/3};
  Access incoming_;
};

TEST_F(RuntimeValuesTest, ExampleOfTheHeader) {
  EXPECT_EQ(TextOf(Named("i")), "(d0){rt1} -> (rt1), domain: d0 in [0, 3]");
  const Sum value = digits_.Function(1, {}, {0, 12});
  EXPECT_EQ(simplifier::NaturalRange(value), Interval({0, 12}));
  EXPECT_EQ(values_.table()[1].instruction, &Named("i"));
  EXPECT_EQ(TextOf(Named("three")), "(d0) -> (3), domain: d0 in [0, 3]");
}

TEST_F(RuntimeValuesTest, TheSameElementIsTheSameValue) {
  EXPECT_EQ(TextOf(Named("i")), TextOf(Named("i")));
  EXPECT_EQ(TextOf(Named("small")), "(d0){rt2} -> (rt2), domain: d0 in [0, 3]");
  EXPECT_EQ(values_.NextNumber(), 3);
}

// What a call is given is what the caller has; what is computed inside is a value of its own for
// each call.
TEST_F(RuntimeValuesTest, ParametersAreTheOperandsOfTheCall) {
  const CallFrame outer = CallFrame::Inside(root(), nullptr);
  const CallFrame inner = CallFrame::Inside(Named("c"), &outer);
  EXPECT_EQ(TextOf(Named("j"), &inner), TextOf(Named("i")));
  EXPECT_EQ(OutermostCallDepth(Named("j"), &inner), 1);
  EXPECT_EQ(TextOf(Named("own"), &inner), "(d0){rt2} -> (rt2), domain: d0 in [0, 3]");
  EXPECT_EQ(OutermostCallDepth(Named("own"), &inner), Dependences::kNoCall);
  EXPECT_EQ(OutermostCallDepth(Named("i"), nullptr), 0);
  EXPECT_THAT(values_.table()[2].calls, ElementsAre(&Named("c")));
  EXPECT_THAT(values_.PathOf(2, 0), ElementsAre(&Named("c"), &Named("own")));
  EXPECT_THAT(values_.PathOf(2, 1), ElementsAre(&Named("own")));
  EXPECT_EQ(values_.NumberOf({&Named("c"), &Named("own")}), 2);
  EXPECT_EQ(values_.NumberOf({&Named("own")}), 3);
}

TEST_F(RuntimeValuesTest, NothingIsLookedUpForOnePossibility) {
  Access access = incoming_;
  const RuntimeValues::Value value =
      values_.ValueOf(digits_, Named("i"), {}, {5, 5}, nullptr, incoming_, access);
  EXPECT_EQ(value.sum.ToString(), "5");
  EXPECT_EQ(value.outermost_call_depth, Dependences::kNoCall);
  EXPECT_EQ(values_.NextNumber(), 1);
}

TEST_F(RuntimeValuesTest, InALoopAValueIsAnyOfThose) {
  const CallFrame loop = CallFrame::Inside(Named("loop"), nullptr, 0, CallFrame::Kind::kLoop);
  EXPECT_EQ(TextOf(Named("n"), &loop),
            "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 12], superset: an index changes "
            "while a loop runs");
  // That is the same in every iteration.
  EXPECT_EQ(TextOf(Named("h"), &loop), TextOf(Named("i")));
}

TEST_F(RuntimeValuesTest, OnAnotherDeviceAValueIsAnyOfThose) {
  incoming_.has_device = true;
  Access access = incoming_;
  EXPECT_EQ(ValueOf(Named("i"), nullptr, access).sum.ToString(), "d1");
  EXPECT_EQ(access.superset_reason, "an index has another value on another device");
}

// Those of an instruction stand in their order, before those that the access came with.
TEST_F(RuntimeValuesTest, NewValuesComeFirst) {
  incoming_.runtime = {7};
  Access access = incoming_;
  ValueOf(Named("i"), nullptr, access);
  ValueOf(Named("small"), nullptr, access);
  ValueOf(Named("i"), nullptr, access);
  EXPECT_THAT(access.runtime, ElementsAre(1, 2, 7));
}

TEST_F(RuntimeValuesTest, ExecutingDevice) {
  Access access = incoming_;
  const Sum device = values_.ExecutingDevice(digits_, access);
  values_.ExecutingDevice(digits_, access);
  EXPECT_EQ(simplifier::NaturalRange(device), Interval({0, 2}));
  EXPECT_THAT(access.runtime, ElementsAre(kExecutingDevice));
}

// The runtime variables of a map that a user has given belong to no instruction.
TEST_F(RuntimeValuesTest, ComposedValuesAreNotFoundAgain) {
  const auto map =
      ParseIndexingMap("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]", &context_);
  ASSERT_TRUE(map.ok()) << map.status();
  Access access = incoming_;
  access.map.results = {access.map.Variable(digits_, 0)};
  values_.Compose(digits_, *map, access);
  EXPECT_EQ(access.ToString(), "(d0){rt1} -> (d0 + rt1), domain: d0 in [0, 3]");
  Query query = MakeQuery({4});
  std::vector<AccessSets> arrays(1);
  SetOfLeaf(arrays[0], Named("i").shape(), 0)
      .Add(query.outputs, {query.accesses.Bind(memory_->accesses.Intern(std::move(access))), "",
                           query.outputs.All()});
  EXPECT_FALSE(values_.AreFoundAgain(arrays, {}, /*first_inside=*/1));
  EXPECT_FALSE(values_.AreFoundAgain(arrays, {}, /*first_inside=*/2));
  EXPECT_TRUE(values_.AreFoundAgain(arrays, {1}, /*first_inside=*/2));
}

TEST_F(RuntimeValuesTest, ValuesThatWereMetInsideAreFoundAgain) {
  Access access = incoming_;
  access.map.results = {ValueOf(Named("i"), nullptr, access).sum};
  Query query = MakeQuery({4});
  std::vector<AccessSets> arrays(1);
  SetOfLeaf(arrays[0], Named("i").shape(), 0)
      .Add(query.outputs, {query.accesses.Bind(memory_->accesses.Intern(std::move(access))), "",
                           query.outputs.All()});
  EXPECT_TRUE(values_.AreFoundAgain(arrays, {}, /*first_inside=*/1));
  EXPECT_FALSE(values_.AreFoundAgain(arrays, {}, /*first_inside=*/2));
  EXPECT_TRUE(values_.AreFoundAgain(arrays, {1}, /*first_inside=*/2));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
