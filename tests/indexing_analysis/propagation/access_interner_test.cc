#include "indexing_analysis/propagation/access_interner.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using Lines = std::vector<std::string>;

// (d0, d1) -> (d0 + rtN, d1), in a context of its own.
Access Sliced(DigitContext& digits, uint32_t number) {
  Access access;
  access.num_dimensions = 2;
  access.map.boxes = {{0, 3}, {0, 7}};
  access.runtime = {number};
  access.map.results = {
      Add(digits, access.map.Variable(digits, 0), digits.Function(number, {}, {0, 12})),
      access.map.Variable(digits, 1)};
  return access;
}

TEST(AccessInternerTest, ExampleOfTheHeader) {
  AccessInterner interner;
  DigitContext digits;
  const BoundAccess access = interner.Intern(Sliced(digits, 7));
  EXPECT_EQ(access.ToString(),
            "(d0, d1){rt7} -> (d0 + rt7, d1), domain: d0 in [0, 3], d1 in "
            "[0, 7]");
  EXPECT_EQ(access.runtime, (llvm::SmallVector<uint32_t, 2>{7}));
  EXPECT_EQ(access.interned->num_runtime, 1);
  EXPECT_EQ(CopyTo(digits, *access.interned).ToString(),
            "(d0, d1){rt0} -> (d0 + rt0, d1), domain: d0 in [0, 3], d1 in [0, 7]");
  // Another query shares it.
  DigitContext elsewhere;
  const BoundAccess other = interner.Intern(Sliced(elsewhere, 4));
  EXPECT_EQ(other.interned, access.interned);
  EXPECT_EQ(other.runtime, (llvm::SmallVector<uint32_t, 2>{4}));
  EXPECT_FALSE(other.HasContentOf(access));
}

// (d0) -> ((d0 + 1) floordiv 2 + (d0 + 2) floordiv 3), the atoms of which are made in either order.
Access HalvesAndThirds(DigitContext& digits, bool halves_first) {
  Access access;
  access.num_dimensions = 1;
  access.map.boxes = {{0, 29}};
  const auto quotient = [&](int64_t divisor) {
    const Sum d0 = access.map.Variable(digits, 0);
    return DivMod(digits, Add(digits, d0, simplifier::Constant(divisor - 1)), divisor).quotient;
  };
  quotient(halves_first ? 2 : 3);
  access.map.results = {Add(digits, quotient(2), quotient(3))};
  return access;
}

TEST(AccessInternerTest, ContextsMakeNoDifference) {
  AccessInterner interner;
  DigitContext first;
  DigitContext second;
  EXPECT_EQ(interner.Intern(HalvesAndThirds(first, true)).interned,
            interner.Intern(HalvesAndThirds(second, false)).interned);
}

// In a new context a copy has the same form, whichever of its atoms were made first elsewhere.
TEST(AccessInternerTest, TheFormDependsOnTheAccessAlone) {
  std::vector<Lines> atoms;
  for (const bool halves_first : {false, true}) {
    DigitContext digits;
    AccessInterner interner;
    const BoundAccess bound = interner.Intern(HalvesAndThirds(digits, halves_first));
    DigitContext elsewhere;
    Lines& of_copy = atoms.emplace_back();
    const Access copy = CopyTo(elsewhere, bound);
    for (const simplifier::Term& term : copy.map.results[0].terms) {
      of_copy.push_back(support::ToString(*term.atom));
    }
  }
  EXPECT_GE(atoms[0].size(), 2);
  EXPECT_EQ(atoms[0], atoms[1]);
}

TEST(AccessInternerTest, NamesAreNoContent) {
  AccessInterner interner;
  BoundAccesses accesses;
  std::vector<const BoundAccess*> bound;
  for (const char* name : {"row", "column", "row"}) {
    DigitContext digits;
    Access access = Sliced(digits, 7);
    access.names = {name};
    bound.push_back(accesses.Bind(interner.Intern(std::move(access))));
  }
  EXPECT_NE(bound[0], bound[1]);
  EXPECT_TRUE(bound[0]->HasContentOf(*bound[1]));
  EXPECT_EQ(bound[0], bound[2]);
}

// Runtime values that nothing mentions are left out.
TEST(AccessInternerTest, WhatIsNotMentionedIsLeftOut) {
  AccessInterner interner;
  DigitContext digits;
  Access access = Sliced(digits, 7);
  access.runtime = {9, 7};
  const BoundAccess bound = interner.Intern(std::move(access));
  EXPECT_EQ(bound.runtime, (llvm::SmallVector<uint32_t, 2>{7}));
  EXPECT_EQ(bound.interned->access.runtime, (llvm::SmallVector<uint32_t, 2>{0}));
}

TEST(AccessInternerTest, BoundAccessesAreUnique) {
  AccessInterner interner;
  BoundAccesses accesses;
  DigitContext digits;
  const InternedAccess& sliced = *interner.Intern(Sliced(digits, 7)).interned;
  EXPECT_EQ(accesses.Bind(sliced, {7}), accesses.Bind(sliced, {7}));
  EXPECT_NE(accesses.Bind(sliced, {7}), accesses.Bind(sliced, {8}));
  const InternedAccess& identity = *interner.Identity({4});
  EXPECT_EQ(accesses.Bind(identity, {}), &identity.unbound);
}

TEST(AccessInternerTest, IdentityAndWholeArray) {
  AccessInterner interner;
  const InternedAccess* identity = interner.Identity({4, 1});
  ASSERT_NE(identity, nullptr);
  EXPECT_EQ(identity->unbound.ToString(),
            "(d0, d1) -> (d0, 0), domain: d0 in [0, 3], d1 in "
            "[0, 0]");
  EXPECT_EQ(interner.Identity({4, 0}), nullptr);
  const InternedAccess* whole = interner.WholeArray(*identity, {8}, /*devices=*/0);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->unbound.ToString(),
            "(d0, d1)[s0] -> (s0), domain: d0 in [0, 3], d1 in [0, 0], s0 in [0, 7]");
  EXPECT_EQ(interner.WholeArray(*identity, {8}, /*devices=*/0), whole);
  EXPECT_FALSE(whole->unbound.HasDevice());
  const InternedAccess* anywhere = interner.WholeArray(*identity, {8}, /*devices=*/2);
  EXPECT_TRUE(anywhere->unbound.HasDevice());
  EXPECT_EQ(anywhere->unbound.ToString(),
            "(d0, d1)[s0, s1] -> (s0) on device s1, domain: d0 in [0, 3], d1 in [0, 0], s0 in "
            "[0, 7], s1 in [0, 1]");
  EXPECT_EQ(interner.WholeArray(*identity, {0}, /*devices=*/0), nullptr);
}

// A sum of so many quotients.
Access WithQuotients(DigitContext& digits, int64_t count) {
  Access access;
  access.num_dimensions = 1;
  access.map.boxes = {{0, 1000}};
  Sum sum = simplifier::Constant(0);
  for (int64_t i = 0; i < count; ++i) {
    const Sum shifted = Add(digits, access.map.Variable(digits, 0), simplifier::Constant(i));
    sum = Add(digits, sum, DivMod(digits, shifted, 1001 + i).quotient);
    sum = Add(digits, sum, DivMod(digits, shifted, 7 + i).quotient);
  }
  access.map.results = {sum};
  return access;
}

TEST(AccessInternerTest, DozensOfQuotientsAreLarge) {
  DigitContext digits;
  AccessInterner interner;
  EXPECT_FALSE(interner.Intern(WithQuotients(digits, 10)).interned->is_large);
  EXPECT_TRUE(interner.Intern(WithQuotients(digits, 40)).interned->is_large);
  AccessInterner without(/*large_accesses=*/false);
  EXPECT_FALSE(without.Intern(WithQuotients(digits, 40)).interned->is_large);
}

// Atoms that have been copied are found again; a copy is the same access.
TEST(AccessInternerTest, CopiesAreTheSame) {
  AccessInterner interner;
  DigitContext digits;
  const BoundAccess large = interner.Intern(WithQuotients(digits, 40));
  LargeAccesses context;
  const Access first = CopyTo(context.digits, context.from_interned, large);
  const size_t copies = context.from_interned.size();
  EXPECT_GT(copies, 32);
  const Access second = CopyTo(context.digits, context.from_interned, large);
  EXPECT_EQ(context.from_interned.size(), copies);
  EXPECT_EQ(first.ToString(), second.ToString());
  EXPECT_EQ(interner.Intern(first, context.to_interned).interned, large.interned);
  EXPECT_EQ(interner.Intern(second, context.to_interned).interned, large.interned);
}

// Atoms that hold runtime values have other numbers in each query.
TEST(AccessInternerTest, RuntimeValuesAreCopiedEachTime) {
  AccessInterner interner;
  DigitContext digits;
  const InternedAccess& sliced = *interner.Intern(Sliced(digits, 7)).interned;
  BoundAccesses accesses;
  LargeAccesses context;
  for (const uint32_t number : {7, 8}) {
    const BoundAccess* bound = accesses.Bind(sliced, {number});
    EXPECT_EQ(CopyTo(context.digits, context.from_interned, *bound).ToString(), bound->ToString());
  }
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
