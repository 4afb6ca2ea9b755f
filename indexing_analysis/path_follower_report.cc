// What has reached the operands, as maps.
#include <set>

#include "indexing_analysis/access_inversion.h"
#include "indexing_analysis/called_computations.h"
#include "indexing_analysis/path_follower.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Shape;

OutputIndexing PathFollower::Report(int64_t output_leaf, MapDirection direction) {
  if (instruction_.shape().ArrayLeaf(output_leaf).HasUnboundedDimension()) {
    return OutputIndexing::Unknown(kUnboundedReason.str());
  }
  if (root_ == nullptr) return {};
  if (first_alike_.empty()) {
    ListOperandArrays();
    FindOutputsAlike();
  }
  const auto* const position = llvm::find(output_leaves_, output_leaf);
  const size_t output = first_alike_[static_cast<size_t>(position - output_leaves_.begin())];
  const auto known = reports_.find({output, direction});
  if (known != reports_.end()) return known->second;
  std::vector<OperandIndexing> operands;
  operands.reserve(operand_arrays_.size());
  for (OperandArray& array : operand_arrays_) Collect(array, direction, output, operands);
  OutputIndexing report(std::move(operands));
  if (llvm::count(first_alike_, output) > 1) reports_[{output, direction}] = report;
  return report;
}

// Outputs for which the same has reached all operands have the same maps.
void PathFollower::FindOutputsAlike() {
  const size_t num_outputs = sets_.num_outputs();
  if (num_outputs == 1) {
    first_alike_.assign(1, 0);
    return;
  }
  std::set<OutputSet> used;
  for (const OperandArray& array : operand_arrays_) {
    for (const Entry& entry : array.reached->entries) used.insert(entry.outputs);
    for (const auto& [reason, outputs] : array.reached->unknown) used.insert(outputs);
  }
  std::map<std::vector<bool>, size_t> first;
  for (size_t output = 0; output < num_outputs; ++output) {
    std::vector<bool> has_reached;
    for (const OutputSet set : used) {
      has_reached.push_back(sets_.Members(set).test(static_cast<unsigned>(output)));
    }
    first_alike_.push_back(first.try_emplace(std::move(has_reached), output).first->second);
  }
}

void PathFollower::ListOperandArrays() {
  for (size_t i = 0; i < operands_.size(); ++i) {
    for (size_t leaf = 0; leaf < operands_[i].size(); ++leaf) {
      Reached& reached = operands_[i][leaf];
      if (!reached.Any()) continue;
      OperandArray array;
      array.operand = i;
      array.leaf = static_cast<int64_t>(leaf);
      array.shape = &instruction_.operand(i).shape().ArrayLeaf(array.leaf);
      DropCovered(reached, *array.shape);
      array.reached = &reached;
      for (auto& lists : array.alone) lists.resize(reached.entries.size());
      operand_arrays_.push_back(std::move(array));
    }
  }
}

// Reports what has reached an array of the operands for one output.
void PathFollower::Collect(OperandArray& array, MapDirection direction, size_t output,
                           std::vector<OperandIndexing>& result) {
  const auto is_for_output = [&](OutputSet outputs) {
    return sets_.Members(outputs).test(static_cast<unsigned>(output));
  };
  OperandIndexing indexing;
  indexing.operand = array.operand;
  indexing.leaf = array.leaf;
  for (const auto& [reason, outputs] : array.reached->unknown) {
    if (!is_for_output(outputs)) continue;
    indexing.exactness = Exactness::kUnknown;
    indexing.reason = reason;
  }
  llvm::SmallVector<const Entry*, 4> entries;
  for (const Entry& entry : array.reached->entries) {
    if (is_for_output(entry.outputs)) entries.push_back(&entry);
  }
  if (!entries.empty()) {
    CollectMaps(array, entries, direction, indexing);
    if (indexing.maps != nullptr && indexing.maps->empty()) return;
  } else if (indexing.exactness == Exactness::kExact) {
    return;
  }
  result.push_back(std::move(indexing));
}

// The map of one access, its device as the last result; nothing where it is too long, the empty map
// where it reaches nothing.
std::optional<IndexingMap> PathFollower::MapOf(const UniqueAccess& unique, const Shape& shape,
                                               MapDirection direction) {
  const bool full = options_.simplification == AnalysisOptions::Simplification::kFull;
  const auto [simplified, is_new] = simplified_.try_emplace(&unique, unique.access);
  if (is_new && full) simplifier::Simplify(digits_, simplified->second.map);
  Access access = simplified->second;
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

// The list of the one map of an entry; null where there is none or it has no list of its own.
const MapList& PathFollower::MapAlone(OperandArray& array, const Entry& entry,
                                      MapDirection direction) {
  const auto number = static_cast<size_t>(&entry - array.reached->entries.begin());
  MapList& list = array.alone[static_cast<size_t>(direction)][number];
  if (list != nullptr || entry.access->access.has_device) return list;
  const std::vector<int64_t> key = SimpleKey(entry.access->access, *array.shape, direction);
  if (!key.empty()) {
    const auto known = memory_.simple_maps.find(key);
    if (known != memory_.simple_maps.end()) return list = known->second;
  }
  const std::optional<IndexingMap>& map = Written(*entry.access, *array.shape, direction);
  if (!map) return list;
  std::vector<IndexingMap> maps;
  if (!map->IsUnknown()) maps.push_back(*map);
  list = std::make_shared<const std::vector<IndexingMap>>(std::move(maps));
  if (!key.empty()) memory_.simple_maps.emplace(key, list);
  return list;
}

void PathFollower::CollectMaps(OperandArray& array, llvm::ArrayRef<const Entry*> entries,
                               MapDirection direction, OperandIndexing& indexing) {
  if (array.shape->HasUnboundedDimension()) {
    indexing.exactness = Exactness::kUnknown;
    indexing.reason = kUnboundedReason;
    return;
  }
  if (entries.size() == 1) {
    const Entry& entry = *entries.front();
    indexing.maps = MapAlone(array, entry, direction);
    if (indexing.maps != nullptr) {
      if (!entry.reason.empty()) indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry.reason;
      return;
    }
  }
  std::vector<std::pair<const IndexingMap*, bool>> found;
  bool any_device = false;
  for (const Entry* entry : entries) {
    const std::optional<IndexingMap>& map = Written(*entry->access, *array.shape, direction);
    if (!map) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = "an index expression is too long to be written down";
      return;
    }
    if (map->IsUnknown()) continue;
    if (!entry->reason.empty()) {
      indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry->reason;
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
  if (!any_device) return;
  indexing.replica_maps =
      std::make_shared<const std::vector<std::optional<IndexingMap>>>(std::move(devices));
}

// The map of an access, which is written once.
const std::optional<IndexingMap>& PathFollower::Written(const UniqueAccess& access,
                                                        const Shape& shape,
                                                        MapDirection direction) {
  const auto [position, is_new] = written_.try_emplace(MapKey{&access, &shape, direction});
  if (is_new) position->second = MapOf(access, shape, direction);
  return position->second;
}

}  // namespace hlo_indexing::indexing_analysis
