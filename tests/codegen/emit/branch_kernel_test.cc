// Kernels whose elements branches choose: what they move is what is planned.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::emit {
namespace {

using testing::Random;
using testing::Sizes;

// A fusion, instruction by instruction.
class FusionText {
 public:
  std::string Parameter(const Sizes& sizes) {
    const std::string type = TypeOf(sizes);
    parameters_.push_back(type);
    return Add(sizes, absl::StrCat("parameter(", parameters_.size() - 1, ")"));
  }
  std::string Add(const Sizes& sizes, const std::string& made) {
    const std::string name = absl::StrCat("v", num_instructions_++);
    absl::StrAppend(&body_, "  ", name, " = ", TypeOf(sizes), " ", made, "\n");
    return name;
  }
  std::string Zero() { return Add({}, "constant(0)"); }
  std::string Start(int64_t value) {
    const std::string name = absl::StrCat("v", num_instructions_++);
    absl::StrAppend(&body_, "  ", name, " = s32[] constant(", value, ")\n");
    return name;
  }
  // With the instruction negated at the root.
  std::string Module(const std::string& last, const Sizes& sizes) const {
    std::string text = absl::StrCat(
        "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }\n",
        "f {\n", body_, "  ROOT root = ", TypeOf(sizes), " negate(", last, ")\n}\nENTRY e {\n");
    std::vector<std::string> names;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      names.push_back(absl::StrCat("p", i));
      absl::StrAppend(&text, "  p", i, " = ", parameters_[i], " parameter(", i, ")\n");
    }
    return absl::StrCat(text, "  ROOT r = ", TypeOf(sizes), " fusion(", absl::StrJoin(names, ", "),
                        "), kind=kLoop, calls=f\n}\n");
  }

 private:
  static std::string TypeOf(const Sizes& sizes) {
    return absl::StrCat("f32[", absl::StrJoin(sizes, ","), "]");
  }

  std::string body_;
  std::vector<std::string> parameters_;
  int num_instructions_ = 0;
};

// An array of these sizes that is padded, concatenated, updated, sliced, added, or a parameter.
std::string RandomArray(Random& random, const Sizes& sizes, int depth, FusionText& text) {
  if (depth == 0) return text.Parameter(sizes);
  const auto array = [&](const Sizes& of) { return RandomArray(random, of, depth - 1, text); };
  switch (random.Between(0, 4)) {
    case 0: {
      Sizes inside;
      std::vector<std::string> padding;
      for (const int64_t size : sizes) {
        const int64_t low = random.Between(0, std::min<int64_t>(3, size - 1));
        const int64_t high = random.Between(0, std::min<int64_t>(3, size - 1 - low));
        const int64_t left = size - low - high;
        const int64_t interior = left % 2 == 1 && random.OneIn(4) ? 1 : 0;
        inside.push_back(interior == 1 ? (left + 1) / 2 : left);
        padding.push_back(absl::StrCat(low, "_", high, "_", interior));
      }
      const std::string operand = array(inside);
      const std::string value = text.Parameter({});
      return text.Add(sizes, absl::StrCat("pad(", operand, ", ", value,
                                          "), padding=", absl::StrJoin(padding, "x")));
    }
    case 1: {
      const auto along = static_cast<size_t>(random.Between(0, std::ssize(sizes) - 1));
      if (sizes[along] < 2) return text.Parameter(sizes);
      Sizes first = sizes;
      Sizes second = sizes;
      first[along] = random.Between(1, sizes[along] - 1);
      second[along] = sizes[along] - first[along];
      const std::string a = array(first);
      const std::string b = array(second);
      return text.Add(sizes,
                      absl::StrCat("concatenate(", a, ", ", b, "), dimensions={", along, "}"));
    }
    case 2: {
      Sizes update;
      std::vector<std::string> starts;
      for (const int64_t size : sizes) {
        update.push_back(random.Between(1, size));
        starts.push_back(text.Start(random.Between(0, size - update.back())));
      }
      const std::string operand = array(sizes);
      const std::string value = array(update);
      return text.Add(sizes, absl::StrCat("dynamic-update-slice(", operand, ", ", value, ", ",
                                          absl::StrJoin(starts, ", "), ")"));
    }
    case 3: {
      Sizes whole;
      std::vector<std::string> slice;
      for (const int64_t size : sizes) {
        const int64_t first = random.Between(0, 3);
        whole.push_back(first + size + random.Between(0, 2));
        slice.push_back(absl::StrCat("[", first, ":", first + size, "]"));
      }
      const std::string operand = array(whole);
      return text.Add(
          sizes, absl::StrCat("slice(", operand, "), slice={", absl::StrJoin(slice, ", "), "}"));
    }
    default: {
      const std::string a = array(sizes);
      const std::string b = array(sizes);
      return text.Add(sizes, absl::StrCat("add(", a, ", ", b, ")"));
    }
  }
}

std::string Wrong(const std::string& text, PtxBackend& backend,
                  std::optional<int> multiprocessors) {
  KernelCheck check(text, backend, multiprocessors);
  const Traffic traffic = check.Measure();
  if (!traffic.error.empty()) return traffic.error;
  if (!traffic.is_exact) return "not exact";
  if (traffic.IsAsPlanned()) return "";
  return absl::StrCat(traffic.requests, " requests, ", traffic.sectors, " sectors instead of ",
                      traffic.planned_requests, ", ", traffic.planned_sectors);
}

TEST(BranchKernels, MoveWhatIsPlanned) {
  PtxBackend backend;
  const int num_cases = testing::NumCases("HLO_INDEXING_BRANCH_CASES", 100);
  for (int i = 0; i < num_cases; ++i) {
    Random random(static_cast<uint64_t>(i));
    Sizes sizes;
    const int64_t rank = random.Between(1, 3);
    const int64_t most = rank == 1 ? 5000 : rank == 2 ? 90 : 20;
    for (int64_t k = 0; k < rank; ++k) sizes.push_back(random.Between(2, most));
    FusionText text;
    const std::string last =
        RandomArray(random, sizes, static_cast<int>(random.Between(1, 3)), text);
    const std::string module = text.Module(last, sizes);
    EXPECT_EQ(Wrong(module, backend, random.OneIn(2) ? std::optional<int>(1) : std::nullopt), "")
        << "case " << i << "\n"
        << module;
    EXPECT_EQ(KernelCheck(module, backend).Run(static_cast<uint64_t>(i)), "") << module;
  }
}

// What the code of elements has loaded, it does not load again; what a branch has, it does.
TEST(BranchKernels, LoadOnceWhereTheyCan) {
  PtxBackend backend;
  const auto module = [](const std::string& sum) {
    return absl::StrCat(
        "f { p = f32[32,64] parameter(0) q = f32[10,20] parameter(1) c = s32[] constant(7)\n"
        "d = f32[32,64] dynamic-update-slice(p, q, c, c) n = f32[32,64] negate(p)\n"
        "ROOT s = f32[32,64] add(",
        sum,
        ") }\nENTRY e { p = f32[32,64] parameter(0) q = f32[10,20] parameter(1)\n"
        "ROOT r = f32[32,64] fusion(p, q), kind=kLoop, calls=f }");
  };
  const auto requests = [&](const std::string& sum) {
    KernelCheck check(module(sum), backend);
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.IsAsPlanned() && traffic.is_exact) << traffic.error;
    return traffic.requests;
  };
  // 64 of p and of the result, 10 of the update.
  EXPECT_EQ(requests("n, d"), 138);
  EXPECT_EQ(requests("d, n"), 202);
}

// Elements that are made by loops, too: the same product for all lanes, and operands in loops.
TEST(BranchKernels, InLoops) {
  PtxBackend backend;
  const std::string sum =
      "sum_s32 { a = s32[] parameter(0) b = s32[] parameter(1)\n"
      "ROOT s = s32[] add(a, b) }\n";
  const std::string window = sum + R"(
    f { p = s32[20,31] parameter(0) q = s32[20,31] parameter(1) z = s32[] constant(0)
      c = s32[20,62] concatenate(p, q), dimensions={1} n = s32[20,62] negate(c)
      w = s32[20,43] reduce-window(n, z), window={size=1x20}, to_apply=sum_s32
      ROOT r = s32[20,43] negate(w) }
    ENTRY e { p = s32[20,31] parameter(0) q = s32[20,31] parameter(1)
      ROOT r = s32[20,43] fusion(p, q), kind=kLoop, calls=f })";
  // The same array twice, and one that the inner loop does not move along.
  const std::string twice = sum + R"(
    f { p = s32[3,35] parameter(0) q = s32[2] parameter(1) z = s32[] constant(0)
      b = s32[2,35] broadcast(q), dimensions={0}
      c = s32[8,35] concatenate(p, p, b), dimensions={0}
      ROOT r = s32[] reduce(c, z), dimensions={0,1}, to_apply=sum_s32 }
    ENTRY e { p = s32[3,35] parameter(0) q = s32[2] parameter(1)
      ROOT r = s32[] fusion(p, q), kind=kLoop, calls=f })";
  for (const std::string& text : {window, twice}) {
    EXPECT_EQ(Wrong(text, backend, std::nullopt), "") << text;
    EXPECT_EQ(KernelCheck(text, backend).Run(1), "") << text;
  }
}

// Sums along a dimension, each of what the sum before it was taken from: a softmax has two of them.
// All read the same array, in loops that are short or long.
std::string RandomSums(Random& random, const Sizes& sizes, FusionText& text) {
  const auto along = static_cast<size_t>(random.Between(0, std::ssize(sizes) - 1));
  Sizes summed;
  std::vector<size_t> kept;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i == along) continue;
    summed.push_back(sizes[i]);
    kept.push_back(i);
  }
  const std::string zero = text.Zero();
  std::string last = text.Parameter(sizes);
  for (int64_t i = random.Between(1, 3); i > 0; --i) {
    std::string array = last;
    if (random.OneIn(3)) {
      array = text.Add(sizes, absl::StrCat("add(", last, ", ", text.Parameter(sizes), ")"));
    }
    if (random.OneIn(3)) array = text.Add(sizes, absl::StrCat("negate(", array, ")"));
    std::string sum = text.Add(summed, absl::StrCat("reduce(", array, ", ", zero, "), dimensions={",
                                                    along, "}, to_apply=add"));
    if (random.OneIn(3)) {
      sum = text.Add(summed, absl::StrCat("multiply(", sum, ", ", text.Parameter(summed), ")"));
    }
    const std::string rows = text.Add(
        sizes, absl::StrCat("broadcast(", sum, "), dimensions={", absl::StrJoin(kept, ","), "}"));
    last = text.Add(sizes, absl::StrCat(random.OneIn(2) ? "divide(" : "subtract(",
                                        random.OneIn(2) ? array : last, ", ", rows, ")"));
  }
  return last;
}

TEST(BranchKernels, SumsOfTheSameArray) {
  PtxBackend backend;
  const int num_cases = testing::NumCases("HLO_INDEXING_BRANCH_CASES", 100);
  for (int i = 0; i < num_cases; ++i) {
    Random random(static_cast<uint64_t>(i));
    Sizes sizes;
    for (int64_t k = random.Between(2, 3); k > 0; --k) sizes.push_back(random.Between(1, 24));
    FusionText text;
    const std::string last = RandomSums(random, sizes, text);
    const std::string module = text.Module(last, sizes);
    EXPECT_EQ(Wrong(module, backend, std::nullopt), "") << "case " << i << "\n" << module;
  }
}

// Short loops are written out around others: of rows of 4, a sum of what the maximum has read loads
// nothing; products, too, and what a vector of the row has.
TEST(BranchKernels, ShortLoopsLoadOnce) {
  PtxBackend backend;
  const auto requests = [&](const std::string& text) {
    KernelCheck check(text, backend);
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.IsAsPlanned() && traffic.is_exact) << traffic.error;
    return traffic.requests;
  };
  const std::string sum =
      "add { a = f32[] parameter(0) b = f32[] parameter(1)\n"
      "ROOT s = f32[] add(a, b) }\n";
  const std::string rows = R"(
    f { p = f32[32,4] parameter(0) z = f32[] constant(0)
      s = f32[32] reduce(p, z), dimensions={1}, to_apply=add
      b = f32[32,4] broadcast(s), dimensions={0} d = f32[32,4] divide(p, b)
      ROOT r = f32[32] reduce(d, z), dimensions={1}, to_apply=add }
    ENTRY e { p = f32[32,4] parameter(0)
      ROOT r = f32[32] fusion(p), kind=kLoop, calls=f })";
  // One load of 16 bytes, one store.
  EXPECT_EQ(requests(sum + rows), 2);
  const std::string product = R"(
    f { p = f32[32,3] parameter(0) q = f32[3,3] parameter(1)
      d = f32[32,3] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = f32[32,3] dot(d, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
    ENTRY e { p = f32[32,3] parameter(0) q = f32[3,3] parameter(1)
      ROOT r = f32[32,3] fusion(p, q), kind=kLoop, calls=f })";
  // In each of 3 warps 3 of p, 9 of q and 3 of those again at the thread's column, and a store.
  EXPECT_EQ(requests(product), 3 * (3 + 9 + 3 + 1));
}

// Where an output of another size is stored under a condition that a branch has, too, the other
// output is stored once; loops are left out of those that a bitcast's operand does not depend on.
TEST(BranchKernels, OutputsAndBitcasts) {
  PtxBackend backend;
  const std::string outputs = R"(
    f { k = f32[] constant(5) a = f32[3] broadcast(k), dimensions={}
      b = f32[12] concatenate(a, a, a, a), dimensions={0}
      ROOT t = (f32[12], f32[3]) tuple(b, a) }
    ENTRY e { ROOT r = (f32[12], f32[3]) fusion(), kind=kLoop, calls=f })";
  const std::string bitcast = R"(
    or_ { a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = s8[] or(a, b) }
    f { p = s8[4,100] parameter(0) z = s8[] constant(0)
      o = s8[] reduce(p, z), dimensions={0,1}, to_apply=or_
      b = s8[24,24] broadcast(o), dimensions={} u = u8[24,24] bitcast-convert(b)
      k = u8[] constant(7) v = u8[24] broadcast(k), dimensions={}
      w = u8[24] dot(u, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}
      x = u8[24,31] broadcast(v), dimensions={0}
      ROOT r = u8[31] dot(w, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }
    ENTRY e { p = s8[4,100] parameter(0)
      ROOT r = u8[31] fusion(p), kind=kLoop, calls=f })";
  for (const std::string& text : {outputs, bitcast}) {
    EXPECT_EQ(Wrong(text, backend, std::nullopt), "") << text;
    EXPECT_EQ(KernelCheck(text, backend).Run(1), "") << text;
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
