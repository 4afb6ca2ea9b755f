#include "codegen/ptx/machine/special_registers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

// What the value of a lane is made of.
struct Context {
  const Execution& execution;
  const LaunchOptions& options;
  const Block& block;
  // Number of the thread in its block, and its coordinates.
  uint32_t thread = 0;
  uint32_t lane = 0;

  uint64_t Thread(size_t i) const {
    const Dimensions& size = options.block;
    if (i == 0) return thread % size[0];
    if (i == 1) return thread / size[0] % size[1];
    return thread / size[0] / size[1];
  }
  uint64_t BlockThreads() const {
    return uint64_t{options.block[0]} * options.block[1] * options.block[2];
  }
};

constexpr uint32_t kMultiprocessors = 132;

struct Row {
  std::string_view name;
  int width = 32;
  uint64_t (*value)(const Context&) = nullptr;
  bool is_clock = false;
};

template <size_t i>
uint64_t Tid(const Context& c) {
  return c.Thread(i);
}
template <size_t i>
uint64_t Ntid(const Context& c) {
  return c.options.block[i];
}
template <size_t i>
uint64_t Ctaid(const Context& c) {
  return c.block.index[i];
}
template <size_t i>
uint64_t Nctaid(const Context& c) {
  return c.options.grid[i];
}
uint64_t Zero(const Context&) { return 0; }
uint64_t One(const Context&) { return 1; }
uint64_t IsExplicitCluster(const Context& c) {
  const syntax::Function& kernel = *c.execution.launch->program->functions.front().source;
  return kernel.is_explicit_cluster || kernel.required_cluster[0] != 0 ? 1 : 0;
}
uint64_t Clock(const Context& c) { return c.execution.launch->warp_instructions; }

constexpr Row kRows[] = {
    {"%tid.x", 32, Tid<0>},
    {"%tid.y", 32, Tid<1>},
    {"%tid.z", 32, Tid<2>},
    {"%tid.w", 32, Zero},
    {"%ntid.x", 32, Ntid<0>},
    {"%ntid.y", 32, Ntid<1>},
    {"%ntid.z", 32, Ntid<2>},
    {"%ntid.w", 32, Zero},
    {"%ctaid.x", 32, Ctaid<0>},
    {"%ctaid.y", 32, Ctaid<1>},
    {"%ctaid.z", 32, Ctaid<2>},
    {"%ctaid.w", 32, Zero},
    {"%nctaid.x", 32, Nctaid<0>},
    {"%nctaid.y", 32, Nctaid<1>},
    {"%nctaid.z", 32, Nctaid<2>},
    {"%nctaid.w", 32, Zero},
    {"%laneid", 32, [](const Context& c) -> uint64_t { return c.lane; }},
    {"%warpid", 32, [](const Context& c) -> uint64_t { return c.thread / kWarpSize; }},
    {"%nwarpid", 32,
     [](const Context& c) -> uint64_t { return (c.BlockThreads() + kWarpSize - 1) / kWarpSize; }},
    {"%smid", 32,
     [](const Context& c) -> uint64_t { return c.block.linear_index % kMultiprocessors; }},
    {"%nsmid", 32, [](const Context&) -> uint64_t { return kMultiprocessors; }},
    {"%gridid", 64, One},
    {"%lanemask_eq", 32, [](const Context& c) -> uint64_t { return uint32_t{1} << c.lane; }},
    {"%lanemask_le", 32, [](const Context& c) -> uint64_t { return (uint64_t{2} << c.lane) - 1; }},
    {"%lanemask_lt", 32, [](const Context& c) -> uint64_t { return (uint64_t{1} << c.lane) - 1; }},
    {"%lanemask_ge", 32, [](const Context& c) -> uint64_t { return kAllLanes << c.lane; }},
    {"%lanemask_gt", 32,
     [](const Context& c) -> uint64_t { return kAllLanes & ~((uint64_t{2} << c.lane) - 1); }},
    // Each block is a cluster of its own.
    {"%is_explicit_cluster", 1, IsExplicitCluster},
    {"%clusterid.x", 32, Ctaid<0>},
    {"%clusterid.y", 32, Ctaid<1>},
    {"%clusterid.z", 32, Ctaid<2>},
    {"%nclusterid.x", 32, Nctaid<0>},
    {"%nclusterid.y", 32, Nctaid<1>},
    {"%nclusterid.z", 32, Nctaid<2>},
    {"%cluster_ctaid.x", 32, Zero},
    {"%cluster_ctaid.y", 32, Zero},
    {"%cluster_ctaid.z", 32, Zero},
    {"%cluster_nctaid.x", 32, One},
    {"%cluster_nctaid.y", 32, One},
    {"%cluster_nctaid.z", 32, One},
    {"%cluster_ctarank", 32, Zero},
    {"%cluster_nctarank", 32, One},
    {"%dynamic_smem_size", 32,
     [](const Context& c) -> uint64_t { return c.options.dynamic_shared_bytes; }},
    {"%total_smem_size", 32,
     [](const Context& c) -> uint64_t {
       return c.execution.launch->program->OwnSharedBytes(c.options.dynamic_shared_bytes);
     }},
    {"%aggr_smem_size", 32,
     [](const Context& c) -> uint64_t {
       return kReservedSharedBytes +
              c.execution.launch->program->OwnSharedBytes(c.options.dynamic_shared_bytes);
     }},
    {"%reserved_smem_offset_begin", 32, Zero},
    {"%reserved_smem_offset_0", 32, Zero},
    // CUDA's cooperative groups keep what tiles of several warps exchange there: 300 bytes.
    {"%reserved_smem_offset_1", 32, [](const Context&) { return kReservedSharedBytes / 2; }},
    {"%reserved_smem_offset_end", 32, [](const Context&) { return kReservedSharedBytes; }},
    {"%reserved_smem_offset_cap", 32, [](const Context&) { return kReservedSharedBytes; }},
    {"%current_graph_exec", 64, Zero},
    {"%clock", 32, Clock, true},
    {"%clock_hi", 32, [](const Context& c) -> uint64_t { return Clock(c) >> 32; }, true},
    {"%clock64", 64, Clock, true},
    {"%globaltimer", 64, Clock, true},
    {"%globaltimer_lo", 32, Clock, true},
    {"%globaltimer_hi", 32, [](const Context& c) -> uint64_t { return Clock(c) >> 32; }, true},
    {kLocalBase, 64,
     [](const Context& c) -> uint64_t {
       return c.execution.warp->current().activation->local_base;
     }},
};

const Row* FindRow(std::string_view name) {
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  return row == std::end(kRows) ? nullptr : row;
}

// %envreg0 to %envreg31, which a driver fills as it likes.
bool IsEnvironmentRegister(std::string_view name) { return name.starts_with("%envreg"); }

// What CUDA's cooperative groups read: the address of the grid's workspace, its upper half first,
// whose second word is the barrier. 0 of a launch that is not cooperative, so that grid.sync()
// traps.
uint64_t EnvironmentRegister(std::string_view name, uint64_t grid_barrier) {
  if (name == "%envreg1") return grid_barrier >> 32;
  return name == "%envreg2" ? grid_barrier & 0xffff'ffff : 0;
}

}  // namespace

int SpecialRegisterWidth(std::string_view name) {
  if (const Row* row = FindRow(name)) return row->width;
  return IsEnvironmentRegister(name) ? 32 : 0;
}

bool IsClock(std::string_view name) {
  const Row* row = FindRow(name);
  return row != nullptr && row->is_clock;
}

void FillSpecialRegister(std::string_view name, Slot slot, Execution& execution) {
  Context context{execution, *execution.launch->options, *execution.block};
  const Row* row = FindRow(name);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    context.lane = lane;
    context.thread = static_cast<uint32_t>(execution.warp->number()) * kWarpSize + lane;
    const uint64_t value = row != nullptr
                               ? row->value(context)
                               : EnvironmentRegister(name, execution.launch->grid_barrier);
    if (row != nullptr && row->width == 64) {
      execution.At<uint64_t>(slot)[lane] = value;
    } else if (row != nullptr && row->width == 1) {
      execution.Predicate(slot) = value != 0 ? kAllLanes : 0;
    } else {
      execution.At<uint32_t>(slot)[lane] = static_cast<uint32_t>(value);
    }
  }
}

}  // namespace hlo_indexing::ptx
