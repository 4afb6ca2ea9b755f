// What has reached the operands, as maps.
#include "indexing_analysis/access_inversion.h"
#include "indexing_analysis/path_follower.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Shape;

OutputIndexing PathFollower::Report(int64_t output_leaf, MapDirection direction) {
  OutputIndexing result;
  if (instruction_.shape().ArrayLeaf(output_leaf).HasUnboundedDimension()) {
    result.unknown_reason = "a dimension has no bound";
    return result;
  }
  if (root_ == nullptr) return result;
  const auto* const position = llvm::find(output_leaves_, output_leaf);
  const auto output = static_cast<size_t>(position - output_leaves_.begin());
  for (size_t i = 0; i < operands_.size(); ++i) Collect(i, direction, output, result);
  return result;
}

// Reports what has reached one operand for one output.
void PathFollower::Collect(size_t operand, MapDirection direction, size_t output,
                           OutputIndexing& result) {
  const Shape& operand_shape = instruction_.operand(operand).shape();
  const auto is_for_output = [&](OutputSet outputs) {
    return sets_.Members(outputs).test(static_cast<unsigned>(output));
  };
  for (size_t leaf = 0; leaf < operands_[operand].size(); ++leaf) {
    const Reached& reached = operands_[operand][leaf];
    OperandIndexing indexing;
    indexing.operand = operand;
    indexing.leaf = static_cast<int64_t>(leaf);
    llvm::SmallVector<const Entry*, 4> entries;
    for (const Entry& entry : reached.entries) {
      if (is_for_output(entry.outputs)) entries.push_back(&entry);
    }
    const auto* const unknown = llvm::find_if(
        reached.unknown, [&](const auto& reads) { return is_for_output(reads.second); });
    const Shape& shape = operand_shape.ArrayLeaf(indexing.leaf);
    if (unknown != reached.unknown.end()) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = unknown->first.str();
    } else if (entries.empty()) {
      continue;
    } else if (shape.HasUnboundedDimension()) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = "a dimension has no bound";
    } else {
      CollectMaps(entries, shape, direction, indexing);
    }
    if (indexing.maps == nullptr || !indexing.maps->empty()) {
      result.operands.push_back(std::move(indexing));
    }
  }
}

// The map of one access, its device as the last result; nothing where it is too long, the empty map
// where it reaches nothing.
std::optional<IndexingMap> PathFollower::MapOf(Access access, const Shape& shape,
                                               MapDirection direction) {
  const bool full = options_.simplification == AnalysisOptions::Simplification::kFull;
  if (full) simplifier::Simplify(digits_, access.map);
  if (direction == MapDirection::kInputToOutput && !access.map.empty) {
    std::optional<Sum> device;
    if (access.has_device) device = OwnDevice(access);
    access = InvertAccess(digits_, access, shape.sizes(), device);
    if (full) simplifier::Simplify(digits_, access.map);
    if (!access.map.empty) RenumberRanges(digits_, access);
  }
  // The empty map has no form of its own here.
  if (access.map.empty) return IndexingMap();
  std::optional<IndexingMap> map =
      ExportMap(digits_, table_, access, UnusedVariables::kDrop, mlir_context_);
  // What composition has found may have a shorter form, read again.
  if (map && full && HasDivisions(*map)) *map = Simplify(*map);
  return map;
}

namespace {

// Takes the device, the last result, off a map.
IndexingMap SplitDevice(IndexingMap& map) {
  const mlir::AffineMap all = map.affine_map();
  const auto with = [&](llvm::ArrayRef<mlir::AffineExpr> results) {
    return IndexingMap(
        mlir::AffineMap::get(all.getNumDims(), all.getNumSymbols(), results, map.context()),
        {map.dimensions().begin(), map.dimensions().end()},
        {map.ranges().begin(), map.ranges().end()}, {map.runtime().begin(), map.runtime().end()},
        map.constraints());
  };
  IndexingMap device = with(all.getResults().take_back(1));
  map = with(all.getResults().drop_back(1));
  return device;
}

// What identifies the maps of a simple access; empty for others.
std::vector<int64_t> SimpleKey(const Access& access, const Shape& shape, MapDirection direction) {
  if (!access.map.constraints.empty() || !access.runtime.empty() || access.has_device) return {};
  std::vector<int64_t> key = {static_cast<int64_t>(direction),
                              static_cast<int64_t>(access.num_dimensions),
                              static_cast<int64_t>(access.map.boxes.size())};
  for (const Interval& box : access.map.boxes) {
    key.push_back(box.lower);
    key.push_back(box.upper);
  }
  for (const Sum& result : access.map.results) {
    const bool is_variable = result.terms.size() == 1 && result.terms[0].coefficient == 1 &&
                             result.terms[0].IsWhole() &&
                             result.terms[0].atom->kind == simplifier::AtomKind::kVariable &&
                             result.terms[0].atom->lower == result.constant;
    if (!is_variable && !result.IsConstant()) return {};
    key.push_back(is_variable ? 1 : 0);
    key.push_back(is_variable ? result.terms[0].atom->variable : result.constant);
  }
  key.insert(key.end(), shape.sizes().begin(), shape.sizes().end());
  return key;
}

}  // namespace

void PathFollower::CollectMaps(llvm::ArrayRef<const Entry*> entries, const Shape& shape,
                               MapDirection direction, OperandIndexing& indexing) {
  const MapKey alone = {entries.front()->access, &shape, direction};
  std::vector<int64_t> key;
  if (entries.size() == 1) {
    const Entry& entry = *entries.front();
    MapList& maps = alone_[alone];
    if (maps == nullptr && !entry.access->access.has_device) {
      key = SimpleKey(entry.access->access, shape, direction);
      const auto known = key.empty() ? simple_maps_.end() : simple_maps_.find(key);
      if (known != simple_maps_.end()) maps = known->second;
    }
    if (maps != nullptr) {
      indexing.maps = maps;
      if (!entry.reason.empty()) indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry.reason.str();
      return;
    }
  }
  std::vector<std::pair<const IndexingMap*, bool>> found;
  bool any_device = false;
  for (const Entry* entry : entries) {
    const std::optional<IndexingMap>& map = Written(*entry->access, shape, direction);
    if (!map) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = "an index expression is too long to be written down";
      return;
    }
    if (map->IsUnknown()) continue;
    if (!entry->reason.empty()) {
      indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry->reason.str();
    }
    const bool has_device = entry->access->access.has_device;
    any_device |= has_device;
    const bool is_known = llvm::any_of(found, [&](const auto& known) {
      return known.second == has_device && *known.first == *map;
    });
    if (!is_known) found.emplace_back(&*map, has_device);
  }
  std::vector<IndexingMap> maps;
  std::vector<std::optional<IndexingMap>> devices;
  for (const auto& [map, has_device] : found) {
    maps.push_back(*map);
    devices.emplace_back();
    if (has_device) devices.back() = SplitDevice(maps.back());
  }
  indexing.maps = std::make_shared<const std::vector<IndexingMap>>(std::move(maps));
  if (!key.empty()) simple_maps_.emplace(std::move(key), indexing.maps);
  if (any_device) {
    indexing.replica_maps =
        std::make_shared<const std::vector<std::optional<IndexingMap>>>(std::move(devices));
  } else if (entries.size() == 1) {
    alone_[alone] = indexing.maps;
  }
}

// The map of an access, which is written once.
const std::optional<IndexingMap>& PathFollower::Written(const UniqueAccess& access,
                                                        const Shape& shape,
                                                        MapDirection direction) {
  const auto [position, is_new] = written_.try_emplace(MapKey{&access, &shape, direction});
  if (is_new) position->second = MapOf(access.access, shape, direction);
  return position->second;
}

}  // namespace hlo_indexing::indexing_analysis
