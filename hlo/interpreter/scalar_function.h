// Computations on scalars, as reductions, sorts and scatters apply them to elements. Private to the
// folder.
#ifndef HLO_INDEXING_HLO_INTERPRETER_SCALAR_FUNCTION_H_
#define HLO_INDEXING_HLO_INTERPRETER_SCALAR_FUNCTION_H_

#include <cstdint>
#include <memory>

#include "hlo/interpreter/element_value.h"
#include "hlo/interpreter/session.h"
#include "hlo/interpreter/source_sets.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo {

/// What the results of a computation count as read from.
enum class TracedThrough : uint8_t {
  kNothing,      // every argument, whatever the computation does
  kComputation,  // the arguments that each of them depends on
};

/// A computation from scalars to one scalar or a tuple of them, as reductions apply it.
class ScalarFunction {
 public:
  ScalarFunction(Session& session, const Computation& computation);
  ~ScalarFunction();

  /// Applies it; floats may have another precision than the parameters. False after an error.
  bool Apply(const Instruction& caller, int64_t device, llvm::ArrayRef<Element> arguments,
             llvm::MutableArrayRef<Element> results,
             TracedThrough traced = TracedThrough::kNothing) const;

 private:
  struct Program;
  bool RunProgram(const Instruction& caller, llvm::ArrayRef<Element> arguments,
                  llvm::MutableArrayRef<Element> results, SourceSets* sources) const;
  bool Interpret(const Instruction& caller, int64_t device, llvm::ArrayRef<Element> arguments,
                 llvm::MutableArrayRef<Element> results) const;

  Session& session_;
  const Computation& computation_;
  // Null if the computation has more than elementwise operations on scalars.
  std::unique_ptr<Program> program_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_SCALAR_FUNCTION_H_
