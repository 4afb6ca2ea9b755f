// Kernels of transposes through shared memory.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

std::string Entry(const std::string& body) {
  return absl::StrCat("HloModule m\nENTRY main {\n", body, "\n}\n");
}

std::string RunOnce(PtxBackend& backend, const std::string& text) {
  return KernelCheck(text, backend).Run(1);
}

TEST(TransposeKernels, AllTypesAndSizes) {
  PtxBackend backend;
  for (const std::string type : {"pred", "s8", "bf16", "f32", "f64", "c128"}) {
    for (const std::string sizes : {"64,64", "33,70", "128,40", "1000,6"}) {
      const size_t comma = sizes.find(',');
      const std::string turned = sizes.substr(comma + 1) + "," + sizes.substr(0, comma);
      EXPECT_EQ(RunOnce(backend, Entry(absl::StrCat("p = ", type, "[", sizes,
                                                    "] parameter(0)\nROOT r = ", type, "[", turned,
                                                    "] transpose(p), dimensions={1,0}"))),
                "")
          << type << sizes;
    }
  }
  for (const std::string order : {"0,2,1", "2,1,0", "1,0,2", "2,0,1", "1,2,0"}) {
    const int64_t sizes[] = {34, 40, 36};
    std::vector<int64_t> turned;
    for (const char digit : order) {
      if (digit != ',') turned.push_back(sizes[digit - '0']);
    }
    EXPECT_EQ(RunOnce(backend, Entry(absl::StrCat("p = f16[34,40,36] parameter(0)\nROOT r = f16[",
                                                  turned[0], ",", turned[1], ",", turned[2],
                                                  "] transpose(p), dimensions={", order, "}"))),
              "")
        << order;
  }
}

// Words of several elements, and of less than a byte, in all orders; several roots that read the
// same tile.
TEST(TransposeKernels, PackedWordsAndRoots) {
  PtxBackend backend;
  const std::vector<std::pair<std::string, std::string>> types = {
      {"s4", "E(4)"}, {"u2", "E(2)"}, {"pred", "E(1)"}, {"s8", ""}, {"bf16", ""}};
  for (const auto& [type, packing] : types) {
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{64, 16, 4}, {40, 72, 2}, {36, 64, 32}}) {
      for (const std::string order : {"1,0,2", "0,2,1", "2,1,0", "1,2,0"}) {
        const auto shape_of = [&](int64_t a, int64_t b, int64_t c) {
          return absl::StrCat(type, "[", a, ",", b, ",", c, "]{2,1,0",
                              packing.empty() ? "" : ":" + packing, "}");
        };
        const std::string input = shape_of(sizes[0], sizes[1], sizes[2]);
        const auto size = [&](size_t i) { return sizes[static_cast<size_t>(order[2 * i] - '0')]; };
        const std::string output = shape_of(size(0), size(1), size(2));
        const std::string text =
            Entry(absl::StrCat("p = ", input, " parameter(0)\nROOT r = ", output,
                               " transpose(p), dimensions={", order, "}"));
        EXPECT_EQ(KernelCheck(text, backend, /*multiprocessors=*/1).Run(2), "") << text;
      }
    }
  }
  const std::string text = R"(HloModule m
    f { p = f64[24,2,24] parameter(0) t = f64[24,2,24] transpose(p), dimensions={2,1,0}
      b = f64[6,4,2,24] bitcast(t) n = f64[6,4,2,24] negate(b)
      ROOT r = (f64[6,4,2,24], f64[24,2,24]) tuple(n, t) }
    ENTRY e { p = f64[24,2,24] parameter(0)
      ROOT r = (f64[6,4,2,24], f64[24,2,24]) fusion(p), kind=kInput, calls=f })";
  KernelCheck check(text, backend);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.sectors, traffic.planned_sectors);
  EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts);
}

// Without further multiprocessors that want blocks, small arrays, too, have tiles of wide words.
TEST(TransposeKernels, WideWords) {
  PtxBackend backend;
  for (const std::string type : {"bf16", "f32", "s64", "c64", "f64", "c128"}) {
    for (const std::string sizes : {"64,64", "68,132", "128,20", "1000,8", "66,70", "3,64,64"}) {
      const bool is_batch = sizes == "3,64,64";
      const size_t comma = sizes.find(',');
      const std::string turned = sizes.substr(comma + 1) + "," + sizes.substr(0, comma);
      KernelCheck check(
          Entry(absl::StrCat("p = ", type, "[", sizes, "] parameter(0)\nROOT r = ", type, "[",
                             is_batch ? sizes : turned, "] transpose(p), dimensions={",
                             is_batch ? "0,2,1" : "1,0", "}")),
          backend, /*multiprocessors=*/1);
      EXPECT_EQ(check.Run(1), "") << type << sizes;
      const Traffic traffic = check.Measure();
      EXPECT_EQ(traffic.error, "") << type << sizes;
      EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << type << sizes;
      EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts) << type << sizes;
      const bool is_full = sizes == "64,64" || is_batch;
      if (is_full) {
        EXPECT_EQ(traffic.wavefronts, traffic.ideal_wavefronts) << type << sizes;
      }
    }
  }
}

// What is made of the elements on both sides, and stored beside them.
TEST(TransposeKernels, WideWordsInFusions) {
  PtxBackend backend;
  KernelCheck check(R"(HloModule m
    f { p = f32[100,72] parameter(0) q = bf16[72,100] parameter(1)
      n = f32[100,72] negate(p) t = f32[72,100] transpose(n), dimensions={1,0}
      w = f32[72,100] convert(q) a = f32[72,100] add(t, w)
      ROOT r = (f32[72,100], f32[100,72]) tuple(a, n) }
    ENTRY e { p = f32[100,72] parameter(0) q = bf16[72,100] parameter(1)
      ROOT r = (f32[72,100], f32[100,72]) fusion(p, q), kind=kInput, calls=f })",
                    backend, /*multiprocessors=*/1);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  EXPECT_EQ(traffic.sectors, traffic.planned_sectors);
  EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts);
}

// Threads beyond the end of the array read no index: which element of a gather is read is known
// only where the element itself is one.
TEST(TransposeKernels, GathersBesideCutTiles) {
  PtxBackend backend;
  for (const int rows : {33, 65, 68, 97, 100}) {
    const std::string of_rows = absl::StrCat("s32[", rows, ",64]");
    const std::string turned = absl::StrCat("s32[64,", rows, "]");
    const std::string parameters =
        absl::StrCat("p = ", turned, " parameter(0)\nq = s32[7,64] parameter(1)\ni = s32[", rows,
                     ",1] parameter(2)\nj = s64[", rows,
                     ",64,1] parameter(3)\nk = s32[9] "
                     "parameter(4)\n");
    for (const std::string& gather :
         {absl::StrCat("gather(q, i), offset_dims={1}, collapsed_slice_dims={0}, "
                       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}"),
          absl::StrCat("gather(k, j), offset_dims={}, collapsed_slice_dims={0}, "
                       "start_index_map={0}, index_vector_dim=2, slice_sizes={1}")}) {
      for (const int multiprocessors : {1, 132}) {
        KernelCheck check(
            absl::StrCat("HloModule m\nf {\n", parameters, "t = ", of_rows,
                         " transpose(p), dimensions={1,0}\ng = ", of_rows, " ", gather,
                         "\nROOT r = ", of_rows, " add(t, g)\n}\nENTRY e {\n", parameters,
                         "ROOT r = ", of_rows, " fusion(p, q, i, j, k), kind=kInput, calls=f\n}\n"),
            backend, multiprocessors);
        EXPECT_EQ(check.Run(1), "") << rows << gather;
      }
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
