#include "codegen/ptx/instructions/target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

/// Instructions of an opcode (empty: of any) that have all of the modifiers are of targets from
/// `least` on.
struct TargetRow {
  std::string_view opcode;
  int least;
  std::array<std::string_view, 3> modifiers = {};
  /// Only instructions with so many operands; 0: with any number.
  int num_operands = 0;
};

/// From the sections "Target ISA Notes" of each instruction (PTX ISA 9.7); for each row ptxas 13.0
/// says the same.
constexpr TargetRow kRows[] = {
    // Types and what goes with memory.
    {"", 80, {"bf16"}},
    {"", 80, {"bf16x2"}},
    {"", 80, {"tf32"}},
    {"", 89, {"e4m3x2"}},
    {"", 89, {"e5m2x2"}},
    {"", 75, {"L2::64B"}},
    {"", 75, {"L2::128B"}},
    {"", 80, {"L2::256B"}},
    {"", 80, {"L2::cache_hint"}},
    {"", 90, {"cluster"}},
    {"", 90, {"shared::cluster"}},
    {"", 90, {"sync_restrict::shared::cta"}},
    {"", 90, {"sync_restrict::shared::cluster"}},
    {"atom", 90, {"b128"}},
    {"atom", 90, {"bf16"}},
    {"atom", 90, {"bf16x2"}},
    {"atom", 90, {"v2"}},
    {"atom", 90, {"v4"}},
    {"atom", 90, {"v8"}},
    {"red", 90, {"bf16"}},
    {"red", 90, {"bf16x2"}},
    {"red", 90, {"v2"}},
    {"red", 90, {"v4"}},
    {"red", 90, {"v8"}},
    {"applypriority", 80},
    {"createpolicy", 80},
    {"discard", 80},
    {"prefetch", 80, {"L2::evict_last"}},
    {"prefetch", 80, {"L2::evict_normal"}},
    {"getctarank", 90},
    {"griddepcontrol", 90},
    {"mapa", 90},
    // Arithmetic.
    {"tanh", 75},
    {"tanh", 90, {"bf16"}},
    {"tanh", 90, {"bf16x2"}},
    {"ex2", 75, {"f16"}},
    {"ex2", 75, {"f16x2"}},
    {"ex2", 90, {"bf16"}},
    {"ex2", 90, {"bf16x2"}},
    {"fma", 80, {"relu"}},
    {"fma", 90, {"oob"}},
    {"add", 90, {"bf16"}},
    {"add", 90, {"bf16x2"}},
    {"sub", 90, {"bf16"}},
    {"sub", 90, {"bf16x2"}},
    {"mul", 90, {"bf16"}},
    {"mul", 90, {"bf16x2"}},
    {"add", 90, {"s16x2"}},
    {"add", 90, {"u16x2"}},
    {"add", 100, {"f32x2"}},
    {"sub", 100, {"f32x2"}},
    {"mul", 100, {"f32x2"}},
    {"fma", 100, {"f32x2"}},
    {"add", 100, {"f32", "f16"}},
    {"add", 100, {"f32", "bf16"}},
    {"sub", 100, {"f32", "f16"}},
    {"sub", 100, {"f32", "bf16"}},
    {"fma", 100, {"f32", "f16"}},
    {"fma", 100, {"f32", "bf16"}},
    {"min", 80, {"f16"}},
    {"min", 80, {"f16x2"}},
    {"min", 80, {"NaN"}},
    {"min", 86, {"xorsign"}},
    {"min", 90, {"s16x2"}},
    {"min", 90, {"u16x2"}},
    {"min", 90, {"relu", "s32"}},
    {"min", 100, {"f32"}, 4},
    {"max", 80, {"f16"}},
    {"max", 80, {"f16x2"}},
    {"max", 80, {"NaN"}},
    {"max", 86, {"xorsign"}},
    {"max", 90, {"s16x2"}},
    {"max", 90, {"u16x2"}},
    {"max", 90, {"relu", "s32"}},
    {"max", 100, {"f32"}, 4},
    {"set", 90, {"bf16"}},
    {"set", 90, {"bf16x2"}},
    {"setp", 90, {"bf16"}},
    {"setp", 90, {"bf16x2"}},
    {"cvt", 72, {"pack"}},
    {"cvt", 75, {"pack", "s4"}},
    {"cvt", 75, {"pack", "u4"}},
    {"cvt", 80, {"relu"}},
    {"cvt", 80, {"f16x2", "f32"}},
    {"cvt", 90, {"rn", "tf32"}},
    {"cvt", 90, {"rz", "tf32"}},
    {"cvt", 100, {"rn", "satfinite", "tf32"}},
    {"cvt", 100, {"rz", "satfinite", "tf32"}},
    {"cvt", 90, {"bf16", "bf16"}},
    {"cvt", 90, {"bf16", "f16"}},
    {"cvt", 90, {"bf16", "f64"}},
    {"cvt", 90, {"bf16", "s8"}},
    {"cvt", 90, {"bf16", "u8"}},
    {"cvt", 90, {"bf16", "s16"}},
    {"cvt", 90, {"bf16", "u16"}},
    {"cvt", 90, {"bf16", "s32"}},
    {"cvt", 90, {"bf16", "u32"}},
    {"cvt", 90, {"bf16", "s64"}},
    {"cvt", 90, {"bf16", "u64"}},
    // Matrices: mma by the types of A and the shapes that each generation has added.
    {"mma", 75, {"m16n8k8"}},
    {"mma", 75, {"m8n8k16"}},
    {"mma", 75, {"m8n8k32"}},
    {"mma", 75, {"m8n8k128"}},
    {"mma", 80, {"and"}},
    {"mma", 80, {"bf16"}},
    {"mma", 80, {"f64"}},
    {"mma", 80, {"tf32"}},
    {"mma", 80, {"m16n8k16"}},
    {"mma", 80, {"m16n8k32"}},
    {"mma", 80, {"m16n8k64"}},
    {"mma", 80, {"m16n8k128"}},
    {"mma", 80, {"m16n8k256"}},
    {"mma", 89, {"e4m3"}},
    {"mma", 89, {"e5m2"}},
    {"mma", 90, {"m16n8k4", "f64"}},
    {"mma", 90, {"m16n8k8", "f64"}},
    {"mma", 90, {"m16n8k16", "f64"}},
    {"wmma", 72, {"s8"}},
    {"wmma", 72, {"u8"}},
    {"wmma", 72, {"s32"}},
    {"wmma", 75, {"m8n8k32"}},
    {"wmma", 75, {"m8n8k128"}},
    {"wmma", 80, {"and"}},
    {"wmma", 80, {"bf16"}},
    {"wmma", 80, {"f64"}},
    {"wmma", 80, {"m16n16k8"}},
    {"ldmatrix", 75},
    {"movmatrix", 75},
    {"stmatrix", 90},
    // Exchanges of a warp.
    {"redux", 80},
    {"elect", 90},
    // Asynchronous copies and mbarriers.
    {"cp", 80},
    {"cp", 90, {"bulk"}},
    {"mbarrier", 80},
    {"mbarrier", 90, {"expect_tx"}},
    {"mbarrier", 90, {"complete_tx"}},
    {"mbarrier", 90, {"try_wait"}},
    {"mbarrier", 90, {"relaxed"}},
    {"fence", 90, {"mbarrier_init"}},
    {"fence", 90, {"proxy", "async"}},
    {"fence", 90, {"proxy", "async::generic"}},
};

constexpr int kAllArchitectures = 999;

/// Instructions that only targets with the features of one architecture or family have
/// (`sm_100a`, `sm_100f`), of architectures from `least` to `most`. No modifier: in all forms.
struct ArchitectureRow {
  std::string_view opcode;
  std::string_view modifier;
  int least = 100;
  int most = kAllArchitectures;
};
constexpr ArchitectureRow kArchitectureRows[] = {
    {"ldmatrix", "m16n16"},     {"ldmatrix", "m8n16"},  {"stmatrix", "m16n8"},
    {"redux", "f32", 100, 103}, {"setmaxnreg", "", 90},
};

/// Special registers of clusters, `%cluster_ctarank` and the like.
bool IsOfClusters(const syntax::Operand& operand) {
  return operand.kind == syntax::OperandKind::kSpecialRegister &&
         operand.name.find("cluster") != std::string_view::npos;
}

int64_t Count(const InstructionDecoder& d, std::string_view name) {
  return std::ranges::count(d.instruction().modifiers, name, &syntax::Modifier::name);
}

bool Applies(const InstructionDecoder& d, const TargetRow& row) {
  if (row.num_operands != 0 && row.num_operands != d.num_operands()) return false;
  return (row.opcode.empty() || row.opcode == d.opcode()) &&
         std::ranges::all_of(row.modifiers, [&](std::string_view modifier) {
           return modifier.empty() ||
                  Count(d, modifier) >= std::ranges::count(row.modifiers, modifier);
         });
}

/// `ldmatrix.m16n16`, as far as a row names it.
std::string NameOf(std::string_view opcode, std::array<std::string_view, 3> modifiers) {
  std::string name(opcode);
  for (const std::string_view modifier : modifiers) {
    if (!modifier.empty()) name += "." + std::string(modifier);
  }
  return name;
}

}  // namespace

absl::Status CheckTarget(const InstructionDecoder& d) {
  for (const TargetRow& row : kRows) {
    if (row.least <= d.target() || !Applies(d, row)) continue;
    return d.Error(absl::StrCat("'", NameOf(d.opcode(), row.modifiers), "' needs .target sm_",
                                row.least, " or higher, this is ", std::string(d.target_name())));
  }
  if (d.target() < 90) {
    const auto& operands = d.instruction().operands;
    const auto found = std::ranges::find_if(operands, IsOfClusters);
    if (found != operands.end()) {
      return d.ErrorAt(found->place, "special registers of clusters need .target sm_90 or higher");
    }
  }
  for (const ArchitectureRow& row : kArchitectureRows) {
    if (row.opcode != d.opcode()) continue;
    if (!row.modifier.empty() && Count(d, row.modifier) == 0) continue;
    const bool has_features = d.target_name().ends_with('a') || d.target_name().ends_with('f');
    if (has_features && row.least <= d.target() && d.target() <= row.most) continue;
    return d.Error(absl::StrCat("'", NameOf(row.opcode, {row.modifier}),
                                "' needs a target with the features of its architecture, as sm_",
                                row.least, "a, this is ", std::string(d.target_name())));
  }
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx
