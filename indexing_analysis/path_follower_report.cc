// What has reached the operands, as maps.
#include <set>

#include "indexing_analysis/access_inversion.h"
#include "indexing_analysis/called_computations.h"
#include "indexing_analysis/path_follower.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Shape;

namespace {

// Whether anything is read, for all that is known.
bool IsRead(const OperandIndexing& indexing) {
  return indexing.exactness == Exactness::kUnknown ||
         (indexing.maps != nullptr && !indexing.maps->empty());
}

}  // namespace

OutputIndexing PathFollower::Report(int64_t output_leaf, MapDirection direction) {
  if (instruction_.shape().ArrayLeaf(output_leaf).HasUnboundedDimension()) {
    return OutputIndexing::Unknown(kUnboundedReason);
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
  OutputIndexing report(operands);
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
  std::vector<std::vector<OutputSet>> sets_of(num_outputs);
  for (const OutputSet set : used) {
    for (const unsigned output : sets_.Members(set).set_bits()) sets_of[output].push_back(set);
  }
  std::map<std::vector<OutputSet>, size_t> first;
  for (size_t output = 0; output < num_outputs; ++output) {
    first_alike_.push_back(first.try_emplace(std::move(sets_of[output]), output).first->second);
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
      for (auto& records : array.alone) records.resize(reached.entries.size());
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
  const Reached& reached = *array.reached;
  llvm::SmallVector<const Entry*, 4> entries;
  for (const Entry& entry : reached.entries) {
    if (is_for_output(entry.outputs)) entries.push_back(&entry);
  }
  if (reached.unknown.empty() && entries.empty()) return;
  if (reached.unknown.empty() && entries.size() == 1) {
    // Mostly many outputs share the entry.
    const auto number = static_cast<size_t>(entries.front() - reached.entries.begin());
    std::optional<OperandIndexing>& alone = array.alone[static_cast<size_t>(direction)][number];
    if (!alone) alone = CollectMaps(array, entries, direction);
    if (IsRead(*alone)) result.push_back(*alone);
    return;
  }
  OperandIndexing indexing = CollectMaps(array, entries, direction);
  for (const auto& [reason, outputs] : reached.unknown) {
    if (!is_for_output(outputs)) continue;
    indexing.exactness = Exactness::kUnknown;
    indexing.reason = reason;
  }
  if (IsRead(indexing)) result.push_back(indexing);
}

// In a context of its own, so that maps do not depend on what else has been followed.
PathFollower::SimplifiedAccess& PathFollower::Simplified(const PlacedAccess& access) {
  const auto [position, is_new] = simplified_.try_emplace(&access);
  SimplifiedAccess& simplified = position->second;
  if (!is_new) return simplified;
  simplified.access = CopyShared(simplified.digits, access);
  if (options_.simplification == AnalysisOptions::Simplification::kFull) {
    simplifier::Simplify(simplified.digits, simplified.access.map);
  }
  return simplified;
}

// The map of one access, its device as the last result; nothing where it is too long, the empty map
// where it reaches nothing.
std::optional<IndexingMap> PathFollower::MapOf(const PlacedAccess& placed, const Shape& shape,
                                               MapDirection direction) {
  const bool full = options_.simplification == AnalysisOptions::Simplification::kFull;
  SimplifiedAccess& simplified = Simplified(placed);
  DigitContext& digits = simplified.digits;
  Access access = simplified.access;
  if (direction == MapDirection::kInputToOutput && !access.map.empty) {
    std::optional<Sum> device;
    if (access.has_device) device = OwnDevice(digits, access);
    access = InvertAccess(digits, access, shape.sizes(), device);
    // Without a device it is simplified.
    if (full && device) simplifier::Simplify(digits, access.map);
    if (!access.map.empty) RenumberRanges(digits, access);
  }
  // The empty map has no form of its own here.
  if (access.map.empty) return IndexingMap();
  std::optional<IndexingMap> map =
      ExportMap(digits, table_, access, UnusedVariables::kDrop, mlir_context_);
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

}  // namespace

// The list of the one map of an access, empty where it reaches nothing; null where the map is too
// long to be written down. A device is the map's last result.
const MapList* PathFollower::Write(const PlacedAccess& access, const Shape& shape,
                                   MapDirection direction) {
  const MapList** known = nullptr;
  if (access.runtime.empty()) {
    const int64_t devices = access.HasDevice() ? devices_.Count() : 0;
    SharedMapKey key(access.shared, llvm::SmallVector<int64_t, 4>(shape.sizes()), devices,
                     direction);
    const auto [position, is_new] = memory_.maps_of_accesses.try_emplace(std::move(key), nullptr);
    if (!is_new) return position->second;
    known = &position->second;
  }
  std::optional<IndexingMap> map = MapOf(access, shape, direction);
  if (!map) return nullptr;
  MapList& list = memory_.lists.emplace_back();
  if (!map->IsUnknown()) list.push_back(std::move(*map));
  if (known != nullptr) *known = &list;
  return &list;
}

// What the entries read of the array, for an output that they all are for.
OperandIndexing PathFollower::CollectMaps(const OperandArray& array,
                                          llvm::ArrayRef<const Entry*> entries,
                                          MapDirection direction) {
  OperandIndexing indexing;
  indexing.operand = array.operand;
  indexing.leaf = array.leaf;
  const auto unknown = [&](llvm::StringRef reason) {
    indexing.exactness = Exactness::kUnknown;
    indexing.reason = reason;
    return indexing;
  };
  if (array.shape->HasUnboundedDimension() && !entries.empty()) return unknown(kUnboundedReason);
  llvm::SmallVector<std::pair<const MapList*, bool>, 4> found;
  bool any_device = false;
  for (const Entry* entry : entries) {
    const MapList* list = Written(*entry->access, *array.shape, direction);
    if (list == nullptr) return unknown("an index expression is too long to be written down");
    if (list->empty()) continue;
    if (!entry->reason.empty()) {
      indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry->reason;
    }
    const bool has_device = entry->access->HasDevice();
    any_device |= has_device;
    const bool is_known = llvm::any_of(found, [&](const auto& known) {
      return known.second == has_device && *known.first == *list;
    });
    if (!is_known) found.emplace_back(list, has_device);
  }
  if (found.empty()) return indexing;
  if (found.size() == 1 && !any_device) {
    indexing.maps = found.front().first;
    return indexing;
  }
  MapList& maps = memory_.lists.emplace_back();
  maps.reserve(found.size());
  std::vector<std::optional<IndexingMap>> devices;
  if (any_device) devices.reserve(found.size());
  for (const auto& [list, has_device] : found) {
    maps.push_back(list->front());
    if (any_device) devices.emplace_back();
    if (has_device) devices.back() = SplitDevice(maps.back());
  }
  indexing.maps = &maps;
  if (any_device) indexing.replica_maps = &memory_.replica_lists.emplace_back(std::move(devices));
  return indexing;
}

// The list of an access, which is written once.
const MapList* PathFollower::Written(const PlacedAccess& access, const Shape& shape,
                                     MapDirection direction) {
  const auto [position, is_new] = written_.try_emplace(MapKey{&access, &shape, direction});
  if (is_new) position->second = Write(access, shape, direction);
  return position->second;
}

}  // namespace hlo_indexing::indexing_analysis
