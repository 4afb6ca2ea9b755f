#include "layout/relayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "layout/cute_algebra/conversion.h"
#include "layout/cute_algebra/element_positions.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/syntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/arithmetic.h"
#include "tests/layout/memory_by_definition.h"
#include "tests/layout/random_cute_layout.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Atom;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kHole;
using testing::MemoryByDefinition;
using testing::RandomCase;
using testing::Sizes;

TiledLayout Make(const Sizes& sizes, const Layout& layout, int64_t bits = 32) {
  return TiledLayout::Create(sizes, bits, layout).value();
}
TiledLayout Make(const Sizes& sizes, llvm::StringRef layout, int64_t bits = 32) {
  return Make(sizes, ParseLayout(layout).value(), bits);
}

std::string Decimal(int64_t value) { return std::to_string(value); }

int64_t ValueAt(const Sum& sum, const Sizes& values) {
  return simplifier::Evaluate(
             sum, [&](const Atom& atom) { return std::optional<int64_t>(values[atom.variable]); })
      .value();
}

Layout WithoutTail(Layout layout) {
  layout.tail_padding_alignment = 1;
  return layout;
}

// What a copy is by the memories themselves.
struct CopyByDefinition {
  bool moves_nothing = true;
  int64_t chunk = 0;
  ContiguousMoves::Runs runs;
};

CopyByDefinition CopyOf(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::vector<int64_t> place(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != kHole) place[static_cast<size_t>(from[i])] = static_cast<int64_t>(i);
  }
  CopyByDefinition copy;
  copy.runs.shortest = static_cast<int64_t>(to.size());
  const auto from_of = [&](size_t i) { return place[static_cast<size_t>(to[i])]; };
  for (size_t i = 0; i < to.size();) {
    if (to[i] == kHole) {
      ++i;
      continue;
    }
    copy.moves_nothing = copy.moves_nothing && from_of(i) == static_cast<int64_t>(i);
    size_t end = i + 1;
    while (end < to.size() && to[end] != kHole && from_of(end) == from_of(end - 1) + 1) {
      copy.moves_nothing = copy.moves_nothing && from_of(end) == static_cast<int64_t>(end);
      ++end;
    }
    const auto length = static_cast<int64_t>(end - i);
    for (const int64_t number : {length, static_cast<int64_t>(i), from_of(i)}) {
      copy.chunk = std::gcd(copy.chunk, number);
    }
    ++copy.runs.count;
    copy.runs.shortest = std::min(copy.runs.shortest, length);
    copy.runs.longest = std::max(copy.runs.longest, length);
    i = end;
  }
  return copy;
}

// The relayout map relates exactly the positions of equal elements.
void CheckMap(DigitContext& context, const ElementPositions& from_positions,
              const ElementPositions& to_positions, const std::vector<int64_t>& from,
              const std::vector<int64_t>& to) {
  const QuasiAffineMap map = RelayoutMap(context, from_positions, to_positions);
  for (size_t p = 0; p < to.size(); ++p) {
    const auto position = static_cast<int64_t>(p);
    bool inside = !map.empty && map.boxes[0].Contains(position);
    for (const auto& constraint : map.constraints) {
      inside = inside && constraint.bounds.Contains(ValueAt(constraint.expression, {position}));
    }
    ASSERT_EQ(inside, to[p] != kHole) << position;
    if (!inside) continue;
    const int64_t source = ValueAt(map.results[0], {position});
    ASSERT_EQ(from[static_cast<size_t>(source)], to[p]) << position;
  }
}

void Check(const Sizes& sizes, const Layout& from_layout, const Layout& to_layout) {
  const std::vector<int64_t> from = MemoryByDefinition(sizes, from_layout);
  const std::vector<int64_t> to = MemoryByDefinition(sizes, to_layout);
  const CopyByDefinition expected = CopyOf(from, to);
  DigitContext context;
  const ElementPositions from_positions = PositionsOf(context, Make(sizes, from_layout));
  const ElementPositions to_positions = PositionsOf(context, Make(sizes, to_layout));
  ASSERT_NO_FATAL_FAILURE(CheckMap(context, from_positions, to_positions, from, to));

  const BitcastAnswer bitcast = IsBitcast(context, sizes, from_positions, to_positions);
  ASSERT_EQ(bitcast.answer, expected.moves_nothing ? Answer::kYes : Answer::kNo);
  ASSERT_EQ(bitcast.same_size, from.size() == to.size());
  // As if there were too many elements to try.
  const RelayoutBudget nothing_tried = {0, 64};
  const BitcastAnswer proof =
      IsBitcast(context, sizes, from_positions, to_positions, nothing_tried);
  ASSERT_TRUE(proof.answer == bitcast.answer || proof.answer == Answer::kUnknown);

  const auto moves = FindContiguousMoves(context, sizes, from_positions, to_positions);
  ASSERT_TRUE(moves.ok());
  ASSERT_TRUE(moves->chunk_is_exact);
  ASSERT_EQ(moves->runs->count, expected.runs.count);
  if (expected.runs.count == 0) return;
  ASSERT_EQ(moves->chunk_elements, expected.chunk);
  ASSERT_EQ(moves->runs->shortest, expected.runs.shortest);
  ASSERT_EQ(moves->runs->longest, expected.runs.longest);
  const auto estimate =
      FindContiguousMoves(context, sizes, from_positions, to_positions, nothing_tried);
  ASSERT_TRUE(estimate.ok());
  ASSERT_EQ(expected.chunk % estimate->chunk_elements, 0);
  if (estimate->chunk_is_exact) {
    ASSERT_EQ(estimate->chunk_elements, expected.chunk);
  }
}

TEST(Relayout, RandomPairsEqualEnumeration) {
  std::mt19937 random(23);
  int bitcasts = 0;
  for (int checked = 0; checked < 3000;) {
    RandomCase from = testing::RandomShape(random, 5);
    RandomCase to = from;
    auto& order = to.layout.minor_to_major;
    if (order.size() > 1 && random() % 2 == 0) {
      std::swap(order.front(), order[random() % order.size()]);
    }
    testing::AddRandomTiles(random, from);
    // Often one is the other with a tile or a tail more.
    if (random() % 3 == 0) to = from;
    testing::AddRandomTiles(random, to);
    SCOPED_TRACE(from.ToString() + " to " + to.layout.ToString());
    if (Make(from.dimensions, from.layout).num_positions() > 2000) continue;
    if (Make(to.dimensions, to.layout).num_positions() > 2000) continue;
    ++checked;
    ASSERT_NO_FATAL_FAILURE(Check(from.dimensions, from.layout, to.layout));
    DigitContext context;
    bitcasts += IsBitcast(context, from.dimensions,
                          PositionsOf(context, Make(from.dimensions, from.layout)),
                          PositionsOf(context, Make(to.dimensions, to.layout)))
                    .answer == Answer::kYes;
  }
  EXPECT_GT(bitcasts, 100);
}

struct Answers {
  BitcastAnswer bitcast;
  ContiguousMoves moves;
};

Answers Ask(const Sizes& sizes, llvm::StringRef from, llvm::StringRef to, int64_t from_bits = 32,
            int64_t to_bits = 32) {
  DigitContext context;
  const ElementPositions a = PositionsOf(context, Make(sizes, from, from_bits));
  const ElementPositions b = PositionsOf(context, Make(sizes, to, to_bits));
  return {IsBitcast(context, sizes, a, b), FindContiguousMoves(context, sizes, a, b).value()};
}

TEST(Relayout, NamedCases) {
  // A row is 128 elements, in both memories.
  EXPECT_EQ(Ask({16, 128}, "{1,0}", "{1,0:T(8,128)}").bitcast.answer, Answer::kYes);
  EXPECT_EQ(Ask({16, 128}, "{1,0}", "{1,0:T(8,128)}").moves.chunk_elements, 2048);
  EXPECT_EQ(Ask({16, 256}, "{1,0}", "{1,0:T(8,128)}").moves.chunk_elements, 128);
  // 32 halves of rows, of which the end of row 7 and the start of row 8 meet on both sides.
  EXPECT_EQ(Ask({16, 256}, "{1,0}", "{1,0:T(8,128)}").moves.runs->count, 31);
  EXPECT_EQ(Ask({16, 256}, "{1,0}", "{0,1}").moves.chunk_elements, 1);
  // More padding behind the elements.
  const BitcastAnswer tail = Ask({3, 5}, "{1,0}", "{1,0:L(16)}").bitcast;
  EXPECT_EQ(tail.answer, Answer::kYes);
  EXPECT_FALSE(tail.same_size);
  const BitcastAnswer moved = Ask({3, 5}, "{1,0}", "{1,0:T(2,2)}").bitcast;
  EXPECT_EQ(moved.answer, Answer::kNo);
  EXPECT_THAT(moved.moved_index, ElementsAre(0, 2));
  // 15 positions and 24.
  EXPECT_FALSE(moved.same_size);
  EXPECT_TRUE(Ask({4, 4}, "{1,0}", "{0,1}").bitcast.same_size);
  // Packed elements are not where unpacked ones are.
  const Answers packed = Ask({8}, "{0}", "{0:E(4)}", 8, 8);
  EXPECT_EQ(packed.bitcast.answer, Answer::kNo);
  EXPECT_THAT(packed.bitcast.reason, HasSubstr("8 bits on one side and 4 on the other"));
  EXPECT_EQ(packed.moves.runs->count, 8);
  EXPECT_FALSE(packed.bitcast.same_size);
  EXPECT_TRUE(Ask({8}, "{0}", "{0:L(16)E(4)}", 8, 8).bitcast.same_size);
}

TEST(Relayout, LargeArraysHaveExactChunksToo) {
  const Answers transposed = Ask({65536, 65536}, "{1,0:T(8,128)}", "{0,1:T(8,128)}");
  EXPECT_EQ(transposed.bitcast.answer, Answer::kNo);
  EXPECT_EQ(transposed.moves.chunk_elements, 1);
  EXPECT_TRUE(transposed.moves.chunk_is_exact);
  EXPECT_FALSE(transposed.moves.runs.has_value());
  EXPECT_THAT(transposed.moves.reason, HasSubstr("runs were not counted"));
  const Answers tiled = Ask({1 << 20, 8192}, "{1,0}", "{1,0:T(8,128)}");
  EXPECT_EQ(tiled.moves.chunk_elements, 128);
  EXPECT_TRUE(tiled.moves.chunk_is_exact);
  const Answers same = Ask({1 << 20, 8192}, "{1,0:T(8,128)}", "{1,0:T(8,128)S(1)}");
  EXPECT_EQ(same.bitcast.answer, Answer::kYes);
  EXPECT_EQ(same.moves.chunk_elements, int64_t{1} << 33);
  EXPECT_EQ(same.moves.runs->count, 1);
}

// The other side may be anything with a position: here CuTe's (4,(2,8)):(2,(1,8)), over [4,16].
TEST(Relayout, TakesPositionsOfCuteLayouts) {
  const auto integer = [](int64_t value) { return IntTuple::Dynamic(value); };
  const auto pair = [](IntTuple a, IntTuple b) {
    return IntTuple::Tuple({std::move(a), std::move(b)});
  };
  const CuteLayout cute = CuteLayout::Create(pair(integer(4), pair(integer(2), integer(8))),
                                             pair(integer(2), pair(integer(1), integer(8))))
                              .value();
  DigitContext context;
  const Sizes sizes = {4, 16};
  const Sum row = context.Variable(0, {0, 3});
  const Sum column = context.Variable(1, {0, 15});
  mlir::MLIRContext mlir_context(mlir::MLIRContext::Threading::DISABLED);
  const BoundedAffineMap map = ToAffineMap(cute, LayoutDomain::kFlatModes, &mlir_context);
  const Sum modes[] = {row, Mod(context, column, simplifier::Constant(2)),
                       FloorDiv(context, column, simplifier::Constant(2))};
  simplifier::AffineReader reader(context, modes, {});
  const Sum position = reader.Read(map.map.getResult(0));
  const ElementPositions to = PositionsOf(context, sizes, position, *cute.cosize(), 32);
  // Columns in pairs, the pairs column by column: XLA's T(*,2) of the transposed array.
  const ElementPositions tiled = PositionsOf(context, Make(sizes, "{1,0:T(4,2)}"));
  EXPECT_EQ(IsBitcast(context, sizes, tiled, to).answer, Answer::kYes);
  const ElementPositions row_major = PositionsOf(context, Make(sizes, "{1,0}"));
  EXPECT_EQ(IsBitcast(context, sizes, row_major, to).answer, Answer::kNo);
  const auto moves = FindContiguousMoves(context, sizes, row_major, to);
  EXPECT_EQ(moves->chunk_elements, 2);
  const QuasiAffineMap relayout = RelayoutMap(context, row_major, to);
  for (int64_t r = 0; r < 4; ++r) {
    for (int64_t c = 0; c < 16; ++c) {
      EXPECT_EQ(ValueAt(relayout.results[0], {ValueAt(position, {r, c})}), r * 16 + c);
    }
  }
  // A target where elements share positions is no place to copy to.
  const ElementPositions broadcast = PositionsOf(context, sizes, column, 16, 32);
  EXPECT_FALSE(FindContiguousMoves(context, sizes, row_major, broadcast).ok());
  EXPECT_EQ(FindContiguousMoves(context, sizes, broadcast, row_major)->chunk_elements, 16);
}

// Where an XLA layout is one of CuTe, a copy between the two moves nothing, and a copy from another
// layout moves the same to both.
TEST(Relayout, CuteLayoutsOfTiledArrays) {
  std::mt19937 random(24);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    RandomCase random_case = testing::RandomShape(random, 4);
    RandomCase other = random_case;
    testing::AddRandomTiles(random, random_case);
    testing::AddRandomTiles(random, other);
    const Sizes& sizes = random_case.dimensions;
    const TiledLayout tiled = Make(sizes, random_case.layout);
    if (tiled.num_elements() == 0 || tiled.num_positions() > 1000) continue;
    const auto cute = CuteLayoutOfXla(sizes, random_case.layout);
    if (!cute.ok() || sizes.empty()) continue;
    ++found;
    SCOPED_TRACE(random_case.ToString() + " as " + cute->layout.ToString());
    DigitContext context;
    const ElementPositions xla = PositionsOf(context, tiled);
    const auto positions = PositionsOf(context, sizes, cute->layout, 32);
    ASSERT_TRUE(positions.ok()) << positions.status().message();
    ASSERT_EQ(IsBitcast(context, sizes, xla, *positions).answer, Answer::kYes);
    const ElementPositions from = PositionsOf(context, Make(sizes, other.layout));
    const auto moves = FindContiguousMoves(context, sizes, from, xla);
    const auto cute_moves = FindContiguousMoves(context, sizes, from, *positions);
    ASSERT_EQ(moves->chunk_elements, cute_moves->chunk_elements);
    ASSERT_EQ(moves->runs->count, cute_moves->runs->count);
    CheckMap(context, from, *positions, MemoryByDefinition(sizes, other.layout),
             MemoryByDefinition(sizes, WithoutTail(random_case.layout)));
  }
  EXPECT_GT(found, 300);
}

TEST(Relayout, InjectivityByEnumeration) {
  std::mt19937 random(25);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random()) % n; };
  int shared = 0;
  for (int i = 0; i < 500; ++i) {
    const Sizes sizes = {1 + below(5), 1 + below(5), 1 + below(4)};
    std::string text = "(" + llvm::join(llvm::map_range(sizes, Decimal), ",") + "):(";
    text += Decimal(below(8)) + "," + Decimal(below(12)) + "," + Decimal(below(40)) + ")";
    const CuteLayout cute = ParseCuteLayout(text).value();
    DigitContext context;
    const auto positions = PositionsOf(context, sizes, cute, 32);
    ASSERT_TRUE(positions.ok());
    const std::vector<int64_t> table = TableOf(cute);
    const bool expected = std::set<int64_t>(table.begin(), table.end()).size() == table.size();
    shared += expected ? 0 : 1;
    EXPECT_EQ(IsInjective(context, sizes, *positions), expected ? Answer::kYes : Answer::kNo)
        << text;
  }
  EXPECT_GT(shared, 100);
  EXPECT_LT(shared, 400);
}

// i * a + j * b is the position of two elements exactly where their distances along i and j are
// multiples of b / gcd(a, b) and a / gcd(a, b).
TEST(Relayout, InjectivityOfLargeArraysByDivisors) {
  std::mt19937_64 random(26);
  const auto from_one_to = [&](int64_t n) {
    return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int decided[2] = {0, 0};
  for (int i = 0; i < 200; ++i) {
    const Sizes sizes = {from_one_to(1000000), from_one_to(1000000)};
    const int64_t factor = from_one_to(4);
    const int64_t a = factor * from_one_to(2000000);
    const int64_t b = factor * from_one_to(2000000);
    const int64_t divisor = std::gcd(a, b);
    const bool expected = b / divisor >= sizes[0] || a / divisor >= sizes[1];
    const std::string text = "(" + Decimal(sizes[0]) + "," + Decimal(sizes[1]) + "):(" +
                             Decimal(a) + "," + Decimal(b) + ")";
    DigitContext context;
    const auto positions = PositionsOf(context, sizes, ParseCuteLayout(text).value(), 32);
    const Answer answer = IsInjective(context, sizes, *positions);
    if (answer == Answer::kUnknown) continue;
    EXPECT_EQ(answer, expected ? Answer::kYes : Answer::kNo) << text;
    ++decided[expected ? 1 : 0];
  }
  EXPECT_GT(decided[0], 20);
  EXPECT_GT(decided[1], 20);
}

// A copy to a place that elements share is none, however many there are.
TEST(Relayout, LargeTargetsMustBeInjective) {
  const auto moves = [](const Sizes& sizes, const char* text) {
    DigitContext context;
    const ElementPositions from =
        PositionsOf(context, Make(sizes, DefaultLayout(static_cast<int64_t>(sizes.size()))));
    const auto to = PositionsOf(context, sizes, ParseCuteLayout(text).value(), 32);
    const auto result = FindContiguousMoves(context, sizes, from, *to);
    return result.ok() ? result->reason : std::string(result.status().message());
  };
  // Elements (99999, 0) and (0, 1); and with a stride of one more, none.
  EXPECT_THAT(moves({100000, 100000}, "(100000,100000):(1,99999)"), HasSubstr("two elements have"));
  EXPECT_THAT(moves({100000, 100000}, "(100000,100000):(1,100001)"),
              ::testing::Not(HasSubstr("position in the target")));
  // 99991 * 5 = 5 * 99991, which are primes: the first index may be that, or not.
  EXPECT_THAT(moves({99992, 100000}, "(99992,100000):(5,99991)"), HasSubstr("two elements have"));
  EXPECT_THAT(moves({99991, 100000}, "(99991,100000):(99991,5)"), HasSubstr("two elements have"));
  EXPECT_THAT(moves({5, 1000000}, "(5,1000000):(1000003,7)"),
              ::testing::Not(HasSubstr("two elements have")));
}

TEST(Relayout, CuteLayoutsThatDoNotFitTheArray) {
  DigitContext context;
  const auto error = [&](const Sizes& sizes, const char* text) {
    const CuteLayout cute = ParseCuteLayout(text).value();
    return std::string(PositionsOf(context, sizes, cute, 32).status().message());
  };
  EXPECT_EQ(error({3, 5}, "((2,2),(2,3)):((2,12),(1,4))"), "");
  EXPECT_THAT(error({3, 5}, "(3,5,1):(5,1,0)"), HasSubstr("has 3 modes, the array has 2"));
  EXPECT_THAT(error({3, 5}, "15:1"), HasSubstr("has 1 modes"));
  EXPECT_THAT(error({3, 5}, "(3,4):(5,1)"), HasSubstr("4 elements in mode 1, the array 5"));
  EXPECT_THAT(error({3, 5}, "(3,5):(-5,1)"), HasSubstr("negative offsets"));
  EXPECT_THAT(error({3, 5}, "(3,5):(1@0,1@1)"), HasSubstr("coordinates"));
}

}  // namespace
}  // namespace hlo_indexing::layout
