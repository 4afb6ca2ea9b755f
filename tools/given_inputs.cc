#include "tools/given_inputs.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/interpreter/npy.h"
#include "hlo/interpreter/value.h"
#include "llvm/ADT/StringRef.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/quantity.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

GivenInputs::GivenInputs(OptionTable& table)
    : option_(table, "input", {"k=file", ValueKind::kFile},
              "The values of the k-th parameter array of the entry, from a .npy file, where these "
              "decide what is accessed") {}

ExitCode GivenInputs::Parse() {
  for (const std::string& input : option_.values()) {
    const auto [place, file] = llvm::StringRef(input).split('=');
    int64_t leaf = 0;
    if (file.empty() || place.getAsInteger(10, leaf) || leaf < 0) {
      ReportError("--input must be K=FILE, not '" + input + "'");
      return ExitCode::kBadUsage;
    }
    if (!files_.emplace(leaf, file.str()).second) {
      ReportError("--input=" + place.str() + " is given twice");
      return ExitCode::kBadUsage;
    }
  }
  return ExitCode::kFine;
}

ExitCode GivenInputs::Load(const hlo::Module& module, uint64_t max_bytes,
                           std::optional<explain::GivenValues>& values) const {
  values.reset();
  if (files_.empty()) return ExitCode::kFine;
  std::vector<hlo::Value> arguments;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : module.entry().parameters()) {
    const hlo::Shape& shape = parameter->shape();
    const int64_t end = leaf + shape.num_array_leaves();
    std::vector<std::vector<uint8_t>> arrays;
    for (int64_t first = leaf; leaf < end; ++leaf) {
      const auto found = files_.find(leaf);
      if (found == files_.end()) continue;
      const std::optional<std::string> contents = ReadInput(found->second, max_bytes);
      if (!contents.has_value()) return ExitCode::kBadInput;
      absl::StatusOr<std::vector<uint8_t>> bytes =
          hlo::ReadNpy(*contents, shape.ArrayLeaf(leaf - first));
      if (!bytes.ok()) {
        ReportError(found->second + ": " + std::string(bytes.status().message()));
        return ExitCode::kBadInput;
      }
      arrays.push_back(*std::move(bytes));
    }
    arguments.emplace_back();
    if (arrays.empty()) continue;
    if (static_cast<int64_t>(arrays.size()) != shape.num_array_leaves()) {
      ReportWarning(absl::StrCat("--input has ", arrays.size(), " of the ",
                                 shape.num_array_leaves(), " arrays of parameter '",
                                 parameter->name().str(), "': it needs all of them"));
      continue;
    }
    const std::vector<llvm::ArrayRef<uint8_t>> views(arrays.begin(), arrays.end());
    absl::StatusOr<hlo::Value> value = hlo::Value::FromBytes(shape, views);
    if (!value.ok()) {
      ReportError(std::string(value.status().message()));
      return ExitCode::kBadInput;
    }
    arguments.back() = *std::move(value);
  }
  if (files_.rbegin()->first >= leaf) {
    ReportError("--input for '" + files_.rbegin()->second + "': there " +
                (leaf == 1 ? "is " : "are ") + Counted(leaf, "parameter array"));
    return ExitCode::kBadUsage;
  }
  hlo::InterpreterOptions options;
  options.keep_running = [](const hlo::Instruction&, int64_t) {
    return !Interruption::IsRequested();
  };
  values.emplace(module.entry(), std::move(arguments), options);
  return ExitCode::kFine;
}

}  // namespace hlo_indexing::tools
