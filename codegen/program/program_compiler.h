// Makes programs of modules. Private to the folder.
//
// A computation is compiled in two passes: what flows from instruction to instruction
// (computation_flow.cc), and then, when the arrays have places, the steps (computation_steps.cc).
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_COMPILER_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_COMPILER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/emit/kernel.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/plan/plan_context.h"
#include "codegen/program/compile.h"
#include "codegen/program/program.h"
#include "codegen/program/value_flow.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::program {

/// The status with the place of an instruction in the text, if there is one.
absl::Status At(const hlo::Instruction& instruction, const absl::Status& status);

/// The shapes of the arrays of all parameters.
std::vector<const hlo::Shape*> ParameterLeaves(const hlo::Computation& computation);

/// Whether arrays of both shapes, which have the same type and sizes, lie in memory alike.
bool HaveSameLayout(const hlo::Shape& a, const hlo::Shape& b);

// What the computations of a program share while they are compiled.
class ProgramCompiler {
 public:
  ProgramCompiler(const hlo::Module& module, const ptx::DeviceModel& device,
                  emit::PtxBackend& backend, const CompileOptions& options)
      : mlir_context_(mlir::MLIRContext::Threading::DISABLED),
        analysis_(&mlir_context_),
        plans_(device, analysis_, &mlir_context_),
        backend_(backend),
        options_(options) {
    program_.module = &module;
  }

  absl::StatusOr<Program> Compile();

  const CompiledComputation& CompiledOf(const hlo::Computation& computation) const {
    return program_.computations[NumberOf(computation)];
  }
  size_t NumberOf(const hlo::Computation& computation) const { return numbers_.at(&computation); }

  const emit::Kernel& kernel(size_t number) const { return program_.kernels[number]; }
  absl::StatusOr<size_t> AddKernel(const hlo::Instruction& instruction);
  /// The kernel that copies an array of one layout to one of the other, made once.
  absl::StatusOr<size_t> AddRelayout(const hlo::Shape& from, const hlo::Shape& to);
  /// The shape, with its layouts, that the outputs of a computation have: what its first caller
  /// wants, so that a loop has its state as its body reads it.
  const hlo::Shape& OutputShape(const hlo::Computation& computation) const;
  size_t AddConstant(const hlo::Instruction& instruction, std::vector<uint8_t> bytes) {
    program_.constants.push_back({&instruction, std::move(bytes)});
    return program_.constants.size() - 1;
  }

 private:
  void SetOutputShapes(const hlo::Instruction& instruction);

  mlir::MLIRContext mlir_context_;
  indexing_analysis::IndexingAnalysis analysis_;
  plan::PlanContext plans_;
  emit::PtxBackend& backend_;
  const CompileOptions& options_;
  Program program_;
  llvm::DenseMap<const hlo::Computation*, size_t> numbers_;
  llvm::DenseMap<const hlo::Computation*, const hlo::Shape*> output_shapes_;
  // By the texts of both shapes.
  llvm::StringMap<size_t> relayouts_;
};

// Compiles one computation, after all that it calls.
class ComputationCompiler {
 public:
  ComputationCompiler(ProgramCompiler& program, const hlo::Computation& computation)
      : program_(program), computation_(computation) {
    compiled_.computation = &computation;
  }

  absl::StatusOr<CompiledComputation> Compile();

 private:
  absl::Status Flow(const hlo::Instruction& instruction);
  absl::Status FlowOfKernel(const hlo::Instruction& instruction);
  absl::Status FlowOfConstant(const hlo::Instruction& instruction);
  absl::Status FlowOfBitcast(const hlo::Instruction& instruction);
  absl::Status FlowOfCopyStart(const hlo::Instruction& instruction);
  absl::Status FlowOfAsync(const hlo::Instruction& instruction);
  absl::Status FlowOfAsyncDone(const hlo::Instruction& instruction);
  absl::Status FlowOfCall(const hlo::Instruction& instruction);
  absl::Status FlowOfConditional(const hlo::Instruction& instruction);
  absl::Status FlowOfWhile(const hlo::Instruction& instruction);
  // Something is done for it: these are read, the arrays of that shape are made.
  FlowStep& AddStep(const hlo::Instruction& instruction, ArrayIds reads, const hlo::Shape& output);
  size_t AddArray(ArrayOrigin origin);
  size_t Make(FlowStep& step, const hlo::Shape& shape);
  void AddConstants(const hlo::Instruction& instruction,
                    const std::vector<std::vector<uint8_t>>& bytes);
  // The arrays of an instruction, in the layouts of its shape.
  ArrayIds& ArraysOf(const hlo::Instruction& instruction) {
    return arrays_of_[static_cast<size_t>(instruction.index())];
  }

  // The array as the other shape lays it out: itself, or what a copy makes of it for that
  // instruction.
  absl::StatusOr<size_t> InLayout(const hlo::Instruction& instruction, size_t array,
                                  const hlo::Shape& from, const hlo::Shape& to);
  // These arrays, of a shape from a leaf on, become the next arrays of the instruction.
  absl::Status Forward(const hlo::Instruction& instruction, llvm::ArrayRef<size_t> arrays,
                       const hlo::Shape& shape, int64_t first_leaf = 0);
  absl::Status ForwardOperand(const hlo::Instruction& instruction, size_t operand,
                              int64_t first_leaf = 0);
  // The arrays of operands from one on, those of shapes that are given in these layouts.
  absl::Status AppendOperands(const hlo::Instruction& instruction, size_t first, size_t count,
                              llvm::ArrayRef<const hlo::Shape*> leaves, ArrayIds& arrays);

  void SetPlaces(const StorageAssignment& storages);
  std::vector<Place> PlacesOf(llvm::ArrayRef<size_t> arrays) const;
  size_t AddBuffer(FrameBuffer::Content content, const hlo::Instruction& instruction, int64_t bytes,
                   size_t step);
  Step StepOf(size_t number);
  WhileStep StepOfWhile(const hlo::Instruction& instruction, size_t step);
  ConditionalStep StepOfConditional(const hlo::Instruction& instruction, size_t step);
  void AddCopies();
  void SetSharing(const StorageAssignment& storages);
  int64_t FrameOf(const hlo::Computation& callee);

  ProgramCompiler& program_;
  const hlo::Computation& computation_;
  CompiledComputation compiled_;
  ValueFlow flow_;
  // By index of the instruction: its array leaves.
  std::vector<ArrayIds> arrays_of_;
  std::vector<Place> places_;
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_COMPILER_H_
