#include "hlo/interpreter/source_sets.h"

#include <algorithm>

namespace hlo_indexing::hlo {

SourceSet SourceSets::Add(Node node) {
  if (static_cast<int64_t>(nodes_.size()) >= std::min<int64_t>(max_nodes_, kLeaf - 1)) {
    is_exhausted_ = true;
    return kNoSources;
  }
  nodes_.push_back(node);
  return static_cast<SourceSet>(nodes_.size() - 1);
}

SourceSet SourceSets::Single(const Source& source) {
  const SourceSet set = Add({kLeaf, static_cast<uint32_t>(sources_.size())});
  if (set != kNoSources) sources_.push_back(source);
  return set;
}

SourceSet SourceSets::Union(SourceSet a, SourceSet b) {
  if (a == b || b == kNoSources) return a;
  if (a == kNoSources) return b;
  // What was just united again with one of the parts stays as it is.
  const Node& last = nodes_.back();
  if (last.left != kLeaf && last.left == a && last.right == b) {
    return static_cast<SourceSet>(nodes_.size() - 1);
  }
  return Add({a, b});
}

std::vector<Source> SourceSets::Members(SourceSet set) const {
  last_visit_.resize(nodes_.size(), 0);
  ++traversal_;
  std::vector<Source> members;
  std::vector<SourceSet> pending = {set};
  while (!pending.empty()) {
    const SourceSet next = pending.back();
    pending.pop_back();
    if (next == kNoSources || last_visit_[next] == traversal_) continue;
    last_visit_[next] = traversal_;
    const Node& node = nodes_[next];
    if (node.left == kLeaf) {
      members.push_back(sources_[node.right]);
      continue;
    }
    pending.push_back(node.left);
    pending.push_back(node.right);
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

}  // namespace hlo_indexing::hlo
