// Summaries that are made here by hand, memoized in one query and recalled in others.
#include "indexing_analysis/propagation/call_summary.h"
#include "indexing_analysis/propagation/calls.h"

#include <utility>
#include <vector>

#include "simplifier/arithmetic.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

// Ten calls of `double`.
class CallSummaryTest : public PropagationTest {
 protected:
  void SetUp() override {
    std::string text =
        "double { p = f32[4] parameter(0)\n ROOT r = f32[4] add(p, p) }\n"
        "ENTRY e { c0 = f32[4] parameter(0)\n";
    for (int i = 1; i <= 10; ++i) {
      text += std::string(i == 10 ? " ROOT" : "") + " c" + std::to_string(i) + " = f32[4] call(c" +
              std::to_string(i - 1) + "), to_apply=double\n";
    }
    Parse(text + "}");
  }

  const hlo::Computation& callee() const { return *module_->FindComputation("double"); }

  // Element `element`, or that which runtime value `runtime` says.
  const BoundAccess* At(Query& query, int64_t element, std::optional<uint32_t> runtime = {}) {
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, 3}};
    access.map.results = {simplifier::Constant(element)};
    if (runtime) {
      access.runtime = {*runtime};
      access.map.results = {digits.Function(*runtime, {}, {0, 3})};
    }
    return query.accesses.Bind(memory_->accesses.Intern(std::move(access)));
  }

  MemoizedCall& Find(const Query& query, const CallNumbering& numbering, size_t depth = 0) {
    return memory_->calls.Find({.callee = &callee(),
                                .num_operands = 1,
                                .is_in_loop = false,
                                .is_in_whole_loop = false,
                                .depth = depth,
                                .identity = query.identity},
                               numbering);
  }

  // What is recalled reaches the one operand.
  Lines Recalled(const MemoizedCall& call, Query& query, const CallNumbering& numbering,
                 llvm::ArrayRef<uint32_t> values = {}) {
    AccessSets operand;
    Recall(call, callee(), numbering, values, query.accesses, [&](size_t) { return &operand; });
    return operand.empty() ? Lines() : LinesOf(query.outputs, operand[0]);
  }
};

ValuePath NoPath(uint32_t) { return {}; }

TEST_F(CallSummaryTest, ExampleOfTheHeader) {
  Query first = MakeQuery({4});
  AccessSets result = {IdentityOf(first)};
  const CallNumbering numbering(first.outputs, result);
  EXPECT_FALSE(Find(first, numbering).is_known);
  Memoize({result}, {.nesting = 1}, numbering, NoPath, Find(first, numbering));
  // A query of two outputs that reaches the result of another call alike.
  Query second = MakeQuery({4}, 2);
  result = {IdentityOf(second)};
  const CallNumbering same(second.outputs, result);
  const MemoizedCall& known = Find(second, same);
  ASSERT_TRUE(known.is_known);
  EXPECT_EQ(known.dependences.nesting, 1);
  EXPECT_THAT(Recalled(known, second, same),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0, 1}"));
  EXPECT_FALSE(Find(second, same, /*depth=*/1).is_known);
}

// Propagation memoizes by itself: of ten calls in a row one is propagated through.
TEST_F(CallSummaryTest, CallsThatAreReachedAlikeHaveOneSummary) {
  for (int i = 1; i <= 10; ++i) {
    Query query = MakeQuery({4});
    Propagator propagator(query);
    AccessSets output = {IdentityOf(query)};
    AccessSets operand;
    propagator.PropagateInstruction(Named("c" + std::to_string(i)), output, nullptr,
                                    [&](size_t) { return &operand; });
    EXPECT_EQ(query.steps, i == 1 ? kStepsOfCall + 1 : 0);
    EXPECT_THAT(LinesOf(query.outputs, operand[0]),
                ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
  }
}

// Outputs 0 and 2 are a class, and 1 is; elsewhere other outputs are, in the same roles.
TEST_F(CallSummaryTest, OutputsAreNumberedByWhatReachesTheResult) {
  Query first = MakeQuery({4}, 3);
  AccessSets result(1);
  const OutputSet even = first.outputs.Union(first.outputs.Single(0), first.outputs.Single(2));
  result[0].Add(first.outputs, {At(first, 1), "", even});
  result[0].Add(first.outputs, {At(first, 2), "", first.outputs.Single(1)});
  const CallNumbering numbering(first.outputs, result);
  EXPECT_EQ(numbering.OutputsOf(numbering.ClassesOf(even)), even);
  AccessSets summary(1);
  summary[0].Add(first.outputs, {At(first, 3), "many", first.outputs.All()});
  summary[0].Add(first.outputs, {At(first, 0), "", even});
  Memoize({summary}, {}, numbering, NoPath, Find(first, numbering));

  Query second = MakeQuery({4}, 4);
  result = AccessSets(1);
  result[0].Add(second.outputs, {At(second, 1), "", second.outputs.Single(3)});
  result[0].Add(second.outputs, {At(second, 2), "", second.outputs.Single(0)});
  const CallNumbering same(second.outputs, result);
  ASSERT_TRUE(Find(second, same).is_known);
  EXPECT_THAT(Recalled(Find(second, same), second, same),
              ElementsAre("(d0) -> (3), domain: d0 in [0, 3] for {0, 3}, superset: many",
                          "(d0) -> (0), domain: d0 in [0, 3] for {3}"));
  // An output in both sets is a class of its own.
  result[0].Add(second.outputs, {At(second, 2), "", second.outputs.Single(3)});
  EXPECT_FALSE(Find(second, CallNumbering(second.outputs, result)).is_known);
}

// What differs in an access, its reason or its array is reached differently.
TEST_F(CallSummaryTest, FingerprintsTellApart) {
  Query query = MakeQuery({4});
  std::vector<AccessSets> results;
  const AccessSet::Entry entries[] = {{At(query, 1), "", query.outputs.All()},
                                      {At(query, 2), "", query.outputs.All()},
                                      {At(query, 1), "many", query.outputs.All()},
                                      {At(query, 1, 1), "", query.outputs.All()}};
  for (const AccessSet::Entry& entry : entries) {
    for (const size_t leaf : {0, 1}) {
      results.emplace_back(2)[leaf].Add(query.outputs, entry);
    }
  }
  for (const AccessSets& result : results) {
    MemoizedCall& call = Find(query, CallNumbering(query.outputs, result));
    EXPECT_FALSE(call.is_known);
    call.is_known = true;
  }
}

// Values that are given are numbered by their order, those of the inside are found by their paths.
TEST_F(CallSummaryTest, RuntimeValues) {
  Query first = MakeQuery({4});
  AccessSets result(1);
  result[0].Add(first.outputs, {At(first, 0, 7), "", first.outputs.All()});
  const CallNumbering numbering(first.outputs, result);
  EXPECT_THAT(numbering.given_values(), ElementsAre(kExecutingDevice, 7));
  AccessSets summary = result;
  summary[0].Add(first.outputs, {At(first, 0, 8), "inside", first.outputs.All()});
  const auto path_of = [&](uint32_t number) {
    EXPECT_EQ(number, 8);
    return ValuePath{&Named("r")};
  };
  Memoize({summary}, {}, numbering, path_of, Find(first, numbering));

  Query second = MakeQuery({4});
  result = AccessSets(1);
  result[0].Add(second.outputs, {At(second, 0, 4), "", second.outputs.All()});
  const CallNumbering same(second.outputs, result);
  const MemoizedCall& known = Find(second, same);
  ASSERT_TRUE(known.is_known);
  EXPECT_THAT(known.values, ElementsAre(ValuePath{&Named("r")}));
  EXPECT_THAT(Recalled(known, second, same, {9}),
              ElementsAre("(d0){rt4} -> (rt4), domain: d0 in [0, 3] for {0}",
                          "(d0){rt9} -> (rt9), domain: d0 in [0, 3] for {0}, superset: inside"));
}

// What counts as read whole is so for each element of the outputs, and these may be more.
TEST_F(CallSummaryTest, OutputsOfOtherSizesAreReachedDifferently) {
  Query first = MakeQuery({4});
  Query second = MakeQuery({8});
  AccessSets result(1);
  result[0].Add(first.outputs, {At(first, 1), "", first.outputs.All()});
  const CallNumbering numbering(first.outputs, result);
  Find(first, numbering).is_known = true;
  EXPECT_FALSE(Find(second, numbering).is_known);
}

TEST_F(CallSummaryTest, UnknownIsRecalled) {
  Query query = MakeQuery({4}, 2);
  AccessSets result = {IdentityOf(query)};
  const CallNumbering numbering(query.outputs, result);
  AccessSets summary(1);
  summary[0].AddUnknown(query.outputs, "who knows", query.outputs.All());
  MemoizedCall& call = Find(query, numbering);
  Memoize({summary}, {}, numbering, NoPath, call);
  EXPECT_THAT(Recalled(call, query, numbering), ElementsAre("unknown for {0, 1}: who knows"));
}

TEST_F(CallSummaryTest, NothingIsKnownIfDisabled) {
  Query query = MakeQuery({4});
  AccessSets result = {IdentityOf(query)};
  const CallNumbering numbering(query.outputs, result);
  CallSummaries disabled(/*is_enabled=*/false);
  const CallKey key = {.callee = &callee()};
  Memoize({result}, {}, numbering, NoPath, disabled.Find(key, numbering));
  EXPECT_FALSE(disabled.Find(key, numbering).is_known);
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
