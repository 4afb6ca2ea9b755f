#include "tools/output_comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hlo/interpreter/difference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace hlo_indexing::tools {
namespace {

// As far as text shows them, and whole in JSON.
std::string ErrorText(double error) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", error);
  return text;
}
llvm::json::Value ErrorJson(double error) {
  // JSON has no infinity.
  return std::isfinite(error) ? llvm::json::Value(error) : llvm::json::Value("inf");
}

}  // namespace

bool WriteComparison(const OutputComparison& comparison, const hlo::Value& expected,
                     const hlo::Value& actual, llvm::raw_ostream& out) {
  const std::vector<const hlo::ArrayValue*> wanted = expected.ArrayLeaves();
  const std::vector<const hlo::ArrayValue*> found = actual.ArrayLeaves();
  llvm::json::Array outputs;
  double absolute = 0;
  double relative = 0;
  bool is_fine = true;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const hlo::Difference difference = hlo::DifferenceOf(*wanted[i], *found[i]);
    absolute = std::max(absolute, difference.max_absolute);
    relative = std::max(relative, difference.max_relative);
    is_fine = is_fine && difference.max_absolute <= comparison.tolerance * difference.magnitude;
    const std::string shape = wanted[i]->shape().ToString();
    if (comparison.is_json) {
      const auto index = [](llvm::ArrayRef<int64_t> at) { return llvm::json::Array(at); };
      llvm::json::Object output{{"output", static_cast<int64_t>(i)},
                                {"shape", shape},
                                {"num_different", difference.num_different},
                                {"max_abs_error", ErrorJson(difference.max_absolute)},
                                {"max_rel_error", ErrorJson(difference.max_relative)}};
      if (!difference.is_equal()) {
        output["max_abs_error_at"] = index(difference.absolute_index);
        output["max_rel_error_at"] = index(difference.relative_index);
        output["expected"] = difference.expected;
        output["actual"] = difference.actual;
      }
      outputs.push_back(std::move(output));
      continue;
    }
    out << "output " << i << ": " << shape << ' ';
    if (difference.is_equal()) {
      out << "equal\n";
      continue;
    }
    const auto at = [](llvm::ArrayRef<int64_t> index) {
      return "[" +
             llvm::join(llvm::map_range(index, [](int64_t n) { return std::to_string(n); }), ",") +
             "]";
    };
    out << difference.num_different << " of " << wanted[i]->size()
        << " elements differ, the largest absolute error " << ErrorText(difference.max_absolute)
        << " at " << at(difference.absolute_index) << " (" << difference.actual << " instead of "
        << difference.expected << "), the largest relative error "
        << ErrorText(difference.max_relative) << " at " << at(difference.relative_index) << '\n';
  }
  if (comparison.is_json) {
    out << llvm::json::Value(llvm::json::Object{{"kind", "comparison"},
                                                {"file", llvm::json::fixUTF8(comparison.file)},
                                                {"module", llvm::json::fixUTF8(comparison.module)},
                                                {"backend", comparison.backend},
                                                {"with", "interpreter"},
                                                {"max_abs_error", ErrorJson(absolute)},
                                                {"max_rel_error", ErrorJson(relative)},
                                                {"outputs", std::move(outputs)}})
        << "\n";
  }
  return is_fine;
}

}  // namespace hlo_indexing::tools
