#include "indexing_analysis/propagation/map_writer.h"

#include <algorithm>
#include <unordered_map>

#include "indexing_analysis/maps/access_inversion.h"
#include "indexing_analysis/maps/index_range.h"
#include "indexing_analysis/propagation/clamped_values.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Shape;

namespace {

bool SameMap(const MapList& a, const MapList& b) {
  return a.data() == b.data() || a.front() == b.front();
}

// Lists of one map each, equal ones once.
class DistinctMaps {
 public:
  void Add(const MapList& list) {
    if (lists_.size() < kFew) {
      if (!llvm::any_of(lists_, [&](const MapList* known) { return SameMap(*known, list); })) {
        lists_.push_back(&list);
      }
      return;
    }
    if (by_hash_.empty()) {
      for (const MapList* known : lists_) by_hash_.emplace(HashOf(*known), known);
    }
    const size_t hash = HashOf(list);
    const auto [begin, end] = by_hash_.equal_range(hash);
    if (std::any_of(begin, end, [&](const auto& known) { return SameMap(*known.second, list); })) {
      return;
    }
    by_hash_.emplace(hash, &list);
    lists_.push_back(&list);
  }

  /// In the order in which they came.
  llvm::ArrayRef<const MapList*> lists() const { return lists_; }

 private:
  // Comparing as many costs less than hashing.
  static constexpr size_t kFew = 16;

  static size_t HashOf(const MapList& list) { return hash_value(list.front().map); }

  llvm::SmallVector<const MapList*, 4> lists_;
  std::unordered_multimap<size_t, const MapList*> by_hash_;
};

// The maps of lists of one map each.
MapList Concatenate(llvm::ArrayRef<const MapList*> lists) {
  MapList::Elements maps;
  maps.reserve(lists.size());
  for (const MapList* list : lists) maps.push_back(list->front());
  return MapList(std::move(maps));
}

bool IsInside(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes) {
  for (size_t i = 0; i < map.num_dimensions() && i < sizes.size(); ++i) {
    if (!IndexRange(sizes[i]).Contains(map.dimensions()[i].bounds)) return false;
  }
  return true;
}

// The map for indices of an array of these sizes alone.
IndexingMap Within(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes) {
  if (map.IsUnknown() || map.IsKnownEmpty()) return map;
  std::vector<Variable> dimensions(map.dimensions());
  for (size_t i = 0; i < dimensions.size() && i < sizes.size(); ++i) {
    dimensions[i].bounds = dimensions[i].bounds.Intersect(IndexRange(sizes[i]));
  }
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) variable.index = Within(variable.index, sizes);
  return IndexingMap(map.affine_map(), std::move(dimensions), map.ranges(), std::move(runtime),
                     map.constraints());
}

// The maps from an array, whose bounds lie in it: those of an inverse are what its results have,
// and may be wider where only constraints say that these lie in the array.
MapList WithinArray(MapList maps, llvm::ArrayRef<int64_t> sizes,
                    AnalysisOptions::Simplification simplification) {
  if (llvm::all_of(maps, [&](const OperandMap& one) { return IsInside(one.map, sizes); })) {
    return maps;
  }
  MapList::Elements inside;
  for (const auto& [map, replica_map] : maps) {
    OperandMap& one = inside.emplace_back();
    one.map = Within(map, sizes);
    if (replica_map) {
      one.replica_map = Within(*replica_map, sizes);
    } else if (simplification == AnalysisOptions::Simplification::kFull) {
      one.map = Simplify(one.map);
    }
  }
  return MapList(std::move(inside));
}

}  // namespace

std::optional<IndexingMap> ExportShortest(DigitContext& digits, const RuntimeTable& runtime_values,
                                          const Access& access, const AnalysisOptions& options,
                                          mlir::MLIRContext* mlir_context) {
  std::optional<IndexingMap> map =
      ExportMap(digits, runtime_values, access, UnusedVariables::kDrop, mlir_context);
  const bool full = options.simplification == AnalysisOptions::Simplification::kFull;
  // What composition has found may have a shorter form, read again.
  if (map && full && !IsLinear(*map)) *map = Simplify(*map);
  return map;
}

MapWriter::MapWriter(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
                     WrittenMaps& written, const OperandAccesses& accesses)
    : mlir_context_(mlir_context), options_(options), written_(written), accesses_(accesses) {}

OutputIndexing MapWriter::Write(int64_t output_leaf, MapDirection direction) {
  if (group_of_output_.empty()) {
    ListOperandReads();
    GroupOutputs();
  }
  const auto* const position = llvm::find(accesses_.output_leaves, output_leaf);
  const auto output = static_cast<size_t>(position - accesses_.output_leaves.begin());
  EqualOutputs& group = groups_[group_of_output_[output]];
  std::optional<OutputIndexing>& answer = group.answers[static_cast<size_t>(direction)];
  if (!answer || options_.disabled_memo_tables.IsDisabled(MemoTable::kEqualOutputs)) {
    answer = WriteReads(group.reads, direction);
  }
  return *answer;
}

OutputIndexing MapWriter::WriteReads(llvm::ArrayRef<const OperandRead*> reads,
                                     MapDirection direction) {
  OutputIndexing::Operands::Elements operands;
  operands.reserve(reads.size());
  while (!reads.empty()) {
    const OperandArray& array = reads.front()->array;
    const auto of_array =
        reads.take_while([&](const OperandRead* read) { return read->array == array; });
    reads = reads.drop_front(of_array.size());
    Collect(of_array, direction, operands);
  }
  return OutputIndexing(std::move(operands));
}

void MapWriter::ListOperandReads() {
  for (size_t i = 0; i < accesses_.operands.size(); ++i) {
    for (size_t k = 0; k < accesses_.operands[i].size(); ++k) {
      const AccessSet& reached = accesses_.operands[i][k];
      if (reached.IsEmpty()) continue;
      const auto leaf = static_cast<int64_t>(k);
      for (const AccessSet::Entry& entry : reached.entries()) {
        operand_reads_.push_back({{i, leaf},
                                  entry.outputs,
                                  entry.reason.empty() ? nullptr : &written_.Shared(entry.reason),
                                  entry.access,
                                  &MapsOf(*entry.access)});
      }
      for (const auto& [reason, outputs] : reached.unknown()) {
        operand_reads_.push_back({{i, leaf}, outputs, &written_.Shared(reason), nullptr, nullptr});
      }
    }
  }
}

// Outputs for which the same has reached all operands have the same maps.
void MapWriter::GroupOutputs() {
  if (accesses_.sets.num_outputs() == 1) {
    group_of_output_.push_back(0);
    auto& all = groups_.emplace_back().reads;
    for (const OperandRead& read : operand_reads_) all.push_back(&read);
    return;
  }
  // By the sets of outputs that anything is read by: the numbers of what those read.
  std::map<OutputSet, llvm::SmallVector<size_t, 4>> numbers_of_sets;
  for (const OperandRead& read : operand_reads_) numbers_of_sets.try_emplace(read.outputs);
  std::vector<std::vector<OutputSet>> sets_of(accesses_.sets.num_outputs());
  for (const auto& [set, numbers] : numbers_of_sets) {
    for (const unsigned output : accesses_.sets.Members(set).set_bits()) {
      sets_of[output].push_back(set);
    }
  }
  std::map<std::vector<OutputSet>, size_t> numbers;
  for (std::vector<OutputSet>& sets : sets_of) {
    const auto [known, is_new] = numbers.try_emplace(std::move(sets), numbers.size());
    group_of_output_.push_back(known->second);
    if (!is_new) continue;
    for (const OutputSet set : known->first) numbers_of_sets[set].push_back(known->second);
  }
  groups_.resize(numbers.size());
  for (const OperandRead& read : operand_reads_) {
    for (const size_t number : numbers_of_sets[read.outputs]) {
      groups_[number].reads.push_back(&read);
    }
  }
}

// The map of one access, its device as the last result; nullopt if it is too long, the unknown map
// if it reaches nothing. In a context of its own, so that maps do not depend on what else has been
// propagated.
std::optional<IndexingMap> MapWriter::MapOf(const BoundAccess& bound, MapDirection direction) {
  const bool full = options_.simplification == AnalysisOptions::Simplification::kFull;
  DigitContext digits;
  Access access = CopyTo(digits, bound);
  if (full) {
    simplifier::Simplify(digits, access.map);
    if (!access.runtime.empty()) MergeClampedValues(digits, accesses_.runtime_values, access);
  }
  if (direction == MapDirection::kInputToOutput && !access.map.empty) {
    std::optional<Sum> device;
    if (access.has_device) {
      const Interval devices = accesses_.runtime_values[kExecutingDevice].bounds;
      if (!llvm::is_contained(access.runtime, kExecutingDevice)) {
        access.runtime.push_back(kExecutingDevice);
      }
      device = digits.Function(kExecutingDevice, {}, devices);
    }
    access = InvertAccess(digits, access, device);
    // Without a device it is simplified.
    if (full && device) simplifier::Simplify(digits, access.map);
    if (!access.map.empty) RenumberRanges(digits, access);
  }
  // The empty map has no form of its own here.
  if (access.map.empty) return IndexingMap();
  return ExportShortest(digits, accesses_.runtime_values, access, options_, mlir_context_);
}

// An access without runtime values has the same maps in every query.
AccessMaps& MapWriter::MapsOf(const BoundAccess& access) {
  if (access.runtime.empty()) {
    return written_.MapsOf(*access.interned, access.HasDevice() ? accesses_.num_devices : 0);
  }
  std::unique_ptr<AccessMaps>& maps = own_maps_[&access];
  if (maps == nullptr) maps = std::make_unique<AccessMaps>();
  return *maps;
}

// The map of one access, the device that it reaches apart.
WrittenMap MapWriter::WriteAccess(const BoundAccess& access, MapDirection direction) {
  WrittenMap written;
  std::optional<IndexingMap> map = MapOf(access, direction);
  written.is_too_long = !map;
  if (!map || map->IsUnknown()) return written;
  MapList::Elements one(1);
  if (access.HasDevice()) {
    one.front() = OperandMap::WithDeviceApart(*map);
  } else {
    one.front().map = std::move(*map);
  }
  written.list = MapList(std::move(one));
  return written;
}

// The map of a read in one direction; null if it is not known.
const WrittenMap* MapWriter::MapOfRead(const OperandRead& read, MapDirection direction) {
  if (read.maps == nullptr) return nullptr;
  const MemoTable table =
      read.access->runtime.empty() ? MemoTable::kWrittenMaps : MemoTable::kQueryWrittenMaps;
  std::optional<WrittenMap>& written = read.maps->maps[static_cast<size_t>(direction)];
  if (!written || options_.disabled_memo_tables.IsDisabled(table)) {
    written = WriteAccess(*read.access, direction);
  }
  return &*written;
}

// Adds what the reads of an array, all of one output, are together, if anything is read.
void MapWriter::Collect(llvm::ArrayRef<const OperandRead*> reads, MapDirection direction,
                        OutputIndexing::Operands::Elements& operands) {
  const OperandArray& array = reads.front()->array;
  DistinctMaps found;
  const SharedText* superset_reason = nullptr;
  for (const OperandRead* read : reads) {
    const WrittenMap* written = MapOfRead(*read, direction);
    if (written == nullptr || written->is_too_long) {
      const SharedText& reason =
          written == nullptr ? *read->reason : written_.Shared(kTooLongReason);
      operands.push_back(OperandIndexing::Unknown(array, reason));
      return;
    }
    if (written->list.empty()) continue;
    if (read->reason != nullptr) superset_reason = read->reason;
    found.Add(written->list);
  }
  const llvm::ArrayRef<const MapList*> lists = found.lists();
  if (lists.empty()) return;
  MapList maps = lists.size() == 1 ? *lists.front() : Concatenate(lists);
  if (direction == MapDirection::kInputToOutput) {
    const Shape& shape = accesses_.inputs[array.operand]->shape();
    maps =
        WithinArray(std::move(maps), shape.ArrayLeaf(array.leaf).sizes(), options_.simplification);
  }
  operands.push_back(superset_reason == nullptr
                         ? OperandIndexing::Exact(array, std::move(maps))
                         : OperandIndexing::Superset(array, std::move(maps), *superset_reason));
}

}  // namespace hlo_indexing::indexing_analysis
