#include "codegen/ptx/instructions/target.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

/// Instructions of an opcode that have all of the modifiers are of targets from `least` on.
struct TargetRow {
  std::string_view opcode;
  int least;
  std::array<std::string_view, 2> modifiers = {};
};

/// From the sections "Target ISA Notes" of each instruction (PTX ISA 9.7); for each row ptxas 13.0
/// says the same.
constexpr TargetRow kRows[] = {
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
    {"mbarrier", 90, {"cluster"}},
    {"mbarrier", 90, {"shared::cluster"}},
    {"fence", 90, {"mbarrier_init"}},
    {"fence", 90, {"proxy", "async"}},
    {"fence", 90, {"proxy", "async::generic"}},
};

/// Instructions that only targets with the features of one architecture or family have
/// (`sm_100a`, `sm_100f`), of all architectures up to `most`.
struct ArchitectureRow {
  std::string_view opcode;
  std::string_view modifier;
  int most;
};
constexpr int kAllArchitectures = 999;
constexpr ArchitectureRow kArchitectureRows[] = {
    {"ldmatrix", "m16n16", kAllArchitectures},
    {"ldmatrix", "m8n16", kAllArchitectures},
    {"stmatrix", "m16n8", kAllArchitectures},
    {"redux", "f32", 103},
};

bool Has(const InstructionDecoder& d, std::string_view name) {
  return std::ranges::find(d.instruction().modifiers, name, &syntax::Modifier::name) !=
         d.instruction().modifiers.end();
}

bool Applies(const InstructionDecoder& d, const TargetRow& row) {
  return row.opcode == d.opcode() &&
         std::ranges::all_of(row.modifiers, [&](std::string_view modifier) {
           return modifier.empty() || Has(d, modifier);
         });
}

/// `ldmatrix.m16n16`, as far as a row names it.
std::string NameOf(std::string_view opcode, std::array<std::string_view, 2> modifiers) {
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
    return d.Error(absl::StrCat("'", NameOf(row.opcode, row.modifiers), "' needs .target sm_",
                                row.least, " or higher, this is ", std::string(d.target_name())));
  }
  for (const ArchitectureRow& row : kArchitectureRows) {
    if (row.opcode != d.opcode() || !Has(d, row.modifier)) continue;
    const bool has_features = d.target_name().ends_with('a') || d.target_name().ends_with('f');
    if (d.target() >= 100 && d.target() <= row.most && has_features) continue;
    return d.Error(absl::StrCat("'", NameOf(row.opcode, {row.modifier}),
                                "' needs a target with the features of its architecture, as "
                                "sm_100a, this is ",
                                std::string(d.target_name())));
  }
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx
