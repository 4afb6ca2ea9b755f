// What has reached the operands, as maps.
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

bool SameMap(const WrittenMap& a, const WrittenMap& b) {
  if (a.list == b.list) return true;
  if (a.list->front() != b.list->front()) return false;
  if (a.devices == nullptr || b.devices == nullptr) return a.devices == b.devices;
  return a.devices->front() == b.devices->front();
}

}  // namespace

OutputIndexing PathFollower::Report(int64_t output_leaf, MapDirection direction) {
  if (instruction_.shape().ArrayLeaf(output_leaf).HasUnboundedDimension()) {
    return OutputIndexing::Unknown(kUnboundedReason);
  }
  if (root_ == nullptr) return {};
  if (reads_number_.empty()) {
    ListOperandReads();
    ListReadsOfOutputs();
  }
  const auto* const position = llvm::find(output_leaves_, output_leaf);
  const auto output = static_cast<size_t>(position - output_leaves_.begin());
  OutputReads& output_reads = reads_of_outputs_[reads_number_[output]];
  std::optional<OutputIndexing>& report = output_reads.reports[static_cast<size_t>(direction)];
  if (report) return *report;
  std::vector<OperandIndexing> operands;
  llvm::ArrayRef<const OperandRead*> reads = output_reads.reads;
  operands.reserve(reads.size());
  while (!reads.empty()) {
    const OperandRead& first = *reads.front();
    const auto of_array = reads.take_while([&](const OperandRead* read) {
      return read->operand == first.operand && read->leaf == first.leaf;
    });
    reads = reads.drop_front(of_array.size());
    Collect(of_array, direction, operands.emplace_back());
    if (!IsRead(operands.back())) operands.pop_back();
  }
  report.emplace(operands);
  return *report;
}

void PathFollower::ListOperandReads() {
  for (size_t i = 0; i < operands_.size(); ++i) {
    for (size_t k = 0; k < operands_[i].size(); ++k) {
      Reached& reached = operands_[i][k];
      if (!reached.Any()) continue;
      const auto leaf = static_cast<int64_t>(k);
      const Shape& shape = instruction_.operand(i).shape().ArrayLeaf(leaf);
      DropCovered(reached, shape);
      const bool is_unbounded = shape.HasUnboundedDimension();
      for (const Entry& entry : reached.entries) {
        operand_reads_.push_back({i, leaf, entry.outputs,
                                  is_unbounded ? kUnboundedReason : entry.reason, entry.access,
                                  is_unbounded ? nullptr : &MapsOf(*entry.access)});
      }
      for (const auto& [reason, outputs] : reached.unknown) {
        operand_reads_.push_back({i, leaf, outputs, reason, nullptr, nullptr});
      }
    }
  }
}

// Outputs for which the same has reached all operands have the same maps.
void PathFollower::ListReadsOfOutputs() {
  if (sets_.num_outputs() == 1) {
    reads_number_.push_back(0);
    OutputReads& all = reads_of_outputs_.emplace_back();
    for (const OperandRead& read : operand_reads_) all.reads.push_back(&read);
    return;
  }
  // By the sets of outputs that anything is read by: the numbers of what those read.
  std::map<OutputSet, llvm::SmallVector<size_t, 4>> numbers_of_sets;
  for (const OperandRead& read : operand_reads_) numbers_of_sets.try_emplace(read.outputs);
  std::vector<std::vector<OutputSet>> sets_of(sets_.num_outputs());
  for (const auto& [set, numbers] : numbers_of_sets) {
    for (const unsigned output : sets_.Members(set).set_bits()) sets_of[output].push_back(set);
  }
  std::map<std::vector<OutputSet>, size_t> numbers;
  for (std::vector<OutputSet>& sets : sets_of) {
    const auto [known, is_new] = numbers.try_emplace(std::move(sets), numbers.size());
    reads_number_.push_back(known->second);
    if (!is_new) continue;
    for (const OutputSet set : known->first) numbers_of_sets[set].push_back(known->second);
  }
  reads_of_outputs_.resize(numbers.size());
  for (const OperandRead& read : operand_reads_) {
    for (const size_t number : numbers_of_sets[read.outputs]) {
      reads_of_outputs_[number].reads.push_back(&read);
    }
  }
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
std::optional<IndexingMap> PathFollower::MapOf(const PlacedAccess& placed, MapDirection direction) {
  const bool full = options_.simplification == AnalysisOptions::Simplification::kFull;
  SimplifiedAccess& simplified = Simplified(placed);
  DigitContext& digits = simplified.digits;
  Access access = simplified.access;
  if (direction == MapDirection::kInputToOutput && !access.map.empty) {
    std::optional<Sum> device;
    if (access.has_device) device = OwnDevice(digits, access);
    access = InvertAccess(digits, access, device);
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

// The map with some of its results.
IndexingMap WithResults(const IndexingMap& map, llvm::ArrayRef<mlir::AffineExpr> results) {
  const mlir::AffineMap all = map.affine_map();
  return map.WithResults(
      mlir::AffineMap::get(all.getNumDims(), all.getNumSymbols(), results, map.context()));
}

}  // namespace

// An access without runtime values has the same maps whoever asks.
AccessMaps& PathFollower::MapsOf(const PlacedAccess& access) {
  const int64_t num_devices = access.HasDevice() ? devices_.Count() : 0;
  std::unique_ptr<AccessMaps>& maps = access.runtime.empty()
                                          ? memory_.maps_of_accesses[{access.shared, num_devices}]
                                          : maps_with_values_[&access];
  if (maps == nullptr) maps = std::make_unique<AccessMaps>();
  return *maps;
}

// The map of one access, the device that it reaches apart.
WrittenMap PathFollower::Write(const PlacedAccess& access, MapDirection direction) {
  WrittenMap written;
  std::optional<IndexingMap> map = MapOf(access, direction);
  if (!map) return written;
  MapList& list = memory_.lists.emplace_back();
  written.list = &list;
  if (map->IsUnknown()) return written;
  if (access.HasDevice()) {
    const llvm::ArrayRef<mlir::AffineExpr> results = map->affine_map().getResults();
    ReplicaMapList& devices = memory_.replica_lists.emplace_back();
    devices.emplace_back(WithResults(*map, results.take_back(1)));
    written.devices = &devices;
    map = WithResults(*map, results.drop_back(1));
  }
  list.push_back(std::move(*map));
  return written;
}

// What the reads of an array, all of one output, are together.
void PathFollower::Collect(llvm::ArrayRef<const OperandRead*> reads, MapDirection direction,
                           OperandIndexing& indexing) {
  indexing.operand = reads.front()->operand;
  indexing.leaf = reads.front()->leaf;
  llvm::SmallVector<const WrittenMap*, 4> found;
  bool any_device = false;
  for (const OperandRead* read : reads) {
    if (read->maps == nullptr) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = read->reason;
      return;
    }
    std::optional<WrittenMap>& written = read->maps->maps[static_cast<size_t>(direction)];
    if (!written) written = Write(*read->access, direction);
    if (written->list == nullptr) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = "an index expression is too long to be written down";
      return;
    }
    if (written->list->empty()) continue;
    if (!read->reason.empty()) {
      indexing.exactness = Exactness::kSuperset;
      indexing.reason = read->reason;
    }
    any_device |= written->devices != nullptr;
    const bool is_known =
        llvm::any_of(found, [&](const WrittenMap* known) { return SameMap(*known, *written); });
    if (!is_known) found.push_back(&*written);
  }
  if (found.empty()) return;
  if (found.size() == 1) {
    indexing.maps = found.front()->list;
    indexing.replica_maps = found.front()->devices;
    return;
  }
  MapList& maps = memory_.lists.emplace_back();
  maps.reserve(found.size());
  for (const WrittenMap* written : found) maps.push_back(written->list->front());
  indexing.maps = &maps;
  if (!any_device) return;
  ReplicaMapList& devices = memory_.replica_lists.emplace_back();
  devices.reserve(found.size());
  for (const WrittenMap* written : found) {
    devices.push_back(written->devices == nullptr ? std::nullopt : written->devices->front());
  }
  indexing.replica_maps = &devices;
}

}  // namespace hlo_indexing::indexing_analysis
