#include "indexing_analysis/propagation/transfer.h"

#include <utility>

#include "indexing_analysis/rules/custom_calls.h"
#include "simplifier/arithmetic.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

class TransferTest : public PropagationTest {
 protected:
  // What the access (d0) -> (d0, 2) of f32[4] to the output of the entry's root reads of operands.
  std::vector<Lines> Apply(const CallFrame* frame = nullptr) {
    Query query = MakeQuery({4});
    Widening widening(query);
    TransferFunctions transfer(query, widening);
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, 3}};
    access.map.results = {access.map.Variable(digits, 0), simplifier::Constant(2)};
    AccessSet accesses;
    accesses.Add(query.outputs, {query.accesses.Bind(memory_->accesses.Intern(std::move(access))),
                                 "", query.outputs.All()});
    std::vector<AccessSets> operands(root().operands().size());
    dependences_ = transfer.Apply(root(), 0, accesses, frame,
                                  [&](size_t operand) { return &operands[operand]; });
    std::vector<Lines> lines;
    for (const AccessSets& operand : operands) {
      lines.push_back(operand.empty() ? Lines() : LinesOf(query.outputs, operand[0]));
    }
    return lines;
  }

  Dependences dependences_;
};

constexpr char kOutputItself[] = "(d0) -> (d0, 2), domain: d0 in [0, 3] for {0}";

// The same with what is memoized of its class as without.
TEST_F(TransferTest, ExampleOfTheHeader) {
  Parse(R"(ENTRY e { x = f32[5,4] parameter(0)
  ROOT t = f32[4,5] transpose(x), dimensions={1,0} })");
  const CallFrame frame = CallFrame::Inside(root(), nullptr);
  for (const CallFrame* in : {static_cast<const CallFrame*>(nullptr), &frame}) {
    EXPECT_THAT(Apply(in),
                ElementsAre(ElementsAre("(d0) -> (2, d0), domain: d0 in [0, 3] for {0}")));
    EXPECT_FALSE(dependences_.on_query);
    EXPECT_EQ(dependences_.outermost_call_depth, Dependences::kNoCall);
  }
}

TEST_F(TransferTest, ElementwiseOperandsAreReadAlike) {
  Parse(R"(ENTRY e { x = f32[4,5] parameter(0)
  y = f32[4,5] parameter(1)
  c = pred[] parameter(2)
  ROOT r = f32[4,5] select(c, x, y) })");
  EXPECT_THAT(Apply(), ElementsAre(ElementsAre("(d0) -> (), domain: d0 in [0, 3] for {0}"),
                                   ElementsAre(kOutputItself), ElementsAre(kOutputItself)));
}

TEST_F(TransferTest, OneOperandOfATupleIsRead) {
  Parse(R"(ENTRY e { x = f32[4,5] parameter(0)
  y = f32[4,5] parameter(1)
  ROOT r = (f32[4,5], f32[4,5]) tuple(y, x) })");
  EXPECT_THAT(Apply(), ElementsAre(ElementsAre(kOutputItself), ElementsAre()));
}

TEST_F(TransferTest, ValuesAreDependences) {
  Parse(R"(ENTRY e { x = f32[9,5] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[4,5] dynamic-slice(x, i, i), dynamic_slice_sizes={4,5} })");
  EXPECT_THAT(Apply()[0], ElementsAre("(d0){rt1} -> (d0 + rt1, 2), domain: d0 in [0, 3] for {0}"));
  EXPECT_EQ(dependences_.outermost_call_depth, 0);
}

TEST_F(TransferTest, NothingIsKnownWhereASizeIsMissingAndOfCustomCalls) {
  Parse(R"(ENTRY e { x = f32[?,5] parameter(0)
  ROOT r = f32[?,5] reverse(x), dimensions={1} })");
  EXPECT_THAT(Apply(), ElementsAre(ElementsAre("(d0) -> (d0, 2), domain: d0 in [0, 3] for {0}")));
  Parse(R"(ENTRY e { x = f32[?,5] parameter(0)
  ROOT r = f32[?,5] reverse(x), dimensions={0} })");
  EXPECT_THAT(Apply(),
              ElementsAre(ElementsAre("unknown for {0}: dimension 0 of [?,5] has no bound")));
  Parse(R"(ENTRY e { x = f32[4,5] parameter(0)
  ROOT r = f32[4,5] custom-call(x), custom_call_target="t" })");
  EXPECT_EQ(Apply()[0][0].substr(0, 16), "unknown for {0}:");
}

// Memoized or not.
TEST_F(TransferTest, RulesSayWhyTheyCoverMore) {
  Parse(R"(ENTRY e { x = f32[4,4] parameter(0)
  y = f32[5,4] parameter(1)
  ROOT d = f32[4,5] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={1}, sparsity=L.0@2:4 })");
  const CallFrame frame = CallFrame::Inside(root(), nullptr);
  for (const CallFrame* in : {static_cast<const CallFrame*>(nullptr), &frame}) {
    EXPECT_THAT(Apply(in)[1],
                ElementsAre("(d0)[s0] -> (2, s0), domain: d0 in [0, 3], s0 in [0, 3] for {0}, "
                            "superset: a sparse operand says which elements meet"));
  }
}

TEST_F(TransferTest, RegisteredCustomCalls) {
  CustomCallRegistry registry;
  registry.Register("t", ReadSameIndex);
  options_.custom_calls = &registry;
  Parse(R"(ENTRY e { x = f32[4,5] parameter(0)
  ROOT r = f32[4,5] custom-call(x), custom_call_target="t" })");
  EXPECT_THAT(Apply(), ElementsAre(ElementsAre(kOutputItself)));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
