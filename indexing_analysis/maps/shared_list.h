// Immutable lists that are shared by their copies.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_SHARED_LIST_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_SHARED_LIST_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// A list that cannot be changed. Copies share its elements, which live as long as one of them, so
/// a copy costs as much as that of a std::shared_ptr. What is taken from a temporary list is a copy
/// of its own, so that nothing dangles in
///
///     for (const IndexingMap& map : analysis.OutputToInput(instruction, 0).operands()[0].maps())
template <typename T>
class SharedList {
 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const_iterator;
  /// Most lists have one element.
  using Elements = llvm::SmallVector<T, 1>;

  SharedList() = default;
  explicit SharedList(Elements elements) {
    if (!elements.empty()) elements_ = std::make_shared<const Elements>(std::move(elements));
  }

  /// Of elements that something else owns; not empty.
  explicit SharedList(std::shared_ptr<const Elements> elements) : elements_(std::move(elements)) {}

  size_t size() const { return elements_ == nullptr ? 0 : elements_->size(); }
  bool empty() const { return elements_ == nullptr; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size(); }
  const T& operator[](size_t i) const& { return (*elements_)[i]; }
  T operator[](size_t i) const&& { return (*elements_)[i]; }
  const T& front() const& { return (*this)[0]; }
  T front() const&& { return (*elements_)[0]; }

  /// The elements, as long as the list lives; null if it is empty. Equal for copies of one list,
  /// and different for any other one that lives.
  const T* data() const { return elements_ == nullptr ? nullptr : elements_->data(); }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.data() == b.data() ||
           llvm::ArrayRef<T>(a.begin(), a.end()) == llvm::ArrayRef<T>(b.begin(), b.end());
  }

 private:
  // Null if there are none.
  std::shared_ptr<const Elements> elements_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_SHARED_LIST_H_
