// Modules with mistakes in the attributes of an instruction: the bytes choose the opcode, the
// instance and the mistakes. What the verifier accepts has maps that stay in their arrays and that
// a run of the interpreter agrees with.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "hlo/opcode.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/any_module.h"
#include "tests/property/random_mutation.h"
#include "tests/property/random_opcode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hlo_indexing::hlo::Opcode;
  using hlo_indexing::testing::Random;
  if (size < 2) return 0;
  const auto opcode = static_cast<Opcode>(data[0] % hlo_indexing::hlo::kNumOpcodes);
  // The mistakes have bytes of their own, so that they can change while the instance stays.
  const size_t for_mistakes = std::min<size_t>(data[1], size - 2);
  Random mistakes(std::vector<uint8_t>(data + 2, data + 2 + for_mistakes));
  Random choices(std::vector<uint8_t>(data + 2 + for_mistakes, data + size));
  const std::string text = WithMutatedAttributes(mistakes, RandomInstance(choices, opcode));
  // Expressions are never freed: a context of its own for each input.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  hlo_indexing::testing::AnyModuleCount count;
  Random values(size);
  const std::string error = hlo_indexing::testing::CheckAnyModule(text, values, &context, count);
  if (error.empty()) return 0;
  llvm::errs() << error << "\n" << text;
  std::abort();
}
