// Sort and topk. Every element of a sorted line depends on the whole line, and on those that are
// compared.
#include <algorithm>

#include "hlo/array_indices.h"
#include "hlo/interpreter/element_functions.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/scalar_function.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Sorts by merging, stably. Unlike std::stable_sort it is safe with any `precedes`, which a program
// may have written: it ends, and stays inside. `precedes` fills its answer and gives false to stop.
template <typename Precedes>
bool MergeSort(std::vector<int64_t>& items, Precedes precedes) {
  std::vector<int64_t> merged(items.size());
  for (size_t width = 1; width < items.size(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, items.size());
      const size_t end = std::min(begin + 2 * width, items.size());
      size_t left = begin;
      size_t right = middle;
      for (size_t to = begin; to < end; ++to) {
        bool takes_right = left == middle;
        if (left < middle && right < end && !precedes(items[right], items[left], takes_right)) {
          return false;
        }
        merged[to] = items[takes_right ? right++ : left++];
      }
    }
    items.swap(merged);
  }
  return true;
}

class SortEvaluation {
 public:
  explicit SortEvaluation(Evaluation& e)
      : e_(e),
        comparator_(e.session().FunctionOf(*e.instruction().Callee(AttributeName::kToApply))),
        dimension_(e.instruction().Integers(AttributeName::kDimensions)[0]) {}

  bool Run();

 private:
  bool Precedes(int64_t a, int64_t b, bool& answer);
  bool SortLine(int64_t start);
  std::vector<bool> FindKeys() const;
  SourceSet SourcesOfLine(size_t operand, llvm::ArrayRef<int64_t> positions) const;

  Evaluation& e_;
  const ScalarFunction& comparator_;
  int64_t dimension_;
  int64_t stride_ = 1;
  int64_t length_ = 0;
  // Which operands the comparison looks at.
  std::vector<bool> is_key_;
  std::vector<std::shared_ptr<ArrayValue>> results_;
};

// Those whose two parameters the root is computed from.
std::vector<bool> SortEvaluation::FindKeys() const {
  const Computation& comparator = *e_.instruction().Callee(AttributeName::kToApply);
  llvm::SmallPtrSet<const Instruction*, 16> seen = {&comparator.root()};
  llvm::SmallVector<const Instruction*, 16> pending = {&comparator.root()};
  std::vector<bool> is_key(e_.num_operands(), false);
  while (!pending.empty()) {
    const Instruction* instruction = pending.pop_back_val();
    if (instruction->opcode() == Opcode::kParameter) {
      is_key[static_cast<size_t>(instruction->parameter_number()) / 2] = true;
    }
    for (const Instruction* operand : instruction->operands()) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return is_key;
}

SourceSet SortEvaluation::SourcesOfLine(size_t operand, llvm::ArrayRef<int64_t> positions) const {
  SourceSet sources = kNoSources;
  for (const int64_t position : positions) {
    sources = e_.Union(sources, e_.array(operand).SourcesOf(position));
  }
  return sources;
}

// Whether the elements at position a come before those at b.
bool SortEvaluation::Precedes(int64_t a, int64_t b, bool& answer) {
  llvm::SmallVector<Element, 8> pairs;
  for (size_t i = 0; i < e_.num_operands(); ++i) {
    for (const int64_t position : {a, b}) {
      pairs.push_back(e_.array(i).Get(position));
      // The whole line is counted as read anyway.
      pairs.back().sources = kNoSources;
    }
  }
  Element result;
  if (!comparator_.Apply(e_.instruction(), e_.device(), pairs, result)) return false;
  answer = result.integer != 0;
  return true;
}

bool SortEvaluation::SortLine(int64_t start) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < length_; ++i) order.push_back(start + i * stride_);
  SourceSet keys = kNoSources;
  std::vector<SourceSet> sources;
  for (size_t k = 0; k < e_.num_operands(); ++k) {
    sources.push_back(SourcesOfLine(k, order));
    if (is_key_[k]) keys = e_.Union(keys, sources.back());
  }
  for (SourceSet& of_result : sources) of_result = e_.Union(of_result, keys);
  if (!MergeSort(order,
                 [this](int64_t a, int64_t b, bool& answer) { return Precedes(a, b, answer); })) {
    return false;
  }
  for (size_t k = 0; k < results_.size(); ++k) {
    for (int64_t i = 0; i < length_; ++i) {
      results_[k]->CopyFrom(start + i * stride_, e_.array(k), order[static_cast<size_t>(i)]);
      results_[k]->SetSources(start + i * stride_, sources[k]);
    }
  }
  return true;
}

bool SortEvaluation::Run() {
  is_key_ = FindKeys();
  for (size_t i = 0; i < e_.num_operands(); ++i) {
    results_.push_back(e_.NewArray(e_.ResultShape(i)));
    if (results_.back() == nullptr) return false;
  }
  Index sizes(e_.array(0).shape().sizes());
  const Index strides = RowMajorStrides(sizes);
  stride_ = strides[dimension_];
  length_ = sizes[dimension_];
  sizes[dimension_] = std::min<int64_t>(length_, 1);
  bool ok = true;
  ForEachStrided(sizes, strides, 0, [&](int64_t, int64_t start) { ok = ok && SortLine(start); });
  return ok && e_.ReturnEach(std::move(results_));
}

// -1, 0 or 1; floats in the total order, in which nan is largest.
int Compare(ElementType type, const Element& a, const Element& b) {
  return ClassOf(type) == ElementClass::kFloat
             ? element_functions::TotalOrder(a.real, b.real)
             : element_functions::Order(type, a.integer, b.integer);
}

}  // namespace

bool Sort(Evaluation& e) { return SortEvaluation(e).Run(); }

bool SelectTopK(Evaluation& e, int64_t k, bool is_largest) {
  const ArrayValue& operand = e.array(0);
  if (ClassOf(operand.type()) == ElementClass::kComplex) {
    return e.Fail("topk is not defined for complex numbers");
  }
  const std::shared_ptr<ArrayValue> values = e.NewArray(e.ResultShape(0));
  const std::shared_ptr<ArrayValue> indices = e.NewArray(e.ResultShape(1));
  if (values == nullptr || indices == nullptr) return false;
  const int64_t length = operand.shape().sizes().back();
  const int64_t lines = length == 0 ? 0 : operand.size() / length;
  if (!e.Spend(support::CheckedMul(operand.size(), 16).value_or(-1))) return false;
  for (int64_t line = 0; line < lines; ++line) {
    std::vector<int64_t> order;
    SourceSet sources = kNoSources;
    for (int64_t i = 0; i < length; ++i) {
      order.push_back(line * length + i);
      sources = e.Union(sources, operand.SourcesOf(order.back()));
    }
    MergeSort(order, [&](int64_t a, int64_t b, bool& answer) {
      const int order_of_two = Compare(operand.type(), operand.Get(a), operand.Get(b));
      answer = is_largest ? order_of_two > 0 : order_of_two < 0;
      return true;
    });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t from = order[static_cast<size_t>(i)];
      values->Set(line * k + i, ConvertElement(operand.Get(from), operand.type(), values->type()));
      indices->Set(line * k + i, ConvertElement(IntegerElement(from % length), ElementType::kS64,
                                                indices->type()));
      values->SetSources(line * k + i, sources);
      indices->SetSources(line * k + i, sources);
    }
  }
  return e.ReturnEach({values, indices});
}

bool TopK(Evaluation& e) {
  return SelectTopK(e, e.instruction().Required<int64_t>(AttributeName::kK),
                    e.instruction().Get<bool>(AttributeName::kLargest).value_or(true));
}

}  // namespace hlo_indexing::hlo::evaluate
