#include "codegen/ptx/syntax/special_registers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace hlo_indexing::ptx::syntax {
namespace {

// §10. Those of three dimensions are followed by `.x`, `.y` or `.z`.
constexpr std::array<std::string_view, 52> kNames = {
    "%aggr_smem_size",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%cluster_ctaid",
    "%cluster_ctarank",
    "%cluster_nctaid",
    "%cluster_nctarank",
    "%clusterid",
    "%ctaid",
    "%current_graph_exec",
    "%dynamic_smem_size",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%gridid",
    "%is_explicit_cluster",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%lanemask_le",
    "%lanemask_lt",
    "%nclusterid",
    "%nctaid",
    "%nsmid",
    "%ntid",
    "%nwarpid",
    "%pm0",
    "%pm0_64",
    "%pm1",
    "%pm1_64",
    "%pm2",
    "%pm2_64",
    "%pm3",
    "%pm3_64",
    "%pm4",
    "%pm4_64",
    "%pm5",
    "%pm5_64",
    "%pm6",
    "%pm6_64",
    "%pm7",
    "%pm7_64",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%smid",
    "%tid",
    "%warpid",
};
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

// %envreg0 to %envreg31.
bool IsEnvironment(std::string_view name) {
  constexpr std::string_view kPrefix = "%envreg";
  if (name.substr(0, kPrefix.size()) != kPrefix) return false;
  const std::string_view number = name.substr(kPrefix.size());
  if (number.empty() || number.size() > 2 || (number.size() == 2 && number[0] == '0')) return false;
  int value = 0;
  for (const char c : number) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return value < 32;
}

}  // namespace

bool IsSpecialRegister(std::string_view name) {
  return std::binary_search(kNames.begin(), kNames.end(), name) || IsEnvironment(name);
}

bool HasDimensions(std::string_view name) {
  for (const std::string_view with_dimensions :
       {"%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid",
        "%cluster_nctaid"}) {
    if (name == with_dimensions) return true;
  }
  return false;
}

std::vector<std::string_view> SpecialRegisterNames() { return {kNames.begin(), kNames.end()}; }

}  // namespace hlo_indexing::ptx::syntax
