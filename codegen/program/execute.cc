#include "codegen/program/execute.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/run/buffer_contents.h"
#include "support/diagnostics.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

using hlo::Instruction;

namespace {

using Addresses = std::vector<uint64_t>;

// Beside the work that it does.
constexpr int64_t kStepsPerAction = 64;
constexpr int64_t kBytesCopiedPerStep = 4;

// An error of a step with the place of its instruction, once.
absl::Status At(const Instruction& instruction, const absl::Status& status) {
  const hlo::Module& module = instruction.parent().parent();
  const std::string message =
      absl::StrCat("%", instruction.name().str(), ": ", std::string(status.message()));
  if (module.text().empty()) return {status.code(), message};
  return {status.code(),
          support::MakeDiagnostic(module.source(), instruction.offset(), message).Render()};
}

// How many bytes all allocations may have at a time.
struct MemoryLimit {
  int64_t max_bytes = 0;
  int64_t used_bytes = 0;
};

// Memory of a GPU, returned by the destructor.
class Allocations {
 public:
  Allocations(Gpu& gpu, MemoryLimit& limit) : gpu_(gpu), limit_(limit) {}
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  ~Allocations() {
    for (const uint64_t address : addresses_) gpu_.Free(address).IgnoreError();
    limit_.used_bytes -= bytes_;
  }

  // For `instruction`, where an error is told.
  absl::StatusOr<uint64_t> Add(int64_t bytes, const std::string& name,
                               const Instruction& instruction) {
    if (bytes > limit_.max_bytes - limit_.used_bytes) {
      return At(instruction, absl::ResourceExhaustedError(absl::StrCat(
                                 "the limit of ", limit_.max_bytes, " bytes is reached: ", name,
                                 " takes ", bytes, ", ", limit_.used_bytes, " are in use")));
    }
    absl::StatusOr<uint64_t> address = gpu_.Allocate(bytes, name);
    if (!address.ok()) return At(instruction, address.status());
    addresses_.push_back(*address);
    bytes_ += bytes;
    limit_.used_bytes += bytes;
    return address;
  }

 private:
  Gpu& gpu_;
  MemoryLimit& limit_;
  Addresses addresses_;
  int64_t bytes_ = 0;
};

class Execution {
 public:
  Execution(const Program& program, Gpu& gpu, const ExecuteOptions& options)
      : program_(program),
        gpu_(gpu),
        options_(options),
        memory_{options.max_bytes},
        allocations_(gpu, memory_) {}

  absl::StatusOr<hlo::Value> Run(llvm::ArrayRef<hlo::Value> arguments);

 private:
  // A computation that runs.
  struct Activation {
    const CompiledComputation& compiled;
    Addresses parameters;
    Addresses outputs;
    // Of the buffers of the frame.
    Addresses frame;
  };

  absl::Status LoadConstants();
  absl::StatusOr<Addresses> LoadArguments(llvm::ArrayRef<hlo::Value> arguments);
  // `frame` is where the frame begins, unless buffers are separate.
  absl::Status Run(size_t computation, Addresses parameters, Addresses outputs, uint64_t frame);
  absl::Status CountSteps(const Instruction& instruction, int64_t steps);
  absl::Status ReachLimit(const Instruction& instruction) const;

  absl::Status Do(const Activation& here, const CopyStep& copy, const Instruction& instruction);
  absl::Status Do(const Activation& here, const LaunchStep& launch, const Instruction& instruction);
  absl::Status Do(const Activation& here, const CallStep& call);
  absl::Status Do(const Activation& here, const WhileStep& loop, const Instruction& instruction);
  absl::Status Do(const Activation& here, const ConditionalStep& conditional);
  template <typename OtherStep>
  absl::Status Do(const Activation& here, const OtherStep& step, const Instruction&) {
    return Do(here, step);
  }
  absl::Status CopyUnlessSame(uint64_t from, uint64_t to, int64_t bytes,
                              const Instruction& instruction);

  uint64_t AddressOf(const Activation& here, const Place& place) const;
  Addresses AddressesOf(const Activation& here, llvm::ArrayRef<Place> places) const {
    Addresses addresses;
    for (const Place& place : places) addresses.push_back(AddressOf(here, place));
    return addresses;
  }

  const Program& program_;
  Gpu& gpu_;
  const ExecuteOptions& options_;
  MemoryLimit memory_;
  Allocations allocations_;
  Addresses constants_;
  int64_t steps_ = 0;
};

uint64_t Execution::AddressOf(const Activation& here, const Place& place) const {
  switch (place.kind) {
    case Place::Kind::kParameter:
      return here.parameters[place.number];
    case Place::Kind::kOutput:
      return here.outputs[place.number];
    case Place::Kind::kFrame:
      return here.frame[place.number];
    case Place::Kind::kConstant:
      return constants_[place.number];
  }
  return 0;
}

absl::Status Execution::ReachLimit(const Instruction& instruction) const {
  return At(instruction, absl::ResourceExhaustedError(absl::StrCat(
                             "the limit of ", options_.max_steps, " steps is reached")));
}

absl::Status Execution::CountSteps(const Instruction& instruction, int64_t steps) {
  if (steps > options_.max_steps - steps_) return ReachLimit(instruction);
  steps_ += steps;
  if (options_.keep_running && !options_.keep_running(instruction, steps_)) {
    return At(instruction, absl::CancelledError(absl::StrCat("stopped after ", steps_, " steps")));
  }
  return absl::OkStatus();
}

absl::Status Execution::CopyUnlessSame(uint64_t from, uint64_t to, int64_t bytes,
                                       const Instruction& instruction) {
  if (from == to) return absl::OkStatus();
  HLO_INDEXING_RETURN_IF_ERROR(CountSteps(instruction, bytes / kBytesCopiedPerStep));
  const absl::Status status = gpu_.Copy(from, to, bytes);
  return status.ok() ? status : At(instruction, status);
}

absl::Status Execution::Do(const Activation& here, const CopyStep& copy,
                           const Instruction& instruction) {
  return CopyUnlessSame(AddressOf(here, copy.from), AddressOf(here, copy.to), copy.bytes,
                        instruction);
}

// What the kernel writes at most.
int64_t NumOutputElements(const emit::Kernel& kernel) {
  int64_t elements = 0;
  for (const emit::KernelArgument& argument : kernel.arguments) {
    if (argument.is_output()) elements += argument.shape->num_elements();
  }
  return elements;
}

absl::Status Execution::Do(const Activation& here, const LaunchStep& launch,
                           const Instruction& instruction) {
  const emit::Kernel& kernel = program_.kernels[launch.kernel];
  HLO_INDEXING_RETURN_IF_ERROR(CountSteps(instruction, NumOutputElements(kernel)));
  const Addresses addresses = AddressesOf(here, launch.arguments);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::optional<size_t> updated = kernel.arguments[i].updates;
    if (!updated.has_value()) continue;
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes,
                                  run::BufferBytes(*kernel.arguments[i].shape));
    HLO_INDEXING_RETURN_IF_ERROR(
        CopyUnlessSame(addresses[*updated], addresses[i], bytes, instruction));
  }
  const absl::StatusOr<int64_t> steps = gpu_.Launch(kernel, addresses, options_.max_steps - steps_);
  if (absl::IsDeadlineExceeded(steps.status())) return ReachLimit(instruction);
  if (!steps.ok()) return At(instruction, steps.status());
  return CountSteps(instruction, *steps);
}

absl::Status Execution::Do(const Activation& here, const CallStep& call) {
  return Run(call.computation, AddressesOf(here, call.parameters), AddressesOf(here, call.outputs),
             here.frame[call.frame]);
}

absl::Status Execution::Do(const Activation& here, const WhileStep& loop,
                           const Instruction& instruction) {
  Addresses present;
  Addresses next;
  for (const LoopState& state : loop.state) {
    const uint64_t place = AddressOf(here, state.place);
    HLO_INDEXING_RETURN_IF_ERROR(
        CopyUnlessSame(AddressOf(here, state.initial), place, state.bytes, instruction));
    present.push_back(place);
    next.push_back(state.second.has_value() ? AddressOf(here, *state.second) : place);
  }
  const uint64_t predicate = AddressOf(here, loop.predicate);
  const uint64_t frame = here.frame[loop.frame];
  while (true) {
    HLO_INDEXING_RETURN_IF_ERROR(CountSteps(instruction, kStepsPerAction));
    HLO_INDEXING_RETURN_IF_ERROR(Run(loop.condition, present, {predicate}, frame));
    uint8_t goes_on = 0;
    HLO_INDEXING_RETURN_IF_ERROR(gpu_.Read(predicate, llvm::MutableArrayRef(goes_on)));
    if (goes_on == 0) break;
    HLO_INDEXING_RETURN_IF_ERROR(Run(loop.body, present, next, frame));
    std::swap(present, next);
  }
  for (size_t i = 0; i < loop.state.size(); ++i) {
    HLO_INDEXING_RETURN_IF_ERROR(CopyUnlessSame(present[i], AddressOf(here, loop.state[i].place),
                                                loop.state[i].bytes, instruction));
  }
  return absl::OkStatus();
}

absl::Status Execution::Do(const Activation& here, const ConditionalStep& conditional) {
  const uint64_t selector = AddressOf(here, conditional.selector);
  const size_t last = conditional.branches.size() - 1;
  size_t number = last;
  if (conditional.selector_is_pred) {
    uint8_t is_true = 0;
    HLO_INDEXING_RETURN_IF_ERROR(gpu_.Read(selector, llvm::MutableArrayRef(is_true)));
    number = is_true != 0 ? 0 : 1;
  } else {
    uint8_t bytes[4] = {};
    HLO_INDEXING_RETURN_IF_ERROR(gpu_.Read(selector, bytes));
    uint32_t index = 0;
    for (int i = 3; i >= 0; --i) index = index << 8 | bytes[i];
    number = std::min<size_t>(index, last);
  }
  const ConditionalStep::Branch& branch = conditional.branches[number];
  return Run(branch.computation, AddressesOf(here, branch.parameters),
             AddressesOf(here, conditional.outputs), here.frame[conditional.frame]);
}

absl::Status Execution::Run(size_t computation, Addresses parameters, Addresses outputs,
                            uint64_t frame) {
  const CompiledComputation& compiled = program_.computations[computation];
  Activation here = {compiled, std::move(parameters), std::move(outputs), {}};
  Allocations separate(gpu_, memory_);
  for (const FrameBuffer& buffer : compiled.frame) {
    uint64_t address = frame + static_cast<uint64_t>(buffer.offset);
    if (options_.separate_buffers && buffer.content != FrameBuffer::Content::kCallee) {
      HLO_INDEXING_ASSIGN_OR_RETURN(
          address,
          separate.Add(buffer.bytes, buffer.instruction->name().str(), *buffer.instruction));
    }
    here.frame.push_back(address);
  }
  for (const Step& step : compiled.steps) {
    HLO_INDEXING_RETURN_IF_ERROR(CountSteps(*step.instruction, kStepsPerAction));
    HLO_INDEXING_RETURN_IF_ERROR(std::visit(
        [&](const auto& action) { return Do(here, action, *step.instruction); }, step.action));
  }
  return absl::OkStatus();
}

absl::Status Execution::LoadConstants() {
  for (const Constant& constant : program_.constants) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        const uint64_t address,
        allocations_.Add(static_cast<int64_t>(constant.bytes.size()),
                         constant.instruction->name().str(), *constant.instruction));
    HLO_INDEXING_RETURN_IF_ERROR(gpu_.Write(address, constant.bytes));
    constants_.push_back(address);
  }
  return absl::OkStatus();
}

absl::StatusOr<Addresses> Execution::LoadArguments(llvm::ArrayRef<hlo::Value> arguments) {
  const llvm::ArrayRef<const Instruction*> parameters = program_.entry().computation->parameters();
  if (arguments.size() != parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", parameters.size(), " parameters, but ", arguments.size(), " arguments"));
  }
  Addresses addresses;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const hlo::Shape& shape = parameters[i]->shape();
    const std::vector<const hlo::ArrayValue*> leaves = arguments[i].ArrayLeaves();
    if (static_cast<int64_t>(leaves.size()) != shape.num_array_leaves()) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " is no ", shape.ToString()));
    }
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const hlo::Shape& array = shape.ArrayLeaf(leaf);
      const hlo::Shape& given = leaves[static_cast<size_t>(leaf)]->shape();
      if (given.element_type() != array.element_type() || given.sizes() != array.sizes()) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument ", i, " is ", given.ToString(), ", not ", array.ToString()));
      }
      // Before the contents are made: padding may be far more than the elements.
      HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t size, run::BufferBytes(array));
      HLO_INDEXING_ASSIGN_OR_RETURN(
          const uint64_t address,
          allocations_.Add(size, parameters[i]->name().str(), *parameters[i]));
      HLO_INDEXING_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                                    run::BufferOf(*leaves[static_cast<size_t>(leaf)], array));
      HLO_INDEXING_RETURN_IF_ERROR(gpu_.Write(address, bytes));
      addresses.push_back(address);
    }
  }
  return addresses;
}

absl::StatusOr<hlo::Value> Execution::Run(llvm::ArrayRef<hlo::Value> arguments) {
  HLO_INDEXING_RETURN_IF_ERROR(LoadConstants());
  HLO_INDEXING_ASSIGN_OR_RETURN(Addresses parameters, LoadArguments(arguments));
  const Instruction& root = program_.entry().computation->root();
  const hlo::Shape& shape = root.shape();
  Addresses outputs;
  std::vector<int64_t> sizes;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    HLO_INDEXING_ASSIGN_OR_RETURN(sizes.emplace_back(), run::BufferBytes(shape.ArrayLeaf(leaf)));
    HLO_INDEXING_ASSIGN_OR_RETURN(
        outputs.emplace_back(),
        allocations_.Add(sizes.back(), absl::StrCat("output ", leaf), root));
  }
  uint64_t frame = 0;
  if (!options_.separate_buffers) {
    HLO_INDEXING_ASSIGN_OR_RETURN(frame,
                                  allocations_.Add(program_.entry().frame_bytes, "frame", root));
  }
  HLO_INDEXING_RETURN_IF_ERROR(
      Run(program_.computations.size() - 1, std::move(parameters), outputs, frame));
  std::vector<std::shared_ptr<const hlo::ArrayValue>> arrays;
  std::vector<llvm::ArrayRef<uint8_t>> leaves;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const auto i = static_cast<size_t>(leaf);
    std::vector<uint8_t> bytes(static_cast<size_t>(sizes[i]));
    HLO_INDEXING_RETURN_IF_ERROR(gpu_.Read(outputs[i], bytes));
    HLO_INDEXING_ASSIGN_OR_RETURN(arrays.emplace_back(),
                                  run::ArrayOf(shape.ArrayLeaf(leaf), bytes));
    leaves.push_back(arrays.back()->bytes());
  }
  return hlo::Value::FromBytes(shape, leaves);
}

}  // namespace

absl::StatusOr<hlo::Value> Execute(const Program& program, Gpu& gpu,
                                   llvm::ArrayRef<hlo::Value> arguments,
                                   const ExecuteOptions& options) {
  return Execution(program, gpu, options).Run(arguments);
}

}  // namespace hlo_indexing::program
