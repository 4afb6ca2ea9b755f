// The order of blocks: by hand, and by its laws on random functions.
#include "codegen/ptx/syntax/control_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/codegen/ptx/syntax/parsing.h"

namespace hlo_indexing::ptx::syntax {
namespace {

using hlo_indexing::testing::Parse;
using hlo_indexing::testing::WithKernel;

std::vector<size_t> OrderIn(const std::string& body) {
  const auto module = Parse(WithKernel(body));
  return ControlFlow(module.function()).Order();
}

using Blocks = std::vector<size_t>;

TEST(ControlFlow, TextInOrderStaysAsItIs) {
  EXPECT_EQ(OrderIn("ret;"), (Blocks{0}));
  EXPECT_EQ(OrderIn("@%p1 bra A; mov.u32 %r1, 1; A: ret;"), (Blocks{0, 1, 2}));
  EXPECT_EQ(OrderIn("@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: ret;"),
            (Blocks{0, 1, 2, 3}));
  EXPECT_EQ(OrderIn("A: mov.u32 %r1, 1; @%p1 bra A; ret;"), (Blocks{0, 1}));
  EXPECT_EQ(OrderIn("A: mov.u32 %r1, 1; B: mov.u32 %r1, 1; @%p1 bra B; @%p2 bra A; ret;"),
            (Blocks{0, 1, 2, 3}));
}

TEST(ControlFlow, LoopsThatAreTurnedAround) {
  EXPECT_EQ(OrderIn("bra HEAD; TAIL: mov.u32 %r1, 1; @%p1 bra HEAD; ret;"
                    " HEAD: @%p2 bra TAIL; mov.u32 %r1, 2; bra TAIL;"),
            (Blocks{0, 3, 4, 1, 2}));
}

TEST(ControlFlow, LoopsComeBeforeWhatFollowsThem) {
  // The way out stands before the rest of the loop.
  EXPECT_EQ(OrderIn("HEAD: @%p1 bra BODY; OUT: ret; BODY: mov.u32 %r1, 1; bra HEAD;"),
            (Blocks{0, 2, 1}));
}

TEST(ControlFlow, WhatIsNeverReachedHasAPlace) {
  Blocks order = OrderIn("bra A; mov.u32 %r1, 1; A: ret;");
  std::ranges::sort(order);
  EXPECT_EQ(order, (Blocks{0, 1, 2}));
}

// Blocks with up to two random ways each.
std::string RandomBody(std::mt19937_64& random, int count, bool has_loops) {
  std::string body;
  for (int i = 0; i < count; ++i) {
    const int first = has_loops ? 0 : i + 1;
    const auto label = [&] {
      return absl::StrCat(
          "L",
          first + static_cast<int>(random() % static_cast<uint64_t>(std::max(1, count - first))));
    };
    absl::StrAppend(&body, "L", i, ": mov.u32 %r1, ", i, "; ");
    if (i + 1 == count) {
      absl::StrAppend(&body, "ret; ");
    } else if (random() % 3 != 0) {
      absl::StrAppend(&body, random() % 4 == 0 ? "" : "@%p1 ", "bra ", label(), "; ");
    }
  }
  return body;
}

TEST(ControlFlow, WhatLeadsToABlockComesBeforeIt) {
  std::mt19937_64 random(3);
  constexpr int kCases = 300;
  for (int i = 0; i < kCases; ++i) {
    const std::string text = WithKernel(RandomBody(random, 2 + static_cast<int>(random() % 20),
                                                   /*has_loops=*/false));
    const auto module = Parse(text);
    const ControlFlow flow(module.function());
    const std::vector<size_t> order = flow.Order();
    std::vector<size_t> place(order.size());
    for (size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    for (size_t block = 0; block < flow.num_blocks(); ++block) {
      for (const size_t next : flow.SuccessorsOf(block)) {
        EXPECT_LT(place[block], place[next]) << text;
      }
    }
  }
}

// Which blocks can be reached from one, without a block.
std::vector<bool> ReachedFrom(const ControlFlow& flow, size_t from, size_t without) {
  std::vector<bool> reached(flow.num_blocks(), false);
  std::vector<size_t> pending = {from};
  while (!pending.empty()) {
    const size_t block = pending.back();
    pending.pop_back();
    for (const size_t next : flow.SuccessorsOf(block)) {
      if (next == without || reached[next]) continue;
      reached[next] = true;
      pending.push_back(next);
    }
  }
  return reached;
}

TEST(ControlFlow, OnlyWaysOfLoopsLeadBack) {
  std::mt19937_64 random(4);
  constexpr int kCases = 300;
  for (int i = 0; i < kCases; ++i) {
    const std::string text = WithKernel(RandomBody(random, 2 + static_cast<int>(random() % 20),
                                                   /*has_loops=*/true));
    const auto module = Parse(text);
    const ControlFlow flow(module.function());
    std::vector<size_t> order = flow.Order();
    std::vector<size_t> place(order.size());
    for (size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    for (size_t block = 0; block < flow.num_blocks(); ++block) {
      for (const size_t next : flow.SuccessorsOf(block)) {
        if (place[block] < place[next]) continue;
        // A loop: from `next` one comes to `block` again.
        EXPECT_TRUE(block == next || ReachedFrom(flow, next, flow.num_blocks())[block]) << text;
      }
    }
    std::ranges::sort(order);
    for (size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k);
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx::syntax
