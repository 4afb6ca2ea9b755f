#include "tests/property/provenance.h"

#include <algorithm>

#include "tests/property/provenance_opcodes.h"

namespace hlo_indexing::testing {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

using Index = std::vector<int64_t>;
// One array: what each element reads. One instruction: its arrays.
using Array = std::vector<Sources>;
using Arrays = std::vector<Array>;

void Insert(const Sources& from, Sources& to) { to.insert(from.begin(), from.end()); }

size_t At(int64_t i) { return static_cast<size_t>(i); }

class Evaluator {
 public:
  Evaluator(const IntegerValues& integers, const Circumstances& circumstances)
      : integers_(integers), circumstances_(circumstances) {}

  // The arrays of `instruction`, given those of its operands.
  Arrays Apply(const Instruction& instruction, const std::vector<const Arrays*>& operands) {
    switch (instruction.opcode()) {
      case Opcode::kFusion:
        return Call(*instruction.Callee(AttributeName::kCalls), operands, instruction);
      case Opcode::kCall:
        return Call(*instruction.Callee(AttributeName::kToApply), operands, instruction);
      case Opcode::kAsyncStart: {
        Arrays result = Concatenated(operands);
        const Arrays computed =
            Call(*instruction.Callee(AttributeName::kCalls), operands, instruction);
        result.insert(result.end(), computed.begin(), computed.end());
        result.resize(At(instruction.shape().num_array_leaves()), Array(1));
        return result;
      }
      case Opcode::kConditional:
        return Conditional(instruction, operands);
      case Opcode::kWhile:
        return While(instruction, operands);
      case Opcode::kTuple:
        return Concatenated(operands);
      case Opcode::kGetTupleElement:
        return TupleElement(instruction, *operands[0]);
      default:
        break;
    }
    Arrays results(At(instruction.shape().num_array_leaves()));
    for (size_t leaf = 0; leaf < results.size(); ++leaf) {
      const Shape& shape = instruction.shape().ArrayLeaf(static_cast<int64_t>(leaf));
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        results[leaf].push_back(
            Element(instruction, leaf, Unflatten(i, shape.sizes()), i, operands));
      }
    }
    return results;
  }

 private:
  // Any branch may run; every element reads the selector.
  Arrays Conditional(const Instruction& conditional, const std::vector<const Arrays*>& operands) {
    using Computations = llvm::ArrayRef<const Computation*>;
    const auto listed = conditional.Get<Computations>(AttributeName::kBranchComputations);
    std::vector<const Computation*> branches;
    if (listed) branches.assign(listed->begin(), listed->end());
    if (!listed) {
      branches = {conditional.Callee(AttributeName::kTrueComputation),
                  conditional.Callee(AttributeName::kFalseComputation)};
    }
    Arrays result;
    for (size_t branch = 0; branch < branches.size(); ++branch) {
      const Arrays one = Call(*branches[branch], {operands[branch + 1]}, conditional);
      if (result.empty()) result = one;
      for (size_t leaf = 0; leaf < one.size(); ++leaf) {
        for (size_t i = 0; i < one[leaf].size(); ++i) {
          Insert(one[leaf][i], result[leaf][i]);
          Insert((*operands[0])[0][0], result[leaf][i]);
        }
      }
    }
    return result;
  }

  // A given number of iterations; everything depends on the decisions to run them.
  Arrays While(const Instruction& loop, const std::vector<const Arrays*>& operands) {
    Arrays state = *operands[0];
    for (int64_t i = 0; i < circumstances_.iterations; ++i) {
      const Arrays decision = Call(*loop.Callee(AttributeName::kCondition), {&state}, loop);
      Arrays next = Call(*loop.Callee(AttributeName::kBody), {&state}, loop);
      for (auto& array : next) {
        for (Sources& sources : array) Insert(decision[0][0], sources);
      }
      state = std::move(next);
    }
    return state;
  }

  Arrays Call(const Computation& callee, const std::vector<const Arrays*>& arguments,
              const Instruction& call) {
    calls_.push_back(&call);
    std::map<const Instruction*, Arrays> values;
    for (const Instruction* instruction : callee.instructions()) {
      if (instruction->opcode() == Opcode::kParameter) {
        values[instruction] = *arguments[At(instruction->parameter_number())];
        continue;
      }
      std::vector<const Arrays*> operands;
      for (const Instruction* operand : instruction->operands()) {
        operands.push_back(&values[operand]);
      }
      values[instruction] = Apply(*instruction, operands);
    }
    calls_.pop_back();
    return values[&callee.root()];
  }

  static Arrays Concatenated(const std::vector<const Arrays*>& operands) {
    Arrays results;
    for (const Arrays* operand : operands) {
      results.insert(results.end(), operand->begin(), operand->end());
    }
    return results;
  }

  static Arrays TupleElement(const Instruction& instruction, const Arrays& tuple) {
    const Shape& shape = instruction.operand(0).shape();
    int64_t first = 0;
    const int64_t index = *instruction.Get<int64_t>(AttributeName::kIndex);
    for (int64_t i = 0; i < index; ++i) first += shape.elements()[At(i)]->num_array_leaves();
    const auto begin = tuple.begin() + first;
    return Arrays(begin, begin + instruction.shape().num_array_leaves());
  }

  Sources Element(const Instruction& instruction, size_t leaf, const Index& index, int64_t position,
                  const std::vector<const Arrays*>& operands) {
    Sources read;
    const auto add_array = [&](size_t operand, int64_t array, const Index& at, int64_t device) {
      const Shape& shape = instruction.operand(operand).shape().ArrayLeaf(array);
      const auto flat = Flatten(at, shape.sizes());
      if (!flat) return;
      for (Source source : (*operands[operand])[At(array)][At(*flat)]) {
        if (device >= 0) source.device = device;
        read.insert(source);
      }
    };
    const OpcodeReads reads = {
        instruction, static_cast<int64_t>(leaf), index, integers_, calls_, circumstances_,
        add_array};
    if (AddReadsOfOpcode(reads)) return read;
    const auto add = [&](size_t operand, const Index& at) {
      const Shape& shape = instruction.operand(operand).shape();
      const auto flat = Flatten(at, shape.sizes());
      if (flat) Insert((*operands[operand])[0][At(*flat)], read);
    };
    switch (instruction.opcode()) {
      case Opcode::kConstant:
      case Opcode::kIota:
      case Opcode::kParameter:
        break;
      case Opcode::kBroadcast: {
        Index at;
        for (const int64_t d : instruction.Integers(AttributeName::kDimensions)) {
          at.push_back(index[At(d)]);
        }
        add(0, at);
        break;
      }
      case Opcode::kTranspose: {
        const auto permutation = instruction.Integers(AttributeName::kDimensions);
        Index at(index.size());
        for (size_t i = 0; i < index.size(); ++i) at[At(permutation[i])] = index[i];
        add(0, at);
        break;
      }
      case Opcode::kReverse: {
        Index at = index;
        for (const int64_t d : instruction.Integers(AttributeName::kDimensions)) {
          at[At(d)] = instruction.shape().sizes()[At(d)] - 1 - at[At(d)];
        }
        add(0, at);
        break;
      }
      case Opcode::kReshape:
        add(0, Unflatten(position, instruction.operand(0).shape().sizes()));
        break;
      case Opcode::kBitcast:
        Bitcast(instruction, index, *operands[0], read);
        break;
      case Opcode::kSlice: {
        const auto ranges =
            *instruction.Get<llvm::ArrayRef<hlo::SliceRange>>(AttributeName::kSlice);
        Index at;
        for (size_t i = 0; i < index.size(); ++i) {
          at.push_back(ranges[i].start + ranges[i].stride * index[i]);
        }
        add(0, at);
        break;
      }
      case Opcode::kPad:
        Pad(instruction, index, add);
        break;
      case Opcode::kConcatenate: {
        const size_t d = At(instruction.Integers(AttributeName::kDimensions)[0]);
        Index at = index;
        for (size_t i = 0; i < operands.size(); ++i) {
          const int64_t size = instruction.operand(i).shape().sizes()[d];
          if (at[d] >= 0 && at[d] < size) add(i, at);
          at[d] -= size;
        }
        break;
      }
      case Opcode::kReduce:
        Reduce(instruction, index, add);
        break;
      case Opcode::kDot:
        Dot(instruction, index, add);
        break;
      case Opcode::kDynamicSlice: {
        const Index start = Starts(instruction, 1, instruction.shape().sizes());
        Index at = index;
        for (size_t i = 0; i < at.size(); ++i) at[i] += start[i];
        add(0, at);
        for (size_t i = 1; i < operands.size(); ++i) add(i, {});
        break;
      }
      case Opcode::kDynamicUpdateSlice: {
        const auto slice = instruction.operand(1).shape().sizes();
        const Index start = Starts(instruction, 2, slice);
        Index at = index;
        bool inside = true;
        for (size_t i = 0; i < at.size(); ++i) {
          at[i] -= start[i];
          inside = inside && at[i] >= 0 && at[i] < slice[i];
        }
        add(inside ? 1 : 0, inside ? at : index);
        for (size_t i = 2; i < operands.size(); ++i) add(i, {});
        break;
      }
      case Opcode::kBitcastConvert:
        BitcastConvert(instruction, index, *operands[0], read);
        break;
      default:
        // Elementwise; a scalar operand goes with every element, a tuple is copied array by array.
        for (size_t i = 0; i < operands.size(); ++i) {
          const Shape& shape = instruction.operand(i).shape();
          if (shape.IsTuple()) {
            Insert((*operands[i])[leaf][At(position)], read);
          } else {
            add(i, shape.rank() == 0 ? Index() : index);
          }
        }
    }
    return read;
  }

  // By bits: element p of an untiled array of w-bit elements covers bits [p * w, (p + 1) * w).
  static void Bitcast(const Instruction& instruction, const Index& index, const Arrays& operand,
                      Sources& read) {
    const Shape& from = instruction.operand(0).shape();
    const Shape& to = instruction.shape();
    const int64_t begin = MemoryPosition(index, to) * to.StorageBits();
    const int64_t end = begin + to.StorageBits();
    for (int64_t i = 0; i < from.num_elements(); ++i) {
      const int64_t other = MemoryPosition(Unflatten(i, from.sizes()), from) * from.StorageBits();
      if (other < end && begin < other + from.StorageBits()) Insert(operand[0][At(i)], read);
    }
  }

  static int64_t MemoryPosition(const Index& index, const Shape& shape) {
    int64_t position = 0;
    int64_t stride = 1;
    for (int64_t k = 0; k < shape.rank(); ++k) {
      const size_t d = At(shape.layout() != nullptr ? shape.layout()->minor_to_major[At(k)]
                                                    : shape.rank() - 1 - k);
      position += index[d] * stride;
      stride *= shape.sizes()[d];
    }
    return position;
  }

  static void BitcastConvert(const Instruction& instruction, const Index& index,
                             const Arrays& operand, Sources& read) {
    const Shape& from = instruction.operand(0).shape();
    for (int64_t i = 0; i < from.num_elements(); ++i) {
      const Index other = Unflatten(i, from.sizes());
      const size_t shared = std::min(index.size(), other.size());
      if (std::equal(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(shared),
                     other.begin())) {
        Insert(operand[0][At(i)], read);
      }
    }
  }

  template <typename Add>
  static void Pad(const Instruction& instruction, const Index& index, Add add) {
    const auto padding =
        *instruction.Get<llvm::ArrayRef<hlo::PaddingDimension>>(AttributeName::kPadding);
    const auto sizes = instruction.operand(0).shape().sizes();
    Index at;
    bool inside = true;
    for (size_t i = 0; i < index.size(); ++i) {
      const int64_t position = index[i] - padding[i].low;
      const int64_t step = padding[i].interior + 1;
      inside = inside && position >= 0 && position % step == 0 && position / step < sizes[i];
      at.push_back(position / step);
    }
    add(inside ? 0 : 1, inside ? at : Index());
  }

  template <typename Add>
  static void Reduce(const Instruction& instruction, const Index& index, Add add) {
    const auto reduced = instruction.Integers(AttributeName::kDimensions);
    const size_t count = instruction.operands().size() / 2;
    for (size_t i = 0; i < count; ++i) {
      const Shape& shape = instruction.operand(i).shape();
      for (int64_t p = 0; p < shape.num_elements(); ++p) {
        const Index at = Unflatten(p, shape.sizes());
        Index kept;
        for (int64_t d = 0; d < shape.rank(); ++d) {
          if (!llvm::is_contained(reduced, d)) kept.push_back(at[At(d)]);
        }
        if (kept == index) add(i, at);
      }
      add(count + i, {});
    }
  }

  template <typename Add>
  static void Dot(const Instruction& dot, const Index& index, Add add) {
    for (size_t side = 0; side < 2; ++side) {
      const auto batch =
          dot.Integers(side == 0 ? AttributeName::kLhsBatchDims : AttributeName::kRhsBatchDims);
      const auto contracting = dot.Integers(side == 0 ? AttributeName::kLhsContractingDims
                                                      : AttributeName::kRhsContractingDims);
      const Shape& shape = dot.operand(side).shape();
      const size_t num_free = At(shape.rank()) - batch.size() - contracting.size();
      const size_t first_free = side == 0 ? batch.size() : index.size() - num_free;
      for (int64_t p = 0; p < shape.num_elements(); ++p) {
        const Index at = Unflatten(p, shape.sizes());
        bool matches = true;
        for (size_t b = 0; b < batch.size(); ++b) matches &= at[At(batch[b])] == index[b];
        size_t next = first_free;
        for (int64_t d = 0; d < shape.rank(); ++d) {
          if (llvm::is_contained(batch, d) || llvm::is_contained(contracting, d)) continue;
          matches &= at[At(d)] == index[next++];
        }
        if (matches) add(side, at);
      }
    }
  }

  Index Starts(const Instruction& instruction, size_t first, llvm::ArrayRef<int64_t> slice) const {
    const auto sizes = instruction.operand(0).shape().sizes();
    Index starts;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t value = *integers_.Get(instruction.operand(first + i), 0, calls_);
      starts.push_back(std::clamp<int64_t>(value, 0, sizes[i] - slice[i]));
    }
    return starts;
  }

  const IntegerValues& integers_;
  const Circumstances& circumstances_;
  // The calls that lead to the instruction in work.
  std::vector<const Instruction*> calls_;
};

}  // namespace

std::optional<int64_t> IntegerValues::Get(const Instruction& instruction, int64_t element,
                                          llvm::ArrayRef<const Instruction*> calls) const {
  if (const auto found = given_.find(&instruction); found != given_.end()) {
    return found->second[At(element)];
  }
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      if (calls.empty()) return std::nullopt;
      return Get(calls.back()->operand(At(instruction.parameter_number())), element,
                 calls.drop_back());
    case Opcode::kConstant:
      return instruction.literal()->GetInteger(element);
    case Opcode::kIota:
      return Unflatten(element,
                       instruction.shape()
                           .sizes())[At(*instruction.Get<int64_t>(AttributeName::kIotaDimension))];
    case Opcode::kCopy:
      return Get(instruction.operand(0), element, calls);
    case Opcode::kAdd: {
      const auto a = Get(instruction.operand(0), element, calls);
      const auto b = Get(instruction.operand(1), element, calls);
      if (!a || !b) return std::nullopt;
      return *a + *b;
    }
    default:
      return std::nullopt;
  }
}

std::vector<std::vector<Sources>> Provenance(const Instruction& instruction,
                                             const IntegerValues& integers,
                                             const Circumstances& circumstances) {
  std::vector<Arrays> operands;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const Shape& shape = instruction.operand(i).shape();
    Arrays& arrays = operands.emplace_back(At(shape.num_array_leaves()));
    for (size_t leaf = 0; leaf < arrays.size(); ++leaf) {
      const int64_t count = shape.ArrayLeaf(static_cast<int64_t>(leaf)).num_elements();
      for (int64_t element = 0; element < count; ++element) {
        arrays[leaf].push_back(
            {Source{i, static_cast<int64_t>(leaf), element, circumstances.device}});
      }
    }
  }
  std::vector<const Arrays*> views;
  for (const Arrays& arrays : operands) views.push_back(&arrays);
  return Evaluator(integers, circumstances).Apply(instruction, views);
}

std::vector<int64_t> Unflatten(int64_t position, llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = position % sizes[i];
    position /= sizes[i];
  }
  return index;
}

std::optional<int64_t> Flatten(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> sizes) {
  int64_t position = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (index[i] < 0 || index[i] >= sizes[i]) return std::nullopt;
    position = position * sizes[i] + index[i];
  }
  return position;
}

}  // namespace hlo_indexing::testing
