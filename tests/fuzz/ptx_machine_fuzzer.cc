// Kernels made of any bytes, or of instructions that bytes choose, on the virtual GPU with all
// checks: nothing aborts or hangs, and the same launch, with and without counts, comes to the same.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kBufferBytes = 512;

// Of an instruction: r, d, f, g, h and p stand for registers of 32 and 64 bits, f32, f64, 16 bits
// and predicates, i for a number, a for an address of global memory, s and l for offsets in shared
// and local memory, x for a label.
constexpr auto kInstructions = std::to_array<std::string_view>({
    "add.s32 $r, $r, $r",
    "sub.cc.u32 $r, $r, $i",
    "addc.u32 $r, $r, $r",
    "mad.lo.s32 $r, $r, $r, $r",
    "mul.wide.u32 $d, $r, $r",
    "div.s32 $r, $r, $r",
    "rem.u64 $d, $d, $d",
    "shl.b32 $r, $r, $i",
    "shf.l.wrap.b32 $r, $r, $r, $r",
    "bfe.s32 $r, $r, $r, $r",
    "bfi.b64 $d, $d, $d, $r, $r",
    "lop3.b32 $r, $r, $r, $r, 0x1b",
    "prmt.b32 $r, $r, $r, $r",
    "popc.b32 $r, $r",
    "min.s64 $d, $d, $d",
    "mov.u32 $r, $i",
    "mov.u32 $r, %tid.x",
    "mov.b64 $d, {$r, $r}",
    "mov.b64 {$r, $r}, $d",
    "cvt.u64.u32 $d, $r",
    "cvt.u32.u64 $r, $d",
    "cvt.rn.f32.s32 $f, $r",
    "cvt.rzi.u32.f32 $r, $f",
    "cvt.rn.f16.f32 $h, $f",
    "cvt.f32.f16 $f, $h",
    "cvt.sat.s8.s32 $r, $r",
    "cvt.rn.satfinite.e4m3x2.f32 $h, $f, $f",
    "cvt.rn.f32.f64 $f, $g",
    "add.rz.ftz.f32 $f, $f, $f",
    "fma.rn.f32 $f, $f, $f, $f",
    "div.rn.f32 $f, $f, $f",
    "sqrt.rp.f32 $f, $f",
    "ex2.approx.ftz.f32 $f, $f",
    "fma.rm.f64 $g, $g, $g, $g",
    "fma.rn.f16x2 $r, $r, $r, $r",
    "max.NaN.bf16 $h, $h, $h",
    "setp.lt.and.s32 $p|$p, $r, $r, $p",
    "setp.geu.f32 $p, $f, $f",
    "selp.b32 $r, $r, $r, $p",
    "set.eq.u32.f32 $r, $f, $f",
    "not.pred $p, $p",
    "@$p bra $x",
    "bra $x",
    "@!$p bra.uni $x",
    "@$p exit",
    "ld.global.u32 $r, [$a]",
    "ld.global.v2.f32 {$f, $f}, [$a+8]",
    "st.global.f32 [$a], $f",
    "st.global.v4.u32 [$a], {$r, $r, $r, $r}",
    "ld.u8 $r, [$d]",
    "ld.shared.f32 $f, [$s]",
    "st.shared.u16 [$s], $h",
    "st.shared.v2.u64 [$s], {$d, $d}",
    "ld.local.u64 $d, [$l]",
    "st.local.f64 [$l], $g",
    "atom.global.add.u32 $r, [$a], $r",
    "atom.shared.cas.b32 $r, [$s], $r, $r",
    "red.release.gpu.global.max.s32 [$a], $r",
    "ld.acquire.gpu.global.u32 $r, [$a]",
    "fence.acq_rel.gpu",
    "membar.cta",
    "bar.sync 0",
    "bar.sync $i, 32",
    "bar.arrive 1, 64",
    "bar.red.popc.u32 $r, 0, $p",
    "bar.warp.sync $i",
    "shfl.sync.bfly.b32 $r|$p, $r, $r, 31, -1",
    "vote.sync.ballot.b32 $r, $p, $i",
    "match.any.sync.b32 $r, $r, -1",
    "redux.sync.add.s32 $r, $r, -1",
    "activemask.b32 $r",
    "elect.sync $r|$p, -1",
    "cp.async.ca.shared.global [$s], [$a], 4",
    "cp.async.commit_group",
    "cp.async.wait_group 0",
    "mbarrier.init.shared.b64 [$s], $i",
    "mbarrier.arrive.shared.b64 $d, [$s]",
    "mbarrier.test_wait.shared.b64 $p, [$s], $d",
    "mbarrier.inval.shared.b64 [$s]",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$r}, [$s]",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {$f, $f, $f, $f}, {$r, $r}, {$r}, "
    "{$f, $f, $f, $f}",
    "call f, ($r)",
    "mov.u32 $r, %clock",
    "nanosleep.u32 $i",
    "trap",
    "barrier.cluster.arrive",
    "barrier.cluster.wait",
    "mapa.shared::cluster.u32 $r, $r, 0",
    "barrier.arrive 2, 64",
    "barrier.sync 2, 64",
    "add.f16x2 $r, $r, $r",
    "fma.rn.f64 $g, $g, $g, $g",
});

// The bytes of the input, one after another; zeros at the end.
class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool IsEmpty() const { return bytes_.empty(); }
  uint8_t Next() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

 private:
  std::span<const uint8_t> bytes_;
};

std::string Operand(char kind, Bytes& bytes) {
  const int number = bytes.Next();
  switch (kind) {
    case 'a':
      return "%base" + std::string(number % 4 == 0 ? "" : "+" + std::to_string(number * 4));
    case 's':
      return number % 2 == 0 ? "shared+" + std::to_string(number) : "%offset";
    case 'l':
      return "local+" + std::to_string(number / 2);
    case 'x':
      return "L" + std::to_string(number % 4);
    case 'i':
      return std::to_string(number < 200 ? number : -number);
    default:
      return "%" + std::string(1, kind) + std::to_string(number % 4);
  }
}

std::string Instruction(Bytes& bytes) {
  std::string text;
  const std::string_view pattern = kInstructions[bytes.Next() % kInstructions.size()];
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$') {
      text += Operand(pattern[++i], bytes);
    } else {
      text += pattern[i];
    }
  }
  return text + ";\n";
}

std::string Kernel(Bytes& bytes) {
  std::string text = R"(
.version 8.6
.target sm_90
.address_size 64
.func f(.param .b32 n) {
  .reg .b32 %r;
  .reg .pred %p;
  ld.param.b32 %r, [n];
  setp.lt.u32 %p, %r, 3;
  @%p ret;
  sub.u32 %r, %r, 1;
  and.b32 %r, %r, 15;
  call f, (%r);
  ret;
}
.visible .entry k(.param .u64 a, .param .u64 b) {
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<4>, %offset;
  .reg .b64 %d<4>, %base;
  .reg .f32 %f<4>;
  .reg .f64 %g<4>;
  .shared .align 16 .b8 shared[256];
  .local .align 16 .b8 local[64];
  ld.param.u64 %base, [a];
  ld.param.u64 %d0, [b];
  mov.u32 %offset, %tid.x;
  shl.b32 %offset, %offset, 2;
  cvt.u64.u32 %d1, %offset;
  add.u64 %base, %base, %d1;
L0:
)";
  int num_labels = 1;
  for (int i = 0; i < 60 && !bytes.IsEmpty(); ++i) {
    if (i % 12 == 11 && num_labels < 4) text += "L" + std::to_string(num_labels++) + ":\n";
    text += Instruction(bytes);
  }
  while (num_labels < 4) text += "L" + std::to_string(num_labels++) + ":\n";
  return text + "  ret;\n}\n";
}

// All that a launch comes to, as text.
std::string Outcome(const Module& module, std::string_view kernel, bool profile,
                    uint64_t schedule) {
  Device device({.max_bytes = uint64_t{1} << 20});
  const std::vector<uint8_t> bytes(kBufferBytes, 1);
  std::vector<uint64_t> buffers;
  std::vector<Argument> arguments;
  for (const KernelSummary::Parameter& parameter :
       module.Summarize(*module.FindKernel(kernel)).parameters) {
    if (parameter.bytes > 4096) return "";
    Argument argument;
    argument.bytes.resize(parameter.bytes, std::byte{3});
    if (parameter.bytes == sizeof(uint64_t)) {
      const auto address = device.Allocate(kBufferBytes, "buffer");
      if (!address.ok()) return "";
      if (buffers.empty()) (void)device.Write(*address, bytes.data(), bytes.size());
      buffers.push_back(*address);
      argument = Argument::Of(*address);
    }
    arguments.push_back(std::move(argument));
  }
  LaunchOptions options;
  options.grid = {2, 1, 1};
  options.block = {40, 1, 1};
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  options.profile = profile;
  options.schedule = schedule;
  options.num_host_threads = 1;
  options.max_warp_instructions = 300;
  options.max_call_depth = 50;
  options.max_local_bytes_per_thread = 4096;
  const auto result = device.Launch(module, kernel, arguments, options);
  if (!result.ok()) return std::string(result.status().message());
  std::string text = std::string(result->status.message()) + "\n" +
                     std::to_string(result->warp_instructions) + "\n" + result->output;
  for (const Finding& finding : result->findings) text += finding.ToString() + "\n";
  for (const uint64_t buffer : buffers) {
    std::string contents(kBufferBytes, 0);
    if (device.Read(buffer, contents.data(), kBufferBytes).ok()) text += contents;
  }
  return text;
}

}  // namespace
}  // namespace hlo_indexing::ptx

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hlo_indexing::ptx::Module;
  hlo_indexing::ptx::Bytes bytes({data, size});
  // The first byte says what the others are; its other bits are the schedule.
  const uint8_t kind = bytes.Next();
  const std::string text = kind % 4 == 0 && size > 0
                               ? std::string(reinterpret_cast<const char*>(data) + 1, size - 1)
                               : hlo_indexing::ptx::Kernel(bytes);
  hlo_indexing::ptx::syntax::ParserLimits limits;
  limits.max_items = 100'000;
  const auto module = Module::Parse(text, "fuzz.ptx", limits);
  if (!module.ok()) {
    if (kind % 4 == 0) return 0;
    std::fprintf(stderr, "%s\n%s\n", std::string(module.status().message()).c_str(), text.c_str());
    std::abort();
  }
  size_t num_kernels = 0;
  for (const std::string_view kernel : module->kernels()) {
    if (++num_kernels > 3) break;
    const uint64_t schedule = kind / 4;
    const std::string first =
        hlo_indexing::ptx::Outcome(*module, kernel, /*profile=*/false, schedule);
    if (first == hlo_indexing::ptx::Outcome(*module, kernel, /*profile=*/true, schedule)) continue;
    std::fprintf(stderr, "two launches differ:\n%s\n", text.c_str());
    std::abort();
  }
  return 0;
}
