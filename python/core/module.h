// Modules, computations and instructions for Python. Each keeps the module alive that it is of.
#ifndef HLO_INDEXING_PYTHON_CORE_MODULE_H_
#define HLO_INDEXING_PYTHON_CORE_MODULE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "python/core/bindings.h"

namespace hlo_indexing::python {

/// A module with what its maps need. Owned by whatever refers to it.
class ModuleState {
 public:
  ModuleState(std::unique_ptr<hlo::Module> module, std::shared_ptr<Context> context, bool is_alone)
      : context_(std::move(context)), module_(std::move(module)), is_alone_(is_alone) {}

  const std::shared_ptr<Context>& context() const { return context_; }
  const hlo::Module& module() const { return *module_; }
  /// Whether its text has no other module.
  bool is_alone() const { return is_alone_; }
  /// Of maps in simplest form, or as composition gives them. Needs the lock of the context.
  indexing_analysis::IndexingAnalysis& analysis(bool simplified = true) {
    std::optional<indexing_analysis::IndexingAnalysis>& analysis =
        simplified ? analysis_ : unsimplified_;
    if (!analysis) {
      using Simplification = indexing_analysis::AnalysisOptions::Simplification;
      indexing_analysis::AnalysisOptions options;
      options.custom_calls = &custom_calls_;
      options.simplification = simplified ? Simplification::kFull : Simplification::kNone;
      analysis.emplace(&context_->mlir, options);
    }
    return *analysis;
  }
  /// Forgets what has been found by other rules. Needs the lock of the context.
  absl::Status AddCustomCalls(const std::string& json) {
    analysis_.reset();
    unsimplified_.reset();
    return custom_calls_.AddJson(json, "<custom_calls>", &context_->mlir);
  }

 private:
  std::shared_ptr<Context> context_;
  std::unique_ptr<hlo::Module> module_;
  bool is_alone_;
  indexing_analysis::CustomCallRegistry custom_calls_ =
      indexing_analysis::CustomCallRegistry::WithXlaTargets();
  std::optional<indexing_analysis::IndexingAnalysis> analysis_;
  std::optional<indexing_analysis::IndexingAnalysis> unsimplified_;
};

using ModulePointer = std::shared_ptr<ModuleState>;

struct Module {
  ModulePointer state;
};

struct Instruction {
  ModulePointer state;
  const hlo::Instruction* instruction = nullptr;
};

struct Computation {
  ModulePointer state;
  const hlo::Computation* computation = nullptr;
};

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_MODULE_H_
