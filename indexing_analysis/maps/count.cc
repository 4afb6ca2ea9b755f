#include "indexing_analysis/maps/count.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "indexing_analysis/maps/expression_limits.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/projection.h"
#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/maps/relation_algebra.h"
#include "indexing_analysis/maps/relation_steps.h"
#include "indexing_analysis/maps/union.h"
#include "indexing_analysis/maps/write_map.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "simplifier/arithmetic.h"
#include "simplifier/checked_affine.h"
#include "simplifier/counting.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using mlir::AffineExpr;
using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::DigitContext;
using simplifier::Fraction;
using simplifier::Monomial;
using simplifier::Polynomial;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::Term;
using simplifier::VariableId;

constexpr size_t kMaxMaps = 1024;
// Union looks at all pairs of maps, and so does what joins counts.
constexpr size_t kMaxJoined = 48;

absl::Status TooManyMaps() {
  return absl::ResourceExhaustedError("the answer has more than " + std::to_string(kMaxMaps) +
                                      " maps");
}

absl::Status TooLong() {
  return absl::ResourceExhaustedError(
      "a number of the count overflows 64 bits or is too long to be "
      "written");
}

// A count on a domain: a polynomial in the results of a map.
struct Quantity {
  IndexingMap map;
  std::vector<Monomial> terms;

  IndexingMap Domain() const {
    const mlir::AffineMap affine = map.affine_map();
    return map.WithResults(
        mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), {}, map.context()));
  }
};

// The same count on another domain, in the same variables.
Quantity On(const IndexingMap& domain, const Quantity& count) {
  return {domain.WithResults(count.map.affine_map()), count.terms};
}

// a + factor * b, on the domain.
Quantity AddOn(const IndexingMap& domain, const Quantity& a, const Quantity& b, int64_t factor) {
  llvm::SmallVector<AffineExpr> factors(a.map.affine_map().getResults());
  const auto shift = static_cast<unsigned>(factors.size());
  llvm::append_range(factors, b.map.affine_map().getResults());
  const mlir::AffineMap affine = domain.affine_map();
  Quantity sum = {domain.WithResults(mlir::AffineMap::get(
                      affine.getNumDims(), affine.getNumSymbols(), factors, domain.context())),
                  a.terms};
  for (Monomial term : b.terms) {
    term.coefficient *= Fraction(factor);
    for (unsigned& number : term.factors) number += shift;
    sum.terms.push_back(std::move(term));
  }
  return sum;
}

// The polynomial of a count in digits, the domain simplified.
class ReadQuantity {
 public:
  explicit ReadQuantity(const Quantity& count) {
    read_ = ReadMap(context_, count.map, RuntimeVariablesAs::kFunctions);
    if (!read_.empty) simplifier::Simplify(context_, read_);
    if (!read_.empty) polynomial_ = simplifier::Expand(count.terms, read_.results);
  }

  DigitContext& context() { return context_; }
  bool IsZero() const { return polynomial_.IsZero(); }
  const Polynomial& polynomial() const { return polynomial_; }
  const QuasiAffineMap& read() const { return read_; }

 private:
  DigitContext context_;
  QuasiAffineMap read_;
  Polynomial polynomial_;
};

// Writes polynomials as maps.
class CountWriter {
 public:
  explicit CountWriter(ReadQuantity& count, const IndexingMap& like)
      : count_(count), like_(like), mlir_context_(like.context()) {}

  std::optional<IndexingMap> Write() {
    Polynomial polynomial = count_.polynomial();
    const bool is_affine =
        llvm::all_of(polynomial.terms(), [](const auto& term) { return term.first.size() <= 1; });
    if (!is_affine) polynomial = InValuesOfVariables(polynomial);
    const DynamicAPInt denominator = CommonDenominator(polynomial);
    // The part that is a sum, then the digits of the products.
    Polynomial affine;
    Polynomial products;
    for (const auto& [product, coefficient] : polynomial.terms()) {
      (product.size() <= 1 ? affine : products) += Polynomial::Of(product, coefficient);
    }
    const std::optional<Sum> sum = AsSum(affine * Fraction(denominator));
    if (!sum) return std::nullopt;
    const Polynomial::Numbered numbered =
        (products * Fraction(denominator)).Number(count_.context());
    llvm::SmallVector<Sum> results = {*sum};
    llvm::append_range(results, numbered.digits);
    const std::optional<IndexingMap> parts = WriteResults(results);
    if (!parts) return std::nullopt;
    const mlir::AffineMap map = parts->affine_map();
    std::optional<AffineExpr> value;
    for (const Monomial& term : numbered.terms) {
      const std::optional<AffineExpr> product = Product(term, map);
      if (!product) return std::nullopt;
      value = value ? simplifier::CheckedAdd(*value, *product) : product;
      if (!value) return std::nullopt;
    }
    value = AddTo(value, map.getResult(0));
    if (denominator != 1 && value) {
      const std::optional<int64_t> divisor = Fits(denominator);
      if (!divisor) return std::nullopt;
      value = simplifier::CheckedFloorDiv(*value, Constant(*divisor));
    }
    if (!value || !IsWithinLimits(*value)) return std::nullopt;
    return parts->WithResults(
        mlir::AffineMap::get(map.getNumDims(), map.getNumSymbols(), *value, mlir_context_));
  }

 private:
  static std::optional<int64_t> Fits(const DynamicAPInt& number) {
    if (number < DynamicAPInt(support::kInt64Min) || number > DynamicAPInt(support::kInt64Max)) {
      return std::nullopt;
    }
    return static_cast<int64_t>(number);
  }

  AffineExpr Constant(int64_t value) const {
    return mlir::getAffineConstantExpr(value, mlir_context_);
  }

  static DynamicAPInt CommonDenominator(const Polynomial& polynomial) {
    DynamicAPInt common(1);
    for (const auto& [product, coefficient] : polynomial.terms()) {
      common = llvm::lcm(common, coefficient.den);
    }
    return common;
  }

  // An atom is a variable less its smallest value; in products that would be d0 - 5.
  Polynomial InValuesOfVariables(Polynomial polynomial) {
    const QuasiAffineMap& read = count_.read();
    for (VariableId i = 0; i < read.boxes.size(); ++i) {
      const auto is_of_variable = [&](const Term& digit) {
        return digit.atom->kind == AtomKind::kVariable && digit.atom->variable == i;
      };
      bool is_whole = true;
      bool is_shifted = false;
      for (const auto& [product, coefficient] : polynomial.terms()) {
        for (const Term& digit : product) {
          if (!is_of_variable(digit)) continue;
          is_whole &= digit.IsWhole();
          is_shifted |= digit.atom->lower != 0;
        }
      }
      if (!is_whole || !is_shifted) continue;
      const Sum value = count_.context().Variable(i, {0, Interval::kPlusInfinity});
      polynomial = simplifier::ValueAt(polynomial.CoefficientsOf(i), Polynomial(value));
    }
    return polynomial;
  }

  // A polynomial without products, whose coefficients are integers.
  std::optional<Sum> AsSum(const Polynomial& polynomial) {
    simplifier::TermVector terms;
    int64_t constant = 0;
    for (const auto& [product, coefficient] : polynomial.terms()) {
      const std::optional<int64_t> number = Fits(coefficient.num);
      if (!number) return std::nullopt;
      if (product.empty()) {
        constant = *number;
        continue;
      }
      terms.push_back(product.front());
      terms.back().coefficient = *number;
    }
    return simplifier::Normalize(count_.context(), terms, constant);
  }

  std::optional<IndexingMap> WriteResults(llvm::ArrayRef<Sum> results) {
    const QuasiAffineMap& read = count_.read();
    MapVariables variables;
    for (size_t i = 0; i < like_.num_dimensions(); ++i) {
      variables.dimensions.push_back({read.boxes[i], like_.dimensions()[i].name});
    }
    variables.runtime = like_.runtime().vec();
    return WriteMap(
        count_.context(), results, read.constraints, std::move(variables),
        [](const Atom& atom) { return static_cast<size_t>(atom.variable); }, mlir_context_);
  }

  // Addend by addend, so that the text has no parentheses.
  static std::optional<AffineExpr> AddTo(std::optional<AffineExpr> value, AffineExpr sum) {
    const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(sum);
    if (binary && binary.getKind() == mlir::AffineExprKind::Add) {
      value = AddTo(value, binary.getLHS());
      return value ? AddTo(value, binary.getRHS()) : std::nullopt;
    }
    return value ? simplifier::CheckedAdd(*value, sum) : sum;
  }

  std::optional<AffineExpr> Product(const Monomial& term, mlir::AffineMap digits) const {
    std::optional<AffineExpr> product;
    for (const unsigned factor : term.factors) {
      const AffineExpr digit = digits.getResult(factor + 1);
      product = product ? simplifier::CheckedMul(*product, digit) : digit;
      if (!product) return std::nullopt;
    }
    const std::optional<int64_t> coefficient = Fits(term.coefficient.num);
    if (!coefficient) return std::nullopt;
    return *coefficient == 1 ? product : simplifier::CheckedMul(*product, Constant(*coefficient));
  }

  ReadQuantity& count_;
  const IndexingMap& like_;
  mlir::MLIRContext* mlir_context_;
};

// Counts whose domains may overlap become counts whose domains do not.
class DisjointCounts {
 public:
  explicit DisjointCounts(RelationSteps& steps) : steps_(steps) {}

  absl::Status Add(const Quantity& count) {
    const IndexingMap domain = count.Domain();
    std::vector<IndexingMap> rest = {domain};
    std::vector<Quantity> next;
    for (const Quantity& known : counts_) {
      const IndexingMap domain_of_known = known.Domain();
      const absl::StatusOr<IndexingMap> both = Intersect(domain_of_known, domain, steps_);
      if (!both.ok()) return both.status();
      if (both->IsKnownEmpty()) {
        next.push_back(known);
        continue;
      }
      next.push_back(AddOn(*both, known, count, 1));
      const auto others = Subtract(llvm::ArrayRef(domain_of_known), llvm::ArrayRef(domain), steps_);
      if (!others.ok()) return others.status();
      for (const IndexingMap& piece : *others) next.push_back(On(piece, known));
      auto left = Subtract(llvm::ArrayRef(rest), llvm::ArrayRef(domain_of_known), steps_);
      if (!left.ok()) return left.status();
      rest = *std::move(left);
      if (next.size() > kMaxMaps) return TooManyMaps();
    }
    for (const IndexingMap& piece : rest) next.push_back(On(piece, count));
    counts_ = std::move(next);
    return counts_.size() > kMaxMaps ? TooManyMaps() : absl::OkStatus();
  }

  // Joins counts where one polynomial gives both, as long as there are such.
  void Join() {
    llvm::erase_if(counts_, [](const Quantity& count) { return ReadQuantity(count).IsZero(); });
    if (counts_.size() > kMaxJoined) return;
    for (size_t i = 0; i < counts_.size();) {
      i = JoinToAnother(i) ? 0 : i + 1;
    }
  }

  // In the order of the smallest values of the dimensions.
  absl::StatusOr<std::vector<IndexingMap>> Write() const {
    std::vector<IndexingMap> written;
    for (const Quantity& count : counts_) {
      ReadQuantity read(count);
      if (read.IsZero()) continue;
      std::optional<IndexingMap> map = CountWriter(read, count.map).Write();
      if (!map) return TooLong();
      written.push_back(*std::move(map));
    }
    llvm::stable_sort(written, [](const IndexingMap& a, const IndexingMap& b) {
      const auto precedes = [](const Variable& v, const Variable& w) {
        return v.bounds.lower < w.bounds.lower;
      };
      return std::lexicographical_compare(a.dimensions().begin(), a.dimensions().end(),
                                          b.dimensions().begin(), b.dimensions().end(), precedes);
    });
    return written;
  }

 private:
  bool JoinToAnother(size_t i) {
    const IndexingMap domain = counts_[i].Domain();
    for (size_t j = 0; j < counts_.size(); ++j) {
      if (j == i) continue;
      if (!ReadQuantity(AddOn(domain, counts_[i], counts_[j], -1)).IsZero()) continue;
      const std::vector<IndexingMap> both = Union({counts_[j].Domain(), domain});
      if (both.size() != 1) continue;
      counts_[j] = On(both.front(), counts_[j]);
      counts_.erase(counts_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  std::vector<Quantity> counts_;
  RelationSteps& steps_;
};

// The counts of one domain, in which variables `parameters` of the map stay.
absl::StatusOr<std::vector<Quantity>> CountDomain(const IndexingMap& map,
                                                  llvm::ArrayRef<size_t> parameters) {
  DigitContext context;
  QuasiAffineMap domain = ReadMap(context, map, RuntimeVariablesAs::kFunctions);
  domain.results.clear();
  if (!domain.empty) simplifier::Simplify(context, domain);
  const size_t num_variables = map.num_dimensions() + map.num_ranges();
  llvm::SmallVector<VariableId> counted;
  for (size_t i = 0; i < num_variables; ++i) {
    if (!llvm::is_contained(parameters, i)) counted.push_back(static_cast<VariableId>(i));
  }
  simplifier::ParametricCount count = simplifier::CountPoints(context, domain, counted);
  if (!count.reason.empty()) return absl::UnimplementedError(count.reason);
  std::vector<Quantity> quantities;
  for (simplifier::PartialCount& part : count.parts) {
    MapVariables variables;
    for (const size_t i : parameters) {
      variables.dimensions.push_back({part.map.boxes[i], map.dimensions()[i].name});
    }
    for (const RuntimeVariable& runtime : map.runtime()) {
      RuntimeVariable& variable = variables.runtime.emplace_back();
      variable.bounds = runtime.bounds;
      variable.name = runtime.name;
    }
    const auto number = [&](const Atom& atom) -> size_t {
      if (atom.IsFunction()) return parameters.size() + atom.variable - num_variables;
      return static_cast<size_t>(llvm::find(parameters, atom.variable) - parameters.begin());
    };
    const std::optional<IndexingMap> written =
        WriteMap(context, part.map.results, part.map.constraints, std::move(variables), number,
                 map.context());
    if (!written) return TooLong();
    quantities.push_back({*written, std::move(part.terms)});
  }
  return quantities;
}

// The numbers from `first` on, as many as `count`.
std::vector<size_t> Numbers(size_t first, size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// Domains, and the parameters among their variables; each point of one is counted once.
struct CountedDomains {
  std::vector<IndexingMap> domains;
  std::vector<size_t> parameters;
};

// Whether each pair of the map belongs to one value of its ranges.
bool HasDifferentPairs(const IndexingMap& map) {
  llvm::SmallVector<AffineExpr> pair;
  for (unsigned i = 0; i < map.num_dimensions(); ++i) {
    pair.push_back(mlir::getAffineDimExpr(i, map.context()));
  }
  const mlir::AffineMap affine = map.affine_map();
  llvm::append_range(pair, affine.getResults());
  const IndexingMap pairs = map.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), pair, map.context()));
  return IsInjective(pairs).answer == support::Answer::kYes;
}

// The parameters with the results that the maps reach.
absl::StatusOr<CountedDomains> DifferentResults(llvm::ArrayRef<IndexingMap> maps,
                                                llvm::ArrayRef<size_t> parameters,
                                                RelationSteps& steps) {
  const std::vector<size_t> results = Numbers(0, maps.front().affine_map().getNumResults());
  absl::StatusOr<std::vector<IndexingMap>> projected =
      Project(maps, {.dimensions = parameters, .results = results});
  if (!projected.ok()) return projected.status();
  CountedDomains different;
  different.parameters = Numbers(0, parameters.size());
  for (const IndexingMap& map : *projected) {
    absl::StatusOr<std::vector<IndexingMap>> pairs = PairsOf(map);
    if (!pairs.ok()) {
      // One map alone may be counted by its ranges.
      const bool is_by_ranges = projected->size() == 1 && HasDifferentPairs(map);
      if (!is_by_ranges) return pairs.status();
      different.domains.push_back(map);
      continue;
    }
    for (const IndexingMap& pair : *pairs) {
      auto left = Subtract(llvm::ArrayRef(pair), llvm::ArrayRef(different.domains), steps);
      if (!left.ok()) return left.status();
      different.domains.insert(different.domains.end(), left->begin(), left->end());
      if (different.domains.size() > kMaxMaps) return TooManyMaps();
    }
  }
  return different;
}

absl::StatusOr<CountedDomains> AllPoints(llvm::ArrayRef<IndexingMap> maps,
                                         llvm::ArrayRef<size_t> parameters) {
  const IndexingMap& first = maps.front();
  for (const IndexingMap& map : maps) {
    absl::Status status = CheckProjection(map, {.dimensions = parameters, .results = {}});
    if (!status.ok()) return status;
    if (map.num_dimensions() != first.num_dimensions() ||
        map.num_runtime() != first.num_runtime()) {
      return absl::InvalidArgumentError(
          "the maps have different numbers of dimensions or runtime variables");
    }
  }
  return CountedDomains{maps.vec(), parameters.vec()};
}

// The value of a runtime variable is the same for all that is counted, as far as is known.
absl::Status CheckRuntimeVariables(const IndexingMap& map, llvm::ArrayRef<size_t> parameters) {
  for (size_t k = 0; k < map.num_runtime(); ++k) {
    const IndexingMap& index = map.runtime()[k].index;
    if (index.IsUnknown()) continue;
    bool depends = index.num_runtime() > 0;
    for (const AffineExpr result : index.affine_map().getResults()) {
      for (unsigned i = 0; i < index.num_dimensions(); ++i) {
        depends |= result.isFunctionOfDim(i) && !llvm::is_contained(parameters, i);
      }
      for (unsigned i = 0; i < index.num_ranges(); ++i) depends |= result.isFunctionOfSymbol(i);
    }
    if (!depends) continue;
    return absl::UnimplementedError("the value of " + map.SymbolName(map.num_ranges() + k) +
                                    " depends on what is counted");
  }
  return absl::OkStatus();
}

// Without parameters, the size of the image, if that is known: it takes no cases. nullopt if not,
// or if it is 0.
std::optional<IndexingMap> CountImage(const IndexingMap& map, Counting::Of of) {
  if (map.num_runtime() != 0) return std::nullopt;
  const std::optional<Image> image = ImageOf(map);
  if (!image) return std::nullopt;
  const Image::Count& count = of == Counting::Of::kResults ? image->size : image->points;
  if (!count.IsExact() || count.lower == 0 || count.lower > DynamicAPInt(support::kInt64Max)) {
    return std::nullopt;
  }
  const AffineExpr number =
      mlir::getAffineConstantExpr(static_cast<int64_t>(count.lower), map.context());
  return IndexingMap(mlir::AffineMap::get(0, 0, number), {}, {}, {}, {});
}

}  // namespace

absl::StatusOr<std::vector<IndexingMap>> Count(llvm::ArrayRef<IndexingMap> maps,
                                               const Counting& counting) {
  if (maps.empty()) return std::vector<IndexingMap>();
  const llvm::ArrayRef<size_t> parameters = counting.parameters;
  for (const IndexingMap& map : maps) {
    if (map.IsUnknown()) return absl::UnimplementedError("a map is unknown");
    if (absl::Status status = CheckRuntimeVariables(map, parameters); !status.ok()) return status;
  }
  if (maps.size() == 1 && parameters.empty()) {
    if (std::optional<IndexingMap> number = CountImage(maps.front(), counting.of)) {
      return std::vector<IndexingMap>{*std::move(number)};
    }
  }
  RelationSteps steps;
  const absl::StatusOr<CountedDomains> counted = counting.of == Counting::Of::kResults
                                                     ? DifferentResults(maps, parameters, steps)
                                                     : AllPoints(maps, parameters);
  if (!counted.ok()) return counted.status();
  DisjointCounts counts(steps);
  for (const IndexingMap& domain : counted->domains) {
    if (domain.IsKnownEmpty()) continue;
    const auto parts = CountDomain(domain, counted->parameters);
    if (!parts.ok()) return parts.status();
    for (const Quantity& part : *parts) {
      if (absl::Status status = counts.Add(part); !status.ok()) return status;
    }
  }
  counts.Join();
  return counts.Write();
}

}  // namespace hlo_indexing::indexing_analysis
