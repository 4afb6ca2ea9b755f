// One run of a module's root by the interpreter, which records what every element reads: the oracle
// of the indexing maps. It moves and combines values, each with its sources, and shares nothing
// with the read rules.
#ifndef HLO_INDEXING_TESTS_PROPERTY_TRACED_RUN_H_
#define HLO_INDEXING_TESTS_PROPERTY_TRACED_RUN_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// A value of each device.
using DeviceValues = std::vector<hlo::Value>;

/// A value of that shape with random elements. Integers are small, some of them negative: indices
/// in and out of bounds.
hlo::Value RandomValue(const hlo::Shape& shape, Random& random);

/// The values of the instructions of a module in one run, computed where they are asked for.
class RunValues {
 public:
  /// Gives the entry's parameters random values, other ones on each device. The module must outlive
  /// this.
  RunValues(const hlo::Module& module, Random& random, int64_t num_devices,
            int64_t max_steps = hlo::InterpreterOptions().max_steps);

  int64_t num_devices() const { return options_.num_devices(); }
  const hlo::InterpreterOptions& options() const { return options_; }

  /// What an instruction gives that these calls lead to, the outermost first. An error where the
  /// interpreter has one, or where the calls run it more than once.
  absl::StatusOr<DeviceValues> ValuesOf(const hlo::Instruction& instruction,
                                        llvm::ArrayRef<const hlo::Instruction*> calls);
  /// The operands of an instruction, by device.
  absl::StatusOr<std::vector<hlo::Arguments>> OperandsOf(
      const hlo::Instruction& instruction, llvm::ArrayRef<const hlo::Instruction*> calls);

 private:
  using Key = std::pair<const hlo::Instruction*, std::vector<const hlo::Instruction*>>;

  absl::StatusOr<DeviceValues> Compute(const hlo::Instruction& instruction,
                                       llvm::ArrayRef<const hlo::Instruction*> calls);

  hlo::InterpreterOptions options_;
  std::map<Key, DeviceValues> known_;
};

/// Whether the interpreter gives an instruction of this opcode no value, or one of its own choice.
bool HasNoValue(hlo::Opcode opcode);

/// What every output element of an instruction reads of its operands, on every device.
class TracedRun {
 public:
  /// Runs an instruction of the module's entry. The reads of what has no value in the interpreter
  /// (rng, send, ...) are stated here.
  static absl::StatusOr<TracedRun> Make(const hlo::Instruction& root, RunValues& values);

  int64_t num_devices() const { return static_cast<int64_t>(reads_.size()); }
  /// The sources of an element of an output array.
  llvm::ArrayRef<hlo::Source> Reads(int64_t device, int64_t leaf, int64_t element) const {
    return reads_[static_cast<size_t>(device)][static_cast<size_t>(leaf)]
                 [static_cast<size_t>(element)];
  }

 private:
  // By device, output array and element.
  std::vector<std::vector<std::vector<std::vector<hlo::Source>>>> reads_;
};

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_TRACED_RUN_H_
