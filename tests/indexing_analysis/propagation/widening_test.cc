#include "indexing_analysis/propagation/widening.h"

#include <string>
#include <utility>

#include "simplifier/arithmetic.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kWhole[] = "(d0)[s0] -> (s0), domain: d0 in [0, 7], s0 in [0, 7]";
constexpr char kWholeAnywhere[] =
    "(d0)[s0, s1] -> (s0) on device s1, domain: d0 in [0, 7], s0 in [0, 7], s1 in [0, 2]";

// Two outputs f32[8], and an array f32[8], on three devices.
class WideningTest : public PropagationTest {
 protected:
  void SetUp() override {
    Parse("HloModule m, replica_count=3\nENTRY e { ROOT p = f32[8] parameter(0) }");
    query_.emplace(MakeQuery({8}, 2));
    widening_.emplace(*query_);
  }

  // Element `element` on the executing device, on device `device` or at runtime value `runtime`.
  struct Place {
    int64_t element = 0;
    std::optional<int64_t> device = std::nullopt;
    std::optional<uint32_t> runtime = std::nullopt;
  };
  const BoundAccess* At(const Place& place) {
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, 7}};
    access.map.results = {simplifier::Constant(place.element)};
    if (place.runtime) {
      access.runtime = {*place.runtime};
      access.map.results = {digits.Function(*place.runtime, {}, {0, 7})};
    }
    access.has_device = place.device.has_value();
    if (place.device) access.map.results.push_back(simplifier::Constant(*place.device));
    return query_->accesses.Bind(memory_->accesses.Intern(std::move(access)));
  }

  OutputSets& sets() { return query_->outputs; }
  const hlo::Shape& shape() const { return root().shape(); }
  Lines Text(const AccessSet& accesses) { return LinesOf(sets(), accesses); }

  // So many elements, for an output.
  AccessSet Elements(int64_t count, OutputSet outputs) {
    AccessSet accesses;
    for (int64_t i = 0; i < count; ++i) accesses.Add(sets(), {At({i}), "", outputs});
    return accesses;
  }

  bool Widen(AccessSet& accesses, CallFrame::Kind kind = CallFrame::Kind::kOnce) {
    return widening_->WidenBeyondLimits(accesses, shape(),
                                        CallFrame::Inside(root(), nullptr, 0, kind));
  }

  std::optional<Query> query_;
  std::optional<Widening> widening_;
};

TEST_F(WideningTest, ExampleOfTheHeader) {
  AccessSet accesses = Elements(65, sets().Single(0));
  accesses.Add(sets(), {At({3}), "", sets().Single(1)});
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(Text(accesses),
              ElementsAre("(d0) -> (3), domain: d0 in [0, 7] for {1}",
                          std::string(kWhole) + " for {0}, superset: an array inside is read in "
                                                "more than 64 ways"));
}

TEST_F(WideningTest, NothingIsWidenedAtTheLimits) {
  AccessSet accesses = Elements(64, sets().All());
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(accesses.entries(), SizeIs(64));
  options_.max_accesses = 63;
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(accesses.entries(), SizeIs(1));
}

// More than 24 runtime values, those of all accesses together, bring the lower limit.
TEST_F(WideningTest, RuntimeValuesHaveALimitOfTheirOwn) {
  AccessSet accesses;
  for (uint32_t i = 0; i < 24; ++i) {
    accesses.Add(sets(), {At({.runtime = i}), "", sets().All()});
  }
  accesses.Add(sets(), {At({0}), "", sets().All()});
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(accesses.entries(), SizeIs(25));
  accesses.Add(sets(), {At({.runtime = 24}), "", sets().Single(1)});
  EXPECT_EQ(accesses.OutputsWithMoreValuesThan(sets(), 24), sets().Single(1));
  EXPECT_FALSE(Widen(accesses));
  EXPECT_EQ(accesses.OutputsWithMoreThan(sets(), 8), sets().Single(0));
  EXPECT_EQ(Text(accesses).back(), std::string(kWhole) +
                                       " for {1}, superset: an array inside is "
                                       "read in more than 8 ways");
}

// Eight accesses may have any number of values.
TEST_F(WideningTest, FewAccessesMayHaveManyValues) {
  AccessSet accesses = Elements(7, sets().All());
  DigitContext digits;
  Access access;
  access.num_dimensions = 1;
  access.map.boxes = {{0, 7}};
  access.map.results = {simplifier::Constant(7)};
  for (uint32_t i = 0; i < 30; ++i) {
    access.runtime.push_back(i);
    access.map.constraints.push_back({digits.Function(i, {}, {0, 7}), {0, 6}});
  }
  const BoundAccess* many = query_->accesses.Bind(memory_->accesses.Intern(std::move(access)));
  accesses.Add(sets(), {many, "", sets().All()});
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(accesses.entries(), SizeIs(8));
  accesses.Add(sets(), {At({8}), "", sets().All()});
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(accesses.entries(), SizeIs(1));
}

TEST_F(WideningTest, LoopsHaveALimitOfTheirOwn) {
  AccessSet accesses = Elements(12, sets().All());
  EXPECT_FALSE(Widen(accesses, CallFrame::Kind::kLoop));
  EXPECT_THAT(accesses.entries(), SizeIs(12));
  accesses.Add(sets(), {At({12}), "", sets().All()});
  EXPECT_FALSE(Widen(accesses, CallFrame::Kind::kLoop));
  EXPECT_THAT(Text(accesses),
              ElementsAre(std::string(kWhole) + " for {0, 1}, superset: an array inside is read "
                                                "in more than 12 ways"));
}

// Of four updates in a row, sixteen ways lead back, which differ in their constraints alone.
TEST_F(WideningTest, OfTooManyWaysConstraintsGoFirst) {
  std::string text = "f { p = f32[8] parameter(0)\n u = f32[1] parameter(1)\n";
  std::string last = "p";
  std::string starts;
  std::string operands = "x, y";
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    text += " k" + number + " = s32[] parameter(" + std::to_string(i + 2) + ")\n v" + number +
            " = f32[8] dynamic-update-slice(" + last + ", u, k" + number + ")\n";
    last = "v" + number;
    starts += " i" + number + " = s32[] parameter(" + std::to_string(i + 2) + ")\n";
    operands += ", i" + number;
  }
  text +=
      " ROOT r = f32[8] negate(v4) }\nENTRY e { x = f32[8] parameter(0)\n"
      " y = f32[1] parameter(1)\n" +
      starts + " ROOT c = f32[8] call(" + operands + "), to_apply=f }";
  Parse(text);
  for (const std::string& line : OperandLines(0)) {
    EXPECT_THAT(line, ::testing::HasSubstr(" -> (d0), domain: "));
    EXPECT_THAT(line, ::testing::HasSubstr("an array inside is read in more than 8 ways"));
  }
}

// Of a window over what is read at indices, its constraint says which indices there are: it stays.
TEST_F(WideningTest, ConstraintsOfRuntimeValuesStay) {
  std::string text =
      "sum { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT s = s32[] add(a, b) }\n"
      "f { p = s32[8] parameter(0)\n u = s32[1] parameter(1)\n q = s32[5,1] parameter(2)\n";
  std::string last = "p";
  std::string starts;
  std::string operands = "x, y, w";
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    const std::string start = " = s32[] parameter(" + std::to_string(i + 3) + ")\n";
    text += " k" + number + start + " v" + number + " = s32[8] dynamic-update-slice(" + last +
            ", u, k" + number + ")\n";
    last = "v" + number;
    starts += " i" + number + start;
    operands += ", i" + number;
  }
  text +=
      " g = s32[5] gather(v4, q), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}\n z = s32[] constant(0)\n"
      " ROOT r = s32[5] reduce-window(g, z), window={size=5 pad=4_0}, to_apply=sum }\n"
      "ENTRY e { x = s32[8] parameter(0)\n y = s32[1] parameter(1)\n w = s32[5,1] parameter(2)\n" +
      starts + " ROOT c = s32[5] call(" + operands + "), to_apply=f }";
  Parse(text);
  const Lines lines = OperandLines(0);
  EXPECT_THAT(lines, ::testing::Not(::testing::IsEmpty()));
  for (const std::string& line : lines) {
    EXPECT_THAT(line, ::testing::HasSubstr("d0 + s0 in [4, 8]"));
  }
}

// The limit is for each of the two outputs.
TEST_F(WideningTest, StepsAreLimitedForEachOutput) {
  options_.max_steps = 10;
  AccessSet accesses = Elements(1, sets().All());
  query_->steps = 21;
  EXPECT_FALSE(Widen(accesses));
  query_->steps = 22;
  EXPECT_TRUE(Widen(accesses));
  EXPECT_THAT(Text(accesses), ElementsAre(std::string(kWhole) +
                                          " for {0, 1}, superset: more than 10 reads to follow"));
}

TEST_F(WideningTest, OtherDevicesStayPossible) {
  options_.max_accesses = 1;
  AccessSet accesses = Elements(2, sets().All());
  accesses.Add(sets(), {At({.element = 0, .device = 1}), "", sets().Single(1)});
  Widen(accesses);
  const std::string reason = ", superset: an array inside is read in more than 1 ways";
  EXPECT_THAT(Text(accesses), ElementsAre(std::string(kWhole) + " for {0}" + reason,
                                          std::string(kWholeAnywhere) + " for {1}" + reason));
}

TEST_F(WideningTest, WholeArraysAreAddedForTheOutputsAlone) {
  AccessSet accesses;
  widening_->AddWholeArray(accesses, shape(), "", sets().Single(0), sets().All());
  EXPECT_THAT(Text(accesses), ElementsAre(std::string(kWholeAnywhere) + " for {0}"));
}

// The whole array on any device subsumes everything, that on the executing device what is there.
TEST_F(WideningTest, RemovesSubsumed) {
  AccessSet accesses = Elements(1, sets().All());
  accesses.Add(sets(), {At({.element = 1, .device = 1}), "", sets().All()});
  AccessSet whole = accesses;
  widening_->RemoveSubsumed(whole, shape());
  EXPECT_EQ(Text(whole), Text(accesses));
  widening_->AddWholeArray(whole, shape(), "", sets().Single(0), kNoOutputs);
  widening_->RemoveSubsumed(whole, shape());
  EXPECT_THAT(Text(whole),
              UnorderedElementsAre("(d0) -> (0), domain: d0 in [0, 7] for {1}",
                                   "(d0) -> (1) on device 1, domain: d0 in [0, 7] for {0, 1}",
                                   std::string(kWhole) + " for {0}"));
  widening_->AddWholeArray(whole, shape(), "", sets().All(), sets().All());
  widening_->RemoveSubsumed(whole, shape());
  EXPECT_THAT(Text(whole), ElementsAre(std::string(kWholeAnywhere) + " for {0, 1}"));
}

// (d0) -> (results), where d0 lies in [2, 5].
class WideningInLoopTest : public WideningTest {
 protected:
  AccessSet::Entry Widened(int64_t offset, std::optional<int64_t> device) {
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, 7}};
    const Sum d0 = access.map.Variable(digits, 0);
    access.map.results = {Add(digits, d0, simplifier::Constant(offset))};
    access.has_device = device.has_value();
    if (device) access.map.results.push_back(Add(digits, d0, simplifier::Constant(*device)));
    access.map.constraints = {{d0, {2, 5}}};
    AccessSet::Entry entry = {query_->accesses.Bind(memory_->accesses.Intern(std::move(access))),
                              "", sets().All()};
    widening_->WidenInLoop(entry, shape());
    return entry;
  }
};

TEST_F(WideningInLoopTest, LeavesOutConstraintsThatTheIndexDoesNotNeed) {
  const AccessSet::Entry wide = Widened(0, std::nullopt);
  EXPECT_EQ(WithOutputs(sets(), wide).ToString(),
            "(d0) -> (d0), domain: d0 in [0, 7] for {0, 1}, superset: what a loop reads is not "
            "followed iteration by iteration");
  // Without the constraint 8 would be read, or device 7 of three.
  for (const AccessSet::Entry& needed : {Widened(1, std::nullopt), Widened(0, 0)}) {
    EXPECT_TRUE(needed.reason.empty());
    EXPECT_THAT(needed.access->interned->access.map.constraints, SizeIs(1));
  }
}

TEST_F(WideningTest, NothingIsKnownOfArraysWithoutBoundsBeyondLimits) {
  Parse("ENTRY e { ROOT p = f32[?] parameter(0) }");
  AccessSet accesses = Elements(64, sets().All());
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(accesses.entries(), SizeIs(64));
  accesses = Elements(65, sets().All());
  EXPECT_FALSE(Widen(accesses));
  EXPECT_THAT(LinesOf(sets(), accesses),
              ElementsAre("unknown for {0, 1}: an array inside is read in more than 64 ways, and "
                          "dimension 0 of [?] has no bound"));
}

// Of an index without end, what lies in the array.
TEST_F(WideningTest, IndicesWithoutEndLieInTheArray) {
  const auto restricted = [&](const std::string& shape) {
    Parse("ENTRY e { ROOT p = " + shape + " parameter(0) }");
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, Interval::kPlusInfinity}};
    access.map.results = {access.map.Variable(digits, 0), simplifier::Constant(1)};
    AccessSet accesses;
    accesses.Add(sets(), {query_->accesses.Bind(query_->memory.accesses.Intern(std::move(access))),
                          "", sets().All()});
    for (int times = 0; times < 2; ++times) widening_->RestrictToArray(accesses, root().shape());
    return LinesOf(sets(), accesses);
  };
  EXPECT_THAT(restricted("f32[5,2]"),
              ElementsAre("(d0) -> (d0, 1), domain: d0 in [0, 4] for {0, 1}"));
  EXPECT_THAT(restricted("f32[?,2]"),
              ElementsAre("(d0) -> (d0, 1), domain: d0 in [0, inf] for {0, 1}"));
  EXPECT_THAT(restricted("f32[0,2]"), ElementsAre());
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
