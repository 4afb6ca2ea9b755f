// The algebra as constexpr functions on values, run on random layouts and decided by enumeration.
// Numbers are known or dynamic at random; the program for the dynamic ones is interpreted.
#include "layout/cute/layout_tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/layout/plain_modes.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute::detail;  // NOLINT: the functions under test
using hlo_indexing::layout::CompositionExists;
using hlo_indexing::layout::PlainMode;
using hlo_indexing::layout::PlainModes;
using hlo_indexing::layout::RandomModes;
using hlo_indexing::layout::RandomStrides;
using hlo_indexing::layout::SizeOfModes;
using hlo_indexing::layout::TableOf;
using hlo_indexing::layout::ValueAt;

// ---- To and from the values of the library.

std::string ToText(PlainModes const& layout) {
  std::string shape, stride;
  for (PlainMode const& leaf : layout) {
    shape += (shape.empty() ? "" : ",") + std::to_string(leaf.extent);
    stride += (stride.empty() ? "" : ",") + std::to_string(leaf.stride);
  }
  return "(" + shape + "):(" + stride + ")";
}

// Numbers are inputs of the program where `dynamic` says so.
struct Encoder {
  Program<kMaxTreeNodes>* program;
  std::vector<int64_t>* inputs;
  RandomModes* random;  // null: everything is known
  Number Encode(int64_t value) {
    if (random == nullptr || random->Below(3) != 0) return Known(value);
    inputs->push_back(value);
    return Emit(*program, Code::kInput, Number{}, Number{}, Number{}, true, 0);
  }
  ModeTree<kMaxTreeNodes> Encode(PlainModes const& layout) {
    ModeTree<kMaxTreeNodes> tree{};
    tree.AddTuple(static_cast<int>(layout.size()));
    for (PlainMode const& leaf : layout) {
      Mode mode{};
      mode.shape = Encode(leaf.extent);
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
      if (b == 0 || c <= 1) return c;
      if (b < 0) throw CheckFailed("a stride of one of several modes is negative");
      if ((c - 1) * b < a) return c;
      if (b % a == 0) return 1;
      if (a % b != 0 || c % (a / b) != 0) throw CheckFailed("walk");
      return a / b;
    case Code::kWalkSignedShape:
      return Interpret(Code::kWalkShape, a, std::abs(b), c);
    case Code::kTryWalkShape:
    case Code::kTryWalkSignedShape:
      try {
        return Interpret(code == Code::kTryWalkShape ? Code::kWalkShape : Code::kWalkSignedShape, a,
                         b, c);
      } catch (CheckFailed const&) {
        return -1;
      }
    case Code::kReach:
      return b == 0 ? a * c : a;
    case Code::kWithinReach:
      return a == 0 || (c - 1) * std::abs(b) < a ? c : 0;
    case Code::kWithoutEnd:
      return a == 0 ? c : 0;
    case Code::kWalkedOrWithin:
      if (a < 0 && b <= 0) throw CheckFailed("walk");
      return a < 0 ? b : a;
    case Code::kWalkStride:
      if (std::abs(b) >= a) return b / a;
      return b == 0 ? 0 : b / std::abs(b);
    case Code::kRequireLess:
      if (a >= b) throw CheckFailed("less");
      return 0;
    case Code::kRequireNoCarry:
      if (a >= b && c != 0) throw CheckFailed("carry");
      return 0;
    case Code::kRequireMultiple:
      if (b <= 0 || a < b || a % b != 0) throw CheckFailed("multiple");
      return 0;
    case Code::kRequireApart:
      if (b <= 0 || a < b) throw CheckFailed("apart");
      return 0;
    case Code::kRequireDivides:
      if (a == 0 || b == 0 || (a % b != 0 && b % a != 0)) throw CheckFailed("divides");
      return 0;
    case Code::kRequirePositive:
      if (a <= 0) throw CheckFailed("positive");
      return 0;
    case Code::kInput:
      break;
  }
  throw std::logic_error("not an instruction");
}

// The values of all numbers, or nothing if a check fails.
std::optional<std::vector<int64_t>> RunProgramOn(Program<kMaxTreeNodes> const& program,
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
PlainModes Decode(Modes<kMaxTreeNodes> const& modes, std::vector<int64_t> const& results) {
  PlainModes layout;
  const auto value = [&](Number const& n) {
    return n.known() ? n.value : results[static_cast<size_t>(n.node - 1)];
  };
  for (int i = 0; i < modes.count; ++i) {
    layout.push_back({value(modes.mode[i].shape), value(modes.mode[i].stride)});
  }
  return layout;
}

// With room for few nodes an operation records the same, or says that there is no room.
template <class Operation, class... Trees>
void ExpectSameInLittleRoom(Program<kMaxTreeNodes> const& inputs,
                            Outcome<kMaxTreeNodes> const& outcome, Trees const&... trees) {
  Outcome<kFewTreeNodes> few{};
  if (inputs.count > Program<kFewTreeNodes>::capacity) return;
  std::copy_n(inputs.instruction, inputs.count, few.program.instruction);
  few.program.count = inputs.count;
  const auto copied = [&](ModeTree<kMaxTreeNodes> const& tree) {
    ModeTree<kFewTreeNodes> copy{};
    copy.AddTree(tree);
    few.tree.overflow = few.tree.overflow || copy.overflow;
    return copy;
  };
  Operation::Run(few, copied(trees)...);
  if (few.overflow()) return;
  EXPECT_EQ(few.problem, outcome.problem);
  EXPECT_EQ(few.program.count, outcome.program.count);
  ASSERT_EQ(few.tree.count, outcome.tree.count);
  const auto expect_same = [](Number const& x, Number const& y) {
    EXPECT_EQ(x.node, y.node);
    EXPECT_EQ(x.value, y.value);
  };
  for (int i = 0; i < few.tree.count; ++i) {
    EXPECT_EQ(few.tree.arity[i], outcome.tree.arity[i]);
    expect_same(few.tree.mode[i].shape, outcome.tree.mode[i].shape);
    expect_same(few.tree.mode[i].stride, outcome.tree.mode[i].stride);
  }
}

// The result of an operation, or nothing if it says that there is none.
template <class Operation>
std::optional<PlainModes> Apply(PlainModes const& a, PlainModes const* b, RandomModes* random) {
  auto outcome = std::make_unique<Outcome<kMaxTreeNodes>>();
  std::vector<int64_t> inputs;
  Encoder encoder{&outcome->program, &inputs, random};
  const ModeTree<kMaxTreeNodes> left = encoder.Encode(a);
  if constexpr (requires { Operation::Run(*outcome, left, left); }) {
    const ModeTree<kMaxTreeNodes> right = encoder.Encode(*b);
    const auto program = std::make_unique<Program<kMaxTreeNodes>>(outcome->program);
    Operation::Run(*outcome, left, right);
    ExpectSameInLittleRoom<Operation>(*program, *outcome, left, right);
  } else {
    const auto program = std::make_unique<Program<kMaxTreeNodes>>(outcome->program);
    Operation::Run(*outcome, left);
    ExpectSameInLittleRoom<Operation>(*program, *outcome, left);
  }
  if (outcome->problem != Problem::kNone) return std::nullopt;
  const auto results = RunProgramOn(outcome->program, inputs);
  if (!results) return std::nullopt;
  return Decode(outcome->tree.Leaves(), *results);
}

TEST(ModeAlgebra, CompositionOfKnownLayoutsExistsExactlyWhereItIsFound) {
  RandomModes random(1);
  int found = 0;
  int missing = 0;
  for (int i = 0; i < 20000; ++i) {
    const PlainModes a = random.AnyModes(4, 6, RandomStrides::kAny);
    const PlainModes b = random.WithSigns(random.ModesInto(a, 3));
    const auto result = Apply<ComposeOperation>(a, &b, nullptr);
    const std::string row = ToText(a) + " o " + ToText(b);
    ASSERT_EQ(result.has_value(), CompositionExists(a, b)) << row;
    result ? ++found : ++missing;
    if (!result) continue;
    std::vector<int64_t> expected;
    for (int64_t value : TableOf(b)) expected.push_back(ValueAt(a, value));
    ASSERT_EQ(TableOf(*result), expected) << row << " -> " << ToText(*result);
  }
  // Both kinds have to be there for the test to mean something.
  EXPECT_GT(found, 4000);
  EXPECT_GT(missing, 2000);
}

TEST(ModeAlgebra, CompositionOfDynamicLayoutsIsNeverWrong) {
  RandomModes random(2);
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    const PlainModes a = random.AnyModes(4, 6, RandomStrides::kAny);
    const PlainModes b = random.WithSigns(random.ModesInto(a, 3));
    const auto result = Apply<ComposeOperation>(a, &b, &random);
    if (!result) continue;
    ++found;
    std::vector<int64_t> expected;
    for (int64_t value : TableOf(b)) expected.push_back(ValueAt(a, value));
    ASSERT_EQ(TableOf(*result), expected)
        << ToText(a) << " o " << ToText(b) << " -> " << ToText(*result);
  }
  EXPECT_GT(found, 4000);
}

TEST(ModeAlgebra, CoalescedLayoutsAreTheSameFunction) {
  RandomModes random(3);
  for (int i = 0; i < 5000; ++i) {
    const PlainModes a = random.AnyModes(5, 5);
    const auto result = Apply<CoalesceOperation>(a, nullptr, i % 2 == 0 ? nullptr : &random);
    ASSERT_TRUE(result.has_value());
    ASSERT_EQ(TableOf(*result), TableOf(a)) << ToText(a);
    if (i % 2 != 0) continue;
    // No two modes could be one.
    for (size_t k = 1; k < result->size(); ++k) {
      EXPECT_NE((*result)[k].stride, (*result)[k - 1].stride * (*result)[k - 1].extent)
          << ToText(a);
    }
  }
}

// Whether each stride is a multiple of what the modes of smaller strides reach.
bool StridesDivide(PlainModes layout) {
  std::sort(layout.begin(), layout.end(),
            [](PlainMode const& x, PlainMode const& y) { return x.stride < y.stride; });
  int64_t reach = 1;
  for (PlainMode const& leaf : layout) {
    if (leaf.stride == 0) continue;
    if (leaf.stride % reach != 0) return false;
    reach = leaf.extent * leaf.stride;
  }
  return true;
}

TEST(ModeAlgebra, ComplementsCoverTheRestOnce) {
  RandomModes random(4);
  int found = 0;
  for (int i = 0; i < 10000; ++i) {
    const PlainModes a = random.AnyModes(4, 5);
    const int64_t target = 1 + random.Below(150);
    const PlainModes space = {{target, 1}};
    const auto result = Apply<ComplementOperation>(a, &space, i % 2 == 0 ? nullptr : &random);
    if (!result) continue;
    ++found;
    const std::string row =
        "complement(" + ToText(a) + ", " + std::to_string(target) + ") -> " + ToText(*result);
    // Disjoint: the sums of both images are all different, but for modes of stride 0 of a.
    std::set<int64_t> image;
    for (int64_t value : TableOf(a)) image.insert(value);
    const std::vector<int64_t> rest = TableOf(*result);
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
    for (PlainMode const& leaf : a) {
      reach = std::max(reach, leaf.extent * leaf.stride);  // a dynamic extent of 1 counts as well
    }
    ASSERT_LE(rest.back() + 1, (target + reach - 1) / reach * reach) << row;
  }
  EXPECT_GT(found, 2000);
}

TEST(ModeAlgebra, InversesInvert) {
  RandomModes random(5);
  int left_found = 0;
  for (int i = 0; i < 10000; ++i) {
    const PlainModes a = random.WithSigns(random.AnyModes(4, 5));
    const auto right = Apply<RightInverseOperation>(a, nullptr, i % 2 == 0 ? nullptr : &random);
    ASSERT_TRUE(right.has_value());
    for (int64_t k = 0; k < SizeOfModes(*right); ++k) {
      ASSERT_EQ(ValueAt(a, ValueAt(*right, k)), k)
          << "right_inverse(" << ToText(a) << ") -> " << ToText(*right);
    }
    const auto left = Apply<LeftInverseOperation>(a, nullptr, nullptr);
    if (!left) continue;
    ++left_found;
    for (int64_t value : TableOf(a)) {
      ASSERT_EQ(ValueAt(a, ValueAt(*left, value)), value)
          << "left_inverse(" << ToText(a) << ") -> " << ToText(*left);
    }
  }
  EXPECT_GT(left_found, 2000);
}

TEST(ModeAlgebra, RightInverseOfCompactLayoutsIsWhole) {
  RandomModes random(6);
  for (int i = 0; i < 2000; ++i) {
    PlainModes a = random.AnyModes(4, 5);
    std::set<int64_t> image;
    for (int64_t value : TableOf(a)) image.insert(value);
    const bool bijective = static_cast<int64_t>(image.size()) == SizeOfModes(a) &&
                           *image.rbegin() + 1 == SizeOfModes(a);
    if (!bijective) continue;
    const auto right = Apply<RightInverseOperation>(a, nullptr, nullptr);
    EXPECT_EQ(SizeOfModes(*right), SizeOfModes(a)) << ToText(a);
  }
}

TEST(ModeAlgebra, DividesAreTheTileAndTheTiles) {
  RandomModes random(7);
  int found = 0;
  int even = 0;
  for (int i = 0; i < 20000; ++i) {
    const PlainModes a = random.AnyModes(3, 6);
    const PlainModes b = random.ModesInto(a, 2);
    const auto result = Apply<LogicalDivideOperation>(a, &b, i % 2 == 0 ? nullptr : &random);
    if (!result) continue;
    ++found;
    const std::string row = ToText(a) + " / " + ToText(b) + " -> " + ToText(*result);
    // The first tile is a o b.
    const int64_t tile = SizeOfModes(b);
    for (int64_t k = 0; k < tile; ++k) {
      ASSERT_EQ(ValueAt(*result, k), ValueAt(a, ValueAt(b, k))) << row;
    }
    // An even division is a permutation of a.
    if (SizeOfModes(*result) == SizeOfModes(a)) {
      ++even;
      std::vector<int64_t> from = TableOf(a);
      std::vector<int64_t> to = TableOf(*result);
      std::sort(from.begin(), from.end());
      std::sort(to.begin(), to.end());
      ASSERT_EQ(from, to) << row;
    }
  }
  EXPECT_GT(found, 4000);
  EXPECT_GT(even, 2000);
}

TEST(ModeAlgebra, ProductsAreDisjointCopies) {
  RandomModes random(8);
  int found = 0;
  for (int i = 0; i < 10000; ++i) {
    const PlainModes a = random.AnyModes(3, 5);
    const PlainModes b = random.AnyModes(2, 5);
    const auto result = Apply<LogicalProductOperation>(a, &b, i % 2 == 0 ? nullptr : &random);
    if (!result) continue;
    ++found;
    const std::string row = ToText(a) + " x " + ToText(b) + " -> " + ToText(*result);
    const int64_t size = SizeOfModes(a);
    ASSERT_EQ(SizeOfModes(*result), size * SizeOfModes(b)) << row;
    // Copies lie where b maps to the same value, and nowhere else.
    std::map<int64_t, int64_t> shift_of;
    std::set<int64_t> image;
    for (int64_t value : TableOf(a)) image.insert(value);
    std::set<int64_t> taken;
    for (int64_t k = 0; k < SizeOfModes(b); ++k) {
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

// Copies of a padded block go behind it, however many: padding is no reason to refuse.
TEST(ModeAlgebra, PaddedBlocksHaveProducts) {
  RandomModes random(9);
  for (int i = 0; i < 5000; ++i) {
    PlainModes a(static_cast<size_t>(1 + random.Below(3)));
    int64_t stride = 1;
    for (PlainMode& mode : a) {
      mode = {2 + random.Below(4), stride};
      stride = stride * mode.extent + random.Below(stride);
    }
    const PlainModes b = {{1 + random.Below(40), 1}};
    const auto result = Apply<LogicalProductOperation>(a, &b, nullptr);
    ASSERT_TRUE(result.has_value()) << ToText(a) << " x " << ToText(b);
    const std::vector<int64_t> table = TableOf(*result);
    const std::set<int64_t> image(table.begin(), table.end());
    ASSERT_EQ(image.size(), table.size()) << ToText(a) << " x " << ToText(b);
  }
}

// The strides of an order, from the definition: a leaf counts on where all leaves end that are
// before it, those of smaller steps and earlier ones of its own.
TEST(ModeAlgebra, OrderedLeavesFollowTheirSteps) {
  RandomModes random(10);
  for (int i = 0; i < 5000; ++i) {
    ModeTree<kMaxTreeNodes> shapes{};
    ModeTree<kMaxTreeNodes> order{};
    std::vector<int64_t> extents, steps;
    const int64_t rank = 1 + random.Below(4);
    shapes.AddTuple(static_cast<int>(rank));
    order.AddTuple(static_cast<int>(rank));
    for (int64_t k = 0; k < rank; ++k) {
      const int64_t step = random.Below(8) * 10 + k;
      Mode mode{};
      mode.shape = Known(step);
      order.AddLeaf(mode);
      const int64_t leaves = 1 + random.Below(3);
      if (leaves > 1) shapes.AddTuple(static_cast<int>(leaves));
      for (int64_t leaf = 0; leaf < leaves; ++leaf) {
        extents.push_back(1 + random.Below(4));
        steps.push_back(step);
        mode.shape = Known(extents.back());
        shapes.AddLeaf(mode);
      }
    }
    auto outcome = std::make_unique<Outcome<kMaxTreeNodes>>();
    OrderOperation::Run(*outcome, shapes, order);
    const PlainModes result = Decode(outcome->tree.Leaves(), {});
    for (size_t k = 0; k < extents.size(); ++k) {
      int64_t stride = extents[k] == 1 ? 0 : 1;
      for (size_t m = 0; m < extents.size(); ++m) {
        if (steps[m] < steps[k] || (steps[m] == steps[k] && m < k)) stride *= extents[m];
      }
      ASSERT_EQ(result[k].stride, stride) << ToText(result);
    }
  }
}

// More steps than a program had room for when it wrote down those that nobody asks for.
TEST(ModeAlgebra, FiveDynamicModesOfFive) {
  PlainModes a;
  int64_t stride = 1;
  for (int64_t extent = 2; extent <= 6; ++extent) {
    a.push_back({extent, stride});
    stride *= extent;
  }
  auto outcome = std::make_unique<Outcome<kMaxTreeNodes>>();
  std::vector<int64_t> inputs;
  const auto dynamic = [&](int64_t value) {
    inputs.push_back(value);
    return Emit(outcome->program, Code::kInput, Number{}, Number{}, Number{}, false, 0);
  };
  const auto encode = [&] {
    ModeTree<kMaxTreeNodes> tree{};
    tree.AddTuple(5);
    for (PlainMode const& plain : a) {
      tree.AddLeaf({dynamic(plain.extent), dynamic(plain.stride), 0});
    }
    return tree;
  };
  const ModeTree<kMaxTreeNodes> left = encode();
  const ModeTree<kMaxTreeNodes> right = encode();
  ComposeOperation::Run(*outcome, left, right);
  ASSERT_EQ(outcome->problem, Problem::kNone);
  ASSERT_FALSE(outcome->program.overflow);
  const auto results = RunProgramOn(outcome->program, inputs);
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(TableOf(Decode(outcome->tree.Leaves(), *results)), TableOf(a));
}

TEST(ModeAlgebra, AlgebraIsConstexpr) {
  constexpr auto size_of_result = [] {
    Outcome<kMaxTreeNodes> o{};
    ModeTree<kMaxTreeNodes> a{};
    a.AddTuple(2);
    a.AddLeaf({Known(10), Known(16), 0});
    a.AddLeaf({Known(2), Known(4), 0});
    ModeTree<kMaxTreeNodes> b{};
    b.AddLeaf({Known(20), Known(1), 0});
    Compose(o, a, b);
    return o.tree.count;
  }();
  static_assert(size_of_result == 3, "a tuple of two leaves");
}

}  // namespace
}  // namespace cute_test
