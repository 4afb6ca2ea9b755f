// A module as a program of a GPU's host: buffers, launches of kernels, and the control flow between
// them. Pure data: compile.h makes it, execute.h runs it.
//
// Example: ENTRY main { p = f32[8] parameter(0)  n = f32[8] negate(p)  ROOT e = f32[8] exp(n) }
//
//   computation %main: 1 parameter, 1 output, frame of 256 bytes (at least 256 at a time)
//     0  launch n: parameter 0 -> frame 0
//     1  launch e: frame 0 -> output 0
//     frame 0: 32 bytes at 0, steps 0 to 1, value of %n
//
// A computation is compiled once, however often it is called: the addresses of its parameters and
// outputs are given by the caller, and what is in between lies in a frame, a piece of memory that
// the caller has for it within its own. So the memory of a program is known before it runs.
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/emit/kernel.h"
#include "hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::program {

using support::operator<<;
using support::PrintTo;

/// Every buffer begins at a multiple of so many bytes, as the memory that CUDA allocates.
inline constexpr int64_t kFrameAlignment = 256;

/// Where an array is while a computation runs.
struct Place {
  enum class Kind : uint8_t {
    kParameter,  // the array leaf of that number among the computation's parameters
    kOutput,     // the array leaf of that number of its root
    kFrame,      // a buffer of its frame
    kConstant,   // a constant of the program
  };
  Kind kind = Kind::kFrame;
  size_t number = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

/// A piece of a computation's frame, which others have before and after.
struct FrameBuffer {
  enum class Content : uint8_t {
    kValue,        // an array of an instruction's value, or those of several, one after the other
    kSecondState,  // of a loop: what the next iteration begins with, while the last is read
    kPredicate,    // what the condition of a loop has said
    kCallee,       // the frame of a computation that the instruction calls
  };
  Content content = Content::kValue;
  const hlo::Instruction* instruction = nullptr;
  int64_t bytes = 0;
  int64_t offset = 0;
  /// The first step that writes it and the last that needs it.
  size_t first_step = 0;
  size_t last_step = 0;
};

/// "value", "second state", "predicate", "callee".
llvm::StringRef ContentName(FrameBuffer::Content content);

/// The contents of one place to another; nothing if both are at the same address.
struct CopyStep {
  Place from;
  Place to;
  int64_t bytes = 0;
};

/// A kernel, with the places of its arguments. Outputs that are written in part are first copied
/// from what they update, unless they are at the same address.
struct LaunchStep {
  size_t kernel = 0;
  std::vector<Place> arguments;
};

/// A computation runs on these, in the frame that is this buffer.
struct CallStep {
  size_t computation = 0;
  size_t frame = 0;
  std::vector<Place> parameters;
  std::vector<Place> outputs;
};

/// An array that a loop carries.
struct LoopState {
  /// What it has before.
  Place initial;
  /// What it has after. The same as `initial` if the loop does not change it.
  Place place;
  /// The body writes there while it reads the other one, and the two change places after each
  /// iteration; nullopt if it may write where it reads.
  std::optional<Place> second;
  int64_t bytes = 0;
};

struct WhileStep {
  size_t condition = 0;
  size_t body = 0;
  /// For both; they do not run at the same time.
  size_t frame = 0;
  Place predicate;
  std::vector<LoopState> state;
};

struct ConditionalStep {
  /// A pred, of which true is the first branch, or the number of a branch, the last one if there is
  /// none of that number.
  Place selector;
  bool selector_is_pred = false;
  struct Branch {
    size_t computation = 0;
    std::vector<Place> parameters;
  };
  std::vector<Branch> branches;
  size_t frame = 0;
  std::vector<Place> outputs;
};

struct Step {
  const hlo::Instruction* instruction = nullptr;
  std::variant<CopyStep, LaunchStep, CallStep, WhileStep, ConditionalStep> action;
};

struct CompiledComputation {
  /// Whether an output may have the address of the parameter of the same number: as the state of a
  /// loop has.
  enum class Sharing : uint8_t {
    kPassed,    // it is the parameter, unchanged
    kInPlace,   // it is written when the parameter is no longer read
    kSeparate,  // it must have another address
  };

  const hlo::Computation* computation = nullptr;
  std::vector<Step> steps;
  std::vector<FrameBuffer> frame;
  int64_t frame_bytes = 0;
  /// The most bytes of the frame that steps need at a time: no order of buffers takes less.
  int64_t live_bytes = 0;
  size_t num_parameters = 0;
  /// Of each output.
  std::vector<Sharing> sharing;
  /// How deep it calls others.
  int depth = 0;
};

/// The contents of an array in the layout of its shape.
struct Constant {
  const hlo::Instruction* instruction = nullptr;
  std::vector<uint8_t> bytes;
};

struct Program {
  const hlo::Module* module = nullptr;
  std::vector<emit::Kernel> kernels;
  std::vector<Constant> constants;
  /// Of the copies between layouts, which no module has.
  std::vector<std::shared_ptr<const hlo::Module>> relayouts;
  /// Callees before callers; the last is the entry.
  std::vector<CompiledComputation> computations;

  const CompiledComputation& entry() const { return computations.back(); }

  /// Writes the form above.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_H_
