// Evaluates computations on values, straight from the meaning of each opcode: an oracle, right
// rather than fast. docs/interpreter.md states the numerics.
#ifndef HLO_INDEXING_HLO_INTERPRETER_INTERPRETER_H_
#define HLO_INDEXING_HLO_INTERPRETER_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/interpreter/source_sets.h"
#include "hlo/interpreter/value.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo {

struct InterpreterOptions {
  /// Steps of all devices together: about one for an element of a result, a product of a dot, an
  /// application of a reducer, and 64 for every instruction.
  int64_t max_steps = int64_t{20'000'000'000};
  /// Bytes that values take at a time.
  int64_t max_bytes = int64_t{1} << 32;
  /// How deep computations may call each other.
  int max_call_depth = 200;
  /// The devices that are simulated: device r * num_partitions + p is partition p of replica r.
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  /// Called after every million steps or so, with the instruction that runs and the steps so far,
  /// if it is not empty; false ends the run with kCancelled. Of instructions without a computation
  /// only those that compute more than an operation for each element call it while they work.
  std::function<bool(const Instruction& instruction, int64_t steps)> keep_running = nullptr;

  int64_t num_devices() const { return num_replicas * num_partitions; }
};

/// The most devices that are simulated.
inline constexpr int64_t kMaxDevices = 4096;

/// One value for each parameter, or operand.
using Arguments = std::vector<Value>;

/// Runs a computation on one device. Its module must have passed Verify and outlive the result.
///
/// Errors name the instruction and its place in the module's text: kUnimplemented for what has no
/// value here (custom-call, infeed, rng, ...), kResourceExhausted for a limit, kInvalidArgument for
/// arguments that do not fit and for instructions that make no sense.
/// Example: add(p, p), {f32[2] {1, 2}} -> f32[2] {2, 4}
absl::StatusOr<Value> Evaluate(const Computation& computation, llvm::ArrayRef<Value> arguments,
                               const InterpreterOptions& options = {});

/// The value of an instruction of a computation with these arguments: only what it depends on is
/// run, and other arguments may be empty values. Errors as above; kInvalidArgument if an argument
/// is missing, kUnimplemented if the value depends on the device. Example: of b = add(a, a), a =
/// negate(p0), {f32[] 3} -> f32[] -6
absl::StatusOr<Value> EvaluateInstruction(const Instruction& instruction,
                                          llvm::ArrayRef<Value> arguments,
                                          const InterpreterOptions& options = {});

/// Runs a computation on all devices in lockstep, each with its own arguments: the result of each.
absl::StatusOr<std::vector<Value>> EvaluateOnDevices(const Computation& computation,
                                                     llvm::ArrayRef<Arguments> arguments,
                                                     const InterpreterOptions& options);

/// What every element of a result was computed from.
class Provenance {
 public:
  Provenance(std::vector<Value> results, std::unique_ptr<SourceSets> sets)
      : results_(std::move(results)), sets_(std::move(sets)) {}

  /// The result of a device.
  const Value& result(int64_t device = 0) const { return results_[static_cast<size_t>(device)]; }
  /// The elements of the arguments that an element of an output array depends on, ascending.
  std::vector<Source> Reads(int64_t leaf, int64_t element, int64_t device = 0) const;

 private:
  std::vector<Value> results_;
  std::unique_ptr<SourceSets> sets_;
};

/// Evaluates with every element carrying what it was read from. The dependence is structural, as
/// the maps state it: 0 * x reads x, a select reads both of its arrays, a reduction all that its
/// computation is applied to. Only addresses come from values: a dynamic-slice reads the window
/// that its start indices give, and the indices. docs/interpreter.md has the rule of each opcode.
/// Example: transpose(p), {f32[2,2]} -> element 1 reads element 2 of argument 0
absl::StatusOr<Provenance> TraceReads(const Computation& computation,
                                      llvm::ArrayRef<Arguments> arguments,
                                      const InterpreterOptions& options = {});
/// The same of one instruction, in terms of its operands.
absl::StatusOr<Provenance> TraceReads(const Instruction& instruction,
                                      llvm::ArrayRef<Arguments> operands,
                                      const InterpreterOptions& options = {});

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_INTERPRETER_H_
