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
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::program {

/// The status with the place of an instruction in the text, if there is one.
absl::Status At(const hlo::Instruction& instruction, const absl::Status& status);

/// What the async-start of an async-done starts; nullptr if it ends none that names a computation.
const hlo::Computation* CalleeOfAsync(const hlo::Instruction& done);

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
  size_t AddConstant(const hlo::Instruction& instruction, std::vector<uint8_t> bytes) {
    program_.constants.push_back({&instruction, std::move(bytes)});
    return program_.constants.size() - 1;
  }

 private:
  mlir::MLIRContext mlir_context_;
  indexing_analysis::IndexingAnalysis analysis_;
  plan::PlanContext plans_;
  emit::PtxBackend& backend_;
  const CompileOptions& options_;
  Program program_;
  llvm::DenseMap<const hlo::Computation*, size_t> numbers_;
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
  void FlowOfWhile(const hlo::Instruction& instruction);
  // Something is done for it; all its operands are read, all its arrays made.
  FlowStep& AddStep(const hlo::Instruction& instruction);
  size_t AddArray(ArrayOrigin origin);
  size_t Make(FlowStep& step, const hlo::Shape& shape);
  void AddConstants(const hlo::Instruction& instruction,
                    const std::vector<std::vector<uint8_t>>& bytes);
  ArrayIds& ArraysOf(const hlo::Instruction& instruction) {
    return arrays_of_[static_cast<size_t>(instruction.index())];
  }
  // Those of all operands from one on.
  ArrayIds OperandArrays(const hlo::Instruction& instruction, size_t first = 0);

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
  // Of the steps that are launches.
  llvm::DenseMap<const hlo::Instruction*, size_t> kernels_;
  std::vector<Place> places_;
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_PROGRAM_COMPILER_H_
