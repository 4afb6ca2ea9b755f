#include "indexing_analysis/maps/access.h"

#include <algorithm>

#include "indexing_analysis/maps/index_range.h"
#include "indexing_analysis/maps/write_map.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/arithmetic.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::AffineReader;
using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::Term;

// The sum for a runtime variable, whose index is read with these sums for dimensions and ranges.
Sum ImportRuntime(DigitContext& context, RuntimeTable& table, const RuntimeVariable& variable,
                  llvm::ArrayRef<Sum> dimensions, llvm::ArrayRef<Sum> ranges,
                  llvm::SmallVectorImpl<uint32_t>& numbers) {
  RuntimeSource source;
  source.instruction = variable.instruction;
  source.leaf = variable.leaf;
  source.calls = variable.calls;
  source.bounds = variable.bounds;
  source.name = variable.name;
  const IndexingMap& index = variable.index;
  if (!index.IsUnknown()) {
    llvm::SmallVector<Sum, 4> symbols(ranges.begin(), ranges.end());
    llvm::SmallVector<uint32_t, 2> inner;
    for (const RuntimeVariable& nested : index.runtime()) {
      symbols.push_back(ImportRuntime(context, table, nested, dimensions, ranges, inner));
    }
    AffineReader reader(context, dimensions, symbols);
    for (const mlir::AffineExpr result : index.affine_map().getResults()) {
      source.index.push_back(reader.Read(result));
    }
  }
  const uint32_t number = static_cast<uint32_t>(table.size());
  const Sum sum = context.Function(number, source.index, source.bounds);
  table.push_back(std::move(source));
  numbers.push_back(number);
  return sum;
}

// Collects what an access mentions.
class Mentions {
 public:
  // Function atoms in order of appearance, without those inside the index of another one.
  llvm::SmallVector<const Atom*, 4> functions;
  // Variables anywhere, in order of first appearance.
  llvm::SmallVector<VariableId, 8> variables;

  void Visit(const Sum& sum) { Visit(sum, /*is_index=*/false); }

 private:
  void Visit(const Sum& sum, bool is_index) {
    if (sum.terms.size() == 1) return VisitAtom(*sum.terms.front().atom, is_index);
    llvm::SmallVector<const Term*, 8> terms;
    for (const Term& term : sum.terms) terms.push_back(&term);
    // The order must not depend on how variables are numbered: large strides come first. Terms
    // that are alike stay in the order of the sum.
    llvm::sort(terms, [](const Term* a, const Term* b) {
      if (a->coefficient != b->coefficient) return a->coefficient > b->coefficient;
      if (a->lo != b->lo) return a->lo > b->lo;
      if (a->extent != b->extent) return a->extent > b->extent;
      return a < b;
    });
    for (const Term* term : terms) VisitAtom(*term->atom, is_index);
  }

  void VisitAtom(const Atom& atom, bool is_index) {
    const bool is_function = atom.IsFunction();
    if (!seen_[is_index ? 1 : 0].insert(&atom).second) return;
    if (is_function && !is_index) functions.push_back(&atom);
    if (atom.kind == AtomKind::kVariable && !llvm::is_contained(variables, atom.variable)) {
      variables.push_back(atom.variable);
    }
    for (const Sum& argument : atom.arguments) Visit(argument, is_index || is_function);
  }

  // Atoms seen outside and inside the index of a function atom.
  llvm::SmallPtrSet<const Atom*, 16> seen_[2];
};

// Whether a name reads like a default one, so that it could name two variables after a renumbering.
bool LooksLikeDefault(llvm::StringRef name) {
  const bool prefix =
      name.consume_front("d") || name.consume_front("s") || name.consume_front("rt");
  return prefix && llvm::all_of(name, llvm::isDigit);
}

// Writes the maps of one access.
class AccessWriter {
 public:
  AccessWriter(DigitContext& context, const RuntimeTable& table, const Access& access,
               UnusedVariables unused, mlir::MLIRContext* mlir_context)
      : context_(context),
        table_(table),
        access_(access),
        unused_(unused),
        mlir_context_(mlir_context) {}

  std::optional<IndexingMap> Write() {
    Mentions mentions;
    for (const Sum& result : access_.map.results) mentions.Visit(result);
    for (const Constraint& constraint : access_.map.constraints) {
      mentions.Visit(constraint.expression);
    }
    for (const VariableId range : access_.ranges) {
      if (unused_ == UnusedVariables::kDrop && !llvm::is_contained(mentions.variables, range)) {
        continue;
      }
      kept_ranges_.push_back(range);
    }
    std::optional<IndexingMap> map = Write(access_.map.results, access_.map.constraints,
                                           OrderFunctions(mentions.functions), unused_);
    if (map && access_.map.empty) map = IndexingMap::KnownEmpty(*map);
    return map;
  }

 private:
  std::string NameOf(VariableId variable) const {
    if (variable >= access_.names.size()) return "";
    const std::string& name = access_.names[variable];
    return unused_ == UnusedVariables::kDrop && LooksLikeDefault(name) ? "" : name;
  }

  std::vector<Variable> Dimensions() const {
    std::vector<Variable> dimensions(access_.num_dimensions);
    for (VariableId i = 0; i < dimensions.size(); ++i) {
      dimensions[i] = {access_.map.boxes[i], NameOf(i)};
    }
    return dimensions;
  }

  std::vector<Variable> Ranges() const {
    std::vector<Variable> ranges(kept_ranges_.size());
    for (size_t i = 0; i < ranges.size(); ++i) {
      ranges[i] = {access_.map.boxes[kept_ranges_[i]], NameOf(kept_ranges_[i])};
    }
    return ranges;
  }

  // The function atoms in the order of the access's runtime values.
  llvm::SmallVector<const Atom*, 4> OrderFunctions(llvm::ArrayRef<const Atom*> functions) const {
    llvm::SmallVector<const Atom*, 4> ordered(functions.begin(), functions.end());
    const auto rank = [this](const Atom* atom) {
      return llvm::find(access_.runtime, atom->variable) - access_.runtime.begin();
    };
    if (ordered.size() > 1) {
      llvm::stable_sort(ordered, [&](const Atom* a, const Atom* b) { return rank(a) < rank(b); });
    }
    return ordered;
  }

  std::optional<IndexingMap> Write(llvm::ArrayRef<Sum> results,
                                   llvm::ArrayRef<Constraint> constraints,
                                   llvm::ArrayRef<const Atom*> functions, UnusedVariables unused) {
    std::vector<RuntimeVariable> runtime;
    runtime.reserve(std::max(functions.size(), access_.runtime.size()));
    llvm::SmallDenseMap<const Atom*, unsigned, 4> symbols;
    const auto add = [&](const RuntimeSource& source, Interval bounds, llvm::ArrayRef<Sum> index) {
      RuntimeVariable& variable = runtime.emplace_back();
      variable.bounds = bounds;
      variable.name = source.name;
      variable.instruction = source.instruction;
      variable.leaf = source.leaf;
      variable.calls = source.calls;
      if (source.instruction == nullptr && source.index.empty()) return true;
      std::optional<IndexingMap> written = WriteIndex(index);
      if (written) variable.index = std::move(*written);
      return written.has_value();
    };
    const auto symbol_of_next = [&] {
      return static_cast<unsigned>(kept_ranges_.size() + runtime.size());
    };
    if (unused == UnusedVariables::kDrop) {
      for (const Atom* atom : functions) {
        symbols[atom] = symbol_of_next();
        if (!add(table_[atom->variable], atom->ValueRange(), atom->arguments)) return std::nullopt;
      }
    } else {
      // Every runtime value stays, mentioned or not; one may have several atoms.
      for (const uint32_t number : access_.runtime) {
        const RuntimeSource& source = table_[number];
        bool mentioned = false;
        for (const Atom* atom : functions) {
          if (atom->variable != number) continue;
          mentioned = true;
          symbols[atom] = symbol_of_next();
          if (!add(source, atom->ValueRange(), atom->arguments)) return std::nullopt;
        }
        if (!mentioned && !add(source, source.bounds, source.index)) return std::nullopt;
      }
    }
    const auto number = [&](const Atom& atom) -> size_t {
      if (atom.IsFunction()) return access_.num_dimensions + symbols.at(&atom);
      if (atom.variable < access_.num_dimensions) return atom.variable;
      const auto position = llvm::find(kept_ranges_, atom.variable) - kept_ranges_.begin();
      return access_.num_dimensions + static_cast<size_t>(position);
    };
    return WriteMap(context_, results, constraints, {Dimensions(), Ranges(), std::move(runtime)},
                    number, mlir_context_);
  }

  // The map of a runtime variable's index: the same dimensions and ranges, no constraints. Scalars,
  // which most runtime variables are, share one: a map may have 32 of them.
  std::optional<IndexingMap> WriteIndex(llvm::ArrayRef<Sum> index) {
    if (index.empty() && scalar_index_) return scalar_index_;
    Mentions mentions;
    for (const Sum& sum : index) mentions.Visit(sum);
    std::optional<IndexingMap> map =
        Write(index, {}, OrderFunctions(mentions.functions), UnusedVariables::kDrop);
    if (index.empty()) scalar_index_ = map;
    return map;
  }

  DigitContext& context_;
  const RuntimeTable& table_;
  const Access& access_;
  UnusedVariables unused_;
  mlir::MLIRContext* mlir_context_;
  llvm::SmallVector<VariableId, 4> kept_ranges_;
  std::optional<IndexingMap> scalar_index_;
};

// Prints the variables of an access by their names.
class AccessNames {
 public:
  explicit AccessNames(const Access& access) : access_(access) {}

  std::string NameOf(VariableId variable) const {
    if (variable < access_.names.size() && !access_.names[variable].empty()) {
      return access_.names[variable];
    }
    const bool is_dimension = variable < access_.num_dimensions;
    return (is_dimension ? "d" : "s") +
           std::to_string(is_dimension ? variable : variable - access_.num_dimensions);
  }

  void operator()(const Atom& leaf, llvm::raw_ostream& out) const {
    if (!leaf.IsFunction()) {
      out << NameOf(leaf.variable);
      return;
    }
    out << "rt" << leaf.variable;
    if (leaf.arguments.empty()) return;
    out << '(';
    llvm::interleaveComma(leaf.arguments, out, [&](const Sum& index) { index.Print(out, *this); });
    out << ')';
  }

 private:
  const Access& access_;
};

}  // namespace

void Access::Print(llvm::raw_ostream& out) const {
  const AccessNames names_of(*this);
  const auto print_variable = [&](VariableId variable) { out << names_of.NameOf(variable); };
  out << '(';
  llvm::interleaveComma(llvm::seq<VariableId>(0, static_cast<VariableId>(num_dimensions)), out,
                        print_variable);
  out << ')';
  if (!ranges.empty()) {
    out << '[';
    llvm::interleaveComma(ranges, out, print_variable);
    out << ']';
  }
  if (!runtime.empty()) {
    out << '{';
    llvm::interleaveComma(runtime, out, [&](uint32_t number) { out << "rt" << number; });
    out << '}';
  }
  out << " -> (";
  llvm::interleaveComma(Index(), out, [&](const Sum& sum) { sum.Print(out, names_of); });
  out << ')';
  if (has_device) {
    out << " on device ";
    map.results.back().Print(out, names_of);
  }
  if (map.empty) {
    out << ", domain: KNOWN EMPTY";
  } else if (!map.boxes.empty() || !map.constraints.empty()) {
    out << ", domain: ";
    llvm::ListSeparator separator;
    for (VariableId i = 0; i < map.boxes.size(); ++i) {
      out << separator << names_of.NameOf(i) << " in " << map.boxes[i];
    }
    for (const Constraint& constraint : map.constraints) {
      out << separator;
      constraint.Print(out, names_of);
    }
  }
  if (!superset_reason.empty()) out << ", superset: " << superset_reason;
}

VariableId Access::AddRange(Interval bounds) {
  const VariableId variable = static_cast<VariableId>(map.boxes.size());
  map.boxes.push_back(bounds);
  map.empty |= bounds.IsEmpty();
  return variable;
}

void ReadAll(DigitContext& context, llvm::ArrayRef<int64_t> sizes, Access& access) {
  for (const int64_t size : sizes) {
    const VariableId variable = access.AddRange(IndexRange(size));
    access.ranges.push_back(variable);
    if (size != 0) access.map.results.push_back(access.map.Variable(context, variable));
  }
}

void ComposeInto(DigitContext& context, RuntimeTable& table, const IndexingMap& map,
                 Access& access) {
  const llvm::SmallVector<Sum, 6> dimensions(access.map.results.begin(), access.map.results.end());
  llvm::SmallVector<Sum, 4> symbols;
  llvm::SmallVector<VariableId, 4> ranges;
  for (const Variable& range : map.ranges()) {
    const VariableId variable = access.AddRange(range.bounds);
    access.names.resize(variable);
    access.names.push_back(range.name);
    ranges.push_back(variable);
    symbols.push_back(range.bounds.IsEmpty() ? simplifier::Constant(0)
                                             : access.map.Variable(context, variable));
  }
  ranges.append(access.ranges.begin(), access.ranges.end());
  access.ranges = ranges;
  llvm::SmallVector<uint32_t, 2> runtime;
  for (const RuntimeVariable& variable : map.runtime()) {
    access.map.empty |= variable.bounds.IsEmpty();
    symbols.push_back(ImportRuntime(context, table, variable, dimensions,
                                    llvm::ArrayRef<Sum>(symbols).take_front(map.num_ranges()),
                                    runtime));
  }
  runtime.append(access.runtime.begin(), access.runtime.end());
  access.runtime = runtime;
  access.map.empty |= map.IsKnownEmpty();
  AffineReader reader(context, dimensions, symbols);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Interval& bounds = map.dimensions()[i].bounds;
    if (bounds.Contains(simplifier::NaturalRange(dimensions[i]))) continue;
    access.map.constraints.push_back({dimensions[i], bounds});
  }
  for (const MapConstraint& constraint : map.constraints()) {
    access.map.constraints.push_back({reader.Read(constraint.expression), constraint.bounds});
  }
  access.map.results.clear();
  for (const mlir::AffineExpr result : map.affine_map().getResults()) {
    access.map.results.push_back(reader.Read(result));
  }
}

Access ImportMap(DigitContext& context, RuntimeTable& table, const IndexingMap& map) {
  Access access;
  access.num_dimensions = map.num_dimensions();
  for (const Variable& dimension : map.dimensions()) {
    const VariableId variable = static_cast<VariableId>(access.map.boxes.size());
    access.map.boxes.push_back(dimension.bounds);
    access.map.empty |= dimension.bounds.IsEmpty();
    access.names.push_back(dimension.name);
    access.map.results.push_back(dimension.bounds.IsEmpty()
                                     ? simplifier::Constant(0)
                                     : access.map.Variable(context, variable));
  }
  ComposeInto(context, table, map, access);
  return access;
}

void RenumberRanges(DigitContext& context, Access& access) {
  if (access.ranges.empty()) return;
  Mentions mentions;
  for (const Sum& result : access.map.results) mentions.Visit(result);
  for (const Constraint& constraint : access.map.constraints) mentions.Visit(constraint.expression);
  llvm::SmallVector<VariableId, 8> order;
  for (const VariableId variable : mentions.variables) {
    if (variable >= access.num_dimensions) order.push_back(variable);
  }
  const auto new_id = [&](VariableId old) -> std::optional<VariableId> {
    const auto* const found = llvm::find(order, old);
    if (found == order.end()) return std::nullopt;
    return static_cast<VariableId>(access.num_dimensions) +
           static_cast<VariableId>(found - order.begin());
  };
  llvm::SmallVector<VariableId, 4> ranges;
  for (const VariableId old : access.ranges) {
    if (const std::optional<VariableId> id = new_id(old)) ranges.push_back(*id);
  }
  bool changed = ranges.size() != access.ranges.size();
  for (const VariableId old : order) changed |= *new_id(old) != old;
  if (!changed) return;
  llvm::SmallVector<Interval, 6> boxes(
      access.map.boxes.begin(),
      access.map.boxes.begin() + static_cast<std::ptrdiff_t>(access.num_dimensions));
  for (const VariableId old : order) boxes.push_back(access.map.boxes[old]);
  const auto rename = [&](VariableId old) {
    return old < access.num_dimensions ? old : *new_id(old);
  };
  simplifier::Renaming renaming(context, rename);
  for (Sum& result : access.map.results) result = renaming.Apply(result);
  for (Constraint& constraint : access.map.constraints) {
    constraint.expression = renaming.Apply(constraint.expression);
  }
  access.map.boxes = std::move(boxes);
  access.ranges = std::move(ranges);
}

void DropAmbiguousNames(Access& access, RuntimeTable& table) {
  llvm::SmallVector<std::string*, 8> names;
  for (std::string& name : access.names) names.push_back(&name);
  for (RuntimeSource& source : table) names.push_back(&source.name);
  llvm::StringMap<int> uses;
  for (const std::string* name : names) ++uses[*name];
  for (std::string* name : names) {
    if (LooksLikeDefault(*name) || uses[*name] > 1) name->clear();
  }
}

std::optional<IndexingMap> ExportMap(DigitContext& context, const RuntimeTable& table,
                                     const Access& access, UnusedVariables unused,
                                     mlir::MLIRContext* mlir_context) {
  return AccessWriter(context, table, access, unused, mlir_context).Write();
}

IndexingMap RemoveUnusedVariables(const IndexingMap& map) {
  if (map.IsUnknown() || map.IsKnownEmpty()) return map;
  DigitContext context;
  RuntimeTable table;
  const Access access = ImportMap(context, table, map);
  if (access.map.empty) return map;
  std::optional<IndexingMap> without =
      ExportMap(context, table, access, UnusedVariables::kDrop, map.context());
  return without ? *without : map;
}

IndexingMap Compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.IsUnknown() || second.IsUnknown()) return IndexingMap();
  DigitContext context;
  RuntimeTable table;
  Access access = ImportMap(context, table, first);
  ComposeInto(context, table, second, access);
  simplifier::Simplify(context, access.map);
  DropAmbiguousNames(access, table);
  std::optional<IndexingMap> composed =
      ExportMap(context, table, access, UnusedVariables::kKeep, first.context());
  return composed ? *composed : IndexingMap();
}

}  // namespace hlo_indexing::indexing_analysis
