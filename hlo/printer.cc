#include "hlo/printer.h"

#include <charconv>

#include "hlo/literal.h"

namespace hlo_indexing::hlo {
namespace {

using llvm::raw_ostream;

template <typename Range, typename PrintElement>
void PrintList(const Range& values, llvm::StringRef open, llvm::StringRef separator,
               llvm::StringRef close, raw_ostream& out, PrintElement print_element) {
  out << open;
  bool first = true;
  for (const auto& value : values) {
    if (!first) out << separator;
    first = false;
    print_element(value);
  }
  out << close;
}

void PrintIntegers(llvm::ArrayRef<int64_t> values, llvm::StringRef open, llvm::StringRef close,
                   raw_ostream& out) {
  PrintList(values, open, ",", close, out, [&](int64_t value) { out << value; });
}

// The window field if any dimension differs from the default, as XLA prints it.
template <typename Get>
void PrintWindowField(llvm::ArrayRef<WindowDimension> window, llvm::StringRef name, bool always,
                      raw_ostream& out, bool& first, Get get) {
  const WindowDimension plain;
  const bool differs = llvm::any_of(
      window, [&](const WindowDimension& dimension) { return get(dimension) != get(plain); });
  if (window.empty() || (!differs && !always)) return;
  if (!first) out << ' ';
  first = false;
  out << name << '=';
  PrintList(window, "", "x", "", out,
            [&](const WindowDimension& dimension) { out << get(dimension); });
}

void PrintWindow(llvm::ArrayRef<WindowDimension> window, raw_ostream& out) {
  using Dimension = const WindowDimension&;
  bool first = true;
  out << '{';
  PrintWindowField(window, "size", true, out, first, [](Dimension d) { return d.size; });
  PrintWindowField(window, "stride", false, out, first, [](Dimension d) { return d.stride; });
  PrintWindowField(window, "pad", false, out, first, [](Dimension d) {
    return std::to_string(d.padding_low) + "_" + std::to_string(d.padding_high);
  });
  PrintWindowField(window, "lhs_dilate", false, out, first,
                   [](Dimension d) { return d.base_dilation; });
  PrintWindowField(window, "rhs_dilate", false, out, first,
                   [](Dimension d) { return d.window_dilation; });
  PrintWindowField(window, "rhs_reversal", false, out, first,
                   [](Dimension d) { return d.reversal ? 1 : 0; });
  out << '}';
}

void PrintReplicaGroups(const ReplicaGroups& groups, raw_ostream& out) {
  switch (groups.form) {
    case ReplicaGroups::Form::kList:
      PrintList(groups.groups, "{", ",", "}", out,
                [&](llvm::ArrayRef<int64_t> group) { PrintIntegers(group, "{", "}", out); });
      return;
    case ReplicaGroups::Form::kIota:
      PrintIntegers(groups.dimensions, "[", "]", out);
      out << "<=";
      PrintIntegers(groups.reshape, "[", "]", out);
      if (!groups.permutation.empty()) PrintIntegers(groups.permutation, "T(", ")", out);
      return;
    case ReplicaGroups::Form::kMesh:
      out << groups.mesh;
      return;
  }
}

// Whether a double quote stands without a backslash before it.
bool HasPlainQuote(llvm::StringRef escaped) {
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '"') return true;
    if (escaped[i] == '\\') ++i;
  }
  return false;
}

void PrintReal(double value, raw_ostream& out) {
  char buffer[64];
  const std::to_chars_result end = std::to_chars(buffer, std::end(buffer), value);
  out << llvm::StringRef(buffer, static_cast<size_t>(end.ptr - buffer));
}

// Prints each alternative of AttributeValue in the syntax of its kind.
struct ValuePrinter {
  raw_ostream& out;

  void operator()(int64_t value) const { out << value; }
  void operator()(bool value) const { out << (value ? "true" : "false"); }
  void operator()(double value) const { PrintReal(value, out); }
  void operator()(const Keyword& value) const { out << value.text; }
  void operator()(const QuotedString& value) const {
    // A string that came in single quotes may hold double ones.
    const char quote = HasPlainQuote(value.escaped) ? '\'' : '"';
    out << quote << value.escaped << quote;
  }
  void operator()(const RawText& value) const { out << value.text; }
  void operator()(llvm::ArrayRef<int64_t> values) const { PrintIntegers(values, "{", "}", out); }
  void operator()(llvm::ArrayRef<llvm::ArrayRef<int64_t>> lists) const {
    PrintList(lists, "{", ",", "}", out,
              [this](llvm::ArrayRef<int64_t> list) { PrintIntegers(list, "{", "}", out); });
  }
  void operator()(llvm::ArrayRef<bool> values) const {
    PrintList(values, "{", ",", "}", out, *this);
  }
  void operator()(llvm::ArrayRef<Keyword> values) const {
    PrintList(values, "{", ",", "}", out, *this);
  }
  void operator()(llvm::ArrayRef<SliceRange> ranges) const {
    PrintList(ranges, "{", ", ", "}", out, [this](const SliceRange& range) {
      out << '[' << range.start << ':' << range.limit;
      if (range.stride != 1) out << ':' << range.stride;
      out << ']';
    });
  }
  void operator()(llvm::ArrayRef<PaddingDimension> dimensions) const {
    PrintList(dimensions, "", "x", "", out, [this](const PaddingDimension& padding) {
      out << padding.low << '_' << padding.high;
      if (padding.interior != 0) out << '_' << padding.interior;
    });
  }
  void operator()(llvm::ArrayRef<WindowDimension> window) const { PrintWindow(window, out); }
  void operator()(const ConvolutionDimensions* dimensions) const {
    out << dimensions->input << '_' << dimensions->kernel << "->" << dimensions->output;
  }
  void operator()(const ReplicaGroups* groups) const { PrintReplicaGroups(*groups, out); }
  void operator()(const Shape* shape) const { out << shape->ToString(); }
  void operator()(llvm::ArrayRef<const Shape*> shapes) const {
    PrintList(shapes, "{", ", ", "}", out, *this);
  }
  void operator()(const Literal* literal) const {
    const Shape& shape = literal->shape();
    if (shape.IsTuple()) {
      PrintList(literal->elements(), "(", ", ", ")", out, *this);
      return;
    }
    // Without a layout, the brace of the values would be read as one.
    out << shape.ToString();
    if (shape.IsArray() && shape.rank() > 0 && shape.layout() == nullptr) {
      out << layout::DefaultLayout(shape.rank()).ToString();
    }
    out << ' ' << literal->ToString();
  }
  void operator()(const Computation* computation) const { out << '%' << computation->name(); }
  void operator()(llvm::ArrayRef<const Computation*> computations) const {
    PrintList(computations, "{", ", ", "}", out, *this);
  }
  void operator()(const Instruction* instruction) const { out << '%' << instruction->name(); }
  void operator()(llvm::ArrayRef<const Instruction*> instructions) const {
    PrintList(instructions, "{", ", ", "}", out, *this);
  }
};

void PrintAttributes(llvm::ArrayRef<Attribute> attributes, const PrintOptions& options,
                     raw_ostream& out) {
  for (const Attribute& attribute : attributes) {
    const bool is_metadata = attribute.name == AttributeName::kMetadata;
    if (is_metadata && options.metadata == PrintMetadata::kNo) continue;
    out << ", " << attribute.text << '=';
    std::visit(ValuePrinter{out}, attribute.value);
  }
}

void PrintComputation(const Computation& computation, const PrintOptions& options,
                      raw_ostream& out) {
  // Without the word, a module is one fusion; the last computation is its entry.
  if (computation.IsEntry() && computation.parent().has_entry_keyword()) out << "ENTRY ";
  out << '%' << computation.name() << ' ';
  PrintList(computation.parameters(), "(", ", ", ")", out, [&](const Instruction* parameter) {
    out << parameter->name() << ": " << parameter->shape().ToString();
  });
  out << " -> " << computation.root().shape().ToString() << " {\n";
  for (const Instruction* instruction : computation.instructions()) {
    out << "  ";
    if (instruction->IsRoot()) out << "ROOT ";
    Print(*instruction, out, options);
    out << '\n';
  }
  out << '}';
  PrintAttributes(computation.attributes(), options, out);
  out << '\n';
}

}  // namespace

void Print(const Module& module, raw_ostream& out, const PrintOptions& options) {
  if (!module.name().empty()) {
    out << "HloModule " << module.name();
    PrintAttributes(module.attributes(), options, out);
    out << '\n';
  }
  if (!module.stack_tables().empty() && options.metadata == PrintMetadata::kYes) {
    out << '\n' << module.stack_tables() << '\n';
  }
  for (const Computation* computation : module.computations()) {
    out << '\n';
    PrintComputation(*computation, options, out);
  }
}

void PrintHead(const Instruction& instruction, raw_ostream& out, const PrintOptions& options) {
  out << '%' << instruction.name() << " = " << instruction.shape().ToString() << ' '
      << OpcodeName(instruction.opcode()) << '(';
  if (instruction.opcode() == Opcode::kParameter) {
    out << instruction.parameter_number();
  } else if (instruction.opcode() == Opcode::kConstant) {
    out << instruction.literal()->ToString();
  } else {
    PrintList(instruction.operands(), "", ", ", "", out, [&](const Instruction* operand) {
      if (options.operand_shapes == PrintOperandShapes::kYes) {
        out << operand->shape().ToString() << ' ';
      }
      out << '%' << operand->name();
    });
  }
  out << ')';
}

void Print(const Instruction& instruction, raw_ostream& out, const PrintOptions& options) {
  PrintHead(instruction, out, options);
  PrintAttributes(instruction, out, options);
}

void PrintAttributes(const Instruction& instruction, raw_ostream& out,
                     const PrintOptions& options) {
  PrintAttributes(instruction.attributes(), options, out);
}

std::string ToString(const Module& module, const PrintOptions& options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Print(module, out, options);
  return text;
}

std::string ToString(const Instruction& instruction, const PrintOptions& options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Print(instruction, out, options);
  return text;
}

}  // namespace hlo_indexing::hlo
