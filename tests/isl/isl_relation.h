// Indexing maps as relations of isl, the integer set library: an oracle that shares no code with
// the simplifier.
#ifndef HLO_INDEXING_TESTS_ISL_ISL_RELATION_H_
#define HLO_INDEXING_TESTS_ISL_ISL_RELATION_H_

#include <isl/cpp.h>

#include <cstdint>
#include <optional>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/sum_set.h"

namespace hlo_indexing::testing {

/// Owns a context of isl and translates maps into its sets and relations, from their affine
/// expressions. What takes isl more than the budget of one question has no answer.
class IslOracle {
 public:
  /// Operations of isl for one question.
  static constexpr int kMaxOperations = 100000;

  IslOracle();
  IslOracle(const IslOracle&) = delete;
  IslOracle& operator=(const IslOracle&) = delete;
  ~IslOracle();

  /// The points of the domain: dimension, range and runtime variables in this order.
  isl::set Domain(const indexing_analysis::IndexingMap& map) const;

  /// The function from the points of the domain to the results.
  isl::map Function(const indexing_analysis::IndexingMap& map) const;

  /// The relation between dimensions and results, for some value of the range variables. The map
  /// must have no runtime variables.
  isl::map Relation(const indexing_analysis::IndexingMap& map) const;

  /// The product of progressions.
  isl::set Box(llvm::ArrayRef<simplifier::Progression> sides) const;

  /// What `question()` gives; nothing where it goes over the budget.
  template <typename Question>
  auto Ask(Question question) -> std::optional<decltype(question())> {
    isl_ctx_reset_operations(context_.get());
    ++asked_;
    try {
      return question();
    } catch (const isl::exception& error) {
      // A null pointer that a call over the budget has returned is an error of its own.
      const bool is_over_budget = dynamic_cast<const isl::exception_quota*>(&error) != nullptr ||
                                  isl_ctx_last_error(context_.get()) == isl_error_quota;
      if (!is_over_budget) throw;
      isl_ctx_reset_error(context_.get());
    }
    ++unanswered_;
    return std::nullopt;
  }

  int asked() const { return asked_; }
  int unanswered() const { return unanswered_; }

 private:
  mutable isl::ctx context_;
  int asked_ = 0;
  int unanswered_ = 0;
};

/// The number as an integer; nothing for infinity and where it has more than 62 bits.
std::optional<int64_t> ToInteger(const isl::val& value);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_ISL_ISL_RELATION_H_
