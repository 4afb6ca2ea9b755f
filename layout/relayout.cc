#include "layout/relayout.h"

#include <algorithm>
#include <random>

#include "layout/row_major.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "simplifier/arithmetic.h"
#include "simplifier/integer_system.h"
#include "simplifier/inverse.h"
#include "simplifier/quotient_program.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Atom;
using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::IntegerSystem;
using simplifier::Interval;
using simplifier::QuasiAffineMap;
using simplifier::QuotientProgram;
using simplifier::Solution;
using simplifier::Sum;
using Index = llvm::SmallVector<int64_t, 6>;

// The next index in row-major order; false behind the last one.
bool Advance(Index& index, llvm::ArrayRef<int64_t> sizes) {
  for (size_t i = index.size(); i-- > 0;) {
    if (++index[i] < sizes[i]) return true;
    index[i] = 0;
  }
  return false;
}

Index RandomIndex(std::mt19937_64& random, llvm::ArrayRef<int64_t> sizes) {
  Index index;
  for (const int64_t size : sizes) {
    index.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(size)));
  }
  return index;
}

bool TakeAsManyBits(const ElementPositions& a, const ElementPositions& b) {
  // The bits behind a layout of CuTe may not fit in 64.
  return llvm::DynamicAPInt(a.num_positions) * llvm::DynamicAPInt(a.element_bits) ==
         llvm::DynamicAPInt(b.num_positions) * llvm::DynamicAPInt(b.element_bits);
}

BitcastAnswer Moved(Index index, std::string reason) {
  return {Answer::kNo, false, std::move(reason), std::move(index)};
}

// Whether two positions, which differ in form, differ at an element.
class DifferenceFinder {
 public:
  DifferenceFinder(llvm::ArrayRef<int64_t> sizes, const Sum& difference,
                   const QuotientProgram& program)
      : sizes_(sizes), difference_(difference), program_(program) {}

  BitcastAnswer TryAll() const {
    Index index(sizes_.size(), 0);
    do {
      if (Differs(index)) return Moved(index, "checked at this element");
    } while (Advance(index, sizes_));
    return {Answer::kYes, false, "every element has been tried", {}};
  }

  BitcastAnswer TrySome(int samples) const {
    std::mt19937_64 random(1);
    for (int i = 0; i < samples; ++i) {
      const Index index = RandomIndex(random, sizes_);
      if (Differs(index)) return Moved(index, "checked at this element");
    }
    llvm::SmallVector<Interval, 6> boxes;
    for (const int64_t size : sizes_) boxes.push_back({0, size - 1});
    for (const Interval bounds :
         {Interval{1, Interval::kPlusInfinity}, Interval{Interval::kMinusInfinity, -1}}) {
      IntegerSystem system(boxes, IntegerSystem::Effort::kThorough);
      system.Add(difference_, bounds);
      const Solution solution = system.Solve();
      if (solution.answer == support::Answer::kUnknown) {
        return {Answer::kUnknown,
                false,
                "too many elements to try, and the positions are too involved for a proof",
                {}};
      }
      if (solution.answer == support::Answer::kYes) {
        Index index(solution.point.begin(), solution.point.begin() + sizes_.size());
        if (Differs(index)) return Moved(index, "checked at this element");
      }
    }
    return {Answer::kYes, false, "integer programming finds no element that moves", {}};
  }

 private:
  bool Differs(llvm::ArrayRef<int64_t> index) const { return program_.Evaluate(index) != 0; }

  llvm::ArrayRef<int64_t> sizes_;
  const Sum& difference_;
  const QuotientProgram& program_;
};

BitcastAnswer ComparePositions(DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                               const Sum& from, const Sum& to, const RelayoutBudget& budget) {
  if (from == to) return {Answer::kYes, false, "equal sums of digits", {}};
  const Sum difference = Subtract(context, from, to);
  const auto program = QuotientProgram::Create(difference, sizes.size());
  if (!program) {
    return {Answer::kUnknown, false, "a position is not an affine function of the index", {}};
  }
  const DifferenceFinder finder(sizes, difference, *program);
  const std::optional<int64_t> elements = Product(sizes);
  if (elements && *elements <= budget.max_elements) return finder.TryAll();
  return finder.TrySome(budget.samples);
}

}  // namespace

ElementPositions PositionsOf(DigitContext& context, const TiledLayout& layout) {
  return {layout.PositionSum(context).value_or(simplifier::Constant(0)), layout.IndexSums(context),
          layout.num_positions(), layout.element_bits()};
}

ElementPositions PositionsOf(DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                             const Sum& position, int64_t num_positions, int64_t element_bits) {
  QuasiAffineMap map;
  for (const int64_t size : sizes) map.boxes.push_back({0, size - 1});
  map.results.push_back(position);
  return {position, simplifier::Invert(context, map, sizes.size()).map, num_positions,
          element_bits};
}

QuasiAffineMap RelayoutMap(DigitContext& context, const ElementPositions& from,
                           const ElementPositions& to) {
  QuasiAffineMap map = to.index;
  if (map.empty) {
    map.results.assign(1, simplifier::Constant(0));
    return map;
  }
  const llvm::SmallVector<Sum, 6> index = map.results;
  const llvm::SmallVector<Constraint, 2> constraints = map.constraints;
  const simplifier::FactScope facts(context, constraints);
  const auto replace = [&](const Atom& atom) {
    return atom.kind == simplifier::AtomKind::kVariable ? std::optional<Sum>(index[atom.variable])
                                                        : std::nullopt;
  };
  simplifier::Substitution substitution(context, replace);
  map.results.assign(1, substitution.Apply(from.position));
  simplifier::Simplify(context, map);
  return map;
}

BitcastAnswer IsBitcast(DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                        const ElementPositions& from, const ElementPositions& to,
                        const RelayoutBudget& budget) {
  const bool same_size = TakeAsManyBits(from, to);
  if (llvm::is_contained(sizes, 0)) {
    return {Answer::kYes, same_size, "the array has no elements", {}};
  }
  if (from.element_bits != to.element_bits) {
    return {Answer::kNo,
            same_size,
            "an element takes " + std::to_string(from.element_bits) + " bits on one side and " +
                std::to_string(to.element_bits) + " on the other",
            {}};
  }
  BitcastAnswer answer = ComparePositions(context, sizes, from.position, to.position, budget);
  answer.same_size = same_size;
  return answer;
}

}  // namespace hlo_indexing::layout
