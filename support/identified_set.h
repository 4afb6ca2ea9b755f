// A set of nodes found by their identification.
#ifndef HLO_INDEXING_SUPPORT_IDENTIFIED_SET_H_
#define HLO_INDEXING_SUPPORT_IDENTIFIED_SET_H_

#include <deque>
#include <type_traits>
#include <utility>

#include "llvm/ADT/FoldingSet.h"

namespace hlo_indexing::support {

/// The base of the nodes of an IdentifiedSet, which keeps what identifies them: comparing that is
/// cheaper than computing it again for each candidate.
struct IdentifiedNode : llvm::FoldingSetNode {
  llvm::FoldingSetNodeID id;
};

/// Nodes that stay where they are, one for each identification.
template <typename Node>
class IdentifiedSet {
 public:
  /// The node of that identification, and whether it is new.
  std::pair<Node*, bool> Insert(const llvm::FoldingSetNodeID& node_id) {
    void* position = nullptr;
    if (Node* known = set_.FindNodeOrInsertPos(node_id, position)) return {known, false};
    Node* node = &nodes_.emplace_back();
    node->id = node_id;
    set_.InsertNode(node, position);
    return {node, true};
  }

 private:
  std::deque<Node> nodes_;
  llvm::FoldingSet<Node> set_;
};

}  // namespace hlo_indexing::support

namespace llvm {

template <typename Node>
struct FoldingSetTrait<
    Node, std::enable_if_t<std::is_base_of_v<hlo_indexing::support::IdentifiedNode, Node>>> {
  static void Profile(const Node& node, FoldingSetNodeID& node_id) { node_id = node.id; }
  static bool Equals(const Node& node, const FoldingSetNodeID& node_id, unsigned,
                     FoldingSetNodeID&) {
    return node_id == node.id;
  }
  static unsigned ComputeHash(const Node& node, FoldingSetNodeID&) { return node.id.ComputeHash(); }
};

}  // namespace llvm

#endif  // HLO_INDEXING_SUPPORT_IDENTIFIED_SET_H_
