// How far the outputs of a back end are from those that are expected, as text or JSON.
#ifndef HLO_INDEXING_TOOLS_OUTPUT_COMPARISON_H_
#define HLO_INDEXING_TOOLS_OUTPUT_COMPARISON_H_

#include <string>

#include "hlo/interpreter/value.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

struct OutputComparison {
  std::string file;
  std::string module;
  llvm::StringRef backend;
  /// The largest absolute error that is fine, as a part of the largest magnitude in the output.
  double tolerance = 0;
  bool is_json = false;
};

/// Writes a line for each output, or one of JSON for all. Whether all are fine.
bool WriteComparison(const OutputComparison& comparison, const hlo::Value& expected,
                     const hlo::Value& actual, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_OUTPUT_COMPARISON_H_
