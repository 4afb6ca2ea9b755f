#include "tools/ptx_report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"

namespace hlo_indexing::tools {
namespace {

using ptx::OperationCounts;

std::string SizesText(const std::array<uint32_t, 3>& sizes) {
  return absl::StrCat(sizes[0], ",", sizes[1], ",", sizes[2]);
}

llvm::json::Array SizesJson(const std::array<uint32_t, 3>& sizes) {
  return llvm::json::Array{int64_t{sizes[0]}, int64_t{sizes[1]}, int64_t{sizes[2]}};
}

llvm::json::Value Text(std::string_view text) {
  return llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size()));
}

int64_t Number(uint64_t count) { return static_cast<int64_t>(count); }

void WriteLine(llvm::json::Object object, llvm::raw_ostream& out) {
  out << llvm::json::Value(std::move(object)) << "\n";
}

// A memory instruction of the text, all operations made of it together.
struct AccessLine {
  const ptx::syntax::Instruction* instruction = nullptr;
  int64_t line = 0;
  std::string name;
  OperationCounts counts;
};

bool IsMemory(const OperationCounts& counts) {
  return counts.global_requests + counts.shared_requests + counts.local_requests +
             counts.constant_requests !=
         0;
}

std::vector<AccessLine> AccessLines(const LaunchReport& report) {
  std::vector<AccessLine> lines;
  const std::string_view text = report.module.text();
  for (const ptx::ProgramFunction& function : report.result.program->functions) {
    for (const ptx::Operation& operation : function.operations) {
      const OperationCounts& counts = report.result.profile->operations()[operation.number];
      if (!IsMemory(counts)) continue;
      if (lines.empty() || lines.back().instruction != operation.source) {
        AccessLine line;
        line.instruction = operation.source;
        line.line = support::Locate(text, operation.source->place.offset).line;
        line.name = ptx::InstructionName(operation);
        lines.push_back(std::move(line));
      }
      lines.back().counts.Add(counts);
    }
  }
  return lines;
}

std::string Ratio(uint64_t a, uint64_t b) {
  if (b == 0) return "-";
  return llvm::formatv("{0:F2}", static_cast<double>(a) / static_cast<double>(b)).str();
}

// Distinct sectors of global memory that were read and written, of all allocations.
struct Traffic {
  uint64_t read = 0;
  uint64_t written = 0;
};

Traffic TrafficOf(const ptx::Profile& profile) {
  Traffic traffic;
  for (const ptx::TouchedSectors& touched : profile.touched()) {
    traffic.read += ptx::CountBits(touched.read);
    traffic.written += ptx::CountBits(touched.written);
  }
  return traffic;
}

struct Summary {
  OperationCounts sum;
  Traffic traffic;
  ptx::Occupancy occupancy;
  ptx::TimeEstimate time;
};

// Those that are given, or that are live at once; 0: neither is known.
uint64_t RegistersOf(const LaunchReport& report) {
  if (report.registers != 0) return report.registers;
  const absl::StatusOr<uint32_t> kernel = report.module.FindKernel(report.kernel);
  if (!kernel.ok()) return 0;
  const auto live = report.module.Summarize(*kernel).live_registers;
  return live ? live->words : 0;
}

Summary Summarize(const LaunchReport& report) {
  Summary summary;
  const ptx::LaunchOptions& options = report.options;
  summary.sum = report.result.profile->Sum();
  summary.traffic = TrafficOf(*report.result.profile);
  const uint64_t threads = uint64_t{options.block[0]} * options.block[1] * options.block[2];
  summary.occupancy =
      ptx::ComputeOccupancy(report.device, threads, RegistersOf(report),
                            report.result.program->OwnSharedBytes(options.dynamic_shared_bytes));
  summary.time =
      ptx::EstimateTime(report.device, summary.sum, summary.traffic.read + summary.traffic.written,
                        uint64_t{options.grid[0]} * options.grid[1] * options.grid[2]);
  return summary;
}

void PrintProfileText(const LaunchReport& report, llvm::raw_ostream& out) {
  const Summary summary = Summarize(report);
  const OperationCounts& sum = summary.sum;
  out << "  memory instructions (requests, sectors of 32 bytes each, the fewest that would do; "
         "wavefronts of shared memory likewise)\n";
  for (const AccessLine& line : AccessLines(report)) {
    const OperationCounts& counts = line.counts;
    out << llvm::formatv("    line {0,-5} {1,-28}", line.line, line.name);
    if (counts.global_requests != 0) {
      out << llvm::formatv(" {0} requests, {1} sectors each, at least {2}", counts.global_requests,
                           Ratio(counts.global_sectors, counts.global_requests),
                           Ratio(counts.global_ideal_sectors, counts.global_requests));
    }
    if (counts.shared_requests != 0) {
      out << llvm::formatv(" {0} requests, {1} wavefronts each, at least {2}",
                           counts.shared_requests,
                           Ratio(counts.shared_wavefronts, counts.shared_requests),
                           Ratio(counts.shared_ideal_wavefronts, counts.shared_requests));
    }
    if (counts.local_requests != 0) {
      out << llvm::formatv(" {0} requests of local memory", counts.local_requests);
    }
    if (counts.constant_requests != 0) {
      out << llvm::formatv(" {0} requests of constants, {1} addresses each",
                           counts.constant_requests,
                           Ratio(counts.constant_addresses, counts.constant_requests));
    }
    if (counts.atomic_collisions != 0) {
      out << llvm::formatv(", {0} of {1} lanes meet another at their address",
                           counts.atomic_collisions, counts.atomic_lanes);
    }
    out << "\n";
  }
  out << llvm::formatv("  active lanes in a warp instruction: {0} of 32\n",
                       Ratio(sum.active_lanes, sum.executions));
  out << llvm::formatv("  DRAM moves at least {0} bytes: {1} read, {2} written\n",
                       32 * (summary.traffic.read + summary.traffic.written),
                       32 * summary.traffic.read, 32 * summary.traffic.written);
  out << llvm::formatv("  bank conflicts: {0}\n", sum.shared_bank_conflicts());
  out << llvm::formatv("  occupancy on {0}: {1} of {2} warps, {3} blocks, limited by {4}",
                       report.device.name, summary.occupancy.warps, summary.occupancy.max_warps,
                       summary.occupancy.blocks, summary.occupancy.limit);
  if (report.registers == 0) {
    const uint64_t live = RegistersOf(report);
    if (live == 0) {
      out << " (registers are not known from PTX: --registers)";
    } else {
      out << llvm::formatv(" (by {0} registers that are live at once; --registers says how many)",
                           live);
    }
  }
  out << "\n";
  out << llvm::formatv(
      "  time on {0}, an estimate: at least {1:F2} us, bound by {2} (DRAM {3:F2}, L2 {4:F2}, LSU "
      "{5:F2}, shared memory {6:F2}, issue {7:F2})\n",
      report.device.name, summary.time.us(), summary.time.bound(), summary.time.dram_us,
      summary.time.l2_us, summary.time.lsu_us, summary.time.shared_us, summary.time.issue_us);
}

void WriteProfileJson(const LaunchReport& report, llvm::raw_ostream& out) {
  for (const AccessLine& line : AccessLines(report)) {
    const OperationCounts& counts = line.counts;
    llvm::json::Object object{{"kind", "access"}, {"line", line.line}, {"instruction", line.name}};
    if (counts.global_requests != 0) {
      object["space"] = "global";
      object["requests"] = Number(counts.global_requests);
      object["bytes"] = Number(counts.global_bytes);
      object["sectors"] = Number(counts.global_sectors);
      object["ideal_sectors"] = Number(counts.global_ideal_sectors);
    } else if (counts.shared_requests != 0) {
      object["space"] = "shared";
      object["requests"] = Number(counts.shared_requests);
      object["bytes"] = Number(counts.shared_bytes);
      object["wavefronts"] = Number(counts.shared_wavefronts);
      object["ideal_wavefronts"] = Number(counts.shared_ideal_wavefronts);
    } else if (counts.local_requests != 0) {
      object["space"] = "local";
      object["requests"] = Number(counts.local_requests);
      object["bytes"] = Number(counts.local_bytes);
      object["sectors"] = Number(counts.local_sectors);
    } else {
      object["space"] = "const";
      object["requests"] = Number(counts.constant_requests);
      object["addresses"] = Number(counts.constant_addresses);
    }
    // A generic or an asynchronous access may go to both.
    if (counts.global_requests != 0 && counts.shared_requests != 0) {
      object["shared_requests"] = Number(counts.shared_requests);
      object["wavefronts"] = Number(counts.shared_wavefronts);
      object["ideal_wavefronts"] = Number(counts.shared_ideal_wavefronts);
    }
    if (counts.atomic_lanes != 0) {
      object["atomic_lanes"] = Number(counts.atomic_lanes);
      object["atomic_collisions"] = Number(counts.atomic_collisions);
    }
    WriteLine(std::move(object), out);
  }
}

}  // namespace

void PrintKernels(const std::string& file, const ptx::Module& module, bool as_json,
                  llvm::raw_ostream& out) {
  for (const std::string_view name : module.kernels()) {
    const auto number = module.FindKernel(name);
    if (!number.ok()) continue;
    const ptx::KernelSummary summary = module.Summarize(*number);
    if (as_json) {
      llvm::json::Array parameters;
      for (const ptx::KernelSummary::Parameter& parameter : summary.parameters) {
        parameters.push_back(llvm::json::Object{{"name", Text(parameter.name)},
                                                {"type", Text(NameOf(parameter.type))},
                                                {"offset", Number(parameter.offset)},
                                                {"bytes", Number(parameter.bytes)}});
      }
      llvm::json::Object registers;
      for (const auto& [width, count] : summary.registers) {
        registers[std::to_string(width)] = Number(count);
      }
      llvm::json::Object instructions;
      for (const auto& [family, count] : summary.instructions) {
        instructions[llvm::json::fixUTF8(family)] = Number(count);
      }
      llvm::json::Object object{{"kind", "kernel"},
                                {"file", llvm::json::fixUTF8(file)},
                                {"kernel", Text(summary.name)},
                                {"parameters", std::move(parameters)},
                                {"registers", std::move(registers)},
                                {"shared_memory_bytes", Number(summary.shared_bytes)},
                                {"dynamic_shared_memory", summary.has_dynamic_shared},
                                {"local_memory_bytes", Number(summary.local_bytes)},
                                {"instructions", std::move(instructions)}};
      if (summary.block[0] != 0) {
        object[summary.is_block_required ? "block" : "max_block"] = SizesJson(summary.block);
      }
      if (summary.live_registers) {
        object["live_registers"] = Number(summary.live_registers->words);
        object["live_predicates"] = Number(summary.live_registers->predicates);
      }
      WriteLine(std::move(object), out);
      continue;
    }
    out << std::string(summary.name) << "(";
    llvm::ListSeparator separator;
    for (const ptx::KernelSummary::Parameter& parameter : summary.parameters) {
      out << separator;
      if (parameter.bytes == static_cast<uint64_t>(BitWidth(parameter.type) + 7) / 8) {
        out << std::string(NameOf(parameter.type));
      } else {
        out << parameter.bytes << " bytes";
      }
      if (parameter.is_pointer) out << " pointer";
      out << " " << std::string(parameter.name);
    }
    out << ")\n";
    if (summary.block[0] != 0) {
      out << "  block: " << (summary.is_block_required ? "" : "at most ")
          << SizesText(summary.block) << "\n";
    }
    out << "  declared registers:";
    for (const auto& [width, count] : summary.registers) {
      out << " " << count
          << (width == 1 ? " predicates" : " of " + std::to_string(width) + " bits");
    }
    if (summary.live_registers) {
      out << "\n  live at once: " << summary.live_registers->words << " registers of 32 bits, "
          << summary.live_registers->predicates << " predicates";
    }
    out << "\n  shared memory: " << summary.shared_bytes << " bytes"
        << (summary.has_dynamic_shared ? ", and what --shared gives" : "")
        << "; local memory: " << summary.local_bytes << " bytes\n  instructions:";
    for (const auto& [family, count] : summary.instructions) out << " " << family << " " << count;
    out << "\n";
  }
}

void PrintLaunch(const LaunchReport& report, bool as_json, llvm::raw_ostream& out) {
  const ptx::LaunchResult& result = report.result;
  if (!as_json) {
    out << report.kernel << ": grid " << SizesText(report.options.grid) << ", block "
        << SizesText(report.options.block) << ", " << result.warp_instructions
        << " warp instructions, ";
    if (result.findings.empty()) {
      out << "no findings\n";
    } else {
      out << result.findings.size() << (result.findings.size() == 1 ? " finding\n" : " findings\n");
    }
    if (!result.status.ok()) {
      out << "  ended early: " << std::string(result.status.message()) << "\n";
    }
    if (!result.unchecked.empty()) out << "  not checked: " << result.unchecked << "\n";
    for (const ptx::Finding& finding : result.findings) out << "  " << finding.ToString() << "\n";
    if (result.profile != nullptr) PrintProfileText(report, out);
    return;
  }
  llvm::json::Object launch{{"kind", "launch"},
                            {"file", llvm::json::fixUTF8(report.file)},
                            {"kernel", llvm::json::fixUTF8(report.kernel)},
                            {"grid", SizesJson(report.options.grid)},
                            {"block", SizesJson(report.options.block)},
                            {"warp_instructions", Number(result.warp_instructions)},
                            {"findings", Number(result.findings.size())}};
  if (!result.status.ok()) {
    launch["ended_early"] = llvm::json::fixUTF8(std::string(result.status.message()));
  }
  if (!result.unchecked.empty()) launch["unchecked"] = llvm::json::fixUTF8(result.unchecked);
  if (result.profile != nullptr) {
    const Summary summary = Summarize(report);
    launch["active_lanes"] = Number(summary.sum.active_lanes);
    launch["sectors"] = Number(summary.sum.global_sectors);
    launch["ideal_sectors"] = Number(summary.sum.global_ideal_sectors);
    launch["dram_bytes_read"] = Number(32 * summary.traffic.read);
    launch["dram_bytes_written"] = Number(32 * summary.traffic.written);
    launch["bank_conflicts"] = Number(summary.sum.shared_bank_conflicts());
    launch["device"] = llvm::json::fixUTF8(report.device.name);
    launch["occupancy"] = llvm::json::Object{{"blocks", summary.occupancy.blocks},
                                             {"warps", summary.occupancy.warps},
                                             {"max_warps", summary.occupancy.max_warps},
                                             {"limit", Text(summary.occupancy.limit)}};
    launch["estimated_us"] = llvm::json::Object{
        {"at_least", summary.time.us()}, {"bound", Text(summary.time.bound())},
        {"dram", summary.time.dram_us},  {"l2", summary.time.l2_us},
        {"lsu", summary.time.lsu_us},    {"shared_memory", summary.time.shared_us},
        {"issue", summary.time.issue_us}};
  }
  WriteLine(std::move(launch), out);
  for (const ptx::Finding& finding : result.findings) {
    llvm::json::Object object{{"kind", "finding"},
                              {"check", Text(NameOf(finding.check))},
                              {"message", llvm::json::fixUTF8(finding.message)},
                              {"line", int64_t{finding.line}},
                              {"block", SizesJson(finding.block)},
                              {"thread", SizesJson(finding.thread)},
                              {"warp", finding.warp},
                              {"lane", finding.lane},
                              {"count", Number(finding.count)}};
    if (!finding.source_file.empty()) {
      object["source_file"] = llvm::json::fixUTF8(finding.source_file);
      object["source_line"] = int64_t{finding.source_line};
    }
    WriteLine(std::move(object), out);
  }
  if (result.profile != nullptr) WriteProfileJson(report, out);
}

}  // namespace hlo_indexing::tools
