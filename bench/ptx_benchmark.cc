// Warp instructions a second of the virtual GPU: loops of one instruction, and kernels that read
// and write arrays, with and without checks and counts. One thread of the host.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"

namespace hlo_indexing::bench {
namespace {

constexpr uint32_t kThreads = 256;
constexpr int kUnrolled = 64;
constexpr uint64_t kElements = uint64_t{1} << 20;

// What of a launch is varied.
enum class With : uint8_t { kNothing, kProfile, kInitcheck, kRacecheck, kAllChecks, kEverything };

ptx::LaunchOptions OptionsOf(With with) {
  ptx::LaunchOptions options;
  options.block = {kThreads, 1, 1};
  options.num_host_threads = 1;
  options.profile = with == With::kProfile || with == With::kEverything;
  const bool all = with == With::kAllChecks || with == With::kEverything;
  options.checks.initcheck = all || with == With::kInitcheck;
  options.checks.racecheck = all || with == With::kRacecheck;
  return options;
}

// A kernel whose loop executes `body` 64 times.
std::string LoopOf(const std::string& body) {
  std::string unrolled;
  for (int i = 0; i < kUnrolled; ++i) absl::StrAppend(&unrolled, "  ", body, "\n");
  return absl::StrReplaceAll(R"(
.version 8.7
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p, .param .u64 q) {
  .reg .pred %p<4>;
  .reg .b16 %h<5>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .reg .f32 %f<5>;
  .reg .f64 %d<5>;
  .shared .align 16 .b8 shared[16384];
  ld.param.u64 %rd8, [p];
  ld.param.u64 %rd9, [q];
  mov.u32 %r7, %tid.x;
  mov.u32 %r9, %ctaid.x;
  mad.lo.u32 %r9, %r9, 256, %r7;
  mad.wide.u32 %rd10, %r9, 4, %rd8;
  mad.wide.u32 %rd11, %r9, 4, %rd9;
  mad.wide.u32 %rd7, %r9, 128, %rd8;
  mad.wide.u32 %rd6, %r9, 16, %rd8;
  shl.b32 %r6, %r7, 2;
  shl.b32 %r10, %r7, 7;
  and.b32 %r10, %r10, 16383;
  cvt.rn.f32.u32 %f1, %r7;
  mul.f32 %f2, %f1, 0f3F8147AE;
  cvt.rn.f16.f32 %h1, %f1;
  cvt.rn.f16.f32 %h2, %f2;
  mov.b32 %r1, {%h1, %h2};
  mov.b32 %r2, {%h2, %h1};
  cvt.f64.f32 %d1, %f1;
  cvt.f64.f32 %d2, %f2;
  cvt.u64.u32 %rd1, %r7;
  mov.b64 %rd2, {%r7, %r1};
  setp.lt.u32 %p1, %r7, 100;
  mov.u32 %r8, 0;
  and.b32 %r5, %r7, 3;
  mov.u64 %rd5, 10;
  st.shared.b32 [%r6], %r8;
  bar.sync 0;
again:
BODY
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p0, %r8, 16;
  @%p0 bra again;
  ret;
})",
                             {{"BODY", unrolled}});
}

// Launches the kernel on arrays of 2^20 floats; counts warp instructions.
void RunLoop(benchmark::State& state, const std::string& body, With with, uint32_t blocks) {
  auto module = ptx::Module::Parse(LoopOf(body), "loop.ptx");
  if (!module.ok()) return state.SkipWithError(std::string(module.status().message()).c_str());
  ptx::Device device;
  // A warp of a strided access touches 128 bytes for each of its lanes.
  const uint64_t bytes = kElements * 16 * sizeof(float);
  const uint64_t p = device.Allocate(bytes, "p").value();
  const uint64_t q = device.Allocate(bytes, "q").value();
  // As a host that has written all but one byte: what is written has to be tracked.
  device.Fill(p, 0, bytes - 4).IgnoreError();
  device.Fill(q, 0, bytes - 4).IgnoreError();
  ptx::LaunchOptions options = OptionsOf(with);
  options.grid = {blocks, 1, 1};
  uint64_t instructions = 0;
  for (auto _ : state) {
    auto result =
        device.Launch(*module, "kernel", {ptx::Argument::Of(p), ptx::Argument::Of(q)}, options);
    if (!result.ok()) return state.SkipWithError(std::string(result.status().message()).c_str());
    if (!result->findings.empty()) {
      return state.SkipWithError(result->findings.front().ToString().c_str());
    }
    instructions += result->warp_instructions;
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}

void PtxArithmetic(benchmark::State& state, const char* body) {
  RunLoop(state, body, With::kNothing, 8);
}
BENCHMARK_CAPTURE(PtxArithmetic, add.s32, "add.s32 %r3, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, mad.lo.s32, "mad.lo.s32 %r3, %r1, %r2, %r3;");
BENCHMARK_CAPTURE(PtxArithmetic, mul.wide.u32, "mul.wide.u32 %rd3, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, mul.hi.u32, "mul.hi.u32 %r3, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, add.s64, "add.s64 %rd3, %rd1, %rd2;");
BENCHMARK_CAPTURE(PtxArithmetic, shl.b32, "shl.b32 %r3, %r1, 3;");
BENCHMARK_CAPTURE(PtxArithmetic, lop3, "lop3.b32 %r3, %r1, %r2, %r7, 0x96;");
BENCHMARK_CAPTURE(PtxArithmetic, div.u32, "div.u32 %r3, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, prmt.b32, "prmt.b32 %r3, %r1, %r2, 0x5410;");
BENCHMARK_CAPTURE(PtxArithmetic, bfe.u32, "bfe.u32 %r3, %r1, 3, 7;");
BENCHMARK_CAPTURE(PtxArithmetic, bfe.s32, "bfe.s32 %r3, %r1, 3, 7;");
BENCHMARK_CAPTURE(PtxArithmetic, popc.b32, "popc.b32 %r3, %r1;");
BENCHMARK_CAPTURE(PtxArithmetic, dp4a.s32.s32, "dp4a.s32.s32 %r3, %r1, %r2, %r3;");
BENCHMARK_CAPTURE(PtxArithmetic, mov.b32, "mov.b32 %r3, %r1;");
BENCHMARK_CAPTURE(PtxArithmetic, mov.b32.pack, "mov.b32 %r3, {%h1, %h2};");
BENCHMARK_CAPTURE(PtxArithmetic, selp.b32, "selp.b32 %r3, %r1, %r2, %p1;");
BENCHMARK_CAPTURE(PtxArithmetic, setp.lt.s32, "setp.lt.s32 %p2, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, setp.lt.f32, "setp.lt.f32 %p2, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, add.f32, "add.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.f32, "fma.rn.f32 %f3, %f1, %f2, %f3;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.ftz.f32, "fma.rn.ftz.f32 %f3, %f1, %f2, %f3;");
BENCHMARK_CAPTURE(PtxArithmetic, max.f32, "max.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, max.NaN.f32, "max.NaN.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, div.rn.f32, "div.rn.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, div.full.f32, "div.full.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, sqrt.rn.f32, "sqrt.rn.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, rcp.approx.ftz.f32, "rcp.approx.ftz.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, ex2.approx.f32, "ex2.approx.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, ex2.approx.ftz.f32, "ex2.approx.ftz.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, lg2.approx.f32, "lg2.approx.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, rsqrt.approx.f32, "rsqrt.approx.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, tanh.approx.f32, "tanh.approx.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, add.f64, "add.f64 %d3, %d1, %d2;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.f64, "fma.rn.f64 %d3, %d1, %d2, %d3;");
BENCHMARK_CAPTURE(PtxArithmetic, div.rn.f64, "div.rn.f64 %d3, %d1, %d2;");
BENCHMARK_CAPTURE(PtxArithmetic, add.f16, "add.f16 %h3, %h1, %h2;");
BENCHMARK_CAPTURE(PtxArithmetic, mul.f16, "mul.f16 %h3, %h1, %h2;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.f16, "fma.rn.f16 %h3, %h1, %h2, %h3;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.f16x2, "fma.rn.f16x2 %r3, %r1, %r2, %r3;");
BENCHMARK_CAPTURE(PtxArithmetic, add.rn.f16x2, "add.rn.f16x2 %r3, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, max.f16x2, "max.f16x2 %r3, %r1, %r2;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.bf16x2, "fma.rn.bf16x2 %r3, %r1, %r2, %r3;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.bf16, "fma.rn.bf16 %h3, %h1, %h2, %h3;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rn.f16.f32, "cvt.rn.f16.f32 %h3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.f32.f16, "cvt.f32.f16 %f3, %h1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rn.f16x2.f32, "cvt.rn.f16x2.f32 %r3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rn.bf16.f32, "cvt.rn.bf16.f32 %h3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rn.bf16x2.f32, "cvt.rn.bf16x2.f32 %r3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rn.f32.s32, "cvt.rn.f32.s32 %f3, %r1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rzi.s32.f32, "cvt.rzi.s32.f32 %r3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.f64.f32, "cvt.f64.f32 %d3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rn.f32.f64, "cvt.rn.f32.f64 %f3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.e4m3x2, "cvt.rn.satfinite.e4m3x2.f32 %h3, %f1, %f2;");
// Rare ones.
BENCHMARK_CAPTURE(PtxArithmetic, add.rm.f64, "add.rm.f64 %d3, %d1, %d2;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rp.f64, "fma.rp.f64 %d3, %d1, %d2, %d3;");
BENCHMARK_CAPTURE(PtxArithmetic, div.rz.f64, "div.rz.f64 %d3, %d1, %d2;");
BENCHMARK_CAPTURE(PtxArithmetic, sqrt.rz.f64, "sqrt.rz.f64 %d3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, rcp.approx.ftz.f64, "rcp.approx.ftz.f64 %d3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, rsqrt.approx.f64, "rsqrt.approx.f64 %d3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rm.f32, "fma.rm.f32 %f3, %f1, %f2, %f3;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rm.ftz.f32, "fma.rm.ftz.f32 %f3, %f1, %f2, %f3;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.f32x2, "fma.rn.f32x2 %rd3, %rd1, %rd2, %rd3;");
BENCHMARK_CAPTURE(PtxArithmetic, fma.rn.ftz.f16x2, "fma.rn.ftz.f16x2 %r3, %r1, %r2, %r3;");
BENCHMARK_CAPTURE(PtxArithmetic, mul.ftz.f32, "mul.ftz.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, div.rn.ftz.f32, "div.rn.ftz.f32 %f3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, sin.approx.f32, "sin.approx.f32 %f3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, div.u64.small, "div.u64 %rd3, %rd1, %rd5;");
BENCHMARK_CAPTURE(PtxArithmetic, div.u64.large, "div.u64 %rd3, %rd2, %rd1;");
BENCHMARK_CAPTURE(PtxArithmetic, rem.s64.small, "rem.s64 %rd3, %rd1, %rd5;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rzi.s64.f32, "cvt.rzi.s64.f32 %rd3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rzi.u64.f64, "cvt.rzi.u64.f64 %rd3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rni.s32.f64, "cvt.rni.s32.f64 %r3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rm.f32.f64, "cvt.rm.f32.f64 %f3, %d1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rp.f32.u64, "cvt.rp.f32.u64 %f3, %rd1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rz.f16.f32, "cvt.rz.f16.f32 %h3, %f1;");
BENCHMARK_CAPTURE(PtxArithmetic, cvt.rz.bf16x2.f32, "cvt.rz.bf16x2.f32 %r3, %f1, %f2;");
BENCHMARK_CAPTURE(PtxArithmetic, prmt.f4e, "prmt.b32.f4e %r3, %r1, %r2, %r7;");
BENCHMARK_CAPTURE(PtxArithmetic, fns, "fns.b32 %r3, %r1, 3, 2;");
BENCHMARK_CAPTURE(PtxArithmetic, redux, "redux.sync.add.u32 %r3, %r1, -1;");
BENCHMARK_CAPTURE(PtxArithmetic, vote.ballot, "vote.sync.ballot.b32 %r3, %p1, -1;");
BENCHMARK_CAPTURE(PtxArithmetic, match.any, "match.any.sync.b32 %r3, %r7, -1;");
BENCHMARK_CAPTURE(PtxArithmetic, match.any.few, "match.any.sync.b32 %r3, %r5, -1;");
BENCHMARK_CAPTURE(PtxArithmetic, shfl, "shfl.sync.bfly.b32 %r3|%p2, %r1, 16, 31, -1;");
BENCHMARK_CAPTURE(PtxArithmetic, bar.sync, "bar.sync 0;");
BENCHMARK_CAPTURE(PtxArithmetic, guarded, "@%p1 add.s32 %r3, %r1, %r2;");

void PtxMemory(benchmark::State& state, const char* body, With with) {
  RunLoop(state, body, with, 64);
}

#define HLO_INDEXING_MEMORY_BENCHMARK(name, body)                        \
  BENCHMARK_CAPTURE(PtxMemory, name.plain, body, With::kNothing);        \
  BENCHMARK_CAPTURE(PtxMemory, name.profile, body, With::kProfile);      \
  BENCHMARK_CAPTURE(PtxMemory, name.initcheck, body, With::kInitcheck);  \
  BENCHMARK_CAPTURE(PtxMemory, name.racecheck, body, With::kRacecheck);  \
  BENCHMARK_CAPTURE(PtxMemory, name.all_checks, body, With::kAllChecks); \
  BENCHMARK_CAPTURE(PtxMemory, name.everything, body, With::kEverything)

HLO_INDEXING_MEMORY_BENCHMARK(ld.global, "ld.global.f32 %f3, [%rd10];");
HLO_INDEXING_MEMORY_BENCHMARK(ld.global.v4, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];");
HLO_INDEXING_MEMORY_BENCHMARK(ld.global.strided, "ld.global.f32 %f3, [%rd7];");
HLO_INDEXING_MEMORY_BENCHMARK(st.global, "st.global.f32 [%rd11], %f1;");
HLO_INDEXING_MEMORY_BENCHMARK(ld.shared, "ld.shared.b32 %r3, [%r6];");
HLO_INDEXING_MEMORY_BENCHMARK(st.shared, "st.shared.b32 [%r6], %r3; ld.shared.b32 %r3, [%r6];");
HLO_INDEXING_MEMORY_BENCHMARK(st.shared.conflict, "bar.sync 0; @%p1 st.shared.b32 [%r10], %r3;");

#undef HLO_INDEXING_MEMORY_BENCHMARK

// Kernels over 2^20 floats as compilers write them: one or four elements to a thread.
constexpr char kKernels[] = R"(
.version 8.7
.target sm_90
.address_size 64
.visible .entry saxpy(.param .u64 p, .param .u64 q) {
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, 1048576;
  @%p bra end;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  ld.global.f32 %f2, [%rd5];
  fma.rn.f32 %f3, %f1, 0f3F000000, %f2;
  st.global.f32 [%rd5], %f3;
end:
  ret;
}
.visible .entry reduce(.param .u64 p, .param .u64 q) {
  .reg .pred %p<3>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<12>;
  .shared .align 4 .b8 partial[128];
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, 256, %r3;
  mul.wide.u32 %rd3, %r4, 16;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];
  add.f32 %f1, %f1, %f2;
  add.f32 %f3, %f3, %f4;
  add.f32 %f1, %f1, %f3;
  mov.b32 %r5, %f1;
  shfl.sync.down.b32 %r6, %r5, 16, 31, -1;
  mov.b32 %f5, %r6;
  add.f32 %f1, %f1, %f5;
  mov.b32 %r5, %f1;
  shfl.sync.down.b32 %r6, %r5, 8, 31, -1;
  mov.b32 %f5, %r6;
  add.f32 %f1, %f1, %f5;
  mov.b32 %r5, %f1;
  shfl.sync.down.b32 %r6, %r5, 4, 31, -1;
  mov.b32 %f5, %r6;
  add.f32 %f1, %f1, %f5;
  mov.b32 %r5, %f1;
  shfl.sync.down.b32 %r6, %r5, 2, 31, -1;
  mov.b32 %f5, %r6;
  add.f32 %f1, %f1, %f5;
  mov.b32 %r5, %f1;
  shfl.sync.down.b32 %r6, %r5, 1, 31, -1;
  mov.b32 %f5, %r6;
  add.f32 %f1, %f1, %f5;
  and.b32 %r7, %r3, 31;
  setp.ne.u32 %p1, %r7, 0;
  shr.u32 %r8, %r3, 5;
  shl.b32 %r8, %r8, 2;
  mov.u32 %r9, partial;
  add.u32 %r9, %r9, %r8;
  @%p1 bra stored;
  st.shared.f32 [%r9], %f1;
stored:
  bar.sync 0;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra end;
  ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [partial];
  ld.shared.v4.f32 {%f5, %f6, %f7, %f8}, [partial+16];
  add.f32 %f1, %f1, %f2;
  add.f32 %f3, %f3, %f4;
  add.f32 %f1, %f1, %f3;
  add.f32 %f5, %f5, %f6;
  add.f32 %f7, %f7, %f8;
  add.f32 %f5, %f5, %f7;
  add.f32 %f1, %f1, %f5;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd5, %rd2, %rd3;
  st.global.f32 [%rd5], %f1;
end:
  ret;
})";

// Launches a kernel of the text above; `elements_of_thread`: so that it has 2^20 elements.
void RunKernel(benchmark::State& state, const char* kernel, uint32_t elements_of_thread,
               With with) {
  auto module = ptx::Module::Parse(kKernels, "kernels.ptx");
  if (!module.ok()) return state.SkipWithError(std::string(module.status().message()).c_str());
  ptx::Device device;
  const uint64_t bytes = kElements * sizeof(float);
  const std::vector<float> ones(kElements, 1.0F);
  const uint64_t p = device.Allocate(bytes, "p").value();
  const uint64_t q = device.Allocate(bytes, "q").value();
  device.Write(p, ones.data(), bytes).IgnoreError();
  device.Write(q, ones.data(), bytes).IgnoreError();
  ptx::LaunchOptions options = OptionsOf(with);
  options.grid = {static_cast<uint32_t>(kElements) / kThreads / elements_of_thread, 1, 1};
  uint64_t instructions = 0;
  for (auto _ : state) {
    auto result =
        device.Launch(*module, kernel, {ptx::Argument::Of(p), ptx::Argument::Of(q)}, options);
    if (!result.ok() || !result->findings.empty()) return state.SkipWithError("does not run");
    instructions += result->warp_instructions;
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}

void PtxSaxpy(benchmark::State& state, With with) { RunKernel(state, "saxpy", 1, with); }
BENCHMARK_CAPTURE(PtxSaxpy, plain, With::kNothing);
BENCHMARK_CAPTURE(PtxSaxpy, profile, With::kProfile);
BENCHMARK_CAPTURE(PtxSaxpy, all_checks, With::kAllChecks);
BENCHMARK_CAPTURE(PtxSaxpy, everything, With::kEverything);

void PtxReduce(benchmark::State& state, With with) { RunKernel(state, "reduce", 4, with); }
BENCHMARK_CAPTURE(PtxReduce, plain, With::kNothing);
BENCHMARK_CAPTURE(PtxReduce, profile, With::kProfile);
BENCHMARK_CAPTURE(PtxReduce, all_checks, With::kAllChecks);
BENCHMARK_CAPTURE(PtxReduce, everything, With::kEverything);

}  // namespace
}  // namespace hlo_indexing::bench
