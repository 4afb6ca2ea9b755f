// Chains of reshapes equal the direct reshape, and words followed by their inverse are the
// identity.
#include <gtest/gtest.h>

#include <functional>

#include "hlo/parser.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/random_hlo.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingAnalysis;
using indexing_analysis::OutputIndexing;

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

  const Sizes& sizes() const { return sizes_; }

  // A module with a call of the chain.
  std::string Module() const {
    const std::string shape = "f32[" + List(sizes_) + "]";
    return "chain {\n" + body_ + "}\nENTRY e {\n  p = " + first_shape_ +
           " parameter(0)\n  ROOT f = " + shape + " call(p), to_apply=chain\n}\n";
  }

 private:
  void Apply(const Sizes& sizes, const std::string& opcode, const std::string& attributes) {
    sizes_ = sizes;
    Line(sizes, opcode + "(v" + std::to_string(count_ - 1) + ")" + attributes);
  }

  void Line(const Sizes& sizes, const std::string& operation) {
    const std::string shape = "f32[" + List(sizes) + "]";
    if (count_ == 0) first_shape_ = shape;
    body_ += "  v" + std::to_string(count_++) + " = " + shape + " " + operation + "\n";
  }

  Sizes sizes_;
  int count_ = 0;
  std::string first_shape_;
  std::string body_;
};

class Telescoping : public ::testing::Test {
 protected:
  // The one map of the module's call, as text.
  std::string MapOf(const ChainWriter& chain) {
    const auto module = hlo::ParseModule(chain.Module());
    EXPECT_TRUE(module.ok()) << module.status().message();
    IndexingAnalysis analysis(&context_);
    const OutputIndexing indexing = analysis.OutputToInput((*module)->entry().root(), 0);
    EXPECT_EQ(indexing.operands.size(), 1u);
    EXPECT_EQ(indexing.operands[0].maps->size(), 1u);
    return indexing.operands[0].maps->front().ToString();
  }

  static int64_t RandomTotal(Random& random) {
    static const std::vector<int64_t> totals = {12,   18,   24,   30,   36,   48,   60,    64,
                                                72,   90,   96,   120,  210,  360,  720,   900,
                                                1001, 1260, 2310, 4096, 5040, 6561, 30030, 65536};
    return random.Pick(totals);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

constexpr int kCases = 5000;

TEST_F(Telescoping, ChainsOfReshapesEqualTheDirectReshape) {
  Random random(1);
  for (int i = 0; i < kCases; ++i) {
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

TEST_F(Telescoping, WordsFollowedByTheirInverseAreTheIdentity) {
  Random random(2);
  for (int i = 0; i < kCases; ++i) {
    const int64_t total = RandomTotal(random);
    ChainWriter chain(RandomFactors(random, total, 5));
    ChainWriter identity(chain.sizes());
    identity.Reshape(chain.sizes());
    // The steps back, to be taken in reverse order.
    std::vector<std::function<void()>> inverse;
    const int64_t length = random.Between(1, 6);
    for (int64_t k = 0; k < length; ++k) {
      const Sizes before = chain.sizes();
      switch (random.Between(0, 3)) {
        case 0: {
          const std::vector<int64_t> permutation = random.Permutation(before.size());
          std::vector<int64_t> back(before.size());
          for (size_t d = 0; d < before.size(); ++d) {
            back[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
          }
          chain.Transpose(permutation);
          inverse.emplace_back([&chain, back] { chain.Transpose(back); });
          break;
        }
        case 1: {
          std::vector<int64_t> reversed;
          for (size_t d = 0; d < before.size(); ++d) {
            if (random.OneIn(2)) reversed.push_back(static_cast<int64_t>(d));
          }
          chain.Reverse(reversed);
          inverse.emplace_back([&chain, reversed] { chain.Reverse(reversed); });
          break;
        }
        default:
          chain.Reshape(RandomFactors(random, total, 5));
          inverse.emplace_back([&chain, before] { chain.Reshape(before); });
      }
    }
    while (!inverse.empty()) {
      inverse.back()();
      inverse.pop_back();
    }
    ASSERT_EQ(MapOf(chain), MapOf(identity)) << chain.Module();
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
