#include "indexing_analysis/propagation/output_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace hlo_indexing::indexing_analysis {
namespace {

TEST(OutputSetsTest, ExampleOfTheHeader) {
  OutputSets sets(3);
  const OutputSet set = sets.Union(sets.Single(0), sets.Single(2));
  EXPECT_EQ(sets.ToString(set), "{0, 2}");
  EXPECT_EQ(sets.Difference(sets.All(), set), sets.Single(1));
}

TEST(OutputSetsTest, Text) {
  OutputSets sets(3);
  llvm::SmallBitVector members(3);
  members.set(0).set(2);
  sets.Of(members);
  EXPECT_EQ(sets.ToString(), "0: {}, 1: {0, 1, 2}, 2: {0, 2}");
  EXPECT_EQ(testing::PrintToString(sets), sets.ToString());
}

using Outputs = std::set<unsigned>;

Outputs MembersOf(const OutputSets& sets, OutputSet set) {
  const auto bits = sets.Members(set).set_bits();
  return {bits.begin(), bits.end()};
}

// Random operations on sets, of so many outputs that a word holds them and that none does.
TEST(OutputSetsTest, OperationsAreThoseOfSets) {
  for (const unsigned num_outputs : {1U, 2U, 5U, 100U}) {
    std::mt19937 random(num_outputs);
    OutputSets sets(num_outputs);
    std::vector<OutputSet> numbers = {kNoOutputs, sets.All()};
    for (unsigned i = 0; i < num_outputs; ++i) numbers.push_back(sets.Single(i));
    for (int round = 0; round < 300; ++round) {
      const OutputSet a = numbers[random() % numbers.size()];
      const OutputSet b = numbers[random() % numbers.size()];
      const Outputs in_a = MembersOf(sets, a);
      const Outputs in_b = MembersOf(sets, b);
      Outputs either = in_a;
      either.insert(in_b.begin(), in_b.end());
      Outputs both;
      Outputs only_a;
      for (const unsigned i : in_a) (in_b.contains(i) ? both : only_a).insert(i);
      EXPECT_EQ(MembersOf(sets, sets.Union(a, b)), either);
      EXPECT_EQ(MembersOf(sets, sets.Intersection(a, b)), both);
      EXPECT_EQ(MembersOf(sets, sets.Difference(a, b)), only_a);
      numbers.push_back(round % 2 == 0 ? sets.Union(a, b) : sets.Difference(a, b));
    }
    // Equal sets have equal numbers.
    for (const OutputSet a : numbers) {
      for (const OutputSet b : numbers) {
        EXPECT_EQ(a == b, MembersOf(sets, a) == MembersOf(sets, b)) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
