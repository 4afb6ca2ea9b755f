#include "codegen/ptx/machine/findings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/program.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

std::string Coordinates(const std::array<uint32_t, 3>& point) {
  return absl::StrCat("(", point[0], ",", point[1], ",", point[2], ")");
}

}  // namespace

std::string_view NameOf(Check check) {
  switch (check) {
    case Check::kMemcheck:
      return "memcheck";
    case Check::kInitcheck:
      return "initcheck";
    case Check::kRacecheck:
      return "racecheck";
    case Check::kSynccheck:
      return "synccheck";
  }
  return "check";
}

std::string Finding::ToString() const {
  std::string text = absl::StrCat(std::string(NameOf(check)), ": ", message);
  if (!kernel.empty()) absl::StrAppend(&text, " in kernel ", kernel);
  if (line != 0) absl::StrAppend(&text, " at ", file.empty() ? "line " : file + ":", line);
  if (!source_file.empty()) absl::StrAppend(&text, " (", source_file, ":", source_line, ")");
  absl::StrAppend(&text, ", block ", Coordinates(block), ", warp ", warp, ", lane ", lane,
                  ", thread ", Coordinates(thread));
  if (count > 1) absl::StrAppend(&text, "; ", count, " times");
  return text;
}

bool FindingLog::Count(Check check, uint32_t operation, uint32_t kind, uint64_t linear_block) {
  const std::lock_guard lock(mutex_);
  const Key key(check, operation, kind);
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    ++found->second.count;
    return linear_block < found->second.finding.linear_block;
  }
  if (num_findings_ >= max_findings_) return false;
  Entry& entry = entries_[key];
  entry.count = 1;
  entry.finding.linear_block = ~uint64_t{0};
  num_findings_ = static_cast<int>(entries_.size());
  return true;
}

void FindingLog::Add(Finding finding, uint32_t kind) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(Key(finding.check, finding.operation, kind));
  // Another thread may have added one of an earlier block meanwhile.
  if (found == entries_.end() || found->second.finding.linear_block <= finding.linear_block) return;
  found->second.finding = std::move(finding);
  found->second.sequence = sequence_++;
}

std::vector<Finding> FindingLog::Sorted() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) order.push_back(&entry);
  // Blocks are executed each by one thread, so that the sequence within one is always the same.
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    if (a->finding.linear_block != b->finding.linear_block) {
      return a->finding.linear_block < b->finding.linear_block;
    }
    return a->sequence < b->sequence;
  });
  std::vector<Finding> findings;
  findings.reserve(order.size());
  for (const Entry* entry : order) {
    findings.push_back(entry->finding);
    findings.back().count = entry->count;
  }
  return findings;
}

uint32_t LineOf(const Program& program, Place place) {
  const auto offset = static_cast<ptrdiff_t>(std::min<size_t>(place.offset, program.text.size()));
  return 1 + static_cast<uint32_t>(
                 std::count(program.text.begin(), program.text.begin() + offset, '\n'));
}

std::string InstructionName(const Operation& operation) {
  if (operation.source == nullptr) return "the instruction";
  std::string name(operation.source->opcode);
  for (const syntax::Modifier& modifier : operation.source->modifiers) {
    absl::StrAppend(&name, ".", std::string(modifier.name));
  }
  return name;
}

bool WantsFinding(const Operation& operation, const Execution& execution, Check check,
                  uint32_t kind) {
  if (execution.launch == nullptr || execution.launch->findings == nullptr) return false;
  const uint64_t block = execution.block == nullptr ? 0 : execution.block->linear_index;
  return execution.launch->findings->Count(check, operation.number, kind, block);
}

void AddFinding(const Operation& operation, const Execution& execution, Check check, LaneMask lanes,
                std::string message, uint32_t kind) {
  if (execution.launch == nullptr || execution.launch->findings == nullptr) return;
  Finding finding;
  finding.check = check;
  finding.message = std::move(message);
  finding.operation = operation.number;
  finding.lanes = lanes;
  finding.lane = lanes == 0 ? 0 : std::countr_zero(lanes);
  if (execution.warp != nullptr) finding.warp = execution.warp->number();
  if (execution.block != nullptr) {
    finding.block = execution.block->index;
    finding.linear_block = execution.block->linear_index;
  }
  const LaunchState& launch = *execution.launch;
  if (launch.options != nullptr) {
    const Dimensions& shape = launch.options->block;
    const uint64_t x = std::max<uint32_t>(shape[0], 1);
    const uint64_t y = std::max<uint32_t>(shape[1], 1);
    const uint64_t thread =
        static_cast<uint64_t>(finding.warp) * kWarpSize + static_cast<uint64_t>(finding.lane);
    finding.thread = {static_cast<uint32_t>(thread % x), static_cast<uint32_t>(thread / x % y),
                      static_cast<uint32_t>(thread / x / y)};
  }
  if (const Program* program = launch.program; program != nullptr) {
    if (!program->functions.empty()) finding.kernel = program->functions[0].name;
    finding.file = program->file;
    if (const syntax::Instruction* source = operation.source; source != nullptr) {
      finding.line = LineOf(*program, source->place);
      const uint32_t file = source->source_file;
      if (file != 0 && program->module != nullptr && file < program->module->files.size()) {
        finding.source_file = program->module->files[file];
        finding.source_line = source->source_line;
      }
    }
  }
  launch.findings->Add(std::move(finding), kind);
}

void ReportFinding(const Operation& operation, const Execution& execution, Check check,
                   LaneMask lanes, std::string_view message, uint32_t kind) {
  ReportFindingLazily(operation, execution, check, lanes, kind,
                      [&] { return std::string(message); });
}

}  // namespace hlo_indexing::ptx
