#include "simplifier/quotient_program.h"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"

namespace hlo_indexing::simplifier {
namespace {

__extension__ typedef unsigned __int128 Wide;

// A number whose product with any value up to `largest` has the quotient by `divisor`, 2 or more,
// as its upper 64 bits; 0 if there is none. With m = ceil(2^64 / divisor) and the error e = m *
// divisor - 2^64, the product is (value * 2^64 + value * e / divisor) / divisor, which has the same
// whole part as long as value * e < 2^64. (Granlund and Montgomery, 1994.)
uint64_t ReciprocalOf(uint64_t divisor, uint64_t largest) {
  const uint64_t reciprocal = ~uint64_t{0} / divisor + 1;
  const uint64_t error = reciprocal * divisor;  // modulo 2^64, as 0 <= e < divisor
  return (static_cast<Wide>(largest) * error) >> 64 == 0 ? reciprocal : 0;
}

}  // namespace

// Numbers variables and quotient variables, and writes rows for the quotient variables and sums.
class QuotientProgram::Builder {
 public:
  explicit Builder(size_t num_variables) { program_.num_variables_ = num_variables; }

  std::optional<QuotientProgram> Build(llvm::ArrayRef<Sum> sums) {
    for (const Sum& sum : sums) {
      const std::optional<Row> row = MakeRow(sum);
      if (!row) return std::nullopt;
      program_.sums_.push_back(*row);
    }
    return std::move(program_);
  }

 private:
  // The number of a variable, or of a quotient variable behind all variables.
  std::optional<size_t> SourceOf(const Atom& atom) {
    if (atom.extent == kUnbounded) return std::nullopt;
    if (atom.kind == AtomKind::kVariable) {
      return atom.variable < program_.num_variables_ ? std::optional<size_t>(atom.variable)
                                                     : std::nullopt;
    }
    if (atom.kind != AtomKind::kQuotientVariable) return std::nullopt;
    const auto known = quotient_variables_.find(&atom);
    if (known != quotient_variables_.end()) return known->second;
    const std::optional<Row> row = MakeRow(atom.arguments[0]);
    if (!row) return std::nullopt;
    program_.quotient_variables_.push_back(*row);
    const size_t number = program_.num_variables_ + program_.quotient_variables_.size() - 1;
    quotient_variables_[&atom] = number;
    return number;
  }

  // Adds weight * (atom floordiv divisor) to the quotients.
  static void Add(uint64_t weight, const Atom& atom, int64_t divisor, size_t source,
                  std::vector<Quotient>& quotients) {
    for (Quotient& quotient : quotients) {
      if (quotient.source != source || quotient.divisor != static_cast<uint64_t>(divisor)) continue;
      quotient.weight += weight;
      return;
    }
    Quotient quotient = {weight, 0, static_cast<uint64_t>(divisor), source};
    if (divisor > 1) {
      quotient.reciprocal = ReciprocalOf(quotient.divisor, static_cast<uint64_t>(atom.extent - 1));
    }
    quotients.push_back(quotient);
  }

  std::optional<Row> MakeRow(const Sum& sum) {
    std::vector<Quotient> quotients;
    Row row;
    row.constant = static_cast<uint64_t>(sum.constant);
    for (const Term& term : sum.terms) {
      // A variable whose box does not begin at 0 would have to be shifted before each division.
      if (term.atom->kind == AtomKind::kVariable && term.atom->lower != 0) return std::nullopt;
      const std::optional<size_t> source = SourceOf(*term.atom);
      if (!source) return std::nullopt;
      const auto weight = static_cast<uint64_t>(term.coefficient);
      Add(weight, *term.atom, term.lo, *source, quotients);
      if (term.IsTop()) continue;
      // What is not the top digit ends below the atom's extent.
      Add(0 - weight * static_cast<uint64_t>(term.extent), *term.atom, term.lo * term.extent,
          *source, quotients);
    }
    std::erase_if(quotients, [](const Quotient& quotient) { return quotient.weight == 0; });
    std::vector<Quotient>& all = program_.quotients_;
    const auto divided =
        std::stable_partition(quotients.begin(), quotients.end(),
                              [](const Quotient& quotient) { return quotient.divisor == 1; });
    row.first = static_cast<uint32_t>(all.size());
    row.first_divided = row.first + static_cast<uint32_t>(divided - quotients.begin());
    all.insert(all.end(), quotients.begin(), quotients.end());
    row.last = static_cast<uint32_t>(all.size());
    return row;
  }

  QuotientProgram program_;
  llvm::SmallDenseMap<const Atom*, size_t, 4> quotient_variables_;
};

std::optional<QuotientProgram> QuotientProgram::Create(llvm::ArrayRef<Sum> sums,
                                                       size_t num_variables) {
  return Builder(num_variables).Build(sums);
}

uint64_t QuotientProgram::ValueOf(const Row& row, const int64_t* values) const {
  uint64_t total = row.constant;
  const Quotient* quotient = quotients_.data() + row.first;
  for (const Quotient* end = quotients_.data() + row.first_divided; quotient != end; ++quotient) {
    total += quotient->weight * static_cast<uint64_t>(values[quotient->source]);
  }
  for (const Quotient* end = quotients_.data() + row.last; quotient != end; ++quotient) {
    const auto value = static_cast<uint64_t>(values[quotient->source]);
    const uint64_t result =
        quotient->reciprocal == 0
            ? value / quotient->divisor
            : static_cast<uint64_t>((static_cast<Wide>(value) * quotient->reciprocal) >> 64);
    total += quotient->weight * result;
  }
  return total;
}

void QuotientProgram::Evaluate(llvm::ArrayRef<int64_t> point,
                               llvm::MutableArrayRef<int64_t> values) const {
  const int64_t* sources = point.data();
  llvm::SmallVector<int64_t, 32> all_sources;
  if (!quotient_variables_.empty()) {
    all_sources.append(point.begin(), point.begin() + num_variables_);
    for (const Row& row : quotient_variables_) {
      all_sources.push_back(static_cast<int64_t>(ValueOf(row, all_sources.data())));
    }
    sources = all_sources.data();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>(ValueOf(sums_[i], sources));
  }
}

int64_t QuotientProgram::Evaluate(llvm::ArrayRef<int64_t> point) const {
  if (quotient_variables_.empty()) return static_cast<int64_t>(ValueOf(sums_[0], point.data()));
  int64_t value = 0;
  Evaluate(point, llvm::MutableArrayRef<int64_t>(value));
  return value;
}

}  // namespace hlo_indexing::simplifier
