// Runs modules as programs on the virtual GPU with all checks, and holds them against the
// interpreter.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PROGRAM_PROGRAM_CHECK_H_
#define HLO_INDEXING_TESTS_CODEGEN_PROGRAM_PROGRAM_CHECK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/program/gpu.h"
#include "codegen/program/program.h"
#include "hlo/module.h"

namespace hlo_indexing::program {

class ProgramCheck {
 public:
  ProgramCheck(const std::string& text, emit::PtxBackend& backend);

  /// Whether the text is a module that the verifier accepts.
  bool is_accepted() const { return module_ != nullptr; }
  const hlo::Module& module() const { return *module_; }
  absl::StatusOr<Program> Compile() const;
  /// Whether the interpreter has a value for random arguments.
  bool HasValue(uint64_t seed) const;

  /// What is wrong with the outputs for random arguments: empty if nothing is. "unsupported: ..."
  /// if there is no program, "no value: ..." if the interpreter has none. Run twice: buffer by
  /// buffer with all checks, and with the buffers in one piece of memory, some of them one after
  /// the other in the same place.
  std::string Run(uint64_t seed, double tolerance = 0) const;
  /// The same on one GPU.
  std::string RunOn(Gpu& gpu, uint64_t seed, double tolerance) const;
  /// What comes of a run on the GPU that may take so many steps.
  absl::Status RunWithin(Gpu& gpu, int64_t max_steps) const;

 private:
  std::unique_ptr<hlo::Module> module_;
  emit::PtxBackend& backend_;
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_TESTS_CODEGEN_PROGRAM_PROGRAM_CHECK_H_
