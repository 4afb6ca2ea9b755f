// Chains of reshapes equal the direct reshape, and words followed by their inverse are the
// identity.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "hlo/parser/parser.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/equality.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OutputIndexing;
using indexing_analysis::ParseIndexingMap;

std::string List(const std::vector<int64_t>& values) {
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

// A computation that applies one operation after the other to its parameter.
class ChainWriter {
 public:
  explicit ChainWriter(const Sizes& sizes) : sizes_(sizes) { Line(sizes, "parameter(0)"); }

  void Reshape(const Sizes& sizes) { Apply(sizes, "reshape", ""); }

  void Transpose(const std::vector<int64_t>& permutation) {
    Sizes sizes;
    for (const int64_t d : permutation) sizes.push_back(sizes_[static_cast<size_t>(d)]);
    Apply(sizes, "transpose", ", dimensions={" + List(permutation) + "}");
  }

  void Reverse(const std::vector<int64_t>& dimensions) {
    Apply(sizes_, "reverse", ", dimensions={" + List(dimensions) + "}");
  }

  void Slice(const Sizes& starts, const Sizes& limits, const Sizes& strides) {
    Sizes sizes;
    std::string ranges;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      sizes.push_back((limits[d] - starts[d] + strides[d] - 1) / strides[d]);
      ranges += (d ? ", [" : "[") + std::to_string(starts[d]) + ":" + std::to_string(limits[d]) +
                ":" + std::to_string(strides[d]) + "]";
    }
    Apply(sizes, "slice", ", slice={" + ranges + "}");
  }

  void Pad(const Sizes& low, const Sizes& high, const Sizes& interior) {
    Sizes sizes;
    std::string padding;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      sizes.push_back(sizes_[d] + (sizes_[d] - 1) * interior[d] + low[d] + high[d]);
      padding += (d ? "x" : "") + std::to_string(low[d]) + "_" + std::to_string(high[d]) + "_" +
                 std::to_string(interior[d]);
    }
    Apply(sizes, "pad", ", padding=" + padding, "zero");
  }

  // Puts a new dimension of that size in front of dimension `place`.
  void Broadcast(size_t place, int64_t size) {
    Sizes sizes = sizes_;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(place), size);
    std::vector<int64_t> kept;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (d != place) kept.push_back(static_cast<int64_t>(d));
    }
    Apply(sizes, "broadcast", ", dimensions={" + List(kept) + "}");
  }

  // With zeros of that size in front of the array and behind it.
  void Concatenate(size_t dimension, int64_t before, int64_t after) {
    Sizes sizes = sizes_;
    const auto zeros = [&](int64_t size) {
      sizes[dimension] = size;
      const std::string name = "z" + std::to_string(zeros_++);
      body_ += "  " + name + " = f32[" + List(sizes) + "] broadcast(zero), dimensions={}\n";
      return name;
    };
    const std::string first = zeros(before);
    const std::string last = zeros(after);
    const std::string array = "v" + std::to_string(count_ - 1);
    sizes[dimension] = sizes_[dimension] + before + after;
    sizes_ = sizes;
    Line(sizes, "concatenate(" + first + ", " + array + ", " + last + "), dimensions={" +
                    std::to_string(dimension) + "}");
  }

  const Sizes& sizes() const { return sizes_; }

  // A module with a call of the chain.
  std::string Module() const {
    const std::string shape = "f32[" + List(sizes_) + "]";
    return "chain {\n  zero = f32[] constant(0)\n" + body_ + "}\nENTRY e {\n  p = " + first_shape_ +
           " parameter(0)\n  ROOT f = " + shape + " call(p), to_apply=chain\n}\n";
  }

 private:
  void Apply(const Sizes& sizes, const std::string& opcode, const std::string& attributes,
             const std::string& second_operand = "") {
    sizes_ = sizes;
    const std::string more = second_operand.empty() ? "" : ", " + second_operand;
    Line(sizes, opcode + "(v" + std::to_string(count_ - 1) + more + ")" + attributes);
  }

  void Line(const Sizes& sizes, const std::string& operation) {
    const std::string shape = "f32[" + List(sizes) + "]";
    if (count_ == 0) first_shape_ = shape;
    body_ += "  v" + std::to_string(count_++) + " = " + shape + " " + operation + "\n";
  }

  Sizes sizes_;
  int count_ = 0;
  int zeros_ = 0;
  std::string first_shape_;
  std::string body_;
};

class Telescoping : public ::testing::Test {
 protected:
  // The one map of the module's call, as text; empty where nothing of the operand is left.
  std::string MapOf(const ChainWriter& chain) {
    const auto module = hlo::ParseModule(chain.Module());
    EXPECT_TRUE(module.ok()) << module.status().message();
    IndexingAnalysis analysis(&context_);
    const OutputIndexing indexing = analysis.OutputToInput((*module)->entry().root(), 0);
    if (indexing.operands().empty() || indexing.operands()[0].maps().empty()) return "";
    EXPECT_EQ(indexing.operands()[0].maps().size(), 1u);
    return indexing.operands()[0].maps().front().map.ToString();
  }

  static int64_t RandomTotal(Random& random) {
    static const std::vector<int64_t> totals = {12,   18,   24,   30,   36,   48,   60,    64,
                                                72,   90,   96,   120,  210,  360,  720,   900,
                                                1001, 1260, 2310, 4096, 5040, 6561, 30030, 65536};
    return random.Pick(totals);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

int NumChains() { return NumCases("HLO_INDEXING_RANDOM_CHAINS", 2000); }

TEST_F(Telescoping, ChainsOfReshapesEqualTheDirectReshape) {
  Random random(1);
  for (int i = 0; i < NumChains(); ++i) {
    const int64_t total = RandomTotal(random);
    const Sizes first = RandomFactors(random, total, 5);
    ChainWriter chain(first);
    const int64_t length = random.Between(2, 6);
    for (int64_t k = 0; k < length; ++k) chain.Reshape(RandomFactors(random, total, 5));
    ChainWriter direct(first);
    direct.Reshape(chain.sizes());
    ASSERT_EQ(MapOf(chain), MapOf(direct)) << chain.Module();
  }
}

int64_t Product(const Sizes& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// A random operation other than a reshape, as what it does to any chain of the same sizes.
std::function<void(ChainWriter&)> RandomStep(Random& random, const Sizes& sizes) {
  const size_t rank = sizes.size();
  switch (random.Between(0, 5)) {
    case 0: {
      const std::vector<int64_t> permutation = random.Permutation(rank);
      return [=](ChainWriter& chain) { chain.Transpose(permutation); };
    }
    case 1:
      return [](ChainWriter& chain) { chain.Reverse({0}); };
    case 2: {
      Sizes starts;
      Sizes limits;
      Sizes strides;
      for (const int64_t size : sizes) {
        starts.push_back(random.Between(0, size - 1));
        limits.push_back(random.Between(starts.back() + 1, size));
        strides.push_back(random.Between(1, 3));
      }
      return [=](ChainWriter& chain) { chain.Slice(starts, limits, strides); };
    }
    case 3: {
      Sizes low;
      Sizes high;
      Sizes interior;
      for (size_t d = 0; d < rank; ++d) {
        low.push_back(random.OneIn(2) ? random.Between(0, 3) : 0);
        high.push_back(random.OneIn(2) ? random.Between(0, 3) : 0);
        interior.push_back(random.OneIn(3) ? random.Between(1, 2) : 0);
      }
      return [=](ChainWriter& chain) { chain.Pad(low, high, interior); };
    }
    case 4: {
      const auto place = static_cast<size_t>(random.Between(0, static_cast<int64_t>(rank)));
      const int64_t size = random.Between(1, 7);
      return [=](ChainWriter& chain) { chain.Broadcast(place, size); };
    }
    default: {
      const auto dimension = static_cast<size_t>(random.Between(0, static_cast<int64_t>(rank) - 1));
      const int64_t before = random.Between(1, 5);
      const int64_t after = random.Between(1, 5);
      return [=](ChainWriter& chain) { chain.Concatenate(dimension, before, after); };
    }
  }
}

// Reshapes before and after any other operation telescope.
TEST_F(Telescoping, ChainsThroughOtherOperationsEqualTheirDirectReshapes) {
  Random random(3);
  for (int i = 0; i < NumChains(); ++i) {
    const int64_t total = RandomTotal(random);
    ChainWriter chain(RandomFactors(random, total, 4));
    ChainWriter direct(chain.sizes());
    const int64_t length = random.Between(1, 3);
    for (int64_t k = 0; k < length; ++k) {
      for (int64_t r = random.Between(1, 3); r > 0; --r) {
        chain.Reshape(RandomFactors(random, Product(chain.sizes()), 4));
      }
      direct.Reshape(chain.sizes());
      const auto step = RandomStep(random, chain.sizes());
      step(chain);
      step(direct);
    }
    for (int64_t r = random.Between(1, 3); r > 0; --r) {
      chain.Reshape(RandomFactors(random, Product(chain.sizes()), 4));
    }
    direct.Reshape(chain.sizes());
    ASSERT_EQ(MapOf(chain), MapOf(direct)) << chain.Module() << direct.Module();
  }
}

// Applies a random step that loses nothing; what takes it back.
std::function<void()> ApplyReversibleStep(Random& random, ChainWriter& chain) {
  const Sizes before = chain.sizes();
  const size_t rank = before.size();
  const Sizes zeros(rank, 0);
  const Sizes ones(rank, 1);
  switch (random.Between(0, 6)) {
    case 0: {
      const std::vector<int64_t> permutation = random.Permutation(rank);
      std::vector<int64_t> back(rank);
      for (size_t d = 0; d < rank; ++d) {
        back[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
      }
      chain.Transpose(permutation);
      return [&chain, back] { chain.Transpose(back); };
    }
    case 1: {
      std::vector<int64_t> reversed;
      for (size_t d = 0; d < rank; ++d) {
        if (random.OneIn(2)) reversed.push_back(static_cast<int64_t>(d));
      }
      chain.Reverse(reversed);
      return [&chain, reversed] { chain.Reverse(reversed); };
    }
    case 2: {
      Sizes low;
      Sizes high;
      Sizes strides;
      Sizes interior;
      Sizes limits;
      for (size_t d = 0; d < rank; ++d) {
        low.push_back(random.OneIn(2) ? random.Between(0, 3) : 0);
        high.push_back(random.OneIn(2) ? random.Between(0, 3) : 0);
        interior.push_back(random.OneIn(3) ? random.Between(1, 2) : 0);
        strides.push_back(interior.back() + 1);
        limits.push_back(low.back() + (before[d] - 1) * strides.back() + 1);
      }
      chain.Pad(low, high, interior);
      return [=, &chain] { chain.Slice(low, limits, strides); };
    }
    case 3: {
      const auto place = static_cast<size_t>(random.Between(0, static_cast<int64_t>(rank)));
      const int64_t size = random.Between(1, 5);
      const int64_t start = random.Between(0, size - 1);
      chain.Broadcast(place, size);
      return [=, &chain] {
        Sizes starts(rank + 1, 0);
        Sizes limits = chain.sizes();
        starts[place] = start;
        limits[place] = start + 1;
        chain.Slice(starts, limits, Sizes(rank + 1, 1));
        chain.Reshape(before);
      };
    }
    case 4: {
      const auto dimension = static_cast<size_t>(random.Between(0, static_cast<int64_t>(rank) - 1));
      Sizes starts = zeros;
      Sizes limits = before;
      starts[dimension] = random.Between(1, 5);
      limits[dimension] += starts[dimension];
      chain.Concatenate(dimension, starts[dimension], random.Between(1, 5));
      return [=, &chain] { chain.Slice(starts, limits, ones); };
    }
    default:
      chain.Reshape(RandomFactors(random, Product(before), 5));
      return [=, &chain] { chain.Reshape(before); };
  }
}

TEST_F(Telescoping, WordsFollowedByTheirInverseAreTheIdentity) {
  Random random(2);
  for (int i = 0; i < NumChains(); ++i) {
    const int64_t total = RandomTotal(random);
    ChainWriter chain(RandomFactors(random, total, 5));
    ChainWriter identity(chain.sizes());
    identity.Reshape(chain.sizes());
    // The steps back, to be taken in reverse order.
    std::vector<std::function<void()>> inverse;
    const int64_t length = random.Between(1, 6);
    for (int64_t k = 0; k < length; ++k) inverse.push_back(ApplyReversibleStep(random, chain));
    while (!inverse.empty()) {
      inverse.back()();
      inverse.pop_back();
    }
    ASSERT_EQ(MapOf(chain), MapOf(identity)) << chain.Module();
  }
}

// A word of reshapes, transposes and reverses from one shape to another.
ChainWriter RandomWord(Random& random, const Sizes& from, const Sizes& to, size_t max_rank) {
  ChainWriter chain(from);
  for (int64_t k = random.Between(1, 5); k > 0; --k) {
    const size_t rank = chain.sizes().size();
    switch (random.Between(0, 2)) {
      case 0:
        chain.Transpose(random.Permutation(rank));
        break;
      case 1:
        chain.Reverse({random.Between(0, static_cast<int64_t>(rank) - 1)});
        break;
      default:
        chain.Reshape(RandomFactors(random, Product(from), max_rank));
    }
  }
  chain.Reshape(to);
  return chain;
}

// The linear positions that all elements read, in row-major order.
std::vector<int64_t> ValuesOf(const IndexingMap& map, const Sizes& sizes) {
  std::vector<int64_t> values;
  ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
    const auto index = map.Evaluate(dimensions, symbols);
    int64_t position = 0;
    for (size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + (*index)[d];
    values.push_back(position);
  });
  return values;
}

// Where every boundary divides the next, equal functions print identically.
TEST_F(Telescoping, EqualFunctionsOfAlignedShapesPrintIdentically) {
  Random random(4);
  for (const int64_t base : {2, 3}) {
    const int64_t total = base == 2 ? 64 : 81;
    const Sizes from = base == 2 ? Sizes{4, 2, 8} : Sizes{9, 9};
    const Sizes to = base == 2 ? Sizes{8, 8} : Sizes{3, 27};
    std::map<std::vector<int64_t>, std::string> texts;
    int met_again = 0;
    for (int i = 0; i < NumChains(); ++i) {
      const ChainWriter chain = RandomWord(random, from, to, 4);
      ASSERT_EQ(Product(chain.sizes()), total);
      const std::string text = MapOf(chain);
      const auto map = ParseIndexingMap(text, &context_);
      const auto [known, is_new] = texts.try_emplace(ValuesOf(*map, from), text);
      met_again += is_new ? 0 : 1;
      ASSERT_EQ(known->second, text) << chain.Module();
    }
    EXPECT_GT(met_again, NumChains() / 10);
  }
}

// Elsewhere, Equal decides, as enumeration does.
TEST_F(Telescoping, EqualDecidesOnShapesThatAreNotAligned) {
  Random random(5);
  int equal = 0;
  int unknown = 0;
  for (int i = 0; i < NumChains(); ++i) {
    const int64_t total = random.Pick(std::vector<int64_t>{12, 18, 30, 36, 60, 72, 90, 210, 1260});
    const Sizes from = RandomFactors(random, total, 3);
    const Sizes to = RandomFactors(random, total, 3);
    const auto a = ParseIndexingMap(MapOf(RandomWord(random, from, to, 3)), &context_);
    const auto b = ParseIndexingMap(MapOf(RandomWord(random, from, to, 3)), &context_);
    const auto answer = Equal(*a, *b).answer;
    unknown += answer == support::Answer::kUnknown ? 1 : 0;
    if (answer == support::Answer::kUnknown) continue;
    const bool expected = ValuesOf(*a, from) == ValuesOf(*b, from);
    equal += expected ? 1 : 0;
    ASSERT_EQ(answer == support::Answer::kYes, expected) << a->ToString() << "\n" << b->ToString();
  }
  RecordProperty("equal", equal);
  RecordProperty("unknown", unknown);
  EXPECT_GT(equal, 0);
  EXPECT_LE(unknown, NumChains() / 1000);
}

}  // namespace
}  // namespace hlo_indexing::testing
