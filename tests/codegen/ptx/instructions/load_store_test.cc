// ld and st through PTX text. The kernels use nothing else: a thread gets its number through a byte
// of local memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/module.h"

namespace hlo_indexing::ptx {
namespace {

using ::testing::HasSubstr;

std::string Kernel(const std::string& body, int target = 90) {
  return absl::StrCat(".version 8.8\n.target sm_", target, R"(
.address_size 64
.const .align 4 .b8 table[8] = {1, 2, 3, 4, 255, 0, 0, 128};
.visible .entry kernel(.param .u64 in, .param .u64 out, .param .align 4 .b8 s[8]) {
  .reg .pred %p<4>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  .reg .b128 %q<4>;
  .local .align 16 .b8 x[32];
  .shared .align 16 .b8 tile[8192];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
)",
                      body, "\n  ret;\n}\n");
}

class LoadStoreTest : public testing::Test {
 protected:
  // Runs the body on 256 bytes of input at a multiple of 2^16; what it leaves in 64 KiB of output.
  std::vector<uint8_t> Run(const std::string& body, uint32_t threads = 1, int target = 90) {
    Device device;
    const uint64_t in = device.memory().Allocate(256, "in", 1 << 16).value();
    const uint64_t out =
        device.memory().Allocate(1 << 16, "out", 1 << 16, Contents::kZeros).value();
    std::array<uint8_t, 256> bytes;
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 129);
    EXPECT_TRUE(device.Write(in, bytes.data(), bytes.size()).ok());
    absl::StatusOr<Module> module = Module::Parse(Kernel(body, target), "test.ptx");
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) return {};
    LaunchOptions options;
    options.block = {threads, 1, 1};
    options.checks.racecheck = true;
    const absl::StatusOr<LaunchResult> result = device.Launch(
        *module, "kernel",
        {Argument::Of(in), Argument::Of(out), Argument::Of(uint64_t{0x8070605040302010})}, options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_TRUE(result->status.ok()) << result->status;
    findings_ = result->findings;
    std::vector<uint8_t> left(1 << 16);
    EXPECT_TRUE(device.Read(out, left.data(), left.size()).ok());
    return left;
  }

  template <typename T>
  static T At(const std::vector<uint8_t>& bytes, size_t offset) {
    T value = {};
    if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  static std::string Refusal(const std::string& body, int target = 90) {
    Device device;
    const absl::StatusOr<Module> module = Module::Parse(Kernel(body, target), "test.ptx");
    if (!module.ok()) return std::string(module.status().message());
    const auto result = device.Launch(
        *module, "kernel",
        {Argument::Of(uint64_t{0}), Argument::Of(uint64_t{0}), Argument::Of(uint64_t{0})}, {});
    return result.ok() ? "" : std::string(result.status().message());
  }

  std::vector<Finding> findings_;
};

// The input's bytes: 129, 166, 203, 240, 21, 58, ...
constexpr uint8_t InputByte(size_t i) { return static_cast<uint8_t>(i * 37 + 129); }

uint64_t InputBits(size_t offset, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits |= uint64_t{InputByte(offset + i)} << (8 * i);
  return bits;
}

TEST_F(LoadStoreTest, EveryTypeExtendsToWiderRegisters) {
  for (const std::string type : {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32",
                                 "b64", "u64", "s64", "f64"}) {
    const size_t size = std::stoul(type.substr(1)) / 8;
    for (const size_t offset : {0, 8, 16, 24, 32, 40}) {
      const uint64_t bits = InputBits(offset, size);
      const bool is_negative = type[0] == 's' && (bits >> (8 * size - 1) & 1) != 0;
      const uint64_t extended = is_negative && size < 8 ? bits | ~uint64_t{0} << (8 * size) : bits;
      std::string body = absl::StrCat("ld.global.", type, " %rd3, [%rd1+", offset,
                                      "];\nst.global.u64 [%rd2], %rd3;\n");
      if (size <= 4) {
        absl::StrAppend(&body, "ld.global.", type, " %r3, [%rd1+", offset,
                        "];\nst.global.u32 [%rd2+8], %r3;\n");
      }
      if (size <= 2) {
        absl::StrAppend(&body, "ld.global.", type, " %h3, [%rd1+", offset,
                        "];\nst.global.u16 [%rd2+12], %h3;\n");
      }
      // A narrow store from the wide register, and nothing beside it.
      absl::StrAppend(&body, "st.global.", type, " [%rd2+24], %rd3;\n");
      const std::vector<uint8_t> out = Run(body);
      SCOPED_TRACE(absl::StrCat(type, " at ", offset));
      EXPECT_EQ(At<uint64_t>(out, 0), extended);
      if (size <= 4) {
        EXPECT_EQ(At<uint32_t>(out, 8), static_cast<uint32_t>(extended));
      }
      if (size <= 2) {
        EXPECT_EQ(At<uint16_t>(out, 12), static_cast<uint16_t>(extended));
      }
      EXPECT_EQ(At<uint64_t>(out, 24), bits);
      EXPECT_TRUE(findings_.empty());
    }
  }
}

TEST_F(LoadStoreTest, VectorsAndSinks) {
  const std::vector<uint8_t> out = Run(R"(
  ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%r1, _, %r3, %r4}, [%rd1+16];
  st.global.cs.v2.b32 [%rd2], {%r3, %r4};
  st.global.v4.u8 [%rd2+8], {%r1, 7, %r3, %r4};
  ld.global.v2.s8 {%h1, %h2}, [%rd1+2];
  st.global.v2.b16 [%rd2+12], {%h1, %h2};
  ld.global.v2.u64 {%rd3, %rd4}, [%rd1+32];
  st.global.wt.v2.f64 [%rd2+16], {%rd4, %rd3};
  ld.global.b128 %q1, [%rd1+48];
  st.global.b128 [%rd2+32], %q1;)");
  EXPECT_EQ(At<uint32_t>(out, 0), InputBits(24, 4));
  EXPECT_EQ(At<uint32_t>(out, 4), InputBits(28, 4));
  EXPECT_EQ(out[8], InputByte(16));
  EXPECT_EQ(out[9], 7);
  EXPECT_EQ(out[10], InputByte(24));
  EXPECT_EQ(At<int16_t>(out, 12), static_cast<int8_t>(InputByte(2)));
  EXPECT_EQ(At<int16_t>(out, 14), static_cast<int8_t>(InputByte(3)));
  EXPECT_EQ(At<uint64_t>(out, 16), InputBits(40, 8));
  EXPECT_EQ(At<uint64_t>(out, 24), InputBits(32, 8));
  EXPECT_EQ(At<uint64_t>(out, 32), InputBits(48, 8));
  EXPECT_EQ(At<uint64_t>(out, 40), InputBits(56, 8));
}

TEST_F(LoadStoreTest, EightElementsOnBlackwell) {
  const std::string body = R"(
  ld.global.L2::evict_last.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1+32];
  st.global.v8.f32 [%rd2], {%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1};
  ld.global.v4.u64 {%rd3, %rd4, _, %rd5}, [%rd1+64];
  st.global.v4.b64 [%rd2+32], {%rd5, %rd4, %rd3, %rd3};)";
  const std::vector<uint8_t> out = Run(body, 1, 100);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(At<uint32_t>(out, 4 * i), InputBits(60 - 4 * i, 4));
  EXPECT_EQ(At<uint64_t>(out, 32), InputBits(88, 8));
  EXPECT_EQ(At<uint64_t>(out, 40), InputBits(72, 8));
  EXPECT_THAT(Refusal(body, 90), HasSubstr("sm_100"));
}

TEST_F(LoadStoreTest, EachThreadItsOwnAddress) {
  // 256 times the thread's number: an offset in shared memory, and the low bytes of the pointer.
  const std::vector<uint8_t> out = Run(R"(
  st.local.u32 [x], 0;
  st.local.u8 [x+1], %tid.x;
  ld.local.u32 %r1, [x];
  st.volatile.shared.u32 [%r1+4], %tid.x;
  ld.relaxed.cta.shared.u32 %r2, [%r1+4];
  st.local.u64 [x+8], %rd2;
  st.local.u8 [x+9], %tid.x;
  ld.local.u64 %rd3, [x+8];
  st.global.u32 [%rd3+8], %r2;
  ld.const.s8 %r3, [table+4];
  ld.param.u16 %r4, [s+6];
  st.release.gpu.global.v2.u32 [%rd3+16], {%r3, %r4};)",
                                       32);
  EXPECT_TRUE(findings_.empty());
  for (size_t thread = 0; thread < 32; ++thread) {
    EXPECT_EQ(At<uint32_t>(out, 256 * thread + 8), thread);
    EXPECT_EQ(At<int32_t>(out, 256 * thread + 16), -1);
    EXPECT_EQ(At<uint32_t>(out, 256 * thread + 20), 0x8070U);
  }
}

TEST_F(LoadStoreTest, RefusedLanesGiveZeros) {
  // Threads 0 and 1 read inside of the input, from thread 1 on outside (256 bytes are one step).
  const std::vector<uint8_t> out = Run(R"(
  st.local.u64 [x], %rd1;
  st.local.u8 [x+1], %tid.x;
  ld.local.u64 %rd3, [x];
  ld.global.u32 %r1, [%rd3];
  st.local.u64 [x+8], %rd2;
  st.local.u8 [x+9], %tid.x;
  ld.local.u64 %rd4, [x+8];
  st.global.u32 [%rd4], 7;
  st.global.u32 [%rd4], %r1;)",
                                       4);
  EXPECT_EQ(At<uint32_t>(out, 0), InputBits(0, 4));
  for (size_t thread = 1; thread < 4; ++thread) EXPECT_EQ(At<uint32_t>(out, 256 * thread), 0U);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].lanes, 0xeU);
}

TEST_F(LoadStoreTest, StoresOfOnePlaceRaceUnlessEqual) {
  Run("st.shared.u32 [tile], 5;\n st.global.u32 [%rd2], 5;", 32);
  EXPECT_TRUE(findings_.empty());
  Run("st.shared.u32 [tile], %tid.x;", 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_THAT(findings_[0].ToString(), HasSubstr("byte 0 of tile"));
}

TEST_F(LoadStoreTest, InstructionsForTheCache) {
  const std::vector<uint8_t> out = Run(R"(
  prefetch.global.L2 [%rd1];
  prefetch.L1 [%rd1];
  prefetch.global.L2::evict_last [%rd1];
  prefetchu.L1 [%rd1];
  applypriority.global.L2::evict_normal [%rd1], 128;
  createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd3, 0.5;
  createpolicy.fractional.L2::evict_first.b64 %rd4;
  createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd5, [%rd1], 128, 256;
  createpolicy.cvt.L2.b64 %rd6, %rd3;
  ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd3;
  st.global.L1::evict_last.L2::cache_hint.u32 [%rd2], %r1, %rd4;
  st.global.u32 [%rd2+256], %r1;
  discard.global.L2 [%rd2+256], 128;)");
  EXPECT_EQ(At<uint32_t>(out, 0), InputBits(0, 4));
  EXPECT_EQ(out[256], 0xff);
  EXPECT_EQ(out[256 + 127], 0xff);
  EXPECT_EQ(out[256 + 128], 0);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(LoadStoreTest, RefusesByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ld.global.v3.u32 {%r1, %r2, %r3}, [%rd1];", "v3"},
      {"ld.global.v2.u32 %r1, [%rd1];", "2 elements"},
      {"ld.global.v4.u64 {%rd3, %rd4, %rd5, %rd6}, [%rd1];", "sm_100"},
      {"ld.global.v8.u16 {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1}, [%rd1];", "no access"},
      {"ld.global.f16 %h1, [%rd1];", "f16"},
      {"ld.global.u64 %r1, [%rd1];", "64"},
      {"ld.relaxed.global.u32 %r1, [%rd1];", "scope"},
      {"ld.release.gpu.global.u32 %r1, [%rd1];", "release"},
      {"st.acquire.gpu.global.u32 [%rd1], %r1;", "acquire"},
      {"ld.shared.nc.u32 %r1, [tile];", ".nc"},
      {"ld.global.wb.u32 %r1, [%rd1];", "wb"},
      {"st.global.ca.u32 [%rd1], %r1;", "ca"},
      {"st.const.u32 [table], %r1;", "constant"},
      {"st.param.u32 [s], %r1;", "parameter"},
      {"st.global.v2.u32 [%rd1], {%r1, _};", "_"},
      {"ld.global.L1::sometimes.u32 %r1, [%rd1];", "L1::sometimes"},
      {"ld.global.shared.u32 %r1, [%rd1];", "global"},
      {"ld.shared.u32 %r1, [table];", ".const"},
      {"ldu.shared.u32 %r1, [tile];", "global"},
      {"ld.global.b128 %rd3, [%rd1];", "128"},
      {"ldu.global.v4.u64 {%rd3, %rd4, %rd5, %rd6}, [%rd1];", "256 bits"},
      {"ld.relaxed.gpu.local.u32 %r1, [%rd1];", "generic addresses"},
      {"ld.volatile.const.u32 %r1, [table];", "generic addresses"},
      {"ld.relaxed.gpu.ca.u32 %r1, [%rd1];", "cache operator"},
      {"ld.shared.L1::no_allocate.u32 %r1, [tile];", "L1 and L2"},
      {"st.global.L2::evict_last.u32 [%rd1], %r1;", "256 bits"},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", ".async"},
      {"st.bulk.shared::cta [tile], 64, 0;", ".bulk"},
      {"prefetch.shared.L1 [tile];", "prefetch"},
      {"prefetch.tensormap [%rd1];", "tensor maps"},
      {"discard.global.L2 [%rd1], 64;", "128"},
      {"createpolicy.fractional.L2::evict_never.b64 %rd3;", "L2::evict_never"},
  };
  for (const auto& [body, word] : cases) EXPECT_THAT(Refusal(body), HasSubstr(word)) << body;
}

}  // namespace
}  // namespace hlo_indexing::ptx
