// The algebra as constexpr functions on values, run on random layouts and decided by enumeration.
// Numbers are known or dynamic at random; the program for the dynamic ones is interpreted.
#include "layout/cute/mode_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute::detail;  // NOLINT: the functions under test

struct Leaf {
  int64_t shape;
  int64_t stride;
};
using Flat = std::vector<Leaf>;

// ---- The independent side: plain enumeration.

int64_t SizeOf(Flat const& layout) {
  int64_t size = 1;
  for (Leaf const& leaf : layout) size *= leaf.shape;
  return size;
}
// The last mode takes what an index past the end has left.
int64_t ValueAt(Flat const& layout, int64_t index) {
  int64_t value = 0;
  for (size_t i = 0; i < layout.size(); ++i) {
    const bool last = i + 1 == layout.size();
    value += (last ? index : index % layout[i].shape) * layout[i].stride;
    index /= layout[i].shape;
  }
  return value;
}
std::vector<int64_t> Table(Flat const& layout) {
  std::vector<int64_t> table;
  for (int64_t i = 0; i < SizeOf(layout); ++i) table.push_back(ValueAt(layout, i));
  return table;
}
// Whether some layout of size n has the given values, by trying every first extent.
bool IsLayoutFunction(std::vector<int64_t> const& table) {
  const int64_t n = static_cast<int64_t>(table.size());
  if (table[0] != 0) return false;
  if (n == 1) return true;
  for (int64_t first = 2; first <= n; ++first) {
    if (n % first != 0) continue;
    bool fits = true;
    std::vector<int64_t> rest;
    for (int64_t i = 0; i < n && fits; ++i) {
      fits = table[i] == table[i / first * first] + i % first * table[1];
      if (i % first == 0) rest.push_back(table[i]);
    }
    if (fits && IsLayoutFunction(rest)) return true;
  }
  return false;
}
// Whether a layout with the modes of b (each perhaps split) has the values a(b(c)).
bool CompositionExists(Flat const& a, Flat const& b) {
  std::vector<std::vector<int64_t>> parts;
  for (Leaf const& leaf : b) {
    std::vector<int64_t> part;
    for (int64_t i = 0; i < leaf.shape; ++i) part.push_back(ValueAt(a, i * leaf.stride));
    if (!IsLayoutFunction(part)) return false;
    parts.push_back(part);
  }
  for (int64_t index = 0; index < SizeOf(b); ++index) {
    int64_t rest = index;
    int64_t sum = 0;
    int64_t in_b = 0;
    for (size_t i = 0; i < b.size(); ++i) {
      sum += parts[i][rest % b[i].shape];
      in_b += rest % b[i].shape * b[i].stride;
      rest /= b[i].shape;
    }
    if (sum != ValueAt(a, in_b)) return false;
  }
  return true;
}

// ---- To and from the values of the library.

class RandomLayouts {
 public:
  explicit RandomLayouts(int seed) : random_(static_cast<uint32_t>(seed)) {}

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  // Compact, permuted, padded, with zeros, or arbitrary.
  Flat Any(int max_modes, int64_t max_extent) {
    Flat layout(static_cast<size_t>(1 + Below(max_modes)));
    for (Leaf& leaf : layout) leaf.shape = 1 + Below(max_extent);
    const int64_t style = Below(5);
    std::vector<size_t> order(layout.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (style > 0) std::shuffle(order.begin(), order.end(), random_);
    int64_t stride = 1;
    for (size_t i : order) {
      if (style == 2) stride *= 1 + Below(3);
      layout[i].stride = style == 3 && Below(3) == 0 ? 0 : stride;
      if (style == 4) layout[i].stride = Below(13);
      stride *= layout[i].shape;
    }
    return layout;
  }
  // A right layout: its strides run through the modes of a more often than not.
  Flat Into(Flat const& a, int max_modes) {
    Flat b(static_cast<size_t>(1 + Below(max_modes)));
    std::vector<int64_t> strides = {0, 1};
    int64_t product = 1;
    for (Leaf const& leaf : a) {
      for (int64_t d = 1; d <= leaf.shape; ++d) {
        if (leaf.shape % d == 0) strides.push_back(product * d);
      }
      product *= leaf.shape;
    }
    for (Leaf& leaf : b) {
      leaf.shape = 1 + Below(6);
      leaf.stride = Below(6) == 0
                        ? Below(11)
                        : strides[static_cast<size_t>(Below(static_cast<int64_t>(strides.size())))];
    }
    return b;
  }

 private:
  std::mt19937_64 random_;
};

std::string ToText(Flat const& layout) {
  std::string shape, stride;
  for (Leaf const& leaf : layout) {
    shape += (shape.empty() ? "" : ",") + std::to_string(leaf.shape);
    stride += (stride.empty() ? "" : ",") + std::to_string(leaf.stride);
  }
  return "(" + shape + "):(" + stride + ")";
}

// Numbers are inputs of the program where `dynamic` says so.
struct Encoder {
  Program* program;
  std::vector<int64_t>* inputs;
  RandomLayouts* random;  // null: everything is known
  Number Encode(int64_t value) {
    if (random == nullptr || random->Below(3) != 0) return Known(value);
    inputs->push_back(value);
    return Emit(*program, Code::kInput, Number{}, Number{}, Number{}, true, 0);
  }
  ModeTree Encode(Flat const& layout) {
    ModeTree tree{};
    tree.AddTuple(static_cast<int>(layout.size()));
    for (Leaf const& leaf : layout) {
      Mode mode{};
      mode.shape = Encode(leaf.shape);
      mode.stride = Encode(leaf.stride);
      tree.AddLeaf(mode);
    }
    return tree;
  }
};

struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the program's instructions compute, written down again.
int64_t Interpret(Code code, int64_t a, int64_t b, int64_t c) {
  switch (code) {
    case Code::kSum:
      return a + b;
    case Code::kProduct:
      return a * b;
    case Code::kQuotient:
      return b == 0 ? 0 : a / b;
    case Code::kCeilQuotient:
      if (b == 0) throw CheckFailed("empty tile");
      return (a + b - 1) / b;
    case Code::kMinimum:
      return std::min(a, b);
    case Code::kWalkShape:
      if (b == 0 || c <= 1 || (c - 1) * b < a) return c;
      if (b % a == 0) return 1;
      if (a % b != 0 || c % (a / b) != 0) throw CheckFailed("walk");
      return a / b;
    case Code::kWalkStride:
      return b >= a ? b / a : (b == 0 ? 0 : 1);
    case Code::kRequireLess:
      if (a >= b) throw CheckFailed("less");
      return 0;
    case Code::kRequireNoCarry:
      if (a >= b && c != 0) throw CheckFailed("carry");
      return 0;
    case Code::kRequireMultiple:
      if (b <= 0 || a < b || a % b != 0) throw CheckFailed("multiple");
      return 0;
    case Code::kRequireDivides:
      if (a == 0 || b == 0 || (a % b != 0 && b % a != 0)) throw CheckFailed("divides");
      return 0;
    case Code::kInput:
      break;
  }
  throw std::logic_error("not an instruction");
}

// The values of all numbers, or nothing if a check fails.
std::optional<std::vector<int64_t>> RunProgramOn(Program const& program,
                                                 std::vector<int64_t> const& inputs) {
  std::vector<int64_t> results;
  const auto value = [&](Number const& n) {
    return n.known() ? n.value : results[static_cast<size_t>(n.node - 1)];
  };
  try {
    for (int i = 0; i < program.count; ++i) {
      Instruction const& step = program.instruction[i];
      results.push_back(step.code == Code::kInput
                            ? inputs[static_cast<size_t>(i)]
                            : Interpret(step.code, value(step.a), value(step.b), value(step.c)));
    }
  } catch (CheckFailed const&) {
    return std::nullopt;
  }
  return results;
}
Flat Decode(Modes const& modes, std::vector<int64_t> const& results) {
  Flat layout;
  const auto value = [&](Number const& n) {
    return n.known() ? n.value : results[static_cast<size_t>(n.node - 1)];
  };
  for (int i = 0; i < modes.count; ++i) {
    layout.push_back({value(modes.mode[i].shape), value(modes.mode[i].stride)});
  }
  return layout;
}

// The result of an operation, or nothing if it says that there is none.
template <class Operation>
std::optional<Flat> Apply(Flat const& a, Flat const* b, RandomLayouts* random) {
  auto outcome = std::make_unique<Outcome>();
  std::vector<int64_t> inputs;
  Encoder encoder{&outcome->program, &inputs, random};
  const ModeTree left = encoder.Encode(a);
  if constexpr (std::is_invocable_v<decltype(&Operation::Run), Outcome&, ModeTree const&,
                                    ModeTree const&>) {
    const ModeTree right = encoder.Encode(*b);
    Operation::Run(*outcome, left, right);
  } else {
    Operation::Run(*outcome, left);
  }
  if (outcome->problem != Problem::kNone) return std::nullopt;
  const auto results = RunProgramOn(outcome->program, inputs);
  if (!results) return std::nullopt;
  return Decode(outcome->tree.Leaves(), *results);
}

TEST(ModeAlgebra, CompositionOfKnownLayoutsExistsExactlyWhereItIsFound) {
  RandomLayouts random(1);
  int found = 0;
  int missing = 0;
  for (int i = 0; i < 20000; ++i) {
    const Flat a = random.Any(4, 6);
    const Flat b = random.Into(a, 3);
    const auto result = Apply<ComposeOperation>(a, &b, nullptr);
    const std::string row = ToText(a) + " o " + ToText(b);
    ASSERT_EQ(result.has_value(), CompositionExists(a, b)) << row;
    result ? ++found : ++missing;
    if (!result) continue;
    std::vector<int64_t> expected;
    for (int64_t value : Table(b)) expected.push_back(ValueAt(a, value));
    ASSERT_EQ(Table(*result), expected) << row << " -> " << ToText(*result);
  }
  // Both kinds have to be there for the test to mean something.
  EXPECT_GT(found, 4000);
  EXPECT_GT(missing, 2000);
}

TEST(ModeAlgebra, CompositionOfDynamicLayoutsIsNeverWrong) {
  RandomLayouts random(2);
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    const Flat a = random.Any(4, 6);
    const Flat b = random.Into(a, 3);
    const auto result = Apply<ComposeOperation>(a, &b, &random);
    if (!result) continue;
    ++found;
    std::vector<int64_t> expected;
    for (int64_t value : Table(b)) expected.push_back(ValueAt(a, value));
    ASSERT_EQ(Table(*result), expected)
        << ToText(a) << " o " << ToText(b) << " -> " << ToText(*result);
  }
  EXPECT_GT(found, 4000);
}

TEST(ModeAlgebra, CoalescedLayoutsAreTheSameFunction) {
  RandomLayouts random(3);
  for (int i = 0; i < 5000; ++i) {
    const Flat a = random.Any(5, 5);
    const auto result = Apply<CoalesceOperation>(a, nullptr, i % 2 == 0 ? nullptr : &random);
    ASSERT_TRUE(result.has_value());
    ASSERT_EQ(Table(*result), Table(a)) << ToText(a);
    if (i % 2 != 0) continue;
    // No two modes could be one.
    for (size_t k = 1; k < result->size(); ++k) {
      EXPECT_NE((*result)[k].stride, (*result)[k - 1].stride * (*result)[k - 1].shape) << ToText(a);
    }
  }
}

// Whether each stride is a multiple of what the modes of smaller strides reach.
bool StridesDivide(Flat layout) {
  std::sort(layout.begin(), layout.end(),
            [](Leaf const& x, Leaf const& y) { return x.stride < y.stride; });
  int64_t reach = 1;
  for (Leaf const& leaf : layout) {
    if (leaf.stride == 0) continue;
    if (leaf.stride % reach != 0) return false;
    reach = leaf.shape * leaf.stride;
  }
  return true;
}

TEST(ModeAlgebra, ComplementsCoverTheRestOnce) {
  RandomLayouts random(4);
  int found = 0;
  for (int i = 0; i < 10000; ++i) {
    const Flat a = random.Any(4, 5);
    const int64_t target = 1 + random.Below(150);
    const Flat space = {{target, 1}};
    const auto result = Apply<ComplementOperation>(a, &space, i % 2 == 0 ? nullptr : &random);
    if (!result) continue;
    ++found;
    const std::string row =
        "complement(" + ToText(a) + ", " + std::to_string(target) + ") -> " + ToText(*result);
    // Disjoint: the sums of both images are all different, but for modes of stride 0 of a.
    std::set<int64_t> image;
    for (int64_t value : Table(a)) image.insert(value);
    const std::vector<int64_t> rest = Table(*result);
    ASSERT_TRUE(std::is_sorted(rest.begin(), rest.end())) << row;
    std::set<int64_t> sums;
    for (int64_t value : image) {
      for (int64_t other : rest) ASSERT_TRUE(sums.insert(value + other).second) << row;
    }
    // Covering: at least the target, and nothing in it is left out.
    if (!StridesDivide(a)) continue;
    for (int64_t value = 0; value < target; ++value) {
      ASSERT_TRUE(sums.count(value) == 1) << row << " misses " << value;
    }
    // And not larger than rounding up to the reach of a makes it.
    int64_t reach = 1;
    for (Leaf const& leaf : a) {
      reach = std::max(reach, leaf.shape * leaf.stride);  // a dynamic extent of 1 counts as well
    }
    ASSERT_LE(rest.back() + 1, (target + reach - 1) / reach * reach) << row;
  }
  EXPECT_GT(found, 2000);
}

TEST(ModeAlgebra, InversesInvert) {
  RandomLayouts random(5);
  int left_found = 0;
  for (int i = 0; i < 10000; ++i) {
    const Flat a = random.Any(4, 5);
    const auto right = Apply<RightInverseOperation>(a, nullptr, i % 2 == 0 ? nullptr : &random);
    ASSERT_TRUE(right.has_value());
    for (int64_t k = 0; k < SizeOf(*right); ++k) {
      ASSERT_EQ(ValueAt(a, ValueAt(*right, k)), k)
          << "right_inverse(" << ToText(a) << ") -> " << ToText(*right);
    }
    const auto left = Apply<LeftInverseOperation>(a, nullptr, nullptr);
    if (!left) continue;
    ++left_found;
    for (int64_t value : Table(a)) {
      ASSERT_EQ(ValueAt(a, ValueAt(*left, value)), value)
          << "left_inverse(" << ToText(a) << ") -> " << ToText(*left);
    }
  }
  EXPECT_GT(left_found, 2000);
}

TEST(ModeAlgebra, RightInverseOfCompactLayoutsIsWhole) {
  RandomLayouts random(6);
  for (int i = 0; i < 2000; ++i) {
    Flat a = random.Any(4, 5);
    std::set<int64_t> image;
    for (int64_t value : Table(a)) image.insert(value);
    const bool bijective =
        static_cast<int64_t>(image.size()) == SizeOf(a) && *image.rbegin() + 1 == SizeOf(a);
    if (!bijective) continue;
    const auto right = Apply<RightInverseOperation>(a, nullptr, nullptr);
    EXPECT_EQ(SizeOf(*right), SizeOf(a)) << ToText(a);
  }
}

TEST(ModeAlgebra, DividesAreTheTileAndTheTiles) {
  RandomLayouts random(7);
  int found = 0;
  int even = 0;
  for (int i = 0; i < 20000; ++i) {
    const Flat a = random.Any(3, 6);
    const Flat b = random.Into(a, 2);
    const auto result = Apply<LogicalDivideOperation>(a, &b, i % 2 == 0 ? nullptr : &random);
    if (!result) continue;
    ++found;
    const std::string row = ToText(a) + " / " + ToText(b) + " -> " + ToText(*result);
    // The first tile is a o b.
    const int64_t tile = SizeOf(b);
    for (int64_t k = 0; k < tile; ++k) {
      ASSERT_EQ(ValueAt(*result, k), ValueAt(a, ValueAt(b, k))) << row;
    }
    // An even division is a permutation of a.
    if (SizeOf(*result) == SizeOf(a)) {
      ++even;
      std::vector<int64_t> from = Table(a);
      std::vector<int64_t> to = Table(*result);
      std::sort(from.begin(), from.end());
      std::sort(to.begin(), to.end());
      ASSERT_EQ(from, to) << row;
    }
  }
  EXPECT_GT(found, 4000);
  EXPECT_GT(even, 2000);
}

TEST(ModeAlgebra, ProductsAreDisjointCopies) {
  RandomLayouts random(8);
  int found = 0;
  for (int i = 0; i < 10000; ++i) {
    const Flat a = random.Any(3, 5);
    const Flat b = random.Any(2, 5);
    const auto result = Apply<LogicalProductOperation>(a, &b, i % 2 == 0 ? nullptr : &random);
    if (!result) continue;
    ++found;
    const std::string row = ToText(a) + " x " + ToText(b) + " -> " + ToText(*result);
    const int64_t size = SizeOf(a);
    ASSERT_EQ(SizeOf(*result), size * SizeOf(b)) << row;
    // Copies lie where b maps to the same value, and nowhere else.
    std::map<int64_t, int64_t> shift_of;
    std::set<int64_t> image;
    for (int64_t value : Table(a)) image.insert(value);
    std::set<int64_t> taken;
    for (int64_t k = 0; k < SizeOf(b); ++k) {
      const int64_t shift = ValueAt(*result, k * size);
      for (int64_t m = 0; m < size; ++m) {
        ASSERT_EQ(ValueAt(*result, k * size + m), shift + ValueAt(a, m)) << row;
      }
      const auto [at, fresh] = shift_of.emplace(ValueAt(b, k), shift);
      ASSERT_EQ(at->second, shift) << row;
      if (!fresh) continue;
      for (int64_t value : image) ASSERT_TRUE(taken.insert(shift + value).second) << row;
    }
  }
  EXPECT_GT(found, 2000);
}

TEST(ModeAlgebra, AlgebraIsConstexpr) {
  constexpr auto size_of_result = [] {
    Outcome o{};
    ModeTree a{};
    a.AddTuple(2);
    a.AddLeaf({Known(10), Known(16), 0});
    a.AddLeaf({Known(2), Known(4), 0});
    ModeTree b{};
    b.AddLeaf({Known(20), Known(1), 0});
    Compose(o, a, b);
    return o.tree.count;
  }();
  static_assert(size_of_result == 3, "a tuple of two leaves");
}

}  // namespace
}  // namespace cute_test
