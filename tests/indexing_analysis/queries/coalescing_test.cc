// Sectors of accesses against all threads of the grid, one by one.
#include "indexing_analysis/queries/coalescing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "support/checked_math.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::Coalescing;
using indexing_analysis::CoalescingOf;
using indexing_analysis::CoalescingOptions;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MemoryAccess;
using indexing_analysis::ParseIndexingMap;

struct Counts {
  int64_t requests = 0;
  int64_t sectors = 0;
  int64_t ideal_sectors = 0;
  int64_t distinct_sectors = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << "requests " << counts.requests << ", sectors " << counts.sectors << ", ideal "
             << counts.ideal_sectors << ", distinct " << counts.distinct_sectors;
}

// All values of the variables in some bounds.
class Odometer {
 public:
  explicit Odometer(std::vector<Interval> bounds) : bounds_(std::move(bounds)) {
    for (const Interval& interval : bounds_) {
      values_.push_back(interval.lower);
      is_empty_ |= interval.IsEmpty();
    }
  }
  bool is_empty() const { return is_empty_; }
  const std::vector<int64_t>& values() const { return values_; }
  bool Next() {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (++values_[i] <= bounds_[i].upper) return true;
      values_[i] = bounds_[i].lower;
    }
    return false;
  }

 private:
  std::vector<Interval> bounds_;
  std::vector<int64_t> values_;
  bool is_empty_ = false;
};

// What one lane accesses in a request: offsets in bits.
using Request = std::map<int64_t, std::vector<int64_t>>;

// The requests, by block, warp and iteration, by enumeration of all threads. A vector is `elements`
// iterations of the last loop. nullopt if those are not consecutive, aligned and together in the
// domain.
std::optional<std::map<std::vector<int64_t>, Request>> EnumerateRequests(
    const MemoryAccess& access, int64_t elements, const std::vector<bool>& loop_matters,
    const std::vector<int64_t>& runtime) {
  std::map<std::vector<int64_t>, Request> requests;
  const IndexingMap& map = access.position;
  std::vector<Interval> bounds;
  for (size_t i = 0; i < 3; ++i) bounds.push_back({0, access.threads[i] - 1});
  for (size_t i = 3; i < 6; ++i) bounds.push_back(map.dimensions()[i].bounds);
  for (const auto& range : map.ranges()) bounds.push_back(range.bounds);
  Odometer all(bounds);
  if (all.is_empty()) return requests;
  do {
    const std::vector<int64_t>& values = all.values();
    const llvm::ArrayRef<int64_t> dimensions = llvm::ArrayRef(values).take_front(6);
    std::vector<int64_t> symbols(values.begin() + 6, values.end());
    const std::vector<int64_t> loops = symbols;
    symbols.insert(symbols.end(), runtime.begin(), runtime.end());
    if (!map.DomainContains(dimensions, symbols)) continue;
    const int64_t thread =
        values[0] + access.threads[0] * (values[1] + access.threads[1] * values[2]);
    std::vector<int64_t> key = {values[3], values[4], values[5], thread / 32};
    for (size_t i = 0; i < loops.size(); ++i) {
      if (!loop_matters[i]) continue;
      const bool is_vector = i + 1 == loops.size() && elements > 1;
      key.push_back(is_vector ? support::FloorDiv(loops[i], elements) : loops[i]);
    }
    const int64_t offset = (*map.Evaluate(dimensions, symbols))[0] * access.element_bits;
    requests[key][thread % 32].push_back(offset);
  } while (all.Next());
  // A loop that does not matter gives the same element again and again.
  for (auto& [key, request] : requests) {
    for (auto& [lane, offsets] : request) {
      std::sort(offsets.begin(), offsets.end());
      if (elements == 1) offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      const bool is_vector =
          static_cast<int64_t>(offsets.size()) == elements &&
          offsets.back() - offsets.front() == (elements - 1) * access.element_bits &&
          std::set<int64_t>(offsets.begin(), offsets.end()).size() == offsets.size() &&
          (elements == 1 || offsets.front() % (elements * access.element_bits) == 0);
      if (!is_vector) return std::nullopt;
    }
  }
  return requests;
}

Counts CountRequests(const std::map<std::vector<int64_t>, Request>& requests, int64_t element_bits,
                     int64_t elements) {
  Counts counts;
  std::set<int64_t> all_sectors;
  for (const auto& [key, request] : requests) {
    std::set<int64_t> accessed;
    std::set<int64_t> sectors;
    for (const auto& [lane, offsets] : request) {
      for (int64_t i = 0; i < elements; ++i) {
        const int64_t offset = offsets.front() + i * element_bits;
        accessed.insert(offset);
        sectors.insert(support::FloorDiv(offset, 256));
      }
    }
    ++counts.requests;
    counts.sectors += static_cast<int64_t>(sectors.size());
    const int64_t bits = static_cast<int64_t>(accessed.size()) * element_bits;
    counts.ideal_sectors += support::CeilDiv(bits, 256);
    all_sectors.insert(sectors.begin(), sectors.end());
  }
  counts.distinct_sectors = static_cast<int64_t>(all_sectors.size());
  return counts;
}

Counts Exactly(const Coalescing& found) {
  EXPECT_TRUE(found.IsExact()) << found.reason;
  return {
      static_cast<int64_t>(found.requests.upper), static_cast<int64_t>(found.sectors.upper),
      static_cast<int64_t>(found.ideal_sectors.upper),
      found.distinct_sectors.IsExact() ? static_cast<int64_t>(found.distinct_sectors.upper) : -1};
}

// Random thread maps as kernels have them: a linear index of threads, blocks and loops, cut into
// digits that are put together in another order, with ragged ends, and sometimes anything.
class RandomAccess {
 public:
  explicit RandomAccess(Random& random) : random_(random) {}

  MemoryAccess Make(mlir::MLIRContext* context, bool with_runtime) {
    MemoryAccess access;
    static const std::vector<std::array<int64_t, 3>> kThreads = {
        {32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {32, 2, 1}, {16, 4, 1}, {8, 4, 2},
        {10, 3, 1}, {48, 1, 1}, {33, 1, 1}, {4, 4, 4},  {1, 1, 1},  {128, 1, 1}};
    access.threads = random_.Pick(kThreads);
    static const std::vector<int64_t> kBits = {2, 4, 8, 16, 32, 32, 64, 128};
    access.element_bits = random_.Pick(kBits);
    std::vector<int64_t> blocks = {random_.Between(1, 12), random_.Between(1, 2), 1};
    const bool has_vector = random_.OneIn(2);
    static const std::vector<int64_t> kVectors = {2, 4, 8};
    access.vector_elements = has_vector ? random_.Pick(kVectors) : 1;
    std::vector<int64_t> loops = {random_.Between(1, 4)};
    if (has_vector) loops.push_back(access.vector_elements);
    num_loops = loops.size();

    std::vector<std::string> names = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};
    std::vector<int64_t> sizes(access.threads.begin(), access.threads.end());
    sizes.insert(sizes.end(), blocks.begin(), blocks.end());
    std::string ranges;
    for (size_t i = 0; i < loops.size(); ++i) {
      names.push_back(absl::StrCat("s", i));
      absl::StrAppend(&ranges, i == 0 ? "" : ", ", names.back());
      sizes.push_back(loops[i]);
    }
    // The linear index, its last loop innermost.
    std::string linear;
    int64_t total = 1;
    std::vector<size_t> order = {0, 1, 2, 6, 3, 4, 5};
    if (has_vector) order.insert(order.begin(), 7);
    for (const size_t variable : order) {
      absl::StrAppend(&linear, linear.empty() ? "" : " + ", names[variable], " * ", total);
      total *= sizes[variable];
    }
    std::string expression = linear;
    std::string domain;
    const int64_t kind = random_.Between(0, 5);
    if (kind >= 1 && kind <= 3) {
      const Sizes factors = RandomFactors(random_, total, 4);
      expression = Digits(linear, factors);
    } else if (kind == 4) {
      // Boundaries that do not divide the sizes.
      expression = Digits(linear, {random_.Between(1, 9), random_.Between(1, 9), 50});
    } else if (kind == 5) {
      expression.clear();
      for (const auto& name : names) {
        if (random_.OneIn(3)) continue;
        absl::StrAppend(&expression, expression.empty() ? "" : " + ", name, " * ",
                        random_.Between(-3, 40));
      }
      if (expression.empty()) expression = "5";
      if (random_.OneIn(2)) {
        expression =
            absl::StrCat("((", expression, ") floordiv ", random_.Between(2, 9), ") * ",
                         random_.Between(1, 9), " + (", linear, ") mod ", random_.Between(2, 30));
      }
    }
    if (random_.OneIn(3)) {
      absl::StrAppend(&domain, ", ", linear, " in [", random_.Between(0, total / 4), ", ",
                      random_.Between(total / 2, total), "]");
    }
    if (random_.OneIn(5)) {
      absl::StrAppend(&domain, ", (", expression, ") mod ", random_.Between(2, 4), " in [0, 0]");
    }
    std::string runtime;
    if (with_runtime) {
      runtime = "{rt0}";
      expression = absl::StrCat("(", expression, ") + rt0 * ", random_.Between(1, 40));
      absl::StrAppend(&domain, ", rt0 in [0, ", random_.Between(0, 20), "]");
    }
    std::string text = absl::StrCat("(th_x, th_y, th_z, bl_x, bl_y, bl_z)[", ranges, "]", runtime,
                                    " -> (", expression, "), domain: ");
    for (size_t i = 0; i < names.size(); ++i) {
      int64_t upper = sizes[i] - 1;
      if (i == 0 && random_.OneIn(8)) upper = random_.Between(0, upper);
      absl::StrAppend(&text, i == 0 ? "" : ", ", names[i], " in [0, ", upper, "]");
    }
    const auto map = ParseIndexingMap(text + domain, context);
    EXPECT_TRUE(map.ok()) << map.status() << '\n' << text << domain;
    // As the position that an analysis gives: simplified.
    access.position = random_.OneIn(2) ? Simplify(*map) : *map;
    return access;
  }

  size_t num_loops = 0;

 private:
  // The digits of an index, most minor first, in a random order.
  std::string Digits(const std::string& linear, const Sizes& factors) {
    const std::vector<int64_t> permutation = random_.Permutation(factors.size());
    std::vector<int64_t> strides(factors.size());
    int64_t stride = 1;
    for (const int64_t i : permutation) {
      strides[static_cast<size_t>(i)] = stride;
      stride *= factors[static_cast<size_t>(i)];
    }
    std::string text;
    int64_t divisor = 1;
    for (size_t i = 0; i < factors.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : " + ", "(((", linear, ") floordiv ", divisor, ") mod ",
                      factors[i], ") * ", strides[i]);
      divisor *= factors[i];
    }
    return text;
  }

  Random& random_;
};

// Whether a loop occurs in the simplified map: one that does not is invariant.
std::vector<bool> LoopsThatMatter(const IndexingMap& map) {
  const IndexingMap simple = Simplify(map);
  std::vector<bool> matters;
  for (unsigned i = 0; i < simple.num_ranges(); ++i) {
    bool occurs = simple.affine_map().isFunctionOfSymbol(i);
    for (const auto& constraint : simple.constraints()) {
      occurs |= constraint.expression.isFunctionOfSymbol(i);
    }
    matters.push_back(occurs);
  }
  return matters;
}

TEST(Coalescing, EqualsTheEnumerationOfAllThreads) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(20261123);
  int64_t vectors = 0;
  int64_t inexact = 0;
  const int cases = NumCases("HLO_INDEXING_RANDOM_ACCESSES", 400);
  for (int i = 0; i < cases; ++i) {
    RandomAccess generator(random);
    const MemoryAccess access = generator.Make(&context, /*with_runtime=*/false);
    const auto found = CoalescingOf(access);
    ASSERT_TRUE(found.has_value());
    SCOPED_TRACE(absl::StrCat("case ", i, ", ", access.threads[0], "x", access.threads[1], "x",
                              access.threads[2], " threads, ", access.element_bits,
                              " bits: ", access.position.ToString(), "\n", found->ToString()));
    const auto requests =
        EnumerateRequests(access, found->vector_elements, LoopsThatMatter(access.position), {});
    ASSERT_TRUE(requests.has_value()) << "not vectors of " << found->vector_elements;
    const Counts expected = CountRequests(*requests, access.element_bits, found->vector_elements);
    Counts counts = Exactly(*found);
    inexact += counts.distinct_sectors < 0;
    if (counts.distinct_sectors < 0) counts.distinct_sectors = expected.distinct_sectors;
    ASSERT_EQ(counts, expected);
    vectors += found->vector_elements > 1;
  }
  EXPECT_GT(vectors, cases / 20);
  EXPECT_LT(inexact, cases / 10);
}

// One value for the whole kernel, as the start of a dynamic-slice.
TEST(Coalescing, BestAndWorstCaseOfARuntimeValue) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(77);
  const int cases = NumCases("HLO_INDEXING_RANDOM_ACCESSES", 80);
  for (int i = 0; i < cases; ++i) {
    RandomAccess generator(random);
    MemoryAccess access = generator.Make(&context, /*with_runtime=*/true);
    access.vector_elements = 1;
    // Its one index: a constant.
    const IndexingMap& map = access.position;
    std::vector<indexing_analysis::RuntimeVariable> runtime(map.runtime().begin(),
                                                            map.runtime().end());
    const auto constant = mlir::AffineMap::get(6, static_cast<unsigned>(map.num_ranges()),
                                               mlir::getAffineConstantExpr(0, &context));
    runtime[0].index = IndexingMap(constant, map.dimensions().vec(), map.ranges().vec(), {}, {});
    access.position = IndexingMap(map.affine_map(), map.dimensions().vec(), map.ranges().vec(),
                                  runtime, map.constraints());
    const auto found = CoalescingOf(access);
    ASSERT_TRUE(found.has_value());
    SCOPED_TRACE(absl::StrCat("case ", i, ": ", access.position.ToString(), "\n", found->ToString(),
                              "\n", found->reason));
    std::optional<Counts> best;
    std::optional<Counts> worst;
    const bool is_in_constraint =
        llvm::any_of(access.position.constraints(), [&](const auto& constraint) {
          return constraint.expression.isFunctionOfSymbol(static_cast<unsigned>(map.num_ranges()));
        });
    for (int64_t value = runtime[0].bounds.lower; value <= runtime[0].bounds.upper; ++value) {
      const auto requests = EnumerateRequests(access, 1, LoopsThatMatter(access.position), {value});
      ASSERT_TRUE(requests.has_value());
      const Counts counts = CountRequests(*requests, access.element_bits, 1);
      // Given, the value makes the counts exact.
      if (value % 4 == 0) {
        MemoryAccess given = access;
        given.known_arrays = {std::make_shared<const indexing_analysis::KnownArray>(
            indexing_analysis::KnownArray{{1}, {value}})};
        const auto known = CoalescingOf(given);
        ASSERT_TRUE(known.has_value() && known->IsExact() && known->reason.empty());
        ASSERT_EQ(Exactly(*known), counts) << "with " << value;
      }
      if (!best || counts.sectors < best->sectors) best = counts;
      if (!worst || counts.sectors > worst->sectors) worst = counts;
    }
    if (is_in_constraint) {
      EXPECT_LE(static_cast<int64_t>(found->sectors.lower), best->sectors);
      EXPECT_GE(static_cast<int64_t>(found->sectors.upper), worst->sectors);
      continue;
    }
    ASSERT_EQ(static_cast<int64_t>(found->sectors.lower), best->sectors);
    ASSERT_EQ(static_cast<int64_t>(found->sectors.upper), worst->sectors);
    ASSERT_EQ(static_cast<int64_t>(found->requests.lower), best->requests);
  }
}

MemoryAccess Access(mlir::MLIRContext* context, const std::string& expression,
                    const std::string& more, std::array<int64_t, 3> threads, int64_t blocks,
                    int64_t bits) {
  const auto map = ParseIndexingMap(
      absl::StrCat("(th_x, th_y, th_z, bl_x, bl_y, bl_z)[s0] -> (", expression,
                   "), domain: th_x in [0, ", threads[0] - 1, "], th_y in [0, ", threads[1] - 1,
                   "], th_z in [0, ", threads[2] - 1, "], bl_x in [0, ", blocks - 1,
                   "], bl_y in [0, 0], bl_z in [0, 0], s0 in [0, 3]", more),
      context);
  EXPECT_TRUE(map.ok()) << map.status();
  MemoryAccess access;
  access.position = *map;
  access.threads = threads;
  access.element_bits = bits;
  access.vector_elements = 4;
  return access;
}

TEST(Coalescing, OfTextbookAccesses) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  // Neighbouring vectors of 16 bytes.
  auto found =
      CoalescingOf(Access(&context, "bl_x * 512 + th_x * 4 + s0", "", {128, 1, 1}, 10, 32));
  EXPECT_EQ(found->ToString(),
            "requests: 40, sectors: 640, ideal: 640, distinct: 640, vector: 16 bytes, stride: 128 "
            "bits");
  // The same, one element from where it would be aligned: no vectors, and sectors twice.
  found = CoalescingOf(Access(&context, "bl_x * 512 + th_x * 4 + s0 + 1", "", {128, 1, 1}, 10, 32));
  EXPECT_EQ(found->ToString(),
            "requests: 160, sectors: 2600, ideal: 640, distinct: 641, vector: 4 bytes, stride: 128 "
            "bits");
  // Backwards: as good as forwards.
  found =
      CoalescingOf(Access(&context, "5119 - bl_x * 512 - th_x * 4 - s0", "", {128, 1, 1}, 10, 32));
  EXPECT_EQ(static_cast<int64_t>(found->requests.upper), 160);
  EXPECT_EQ(static_cast<int64_t>(found->distinct_sectors.upper), 640);
  // Columns of a matrix.
  found = CoalescingOf(Access(&context, "th_x * 1024 + bl_x", "", {128, 1, 1}, 1024, 32));
  EXPECT_EQ(found->ToString(),
            "requests: 4096, sectors: 131072, ideal: 16384, distinct: 16384, vector: 4 bytes, "
            "stride: 32768 bits");
  // One element for all.
  found = CoalescingOf(Access(&context, "7", "", {128, 1, 1}, 1024, 32));
  EXPECT_EQ(found->ToString(),
            "requests: 4096, sectors: 4096, ideal: 4096, distinct: 1, vector: 4 bytes, stride: 0 "
            "bits");
}

// A bound between the elements of a thread: vectors are as wide as all of them end with it.
TEST(Coalescing, OfVectorsUpToABound) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const std::string linear = "bl_x * 128 + th_x * 4 + s0";
  std::set<int64_t> widths;
  for (int64_t lower = 0; lower < 6; ++lower) {
    for (int64_t upper = 240; upper < 255; ++upper) {
      const MemoryAccess access =
          Access(&context, linear, absl::StrCat(", ", linear, " in [", lower, ", ", upper, "]"),
                 {32, 1, 1}, 3, 32);
      const auto found = CoalescingOf(access);
      ASSERT_TRUE(found.has_value());
      SCOPED_TRACE(absl::StrCat(access.position.ToString(), "\n", found->ToString()));
      int64_t elements = 4;
      while (lower % elements != 0 || (upper + 1) % elements != 0) elements /= 2;
      EXPECT_EQ(found->vector_elements, elements);
      widths.insert(elements);
      const auto requests =
          EnumerateRequests(access, found->vector_elements, LoopsThatMatter(access.position), {});
      ASSERT_TRUE(requests.has_value());
      EXPECT_EQ(Exactly(*found), CountRequests(*requests, 32, found->vector_elements));
    }
  }
  EXPECT_EQ(widths, (std::set<int64_t>{1, 2, 4}));
}

TEST(Coalescing, OfTwoToThe31Blocks) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const int64_t blocks = (int64_t{1} << 31) - 1;
  auto found =
      CoalescingOf(Access(&context, "bl_x * 512 + th_x * 4 + s0", "", {128, 1, 1}, blocks, 32));
  EXPECT_TRUE(found->IsExact());
  EXPECT_EQ(static_cast<int64_t>(found->sectors.upper), blocks * 64);
  // A ragged end, and an index that is cut where no block begins.
  found = CoalescingOf(Access(
      &context, "((bl_x * 128 + th_x) mod 1000) * 2147484 + (bl_x * 128 + th_x) floordiv 1000",
      ", bl_x * 128 + th_x in [0, 274877906000]", {128, 1, 1}, blocks, 16));
  EXPECT_TRUE(found->IsTrafficExact()) << found->reason;
  EXPECT_EQ(static_cast<int64_t>(found->requests.upper), 8589934563);
}

// Lanes with rows of their own: from all the same row to all different ones.
TEST(Coalescing, OfAGather) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(
      "(th_x, th_y, th_z, bl_x, bl_y, bl_z){rt0} -> (rt0 * 64 + th_x mod 8), domain: th_x in [0, "
      "31], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 9], bl_y in [0, 0], bl_z in [0, 0], rt0 in "
      "[0, 99]",
      &context);
  ASSERT_TRUE(map.ok());
  std::vector<indexing_analysis::RuntimeVariable> runtime(map->runtime().begin(),
                                                          map->runtime().end());
  const auto index = ParseIndexingMap(
      "(th_x, th_y, th_z, bl_x, bl_y, bl_z) -> (bl_x * 4 + th_x floordiv 8), domain: th_x in [0, "
      "31], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 9], bl_y in [0, 0], bl_z in [0, 0]",
      &context);
  ASSERT_TRUE(index.ok());
  runtime[0].index = *index;
  MemoryAccess access;
  access.position = IndexingMap(map->affine_map(), map->dimensions().vec(), {}, runtime, {});
  access.threads = {32, 1, 1};
  const auto found = CoalescingOf(access);
  // Eight lanes share a row, of which they read one sector.
  EXPECT_EQ(found->ToString().substr(0, 49), "requests: 10, sectors: 10 to 40, ideal: 10 to 40,");
  EXPECT_NE(found->reason, "");
  runtime[0].index = IndexingMap();
  access.position = IndexingMap(map->affine_map(), map->dimensions().vec(), {}, runtime, {});
  EXPECT_EQ(static_cast<int64_t>(CoalescingOf(access)->sectors.upper), 320);
}

// What an index itself is made of: of values that are the same for all lanes one request reads one
// sector, of those of each lane any, and of both nobody knows.
TEST(Coalescing, OfAnIndexThatIsMadeOfValues) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = [&](const std::string& signature, const std::string& bounds) {
    auto parsed = ParseIndexingMap("(th_x, th_y, th_z, bl_x, bl_y, bl_z)" + signature +
                                       ", domain: th_x in [0, 31], th_y in [0, 0], th_z in [0, 0], "
                                       "bl_x in [0, 0], bl_y in [0, 0], bl_z in [0, 0]" +
                                       bounds,
                                   &context);
    EXPECT_TRUE(parsed.ok());
    return *parsed;
  };
  const auto with_index = [](const IndexingMap& of, const std::vector<IndexingMap>& indices) {
    std::vector<indexing_analysis::RuntimeVariable> runtime(of.runtime().begin(),
                                                            of.runtime().end());
    for (size_t i = 0; i < indices.size(); ++i) runtime[i].index = indices[i];
    return IndexingMap(of.affine_map(), of.dimensions().vec(), {}, runtime, {});
  };
  const IndexingMap same = map(" -> (0)", "");
  const IndexingMap of_lane = map(" -> (th_x)", "");
  const IndexingMap sum = map("{rt0, rt1} -> (rt0 + rt1)", ", rt0 in [0, 9], rt1 in [0, 9]");
  const IndexingMap with_lane = map("{rt0} -> (rt0 + th_x)", ", rt0 in [0, 9]");
  const IndexingMap position = map("{rt0} -> (rt0 * 64)", ", rt0 in [0, 99]");
  const auto sectors = [&](const IndexingMap& index) {
    MemoryAccess access;
    access.position = with_index(position, {index});
    access.threads = {32, 1, 1};
    const auto found = CoalescingOf(access);
    return absl::StrCat(static_cast<int64_t>(found->sectors.lower), " to ",
                        static_cast<int64_t>(found->sectors.upper));
  };
  EXPECT_EQ(sectors(with_index(sum, {same, same})), "1 to 1");
  EXPECT_EQ(sectors(with_index(sum, {same, of_lane})), "1 to 32");
  EXPECT_EQ(sectors(with_index(sum, {with_index(sum, {same, same}), same})), "1 to 1");
  EXPECT_EQ(sectors(with_index(with_lane, {same})), "1 to 32");
}

// Halves of a warp with values of their own: the best case is not that of equal values, but where
// one half is shifted onto the other.
TEST(Coalescing, OfLanesWhoseValuesBringThemTogether) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const std::string domain =
      ", domain: th_x in [0, 31], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 0], bl_y in [0, 0], "
      "bl_z in [0, 0]";
  const std::string variables = "(th_x, th_y, th_z, bl_x, bl_y, bl_z)";
  const auto map =
      ParseIndexingMap(variables + "{rt0} -> (rt0 + th_x)" + domain + ", rt0 in [0, 40]", &context);
  const auto index = ParseIndexingMap(variables + " -> (th_x floordiv 16)" + domain, &context);
  ASSERT_TRUE(map.ok() && index.ok());
  std::vector<indexing_analysis::RuntimeVariable> runtime(map->runtime().begin(),
                                                          map->runtime().end());
  runtime[0].index = *index;
  MemoryAccess access;
  access.position = IndexingMap(map->affine_map(), map->dimensions().vec(), {}, runtime, {});
  access.threads = {32, 1, 1};
  int64_t best = 32;
  int64_t worst = 0;
  for (int64_t first = 0; first <= 40; ++first) {
    for (int64_t second = 0; second <= 40; ++second) {
      std::set<int64_t> sectors;
      for (int64_t lane = 0; lane < 32; ++lane) {
        sectors.insert((lane + (lane < 16 ? first : second)) / 8);
      }
      best = std::min(best, static_cast<int64_t>(sectors.size()));
      worst = std::max(worst, static_cast<int64_t>(sectors.size()));
    }
  }
  const auto found = CoalescingOf(access);
  EXPECT_EQ(static_cast<int64_t>(found->sectors.lower), best);
  EXPECT_EQ(static_cast<int64_t>(found->sectors.upper), worst);
  EXPECT_EQ(static_cast<int64_t>(found->ideal_sectors.lower), 2);
  EXPECT_EQ(static_cast<int64_t>(found->ideal_sectors.upper), 4);
}

TEST(Coalescing, AnswersARangeBeyondItsLimit) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  MemoryAccess access =
      Access(&context, "((bl_x * 128 + th_x) mod 1001) * 77 + (bl_x * 128 + th_x) floordiv 1001",
             "", {128, 1, 1}, 100000, 32);
  const auto exact = CoalescingOf(access);
  CoalescingOptions options;
  options.max_lane_accesses = 100;
  const auto range = CoalescingOf(access, options);
  EXPECT_TRUE(exact->IsTrafficExact());
  EXPECT_FALSE(range->IsTrafficExact());
  EXPECT_NE(range->reason, "");
  EXPECT_LE(range->sectors.lower, exact->sectors.lower);
  EXPECT_GE(range->sectors.upper, exact->sectors.upper);
  // A lane's element lies in one sector.
  EXPECT_LE(range->sectors.upper, range->requests.upper * 32);
}

TEST(Coalescing, OfSquaresIsAtMostWhatLanesCanTouch) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto found = CoalescingOf(Access(&context, "th_x * th_x", "", {64, 1, 1}, 10, 32));
  EXPECT_FALSE(found->IsExact());
  EXPECT_EQ(static_cast<int64_t>(found->requests.upper), 20);
  EXPECT_EQ(static_cast<int64_t>(found->sectors.upper), 640);
  EXPECT_EQ(static_cast<int64_t>(found->ideal_sectors.upper), 80);
}

// An embedding: whole warps read rows, so that sectors are exact; the rows may be the same.
TEST(Coalescing, DistinctSectorsDependOnValues) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  MemoryAccess access = Access(&context, "th_x", "", {128, 1, 1}, 64, 32);
  const IndexingMap map = access.position;
  indexing_analysis::RuntimeVariable row;
  row.bounds = {0, 999};
  row.index = map.WithResults(mlir::AffineMap::get(6, 0, mlir::getAffineDimExpr(3, &context)));
  const mlir::AffineExpr position =
      mlir::getAffineSymbolExpr(0, &context) * 128 + mlir::getAffineDimExpr(0, &context);
  access.position =
      IndexingMap(mlir::AffineMap::get(6, 1, position), map.dimensions(),
                  std::vector<indexing_analysis::Variable>(), {row}, map.constraints());
  const auto found = CoalescingOf(access);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->IsTrafficExact());
  EXPECT_FALSE(found->IsExact());
  EXPECT_NE(found->reason, "");
  EXPECT_EQ(found->sectors.upper, 1024);
  EXPECT_EQ(found->distinct_sectors.upper, 1024);
  EXPECT_EQ(found->distinct_sectors.lower, 16);
}

}  // namespace
}  // namespace hlo_indexing::testing
