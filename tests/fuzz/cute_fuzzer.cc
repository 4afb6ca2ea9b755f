// Any bytes as an expression of CuTe's algebra: nothing aborts, and what is a layout prints to text
// that parses back to the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "layout/cute_algebra/calculator.h"
#include "layout/cute_algebra/syntax.h"
#include "llvm/Support/raw_ostream.h"

namespace {

using hlo_indexing::layout::CuteExpression;
using hlo_indexing::layout::CuteResult;
using hlo_indexing::layout::CuteTensor;

std::optional<CuteResult> Evaluate(llvm::StringRef text) {
  hlo_indexing::support::TextError error;
  const std::optional<CuteExpression> expression =
      hlo_indexing::layout::ParseCuteExpression(text, error);
  return expression ? EvaluateCute(*expression, error) : std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<CuteResult> result = Evaluate({reinterpret_cast<const char*>(data), size});
  if (!result || !std::holds_alternative<CuteTensor>(result->value)) return 0;
  const std::string text = CuteValueText(result->value);
  const std::optional<CuteResult> again = Evaluate(text);
  if (!again || CuteValueText(again->value) != text) {
    llvm::errs() << "does not parse back: " << text << "\n";
    std::abort();
  }
  return 0;
}
