// Sets of elements that values were read from, for tracing what an output depends on.
#ifndef HLO_INDEXING_HLO_INTERPRETER_SOURCE_SETS_H_
#define HLO_INDEXING_HLO_INTERPRETER_SOURCE_SETS_H_

#include <compare>
#include <cstdint>
#include <vector>

namespace hlo_indexing::hlo {

/// One element of one array that a computation was given.
struct Source {
  /// The device whose argument it is.
  int32_t device = 0;
  /// The number of the argument, and of the array in it, in tuple order.
  int32_t argument = 0;
  int64_t leaf = 0;
  /// The row-major position in the array.
  int64_t element = 0;

  friend auto operator<=>(const Source&, const Source&) = default;
};

/// A set of sources by its number in a SourceSets.
using SourceSet = uint32_t;
inline constexpr SourceSet kNoSources = 0;

/// Makes sets. A union is a node that points to its parts, made in constant time; the members are
/// listed on demand.
class SourceSets {
 public:
  explicit SourceSets(int64_t max_nodes) : max_nodes_(max_nodes) {}

  SourceSet Single(const Source& source);
  SourceSet Union(SourceSet a, SourceSet b);
  /// The members in ascending order, each once.
  std::vector<Source> Members(SourceSet set) const;
  /// Whether a set could not be made because there were too many; it is empty then.
  bool is_exhausted() const { return is_exhausted_; }

 private:
  // A union, or a single source: `left` is kLeaf and `right` its number then.
  struct Node {
    uint32_t left;
    uint32_t right;
  };
  static constexpr uint32_t kLeaf = UINT32_MAX;

  SourceSet Add(Node node);

  int64_t max_nodes_;
  bool is_exhausted_ = false;
  std::vector<Node> nodes_ = {{kNoSources, kNoSources}};
  std::vector<Source> sources_;
  // For Members: the traversal in which a node was visited last.
  mutable std::vector<uint32_t> last_visit_;
  mutable uint32_t traversal_ = 0;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_SOURCE_SETS_H_
