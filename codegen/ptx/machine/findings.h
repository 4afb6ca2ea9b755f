// What the checks find: one entry for each operation and kind of fault, with the place where it was
// first seen and how often it was.
//
// Example, of an operation that knows the lanes at fault:
//   ReportFinding(operation, execution, Check::kSynccheck, lanes,
//                 "shfl.sync names lanes that have exited");
// The log then says: "kernel saxpy, kernel.ptx:41, block (3,0,0), warp 1, lane 7: shfl.sync ...".
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_FINDINGS_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_FINDINGS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"

namespace hlo_indexing::ptx {

struct Program;

/// The tools of NVIDIA's compute-sanitizer that find the like.
enum class Check : uint8_t { kMemcheck, kInitcheck, kRacecheck, kSynccheck };

/// Example: "memcheck"
std::string_view NameOf(Check check);

struct Finding {
  Check check = Check::kMemcheck;
  /// What is wrong, without the place. Example: "ld of 4 bytes reads 4 bytes beyond the end of x"
  std::string message;
  std::string kernel;
  /// The PTX text and the line of the instruction, counted from 1; 0: not known.
  std::string file;
  uint32_t line = 0;
  /// From `.loc`; an empty name where there is none.
  std::string source_file;
  uint32_t source_line = 0;
  /// Where it was seen first: in the block of the smallest number.
  std::array<uint32_t, 3> block = {0, 0, 0};
  uint64_t linear_block = 0;
  int warp = 0;
  /// The first of the lanes at fault, and all of them.
  int lane = 0;
  LaneMask lanes = 0;
  /// %tid of that lane.
  std::array<uint32_t, 3> thread = {0, 0, 0};
  /// Number of the operation in the program.
  uint32_t operation = 0;
  /// How many warp instructions had the same fault.
  uint64_t count = 1;

  /// All of it in one line. Example: "memcheck: ld.global.f32 reads 4 bytes ... in kernel saxpy at
  /// saxpy.ptx:41, block (0,0,0), warp 0, lane 3, thread (3,0,0)"
  std::string ToString() const;
};

/// The findings of a launch. All functions may be called by several threads of the host.
class FindingLog {
 public:
  explicit FindingLog(int max_findings = 100) : max_findings_(max_findings) {}

  /// Counts the fault. True if it is the first of its kind at this operation, or in an earlier
  /// block than the first that is known: then the caller makes the message and calls Add.
  /// `kind` tells faults of one check at one operation apart.
  bool Count(Check check, uint32_t operation, uint32_t kind, uint64_t linear_block);
  void Add(Finding finding, uint32_t kind);

  bool empty() const { return num_findings() == 0; }
  int num_findings() const { return num_findings_; }
  /// As many different findings as the launch may have: it ends.
  bool is_full() const { return num_findings_ >= max_findings_; }
  /// By block, and in a block in the order of execution.
  std::vector<Finding> Sorted() const;

 private:
  struct Entry {
    Finding finding;
    uint64_t sequence = 0;
    uint64_t count = 0;
  };
  using Key = std::tuple<Check, uint32_t, uint32_t>;

  int max_findings_;
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::atomic<int> num_findings_ = 0;
  uint64_t sequence_ = 0;
};

/// Adds a finding about `lanes` of the executing warp; the place is taken from the execution.
/// Nothing happens where the launch has no log. `kind` tells faults of one check at one operation
/// apart; it is up to the family.
void ReportFinding(const Operation& operation, const Execution& execution, Check check,
                   LaneMask lanes, std::string_view message, uint32_t kind = 0);

/// As above for messages that take time to make: `describe()`, which gives a string, is called only
/// where it will be read.
bool WantsFinding(const Operation& operation, const Execution& execution, Check check,
                  uint32_t kind);
void AddFinding(const Operation& operation, const Execution& execution, Check check, LaneMask lanes,
                std::string message, uint32_t kind);
template <typename Describe>
void ReportFindingLazily(const Operation& operation, const Execution& execution, Check check,
                         LaneMask lanes, uint32_t kind, Describe describe) {
  if (!WantsFinding(operation, execution, check, kind)) return;
  AddFinding(operation, execution, check, lanes, describe(), kind);
}

/// The line of a place of the program's text, counted from 1.
uint32_t LineOf(const Program& program, Place place);

/// The instruction as the text says it, without operands. Example: "ld.global.nc.v4.f32"
std::string InstructionName(const Operation& operation);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_FINDINGS_H_
