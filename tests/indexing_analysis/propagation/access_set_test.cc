#include "indexing_analysis/propagation/access_set.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "simplifier/arithmetic.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

class AccessSetTest : public PropagationTest {};

TEST_F(AccessSetTest, ExampleOfTheHeader) {
  Parse(R"(f { p = f32[6,6] parameter(0)
  e = f32[6,6] exponential(p)
  t = f32[6,6] transpose(e), dimensions={1,0}
  ROOT r = (f32[6,6], f32[6,6]) tuple(e, t) }
ENTRY e { p = f32[6,6] parameter(0)
  ROOT r = (f32[6,6], f32[6,6]) fusion(p), kind=kLoop, calls=f })");
  const Propagation propagation = Propagate(root(), {0, 1});
  const auto& [instruction, leaves, sets, inputs, operands, values, devices] =
      propagation.accesses();
  EXPECT_THAT(LinesOf(sets, operands[0][0]),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 5] for {0}",
                          "(d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 5] for {1}"));
}

// Accesses of an output f32[8], which are made by hand.
class Accesses {
 public:
  // Element `element` of the array, on any of two devices if `has_device`; of that name.
  const BoundAccess* Element(int64_t element, bool has_device = false, std::string name = "") {
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, 7}};
    access.map.results = {simplifier::Constant(element)};
    if (has_device) ReadAll(digits, {2}, access);
    access.has_device = has_device;
    if (!name.empty()) access.names = {std::move(name)};
    RenumberRanges(digits, access);
    return bound_.Bind(interner_.Intern(std::move(access)));
  }

 private:
  AccessInterner interner_;
  BoundAccesses bound_;
};

TEST_F(AccessSetTest, Text) {
  Accesses make;
  OutputSets sets(3);
  AccessSet accesses;
  EXPECT_EQ(WithOutputs(sets, accesses).ToString(), "");
  accesses.Add(sets, {make.Element(5), "", sets.Single(0)});
  accesses.Add(sets, {make.Element(6), "a loop", sets.Single(2)});
  accesses.AddUnknown(sets, "who knows", sets.Single(1));
  EXPECT_THAT(LinesOf(sets, accesses),
              ElementsAre("(d0) -> (5), domain: d0 in [0, 7] for {0}",
                          "(d0) -> (6), domain: d0 in [0, 7] for {2}, superset: a loop",
                          "unknown for {1}: who knows"));
  const WithOutputs entry(sets, accesses.entries()[0]);
  EXPECT_EQ(entry.ToString(), "(d0) -> (5), domain: d0 in [0, 7] for {0}");
  EXPECT_EQ(::testing::PrintToString(entry), entry.ToString());
}

// What is known of one output: the reasons of its accesses by content, or why nothing is known.
struct OutputModel {
  std::map<const void*, std::string> accesses;
  std::string unknown;

  bool operator==(const OutputModel&) const = default;

  void Add(const void* content, const std::string& reason) {
    if (!unknown.empty()) return;
    const auto [known, is_new] = accesses.try_emplace(content, reason);
    if (!is_new && reason.empty()) known->second = "";
  }
  void AddUnknown(const std::string& reason) {
    if (!unknown.empty()) return;
    unknown = reason;
    accesses.clear();
  }
};

using Model = std::vector<OutputModel>;

Model ModelOf(const OutputSets& sets, const AccessSet& accesses) {
  Model model(sets.num_outputs());
  for (const AccessSet::Entry& entry : accesses.entries()) {
    EXPECT_NE(entry.outputs, kNoOutputs);
    for (const unsigned output : sets.Members(entry.outputs).set_bits()) {
      const auto [known, is_new] =
          model[output].accesses.try_emplace(entry.access->interned->content, entry.reason.str());
      EXPECT_TRUE(is_new) << "two entries of one content for " << output;
    }
  }
  for (const AccessSet::Unknown& unknown : accesses.unknown()) {
    for (const unsigned output : sets.Members(unknown.outputs).set_bits()) {
      EXPECT_TRUE(model[output].unknown.empty()) << output;
      model[output].unknown = unknown.reason.str();
    }
  }
  return model;
}

// The outputs that a predicate holds for.
template <typename Predicate>
OutputSet OutputsThat(OutputSets& sets, const Model& model, Predicate predicate) {
  OutputSet outputs = kNoOutputs;
  for (size_t i = 0; i < model.size(); ++i) {
    if (predicate(model[i])) outputs = sets.Union(outputs, sets.Single(i));
  }
  return outputs;
}

// A set and its model, changed by the same random operations.
class RandomAccessSet {
 public:
  RandomAccessSet(OutputSets& sets, llvm::ArrayRef<const BoundAccess*> accesses, unsigned seed)
      : sets_(sets), accesses_(accesses), random_(seed), model_(sets.num_outputs()) {}

  // One of `kinds` changes takes outputs away, and one makes them unknown; the others add.
  void Change(unsigned kinds = 12) {
    static constexpr llvm::StringLiteral kReasons[] = {"", "", "a loop", "many"};
    const OutputSet outputs = RandomOutputs();
    const llvm::StringRef reason = kReasons[random_() % 4];
    const int kind = static_cast<int>(random_() % kinds);
    if (kind == 0) {
      set_.Remove(sets_, outputs);
      ForEach(outputs, [](OutputModel& output) { output.accesses.clear(); });
    } else if (kind == 1) {
      set_.AddUnknown(sets_, reason.empty() ? "who knows" : reason, outputs);
      ForEach(outputs, [&](OutputModel& output) {
        output.AddUnknown(reason.empty() ? "who knows" : reason.str());
      });
    } else {
      const BoundAccess* access = accesses_[random_() % accesses_.size()];
      set_.Add(sets_, {access, reason, outputs});
      ForEach(outputs,
              [&](OutputModel& output) { output.Add(access->interned->content, reason.str()); });
    }
  }

  void AddAll(const RandomAccessSet& other) {
    set_.AddAll(sets_, other.set_);
    for (size_t i = 0; i < model_.size(); ++i) {
      if (!other.model_[i].unknown.empty()) model_[i].AddUnknown(other.model_[i].unknown);
      for (const auto& [content, reason] : other.model_[i].accesses) {
        model_[i].Add(content, reason);
      }
    }
  }

  const AccessSet& set() const { return set_; }
  const Model& model() const { return model_; }

 private:
  OutputSet RandomOutputs() {
    llvm::SmallBitVector outputs(static_cast<unsigned>(sets_.num_outputs()));
    for (unsigned i = 0; i < outputs.size(); ++i) {
      if (random_() % 2 == 0) outputs.set(i);
    }
    return sets_.Of(std::move(outputs));
  }

  template <typename Change>
  void ForEach(OutputSet outputs, Change change) {
    for (const unsigned output : sets_.Members(outputs).set_bits()) change(model_[output]);
  }

  OutputSets& sets_;
  llvm::ArrayRef<const BoundAccess*> accesses_;
  std::mt19937 random_;
  AccessSet set_;
  Model model_;
};

// So many that they are found by the hash of their content.
TEST_F(AccessSetTest, RandomOperationsOnManyAccessesAreThoseOfTheModel) {
  Accesses make;
  std::vector<const BoundAccess*> accesses;
  for (int64_t element = 0; element < 100; ++element) {
    accesses.push_back(make.Element(element));
    accesses.push_back(make.Element(element, false, "row"));
  }
  size_t most = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    OutputSets sets(1 + seed % 6);
    RandomAccessSet set(sets, accesses, seed);
    RandomAccessSet other(sets, accesses, seed + 1000);
    for (int round = 0; round < 600; ++round) {
      set.Change(/*kinds=*/200);
      other.Change(/*kinds=*/200);
      if (round % 100 == 99) set.AddAll(other);
      if (round % 20 != 19) continue;
      ASSERT_TRUE(ModelOf(sets, set.set()) == set.model()) << seed << " " << round;
      most = std::max(most, set.set().entries().size());
    }
    const AccessSet copy = set.set();
    ASSERT_TRUE(ModelOf(sets, copy) == set.model()) << seed;
  }
  EXPECT_GT(most, size_t{100});
}

TEST_F(AccessSetTest, RandomOperationsAreThoseOfTheModel) {
  Accesses make;
  const BoundAccess* with_device = make.Element(1, /*has_device=*/true);
  // The second differs from the first in a name only.
  const std::vector<const BoundAccess*> accesses = {make.Element(0), make.Element(0, false, "row"),
                                                    make.Element(1), make.Element(2), with_device};
  ASSERT_NE(accesses[0], accesses[1]);
  const void* device_content = with_device->interned->content;
  for (unsigned seed = 0; seed < 300; ++seed) {
    OutputSets sets(1 + seed % 4);
    RandomAccessSet set(sets, accesses, seed);
    RandomAccessSet other(sets, accesses, seed + 1000);
    for (int round = 0; round < 12; ++round) {
      set.Change();
      other.Change();
      if (round % 5 == 4) set.AddAll(other);
      SCOPED_TRACE(WithOutputs(sets, set.set()).ToString());
      const Model& model = set.model();
      ASSERT_TRUE(ModelOf(sets, set.set()) == model) << seed << " " << round;
      EXPECT_EQ(set.set().Outputs(sets), OutputsThat(sets, model, [](const OutputModel& output) {
                  return !output.accesses.empty();
                }));
      EXPECT_EQ(set.set().OutputsWithDevice(sets),
                OutputsThat(sets, model, [&](const OutputModel& output) {
                  return output.accesses.contains(device_content);
                }));
      EXPECT_EQ(set.set().OutputsWithMoreThan(sets, 1),
                OutputsThat(sets, model,
                            [](const OutputModel& output) { return output.accesses.size() > 1; }));
      EXPECT_EQ(set.set().IsEmpty(), ModelOf(sets, set.set()) == Model(sets.num_outputs()));
    }
  }
}

// Entries that agree in the access and the reason are one, whatever outputs they are for.
TEST_F(AccessSetTest, EqualEntriesAreOne) {
  Accesses make;
  OutputSets sets(4);
  AccessSet accesses;
  for (const llvm::StringRef reason : {"", "a loop"}) {
    for (const size_t output : {0, 1}) {
      accesses.Add(sets, {make.Element(3), reason, sets.Single(output + (reason.empty() ? 0 : 2))});
    }
  }
  EXPECT_THAT(LinesOf(sets, accesses),
              ElementsAre("(d0) -> (3), domain: d0 in [0, 7] for {0, 1}",
                          "(d0) -> (3), domain: d0 in [0, 7] for {2, 3}, superset: a loop"));
}

TEST_F(AccessSetTest, SetsOfArraysAreMadeWhenOneIsReached) {
  Parse("ENTRY e { ROOT p = (f32[8], f32[8]) parameter(0) }");
  Accesses make;
  OutputSets sets(1);
  AccessSets from;
  SetOfLeaf(from, root().shape(), 1).Add(sets, {make.Element(3), "", sets.All()});
  ASSERT_EQ(from.size(), 2);
  EXPECT_TRUE(from[0].IsEmpty());
  AccessSets to;
  AddAll(sets, from, root().shape(), to);
  ASSERT_EQ(to.size(), 2);
  EXPECT_TRUE(to[0].IsEmpty());
  EXPECT_EQ(LinesOf(sets, to[1]), LinesOf(sets, from[1]));
  AccessSets nothing;
  AddAll(sets, AccessSets(2), root().shape(), nothing);
  EXPECT_TRUE(nothing.empty());
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
