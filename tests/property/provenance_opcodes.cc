#include "tests/property/provenance_opcodes.h"

#include <algorithm>
#include <functional>
#include <set>

namespace hlo_indexing::testing {
namespace {

using hlo::AttributeName;
using hlo::ConvolutionDimensions;
using hlo::Opcode;
using hlo::Shape;
using hlo::WindowDimension;
using Index = std::vector<int64_t>;
using Lists = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;

size_t At(int64_t i) { return static_cast<size_t>(i); }

bool Has(llvm::ArrayRef<int64_t> values, int64_t value) {
  return llvm::is_contained(values, value);
}

void ForEachIndex(llvm::ArrayRef<int64_t> sizes, const std::function<void(const Index&)>& visit) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) visit(Unflatten(i, sizes));
}

llvm::ArrayRef<WindowDimension> WindowOf(const hlo::Instruction& instruction) {
  return instruction.Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
      .value_or(llvm::ArrayRef<WindowDimension>());
}

// The element below place `offset` of the window at `place`; -1 where there is none.
int64_t InWindow(const WindowDimension& window, int64_t place, int64_t offset, int64_t size) {
  const int64_t position =
      place * window.stride + offset * window.window_dilation - window.padding_low;
  if (position < 0 || position % window.base_dilation != 0) return -1;
  const int64_t element = position / window.base_dilation;
  return element < size ? element : -1;
}

Index WindowSizes(llvm::ArrayRef<WindowDimension> window) {
  Index sizes;
  for (const WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return sizes;
}

void ReduceWindow(const OpcodeReads& reads) {
  const auto window = WindowOf(reads.instruction);
  const size_t count = reads.instruction.operands().size() / 2;
  for (size_t i = 0; i < count; ++i) {
    ForEachIndex(WindowSizes(window), [&](const Index& offset) {
      Index at;
      for (size_t d = 0; d < offset.size(); ++d) {
        at.push_back(InWindow(window[d], reads.index[d], offset[d], reads.operand(i).sizes()[d]));
      }
      reads.Add(i, at);
    });
    reads.Add(count + i, {});
  }
}

// By trying every pair of an input and a kernel element.
void Convolution(const OpcodeReads& reads) {
  const auto& labels =
      **reads.instruction.Get<const ConvolutionDimensions*>(AttributeName::kDimLabels);
  const auto window = WindowOf(reads.instruction);
  const auto at = [](llvm::StringRef names, const Index& index, char label) {
    const int64_t position = ConvolutionDimensions::Find(names, label);
    return position < 0 ? 0 : index[At(position)];
  };
  const auto size = [](llvm::StringRef names, const Shape& shape, char label) {
    const int64_t position = ConvolutionDimensions::Find(names, label);
    return position < 0 ? 1 : shape.sizes()[At(position)];
  };
  const int64_t groups =
      reads.instruction.Get<int64_t>(AttributeName::kFeatureGroupCount).value_or(1);
  const int64_t batch_groups =
      reads.instruction.Get<int64_t>(AttributeName::kBatchGroupCount).value_or(1);
  const int64_t feature = at(labels.output, reads.index, 'f');
  const int64_t features = size(labels.kernel, reads.operand(1), 'o');
  const int64_t batches = size(labels.input, reads.operand(0), 'b') / batch_groups;
  const int64_t kernel_inputs = size(labels.kernel, reads.operand(1), 'i');
  ForEachIndex(reads.operand(0).sizes(), [&](const Index& input) {
    const int64_t batch = at(labels.input, input, 'b');
    if (batch % batches != at(labels.output, reads.index, 'b')) return;
    if (batch / batches != feature / (features / batch_groups)) return;
    ForEachIndex(reads.operand(1).sizes(), [&](const Index& kernel) {
      if (at(labels.kernel, kernel, 'o') != feature) return;
      const int64_t input_feature = at(labels.input, input, 'f');
      if (input_feature % kernel_inputs != at(labels.kernel, kernel, 'i')) return;
      if (input_feature / kernel_inputs != feature / (features / groups)) return;
      for (size_t d = 0; d < window.size(); ++d) {
        const char label = static_cast<char>('0' + d);
        int64_t offset = at(labels.kernel, kernel, label);
        if (window[d].reversal) offset = window[d].size - 1 - offset;
        const int64_t element = InWindow(window[d], at(labels.output, reads.index, label), offset,
                                         size(labels.input, reads.operand(0), label));
        if (element != at(labels.input, input, label)) return;
      }
      reads.Add(0, input);
      reads.Add(1, kernel);
    });
  });
}

// Sources are read from every window that holds the element, candidates are all in it.
void SelectAndScatter(const OpcodeReads& reads) {
  const auto window = WindowOf(reads.instruction);
  const auto sizes = reads.operand(0).sizes();
  ForEachIndex(reads.operand(1).sizes(), [&](const Index& place) {
    std::vector<Index> elements;
    ForEachIndex(WindowSizes(window), [&](const Index& offset) {
      Index at;
      for (size_t d = 0; d < offset.size(); ++d) {
        at.push_back(InWindow(window[d], place[d], offset[d], sizes[d]));
      }
      elements.push_back(at);
    });
    if (std::find(elements.begin(), elements.end(), reads.index) == elements.end()) return;
    reads.Add(1, place);
    for (const Index& element : elements) reads.Add(0, element);
  });
  reads.Add(2, {});
}

// The components of the index vector at a batch index, by the dimension of the array.
struct Starts {
  Index starts;
  std::vector<Index> read;
};

Starts StartsAt(const OpcodeReads& reads, size_t operand, const Index& batch, int64_t rank,
                llvm::ArrayRef<int64_t> start_map) {
  const Shape& indices = reads.operand(operand);
  const int64_t vector_dim =
      reads.instruction.Get<int64_t>(AttributeName::kIndexVectorDim).value_or(indices.rank());
  Starts result;
  result.starts.assign(At(rank), 0);
  for (size_t k = 0; k < start_map.size(); ++k) {
    Index at = batch;
    if (vector_dim < indices.rank()) at.insert(at.begin() + vector_dim, static_cast<int64_t>(k));
    result.read.push_back(at);
    result.starts[At(start_map[k])] = reads.Integer(operand, at);
  }
  return result;
}

// Adds the batch indices that stand for dimensions of the array.
void AddBatching(const OpcodeReads& reads, const Shape& indices, const Index& batch,
                 llvm::ArrayRef<int64_t> of_array, llvm::ArrayRef<int64_t> of_indices, Index& at) {
  const int64_t vector_dim =
      reads.instruction.Get<int64_t>(AttributeName::kIndexVectorDim).value_or(indices.rank());
  for (size_t k = 0; k < of_array.size(); ++k) {
    const int64_t d = of_indices[k];
    at[At(of_array[k])] += batch[At(d < vector_dim ? d : d - 1)];
  }
}

void Gather(const OpcodeReads& reads) {
  const auto& gather = reads.instruction;
  const auto slice = gather.Integers(AttributeName::kSliceSizes);
  const auto offset_dims = gather.Integers(AttributeName::kOffsetDims);
  const auto batching = gather.Integers(AttributeName::kOperandBatchingDims);
  const auto collapsed = gather.Integers(AttributeName::kCollapsedSliceDims);
  Index batch;
  Index offset;
  for (size_t d = 0; d < reads.index.size(); ++d) {
    const bool is_offset = Has(offset_dims, static_cast<int64_t>(d));
    (is_offset ? offset : batch).push_back(reads.index[d]);
  }
  const auto sizes = reads.operand(0).sizes();
  Starts starts = StartsAt(reads, 1, batch, reads.operand(0).rank(),
                           gather.Integers(AttributeName::kStartIndexMap));
  for (const Index& at : starts.read) reads.Add(1, at);
  Index at = starts.starts;
  for (size_t d = 0; d < at.size(); ++d) {
    at[d] = std::clamp<int64_t>(at[d], 0, sizes[d] - slice[d]);
  }
  AddBatching(reads, reads.operand(1), batch, batching,
              gather.Integers(AttributeName::kStartIndicesBatchingDims), at);
  size_t next = 0;
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t dimension = static_cast<int64_t>(d);
    if (!Has(collapsed, dimension) && !Has(batching, dimension)) at[d] += offset[next++];
  }
  reads.Add(0, at);
}

// By trying every update in order. The computation either adds or takes the update.
void Scatter(const OpcodeReads& reads) {
  const auto& scatter = reads.instruction;
  const size_t count = scatter.operands().size() / 2;
  const size_t leaf = At(reads.leaf);
  const bool combines =
      scatter.Callee(AttributeName::kToApply)->root().opcode() != Opcode::kParameter;
  const Shape& updates = reads.operand(count + 1);
  const auto sizes = reads.operand(0).sizes();
  const auto window_dims = scatter.Integers(AttributeName::kUpdateWindowDims);
  const auto inserted = scatter.Integers(AttributeName::kInsertedWindowDims);
  const auto batching = scatter.Integers(AttributeName::kInputBatchingDims);
  // Index vectors that address another batch have nothing to do with the element.
  ForEachIndex(reads.operand(count).sizes(), [&](const Index& at) {
    const auto of_indices = scatter.Integers(AttributeName::kScatterIndicesBatchingDims);
    for (size_t k = 0; k < batching.size(); ++k) {
      if (at[At(of_indices[k])] != reads.index[At(batching[k])]) return;
    }
    reads.Add(count, at);
  });
  std::vector<Index> landed;
  ForEachIndex(updates.sizes(), [&](const Index& update) {
    Index batch;
    Index window(sizes.size(), 0);
    Index extent(sizes.size(), 1);
    size_t next = 0;
    std::vector<size_t> in_window;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t dimension = static_cast<int64_t>(d);
      if (!Has(inserted, dimension) && !Has(batching, dimension)) in_window.push_back(d);
    }
    for (size_t d = 0; d < update.size(); ++d) {
      if (!Has(window_dims, static_cast<int64_t>(d))) {
        batch.push_back(update[d]);
        continue;
      }
      window[in_window[next]] = update[d];
      extent[in_window[next++]] = updates.sizes()[d];
    }
    Index at = StartsAt(reads, count, batch, reads.operand(0).rank(),
                        scatter.Integers(AttributeName::kScatterDimsToOperandDims))
                   .starts;
    AddBatching(reads, reads.operand(count), batch, batching,
                scatter.Integers(AttributeName::kScatterIndicesBatchingDims), at);
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] + extent[d] > sizes[d]) return;
      at[d] += window[d];
    }
    if (at == reads.index) landed.push_back(update);
  });
  if (combines || landed.empty()) reads.Add(leaf, reads.index);
  if (!combines && landed.size() > 1) landed = {landed.back()};
  for (const Index& update : landed) reads.Add(count + 1 + leaf, update);
}

void Line(const OpcodeReads& reads, size_t operand, int64_t first_dimension, int64_t end) {
  ForEachIndex(reads.operand(operand).sizes(), [&](const Index& at) {
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t dimension = static_cast<int64_t>(d);
      const bool is_free = dimension >= first_dimension && dimension < end;
      if (!is_free && at[d] != reads.index[d]) return;
    }
    reads.Add(operand, at);
  });
}

void Fft(const OpcodeReads& reads) {
  const auto lengths = reads.instruction.Integers(AttributeName::kFftLength);
  const int64_t rank = reads.operand(0).rank();
  Line(reads, 0, rank - static_cast<int64_t>(lengths.size()), rank);
}

// The computation carries a sum and gives the sum with its input, the one before, or the input.
void Scan(const OpcodeReads& reads) {
  const auto& scan = reads.instruction;
  const int64_t dimension = scan.Integers(AttributeName::kDimensions)[0];
  const int64_t carries = *scan.Get<int64_t>(AttributeName::kNumCarries);
  const int64_t inputs = static_cast<int64_t>(scan.operands().size()) - carries;
  const bool is_carry = reads.leaf >= scan.shape().num_array_leaves() - carries;
  const bool is_reverse = scan.Get<bool>(AttributeName::kIsReverse).value_or(false);
  const char gives = scan.Callee(AttributeName::kToApply)->root().operand(0).name().front();
  Index slice = reads.index;
  if (!is_carry) slice.erase(slice.begin() + dimension);
  for (int64_t i = 0; i < inputs; ++i) {
    ForEachIndex(reads.operand(At(i)).sizes(), [&](const Index& at) {
      Index rest = at;
      rest.erase(rest.begin() + dimension);
      if (rest != slice) return;
      const int64_t distance = is_carry ? 0 : reads.index[At(dimension)] - at[At(dimension)];
      const int64_t before = is_reverse ? -distance : distance;
      const bool is_read = is_carry || gives == 'c' ? before >= 0
                           : gives == 'b'           ? before > 0
                                                    : before == 0;
      if (is_read) reads.Add(At(i), at);
    });
  }
  if (!is_carry && gives == 'a') return;
  for (int64_t i = inputs; i < inputs + carries; ++i) reads.Add(At(i), slice);
}

// The elements of an operand with the same feature.
void Feature(const OpcodeReads& reads, size_t operand, int64_t feature) {
  const size_t dimension = At(*reads.instruction.Get<int64_t>(AttributeName::kFeatureIndex));
  ForEachIndex(reads.operand(operand).sizes(), [&](const Index& at) {
    if (at[dimension] == feature) reads.Add(operand, at);
  });
}

void BatchNorm(const OpcodeReads& reads) {
  const size_t dimension = At(*reads.instruction.Get<int64_t>(AttributeName::kFeatureIndex));
  const int64_t feature = reads.leaf == 0 ? reads.index[dimension] : reads.index[0];
  switch (reads.instruction.opcode()) {
    case Opcode::kBatchNormInference:
      reads.Add(0, reads.index);
      for (size_t i = 1; i < 5; ++i) reads.Add(i, {feature});
      break;
    case Opcode::kBatchNormTraining:
      Feature(reads, 0, feature);
      if (reads.leaf == 0) reads.Add(1, {feature});
      if (reads.leaf == 0) reads.Add(2, {feature});
      break;
    default:
      Feature(reads, 4, feature);
      if (reads.leaf == 2) break;
      Feature(reads, 0, feature);
      if (reads.leaf == 0) reads.Add(1, {feature});
      reads.Add(2, {feature});
      reads.Add(3, {feature});
  }
}

using Places = std::set<Index>;

// Carries sets through the factorisation itself, column by column.
void Cholesky(const OpcodeReads& reads) {
  const bool is_lower = reads.instruction.Get<bool>(AttributeName::kLower).value_or(false);
  const size_t rank = reads.index.size();
  const int64_t n = reads.operand(0).sizes()[rank - 1];
  int64_t row = reads.index[rank - 2];
  int64_t column = reads.index[rank - 1];
  if (!is_lower) std::swap(row, column);
  if (column > row) return;
  std::vector<std::vector<Places>> factor(At(n), std::vector<Places>(At(n)));
  const auto merge = [](const Places& from, Places& to) { to.insert(from.begin(), from.end()); };
  for (int64_t j = 0; j <= column; ++j) {
    for (int64_t i = j; i < n; ++i) {
      Places& element = factor[At(i)][At(j)];
      element.insert({i, j});
      for (int64_t k = 0; k < j; ++k) {
        merge(factor[At(i)][At(k)], element);
        merge(factor[At(j)][At(k)], element);
      }
      if (i > j) merge(factor[At(j)][At(j)], element);
    }
  }
  for (const Index& place : factor[At(row)][At(column)]) {
    Index at = reads.index;
    at[rank - 2] = is_lower ? place[0] : place[1];
    at[rank - 1] = is_lower ? place[1] : place[0];
    reads.Add(0, at);
  }
}

// Carries sets through the substitution. Places are (operand, row or column, column or 0).
void TriangularSolve(const OpcodeReads& reads) {
  const auto& solve = reads.instruction;
  const bool is_left = solve.Get<bool>(AttributeName::kLeftSide).value_or(false);
  const bool is_lower = solve.Get<bool>(AttributeName::kLower).value_or(false);
  const bool is_unit = solve.Get<bool>(AttributeName::kUnitDiagonal).value_or(false);
  const auto transpose = solve.Get<hlo::Keyword>(AttributeName::kTransposeA);
  const bool is_transposed = transpose && transpose->text != "NO_TRANSPOSE";
  const size_t rank = reads.index.size();
  const int64_t n = reads.operand(0).sizes()[rank - 1];
  // x m = b is m^T x^T = b^T.
  const bool flip = is_transposed != !is_left;
  const auto stored = [&](int64_t i, int64_t k) { return flip ? Index{k, i} : Index{i, k}; };
  const bool forward = is_lower != flip;
  std::vector<Places> x(At(n));
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    Places& places = x[At(i)];
    places.insert({1, i, 0});
    for (int64_t before = 0; before < step; ++before) {
      const int64_t k = forward ? before : n - 1 - before;
      const Index at = stored(i, k);
      places.insert({0, at[0], at[1]});
      places.insert(x[At(k)].begin(), x[At(k)].end());
    }
    if (!is_unit) places.insert({0, i, i});
  }
  const size_t solved = is_left ? rank - 2 : rank - 1;
  for (const Index& place : x[At(reads.index[solved])]) {
    Index at = reads.index;
    if (place[0] == 1) {
      at[solved] = place[1];
    } else {
      at[rank - 2] = place[1];
      at[rank - 1] = place[2];
    }
    reads.Add(At(place[0]), at);
  }
}

// (lhs, rhs, scales): a block of the operand for each element of the scales.
void ScaledDot(const OpcodeReads& reads) {
  const auto& dot = reads.instruction;
  for (size_t side = 0; side < 2; ++side) {
    const auto batch =
        dot.Integers(side == 0 ? AttributeName::kLhsBatchDims : AttributeName::kRhsBatchDims);
    const auto contracting = dot.Integers(side == 0 ? AttributeName::kLhsContractingDims
                                                    : AttributeName::kRhsContractingDims);
    const Shape& shape = reads.operand(side);
    const size_t num_free = At(shape.rank()) - batch.size() - contracting.size();
    ForEachIndex(shape.sizes(), [&](const Index& at) {
      size_t next = side == 0 ? batch.size() : reads.index.size() - num_free;
      for (size_t b = 0; b < batch.size(); ++b) {
        if (at[At(batch[b])] != reads.index[b]) return;
      }
      for (int64_t d = 0; d < shape.rank(); ++d) {
        if (Has(batch, d) || Has(contracting, d)) continue;
        if (at[At(d)] != reads.index[next++]) return;
      }
      reads.Add(side, at);
      if (side + 2 >= dot.operands().size()) return;
      const auto blocks = reads.operand(side + 2).sizes();
      Index block;
      for (size_t d = 0; d < blocks.size(); ++d) {
        block.push_back(at[d] / (shape.sizes()[d] / blocks[d]));
      }
      reads.Add(side + 2, block);
    });
  }
}

// Groups of rows of the left side, each with a matrix of its own.
void RaggedDot(const OpcodeReads& reads) {
  const int64_t row = reads.index[0];
  int64_t end = 0;
  int64_t group = 0;
  const int64_t groups = reads.operand(2).sizes()[0];
  reads.AddAll(2);
  for (; group < groups; ++group) {
    end += reads.Integer(2, {group});
    if (row < end) break;
  }
  if (group == groups) return;
  for (int64_t k = 0; k < reads.operand(0).sizes()[1]; ++k) {
    reads.Add(0, {row, k});
    reads.Add(1, {group, k, reads.index[1]});
  }
}

// The members of the group of this device; the numbers of the test are devices.
Index GroupOf(const OpcodeReads& reads) {
  const auto groups =
      reads.instruction.Get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  const int64_t device = reads.circumstances.device;
  if (groups && (*groups)->form == hlo::ReplicaGroups::Form::kList) {
    for (const auto group : (*groups)->groups) {
      if (Has(group, device)) return {group.begin(), group.end()};
    }
    if (!(*groups)->groups.empty()) return {};
  }
  Index numbers;
  if (!groups || (*groups)->form == hlo::ReplicaGroups::Form::kList) {
    for (int64_t i = 0; i < reads.circumstances.num_devices; ++i) numbers.push_back(i);
    return numbers;
  }
  // Every place of the transposed array, in order.
  Index sizes;
  for (size_t i = 0; i < (*groups)->reshape.size(); ++i) {
    const auto permutation = (*groups)->permutation;
    sizes.push_back((*groups)->reshape[permutation.empty() ? i : At(permutation[i])]);
  }
  ForEachIndex(sizes, [&](const Index& place) {
    Index at(place.size());
    for (size_t i = 0; i < place.size(); ++i) {
      const auto permutation = (*groups)->permutation;
      at[permutation.empty() ? i : At(permutation[i])] = place[i];
    }
    numbers.push_back(*Flatten(at, (*groups)->reshape));
  });
  const int64_t members = (*groups)->dimensions.back();
  const auto found = std::find(numbers.begin(), numbers.end(), device) - numbers.begin();
  const auto begin = numbers.begin() + found / members * members;
  return {begin, begin + members};
}

void Collective(const OpcodeReads& reads) {
  const auto& collective = reads.instruction;
  const Index group = GroupOf(reads);
  const int64_t count = static_cast<int64_t>(group.size());
  const auto found = std::find(group.begin(), group.end(), reads.circumstances.device);
  const int64_t position = found - group.begin();
  const auto dimensions = collective.Integers(AttributeName::kDimensions);
  const size_t d = dimensions.empty() ? 0 : At(dimensions[0]);
  Index at = reads.index;
  const size_t operand = At(reads.leaf);
  switch (collective.opcode()) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      for (const int64_t device : group) reads.add_array(operand, 0, at, device);
      return;
    case Opcode::kAllGather: {
      const int64_t part = reads.operand(operand).sizes()[d];
      at[d] %= part;
      reads.add_array(operand, 0, at, group[At(reads.index[d] / part)]);
      return;
    }
    case Opcode::kReduceScatter:
      at[d] += position * collective.shape().ArrayLeaf(reads.leaf).sizes()[d];
      for (const int64_t device : group) reads.add_array(operand, 0, at, device);
      return;
    case Opcode::kAllToAll: {
      if (dimensions.empty()) {
        reads.add_array(At(position), 0, at, group[operand]);
        return;
      }
      const int64_t part = reads.operand(0).sizes()[d] / count;
      at[d] = position * part + reads.index[d] % part;
      reads.add_array(0, 0, at, group[At(reads.index[d] / part)]);
      return;
    }
    case Opcode::kCollectiveBroadcast:
      if (!group.empty()) reads.add_array(operand, 0, at, group[0]);
      return;
    default: {
      const Lists pairs =
          collective.Get<Lists>(AttributeName::kSourceTargetPairs).value_or(Lists());
      for (const auto pair : pairs) {
        if (pair[1] == reads.circumstances.device) reads.add_array(operand, 0, at, pair[0]);
      }
    }
  }
}

// Of a tuple, the arrays of one element.
void Element(const OpcodeReads& reads, size_t element) {
  int64_t first = 0;
  for (size_t i = 0; i < element; ++i) {
    first += reads.operand(0).elements()[i]->num_array_leaves();
  }
  reads.add_array(0, first + reads.leaf, reads.index, -1);
}

}  // namespace

void OpcodeReads::AddAll(size_t i) const {
  for (int64_t array = 0; array < operand(i).num_array_leaves(); ++array) {
    ForEachIndex(operand(i).ArrayLeaf(array).sizes(),
                 [&](const Index& at) { add_array(i, array, at, -1); });
  }
}

int64_t OpcodeReads::Integer(size_t i, const std::vector<int64_t>& at) const {
  return *integers.Get(instruction.operand(i), *Flatten(at, operand(i).sizes()), calls);
}

bool AddReadsOfOpcode(const OpcodeReads& reads) {
  const hlo::Instruction& instruction = reads.instruction;
  const int64_t rank = static_cast<int64_t>(reads.index.size());
  switch (instruction.opcode()) {
    case Opcode::kReduceWindow:
      ReduceWindow(reads);
      return true;
    case Opcode::kConvolution:
      Convolution(reads);
      return true;
    case Opcode::kSelectAndScatter:
      SelectAndScatter(reads);
      return true;
    case Opcode::kGather:
      Gather(reads);
      return true;
    case Opcode::kScatter:
      Scatter(reads);
      return true;
    case Opcode::kSort: {
      const int64_t d = instruction.Integers(AttributeName::kDimensions)[0];
      for (size_t i = 0; i < instruction.operands().size(); ++i) Line(reads, i, d, d + 1);
      return true;
    }
    case Opcode::kTopK:
      Line(reads, 0, rank - 1, rank);
      return true;
    case Opcode::kFft:
      Fft(reads);
      return true;
    case Opcode::kScan:
      Scan(reads);
      return true;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      BatchNorm(reads);
      return true;
    case Opcode::kCholesky:
      Cholesky(reads);
      return true;
    case Opcode::kTriangularSolve:
      TriangularSolve(reads);
      return true;
    case Opcode::kScaledDot:
      ScaledDot(reads);
      return true;
    case Opcode::kRaggedDot:
      RaggedDot(reads);
      return true;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
      Collective(reads);
      return true;
    case Opcode::kRng:
      for (size_t i = 0; i < instruction.operands().size(); ++i) reads.AddAll(i);
      return true;
    case Opcode::kRngBitGenerator:
      reads.AddAll(0);
      return true;
    case Opcode::kGetDimensionSize:
    case Opcode::kInfeed:
    case Opcode::kRecv:
      return true;
    case Opcode::kAddDependency:
    case Opcode::kAllReduceDone:
    case Opcode::kSetDimensionSize:
      reads.add_array(0, reads.leaf, reads.index, -1);
      return true;
    case Opcode::kCopyStart:
      if (reads.leaf < 2) reads.Add(0, reads.index);
      return true;
    case Opcode::kSend:
      if (reads.leaf < 1) reads.Add(0, reads.index);
      return true;
    case Opcode::kCopyDone:
    case Opcode::kRecvDone:
      Element(reads, 0);
      return true;
    case Opcode::kAllGatherDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
      Element(reads, 1);
      return true;
    case Opcode::kDynamicReshape: {
      const auto flat = Flatten(reads.index, instruction.shape().sizes());
      reads.Add(0, Unflatten(*flat, reads.operand(0).sizes()));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace hlo_indexing::testing
