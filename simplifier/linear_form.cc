#include "simplifier/linear_form.h"

#include <optional>

#include "simplifier/linear_form_parts.h"
#include "simplifier/rebasing.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;

int Compare(const LinearForm& a, const LinearForm& b);

// The variable that orders a factor among others: its first one, in structural order.
const Atom* FirstLeaf(const Factor& factor) {
  if (factor.kind == FactorKind::kLeaf || factor.operand.parts.empty()) return factor.atom;
  return factor.operand.parts.front().second->first_leaf;
}

int ThreeWay(int64_t a, int64_t b) { return a < b ? -1 : (a > b ? 1 : 0); }

int Compare(const Factor& a, const Factor& b) {
  if (&a == &b) return 0;
  if (a.first_leaf != b.first_leaf && a.first_leaf != nullptr && b.first_leaf != nullptr) {
    if (StructurallyLess(*a.first_leaf, *b.first_leaf)) return -1;
    if (StructurallyLess(*b.first_leaf, *a.first_leaf)) return 1;
  }
  if (a.kind != b.kind) return ThreeWay(static_cast<int>(a.kind), static_cast<int>(b.kind));
  if (a.divisor != b.divisor) return ThreeWay(b.divisor, a.divisor);
  if (const int order = Compare(a.operand, b.operand)) return order;
  return Compare(a.second, b.second);
}

int Compare(const LinearForm& a, const LinearForm& b) {
  if (a.parts.size() != b.parts.size()) return ThreeWay(a.parts.size(), b.parts.size());
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (const int order = Compare(*a.parts[i].second, *b.parts[i].second)) return order;
    if (const int order = ThreeWay(a.parts[i].first, b.parts[i].first)) return order;
  }
  return ThreeWay(a.constant, b.constant);
}

}  // namespace

void Factor::Profile(llvm::FoldingSetNodeID& node_id) const {
  node_id.AddInteger(static_cast<unsigned>(kind));
  node_id.AddPointer(atom);
  node_id.AddInteger(divisor);
  for (const LinearForm* form : {&operand, &second}) {
    node_id.AddInteger(form->constant);
    node_id.AddInteger(static_cast<unsigned>(form->parts.size()));
    for (const auto& [coefficient, factor] : form->parts) {
      node_id.AddInteger(coefficient);
      node_id.AddPointer(factor);
    }
  }
}

LinearForm ShortestForm::Write(const Sum& sum) {
  LinearForm form = WriteTerms(sum);
  Absorb(sum, form);
  Lift(sum, form);
  return form;
}

LinearForm ShortestForm::WriteTerms(const Sum& sum) {
  LinearForm form;
  form.constant = sum.constant;
  TermVector terms(sum.terms.begin(), sum.terms.end());
  LiftRemainders(terms, form);
  for (size_t begin = 0; begin < terms.size();) {
    size_t end = begin + 1;
    while (end < terms.size() && terms[end].atom == terms[begin].atom) ++end;
    WriteChain(llvm::ArrayRef<Term>(terms).slice(begin, end - begin), form);
    begin = end;
  }
  Arrange(form);
  return form;
}

// Brings the parts into the order of printing, with few signs and constants.
void ShortestForm::Arrange(LinearForm& form) {
  llvm::stable_sort(form.parts,
                    [](const auto& a, const auto& b) { return Compare(*a.second, *b.second) < 0; });
  CanonicalizeSigns(form);
  CanonicalizeConstants(form);
  CountOperations(form);
}

const Factor* ShortestForm::Intern(Factor factor) {
  llvm::FoldingSetNodeID node_id;
  factor.Profile(node_id);
  void* insert_position = nullptr;
  if (const Factor* known = interned_.FindNodeOrInsertPos(node_id, insert_position)) return known;
  factor.first_leaf = FirstLeaf(factor);
  factors_.push_back(std::move(factor));
  interned_.InsertNode(&factors_.back(), insert_position);
  return &factors_.back();
}

const Factor* ShortestForm::Leaf(const Atom* atom) {
  Factor leaf;
  leaf.atom = atom;
  return Intern(std::move(leaf));
}

// Adds coefficient * addend, in parentheses if multiplying it out would overflow.
void ShortestForm::AppendForm(int64_t coefficient, const LinearForm& addend, LinearForm& form) {
  if (std::optional<LinearForm> sum = SumOf(form, coefficient, addend)) {
    form = std::move(*sum);
  } else {
    Append(coefficient, Divide(FactorKind::kFloorDiv, addend, 1), form);
  }
}

const Factor* ShortestForm::Divide(FactorKind kind, LinearForm operand, int64_t divisor) {
  if (kind == FactorKind::kMod) {
    const bool far = operand.constant <= -divisor || operand.constant >= divisor;
    if (far || operand.constant % divisor == 0) {
      operand.constant = support::FloorMod(operand.constant, divisor);
    }
    has_reducible_remainders_ |= llvm::any_of(operand.parts, [divisor](const auto& part) {
      return part.first <= 1 - divisor || part.first >= divisor;
    });
  }
  Factor factor;
  factor.kind = kind;
  factor.divisor = divisor;
  factor.operations = AddOperations(operand.operations, divisor == 1 ? 0 : 1);
  factor.operand = std::move(operand);
  return Intern(std::move(factor));
}

LinearForm ShortestForm::Value(const Atom* atom) {
  if (const auto known = values_.find(atom); known != values_.end()) return known->second;
  LinearForm value = ComputeValue(atom);
  values_[atom] = value;
  return value;
}

LinearForm ShortestForm::ComputeValue(const Atom* atom) {
  if (atom->kind == AtomKind::kQuotientVariable) return Write(atom->arguments.front());
  LinearForm value;
  value.constant = -atom->lower;
  if (atom->kind == AtomKind::kVariable || atom->operation == OpaqueOperation::kFunction) {
    value.parts.push_back({1, Leaf(atom)});
    return value;
  }
  Factor factor;
  factor.kind = FactorKind::kBinary;
  factor.atom = atom;
  factor.operand = Write(atom->arguments[0]);
  factor.second = Write(atom->arguments[1]);
  const bool divides =
      atom->operation == OpaqueOperation::kFloorDiv || atom->operation == OpaqueOperation::kMod;
  factor.operations = AddOperations(factor.operand.operations, factor.second.operations);
  if (divides) factor.operations = AddOperations(factor.operations, 1);
  value.operations = factor.operations;
  value.parts.push_back({1, Intern(std::move(factor))});
  return value;
}

// The operand of `quotient variable floordiv lo`, lifted by the quotient in its sum that saves
// most; `lo` grows with it.
LinearForm ShortestForm::LiftedOperand(const Atom* quotient_variable, int64_t& lo) {
  LinearForm best = Value(quotient_variable);
  const int64_t plain_lo = lo;
  const Sum& sum = quotient_variable->arguments.front();
  for (const Term& term : sum.terms) {
    if (term.coefficient != 1 || term.lo == 1) continue;
    const int64_t scale = term.lo;
    const std::optional<int64_t> lifted_lo = CheckedMul(plain_lo, scale);
    const std::optional<int64_t> extent =
        term.IsTop() ? kUnbounded : CheckedMul(term.extent, scale);
    if (!lifted_lo || !extent) continue;
    TermVector low;
    AppendTerm(1, term.atom, 1, term.IsTop() ? kUnbounded : *extent, low);
    const ScaledSum parts[] = {
        {sum, scale}, {context_.Store(term, 0), -scale}, {context_.Store(low, 0), 1}};
    LinearForm lifted = Write(Linear(context_, parts));
    if (lifted.operations >= best.operations) continue;
    best = std::move(lifted);
    lo = *lifted_lo;
  }
  return best;
}

const Factor* ShortestForm::Quotient(const Atom* atom, int64_t lo) {
  const auto key = std::make_pair(atom, lo);
  if (const auto known = quotients_.find(key); known != quotients_.end()) return known->second;
  LinearForm operand =
      atom->kind == AtomKind::kQuotientVariable ? LiftedOperand(atom, lo) : Value(atom);
  const Factor* factor = DivideShortly(std::move(operand), lo);
  quotients_[key] = factor;
  return factor;
}

// Takes pairs g * K * (M mod c) + K * r out of the terms, with M's sum S holding the quotient that
// belongs to r, and writes each as K * ((g * S + r) mod (c * g)).
void ShortestForm::LiftRemainders(TermVector& terms, LinearForm& form) {
  for (size_t i = 0; i < terms.size();) {
    const Term term = terms[i];
    if (term.atom->kind != AtomKind::kQuotientVariable || term.lo != 1 || term.IsTop()) {
      ++i;
      continue;
    }
    int64_t coefficient = term.coefficient;
    Sum sum = term.atom->arguments.front();
    int64_t modulus = term.extent;
    bool lifted = false;
    while (LiftOne(terms, coefficient, sum, modulus)) lifted = true;
    if (!lifted) {
      ++i;
      continue;
    }
    terms.erase(llvm::find(terms, term));
    Append(coefficient, RemainderShortly(Write(sum), modulus), form);
    i = 0;
  }
}

bool ShortestForm::LiftOne(TermVector& terms, int64_t& coefficient, Sum& sum, int64_t& modulus) {
  for (const Term& quotient : sum.terms) {
    if (quotient.coefficient != 1 || quotient.lo == 1) continue;
    for (Term* low = terms.begin(); low != terms.end(); ++low) {
      if (low->atom != quotient.atom || CheckedMul(low->lo, low->extent) != quotient.lo) continue;
      if (CheckedMul(low->coefficient, low->extent) != coefficient) continue;
      const int64_t scale = low->extent;
      const std::optional<int64_t> lifted_modulus = CheckedMul(modulus, scale);
      const std::optional<int64_t> extent =
          quotient.IsTop() ? kUnbounded : CheckedMul(quotient.extent, scale);
      if (!lifted_modulus || !extent) continue;
      TermVector joined;
      AppendTerm(1, low->atom, low->lo, *extent, joined);
      const ScaledSum parts[] = {
          {sum, scale}, {context_.Store(quotient, 0), -scale}, {context_.Store(joined, 0), 1}};
      sum = Linear(context_, parts);
      modulus = *lifted_modulus;
      coefficient = low->coefficient;
      terms.erase(low);
      return true;
    }
  }
  return false;
}

void ShortestForm::WriteChain(llvm::ArrayRef<Term> digits, LinearForm& form) {
  LinearForm best = WriteDigits(digits);
  CountOperations(best);
  if (best.operations > 0 && (digits.size() > 1 || best.operations > 1)) {
    const auto try_candidate = [&](std::optional<LinearForm> candidate) {
      if (!candidate) return;
      CountOperations(*candidate);
      if (IsShorter(*candidate, best)) best = std::move(*candidate);
    };
    Rebasing rebasing(*this, digits);
    for (size_t split = 0; split < rebasing.NumSplits(); ++split) {
      try_candidate(rebasing.Write(split));
    }
    try_candidate(rebasing.WriteByQuotients());
  }
  AppendForm(1, best, form);
}

LinearForm ShortestForm::WriteDigits(llvm::ArrayRef<Term> digits) {
  LinearForm form;
  for (const Term& digit : digits) {
    if (digit.IsWhole()) {
      AppendForm(digit.coefficient, Value(digit.atom), form);
      continue;
    }
    if (digit.lo == 1) {
      Append(digit.coefficient, RemainderShortly(Value(digit.atom), digit.extent), form);
      continue;
    }
    const Factor* factor = Quotient(digit.atom, digit.lo);
    if (!digit.IsTop()) {
      LinearForm operand;
      operand.parts.push_back({1, factor});
      operand.operations = factor->operations;
      CanonicalizeConstants(operand);
      factor = RemainderShortly(std::move(operand), digit.extent);
    }
    Append(digit.coefficient, factor, form);
  }
  return form;
}

namespace {

// Operands with more divisions, which may share many, are not looked into.
constexpr int kFewOperations = 6;

// Signs and constants of an operand of a division, and of those of the quotients in it.
int Clutter(const LinearForm& operand, int64_t divisor) {
  int count = operand.constant % divisor != 0 ? 1 : 0;
  for (const auto& [coefficient, factor] : operand.parts) {
    count += coefficient < 0 ? 1 : 0;
    const bool divides = factor->kind == FactorKind::kFloorDiv || factor->kind == FactorKind::kMod;
    if (divides && operand.operations <= kFewOperations) {
      count += Clutter(factor->operand, factor->divisor);
    }
  }
  return count;
}

}  // namespace

// With S' = c - 1 - S, -(S floordiv c) is S' floordiv c and -(S mod c) is S' mod c - (c - 1): takes
// what has fewer signs and constants.
void ShortestForm::CanonicalizeSigns(LinearForm& form) {
  for (auto& [coefficient, factor] : form.parts) {
    const bool divides = factor->kind == FactorKind::kFloorDiv || factor->kind == FactorKind::kMod;
    const int64_t divisor = factor->divisor;
    if (coefficient >= 0 || coefficient == support::kInt64Min || !divides || divisor == 1) continue;
    LinearForm flipped;
    flipped.constant = divisor - 1;
    std::optional<LinearForm> operand = SumOf(flipped, -1, factor->operand);
    if (!operand) continue;
    std::optional<int64_t> constant = form.constant;
    if (factor->kind == FactorKind::kMod) {
      const std::optional<int64_t> shift = CheckedMul(coefficient, divisor - 1);
      constant = shift ? CheckedAdd(form.constant, *shift) : std::nullopt;
    }
    if (!constant) continue;
    operand->operations = factor->operand.operations;
    if (operand->operations <= kFewOperations) {
      CanonicalizeSigns(*operand);
      CanonicalizeConstants(*operand);
    }
    const int before = Clutter(factor->operand, divisor) + (form.constant != 0 ? 1 : 0) + 1;
    const int after = Clutter(*operand, divisor) + (*constant != 0 ? 1 : 0);
    if (after >= before) continue;
    form.constant = *constant;
    coefficient = -coefficient;
    factor = Divide(factor->kind, std::move(*operand), divisor);
  }
}

// Moves constants between a form and its quotients, so that as few as possible are left:
// (x + k * c) floordiv c is x floordiv c + k, in both directions.
void ShortestForm::CanonicalizeConstants(LinearForm& form) {
  const auto with_constant = [this](const Factor* factor, int64_t constant) {
    LinearForm operand = factor->operand;
    operand.constant = constant;
    return Divide(FactorKind::kFloorDiv, std::move(operand), factor->divisor);
  };
  for (auto& [coefficient, factor] : form.parts) {
    const int64_t inner = factor->operand.constant;
    if (factor->kind != FactorKind::kFloorDiv || factor->divisor == 1 || inner == 0) continue;
    if (inner % factor->divisor != 0) continue;
    const std::optional<int64_t> carried = CheckedMul(coefficient, inner / factor->divisor);
    const std::optional<int64_t> outer =
        carried ? CheckedAdd(form.constant, *carried) : std::nullopt;
    if (!outer) continue;
    form.constant = *outer;
    factor = with_constant(factor, 0);
  }
  for (auto& [coefficient, factor] : form.parts) {
    const int64_t inner = factor->operand.constant;
    if (form.constant == 0) return;
    if (factor->kind != FactorKind::kFloorDiv || factor->divisor == 1 || inner == 0) continue;
    const std::optional<int64_t> multiple = support::CheckedFloorDiv(form.constant, coefficient);
    if (!multiple || CheckedMul(*multiple, coefficient) != form.constant) continue;
    const std::optional<int64_t> carried = CheckedMul(*multiple, factor->divisor);
    const std::optional<int64_t> constant = carried ? CheckedAdd(inner, *carried) : std::nullopt;
    if (!constant) continue;
    form.constant = 0;
    factor = with_constant(factor, *constant);
  }
}

}  // namespace hlo_indexing::simplifier
