// How much a relayout moves at a time; declared in layout/relayout.h.
#include <algorithm>
#include <numeric>
#include <random>

#include "layout/relayout.h"
#include "layout/row_major.h"
#include "simplifier/arithmetic.h"
#include "simplifier/quotient_program.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::AtomKind;
using simplifier::QuasiAffineMap;
using simplifier::QuotientProgram;
using simplifier::Sum;
using simplifier::Term;
using simplifier::TermVector;
using simplifier::VariableId;
using Index = llvm::SmallVector<int64_t, 6>;

// A digit of an index that is a part of every chunk: (variable floordiv lo) mod extent.
struct ChunkDigit {
  VariableId variable = 0;
  int64_t lo = 1;
  int64_t extent = 1;
};

// Elements that move together for certain. Digits that are the lowest part of both positions, that
// take all their values whatever the rest of the index, and over which everything else has a
// multiple of their number.
class CommonChunk {
 public:
  CommonChunk(llvm::ArrayRef<int64_t> sizes, const Sum& from, const Sum& to)
      : sizes_(sizes),
        constants_{from.constant, to.constant},
        terms_{TermVector(from.terms.begin(), from.terms.end()),
               TermVector(to.terms.begin(), to.terms.end())} {
    // A quotient variable may depend on any digit.
    for (const TermVector& terms : terms_) {
      for (const Term& term : terms) {
        if (term.atom->kind != AtomKind::kVariable || term.atom->lower != 0) return;
      }
    }
    while (Grow()) {
    }
  }

  int64_t size() const { return size_; }
  llvm::ArrayRef<ChunkDigit> digits() const { return digits_; }

 private:
  Term* TermOfStep(TermVector& terms) {
    const auto found =
        llvm::find_if(terms, [&](const Term& term) { return term.coefficient == size_; });
    return found == terms.end() ? nullptr : &*found;
  }

  // Adds one more digit, or a part of one, to the chunk; false if there is none.
  bool Grow() {
    Term* const from = TermOfStep(terms_[0]);
    Term* const to = TermOfStep(terms_[1]);
    if (from == nullptr || to == nullptr || from->atom != to->atom || from->lo != to->lo) {
      return false;
    }
    const VariableId variable = from->atom->variable;
    const int64_t size = sizes_[variable];
    if (size % from->lo != 0) return false;
    int64_t extent = std::gcd(std::gcd(from->extent, to->extent), size / from->lo);
    for (size_t side = 0; side < 2; ++side) {
      const Term* const own = side == 0 ? from : to;
      extent = std::gcd(extent, constants_[side] / size_);
      for (const Term& term : terms_[side]) {
        if (&term != own) extent = std::gcd(extent, term.coefficient / size_);
      }
    }
    if (extent == 1) return false;
    digits_.push_back({variable, from->lo, extent});
    for (Term* term : {from, to}) {
      term->lo *= extent;
      term->extent /= extent;
      term->coefficient *= extent;
    }
    for (TermVector& terms : terms_) {
      llvm::erase_if(terms, [](const Term& term) { return term.extent == 1; });
    }
    size_ *= extent;
    return true;
  }

  llvm::ArrayRef<int64_t> sizes_;
  int64_t constants_[2];
  TermVector terms_[2];
  int64_t size_ = 1;
  llvm::SmallVector<ChunkDigit, 4> digits_;
};

// The values of a variable below `size` at which its digits in the chunk are 0, ascending.
std::vector<int64_t> StartValues(VariableId variable, int64_t size,
                                 llvm::ArrayRef<ChunkDigit> digits) {
  llvm::SmallVector<ChunkDigit, 4> own;
  for (const ChunkDigit& digit : digits) {
    if (digit.variable == variable) own.push_back(digit);
  }
  llvm::sort(own, [](const ChunkDigit& a, const ChunkDigit& b) { return a.lo < b.lo; });
  // From the top: below each digit of the chunk come those between it and the next lower one.
  std::vector<int64_t> values = {0};
  int64_t top = size;
  const auto fill = [&](int64_t step) {
    std::vector<int64_t> filled;
    for (const int64_t value : values) {
      for (int64_t below = 0; below < top && value + below < size; below += step) {
        filled.push_back(value + below);
      }
    }
    values = std::move(filled);
  };
  for (const ChunkDigit& digit : llvm::reverse(own)) {
    fill(digit.lo * digit.extent);
    top = digit.lo;
  }
  fill(1);
  return values;
}

// Where an element, or the first of a chunk, lies on both sides.
struct Move {
  int64_t to = 0;
  int64_t from = 0;

  friend bool operator<(const Move& a, const Move& b) { return a.to < b.to; }
};

// Both positions of an index.
class MoveOf {
 public:
  static std::optional<MoveOf> Create(llvm::ArrayRef<int64_t> sizes, const ElementPositions& from,
                                      const ElementPositions& to) {
    const Sum sums[] = {to.position, from.position};
    auto program = QuotientProgram::Create(sums, sizes.size());
    if (!program) return std::nullopt;
    return MoveOf(std::move(*program));
  }

  Move operator()(llvm::ArrayRef<int64_t> index) const {
    int64_t values[2];
    program_.Evaluate(index, values);
    return {values[0], values[1]};
  }

 private:
  explicit MoveOf(QuotientProgram program) : program_(std::move(program)) {}
  QuotientProgram program_;
};

absl::Status NotInjective() {
  return absl::InvalidArgumentError("two elements have the same position in the target");
}

// The moves of all chunks, by their position in the target.
std::vector<Move> AllMoves(const MoveOf& move_of, llvm::ArrayRef<int64_t> sizes,
                           const CommonChunk& chunk) {
  std::vector<std::vector<int64_t>> values;
  for (size_t i = 0; i < sizes.size(); ++i) {
    values.push_back(StartValues(static_cast<VariableId>(i), sizes[i], chunk.digits()));
  }
  std::vector<Move> moves;
  Index at(sizes.size(), 0);
  Index index(sizes.size(), 0);
  while (true) {
    for (size_t i = 0; i < index.size(); ++i) index[i] = values[i][static_cast<size_t>(at[i])];
    moves.push_back(move_of(index));
    size_t i = at.size();
    while (i > 0 && ++at[i - 1] == static_cast<int64_t>(values[i - 1].size())) at[--i] = 0;
    if (i == 0) break;
  }
  llvm::sort(moves);
  return moves;
}

absl::StatusOr<ContiguousMoves> CountRuns(llvm::ArrayRef<Move> moves, int64_t chunk) {
  ContiguousMoves result;
  ContiguousMoves::Runs runs;
  runs.shortest = support::kInt64Max;
  int64_t common = 0;
  for (size_t i = 0; i < moves.size();) {
    int64_t length = 1;
    while (i + static_cast<size_t>(length) < moves.size()) {
      const Move& next = moves[i + static_cast<size_t>(length)];
      if (next.to - moves[i].to != length * chunk || next.from - moves[i].from != length * chunk) {
        break;
      }
      ++length;
    }
    const size_t end = i + static_cast<size_t>(length);
    if (end < moves.size() && moves[end].to == moves[end - 1].to) return NotInjective();
    ++runs.count;
    runs.shortest = std::min(runs.shortest, length * chunk);
    runs.longest = std::max(runs.longest, length * chunk);
    common = std::gcd(std::gcd(common, length * chunk), std::gcd(moves[i].to, moves[i].from));
    i = end;
  }
  result.chunk_elements = common;
  result.runs = runs;
  return result;
}

// Looks at random chunks for ends of runs, which every chunk size divides.
class EndFinder {
 public:
  // Nullopt if a position of the target may hold several elements.
  static std::optional<EndFinder> Create(llvm::ArrayRef<int64_t> sizes, const MoveOf& move_of,
                                         const ElementPositions& to) {
    if (to.index.boxes.size() != 1) return std::nullopt;
    llvm::SmallVector<Sum, 6> sums = to.index.results;
    for (const auto& constraint : to.index.constraints) sums.push_back(constraint.expression);
    auto program = QuotientProgram::Create(sums, 1);
    if (!program) return std::nullopt;
    return EndFinder(sizes, move_of, to.index, std::move(*program), sums.size());
  }

  // A number that is a multiple of every chunk size.
  int64_t CommonMultiple(const CommonChunk& chunk, int samples) const {
    std::mt19937_64 random(1);
    int64_t common = 0;
    for (int i = 0; i < samples && common != chunk.size(); ++i) {
      Index index;
      for (const int64_t size : sizes_) {
        index.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(size)));
      }
      for (const ChunkDigit& digit : chunk.digits()) {
        int64_t& value = index[digit.variable];
        value -= value / digit.lo % digit.extent * digit.lo;
      }
      const Move first = move_of_(index);
      if (!IsMove({first.to - 1, first.from - 1})) {
        common = std::gcd(common, std::gcd(first.to, first.from));
      }
      const Move end = {first.to + chunk.size(), first.from + chunk.size()};
      if (!IsMove(end)) common = std::gcd(common, std::gcd(end.to, end.from));
    }
    return common;
  }

 private:
  EndFinder(llvm::ArrayRef<int64_t> sizes, const MoveOf& move_of, const QuasiAffineMap& index,
            QuotientProgram program, size_t num_values)
      : sizes_(sizes),
        move_of_(move_of),
        index_(index),
        program_(std::move(program)),
        num_values_(num_values) {}

  // Whether an element lies at both positions.
  bool IsMove(const Move& move) const {
    if (!index_.boxes[0].Contains(move.to)) return false;
    llvm::SmallVector<int64_t, 8> values(num_values_);
    program_.Evaluate(move.to, values);
    for (size_t i = 0; i < index_.constraints.size(); ++i) {
      if (!index_.constraints[i].bounds.Contains(values[index_.results.size() + i])) return false;
    }
    values.resize(index_.results.size());
    return move_of_(values).from == move.from;
  }

  llvm::ArrayRef<int64_t> sizes_;
  const MoveOf& move_of_;
  const QuasiAffineMap& index_;
  QuotientProgram program_;
  size_t num_values_;
};

ContiguousMoves LowerBound(int64_t chunk, std::string reason) {
  ContiguousMoves moves;
  moves.chunk_elements = chunk;
  moves.chunk_is_exact = false;
  moves.reason = std::move(reason);
  return moves;
}

}  // namespace

absl::StatusOr<ContiguousMoves> FindContiguousMoves(simplifier::DigitContext& context,
                                                    llvm::ArrayRef<int64_t> sizes,
                                                    const ElementPositions& from,
                                                    const ElementPositions& to,
                                                    const RelayoutBudget& budget) {
  const std::optional<int64_t> elements = Product(sizes);
  if (!elements) {
    return absl::InvalidArgumentError("the number of elements does not fit in 64 bits");
  }
  ContiguousMoves one_by_one;
  one_by_one.runs = {*elements, std::min<int64_t>(*elements, 1), std::min<int64_t>(*elements, 1)};
  if (*elements == 0 || from.element_bits != to.element_bits) return one_by_one;
  const std::optional<MoveOf> move_of = MoveOf::Create(sizes, from, to);
  if (!move_of) return LowerBound(1, "a position is not an affine function of the index");
  const CommonChunk chunk(sizes, from.position, to.position);
  if (*elements / chunk.size() <= budget.max_elements) {
    return CountRuns(AllMoves(*move_of, sizes, chunk), chunk.size());
  }
  const Answer injective = IsInjective(context, sizes, to);
  if (injective == Answer::kNo) return NotInjective();
  const std::string too_many =
      "more than " + std::to_string(budget.max_elements) + " chunks: runs were not counted";
  ContiguousMoves result = LowerBound(chunk.size(), too_many);
  if (const auto finder = EndFinder::Create(sizes, *move_of, to)) {
    result.chunk_is_exact = finder->CommonMultiple(chunk, budget.samples) == chunk.size();
  }
  if (!result.chunk_is_exact) result.reason += ", and random runs may be longer";
  if (injective == Answer::kUnknown) {
    result.reason += "; it is not known whether two elements have the same position in the target";
  }
  return result;
}

}  // namespace hlo_indexing::layout
