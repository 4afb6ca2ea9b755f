// What the parts of the HLO parser share; private to the folder.
#ifndef HLO_INDEXING_HLO_PARSER_STATE_H_
#define HLO_INDEXING_HLO_PARSER_STATE_H_

#include <string>
#include <vector>

#include "hlo/module.h"
#include "hlo/parser/parser.h"
#include "hlo/parser/text_cursor.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {

/// The text in work, the module that it becomes, and what was wrong with it. A parsing function
/// returns false, null or nullopt after it has reported an error with Fail.
struct ParseState {
  ParseState(support::SourceText text, size_t begin, size_t end, const ParseOptions& parse_options,
             Module& target, std::vector<support::Diagnostic>& sink)
      : source(text),
        options(parse_options),
        cursor(text.text, begin, end),
        module(target),
        diagnostics(sink) {}

  support::SourceText source;
  const ParseOptions& options;
  TextCursor cursor;
  Module& module;
  std::vector<support::Diagnostic>& diagnostics;
  /// How deep shapes, literals, operands and inline computations are nested at present.
  int depth = 0;
  /// Shapes by their text, so that a text is parsed once.
  llvm::DenseMap<llvm::CachedHashStringRef, const Shape*> shapes_by_text;
  /// Whoever parses wants no more.
  bool is_stopped = false;
  /// Where whoever parses is asked again whether to go on.
  size_t next_question = 0;

  /// Reports an error at the next token, or at `offset`, unless there are too many; false.
  bool Fail(std::string message) { return FailAt(cursor.Offset(), std::move(message)); }
  bool FailAt(size_t offset, std::string message) {
    if (HasTooManyErrors()) return false;
    // Whatever is missing where a comment has no end is in the comment.
    if (const auto comment = cursor.UnclosedComment()) {
      offset = *comment;
      message = "the comment has no end";
      if (!diagnostics.empty() && diagnostics.back().message == message) return false;
    }
    diagnostics.push_back(support::MakeDiagnostic(source, offset, std::move(message)));
    return false;
  }
  bool HasTooManyErrors() const { return diagnostics.size() >= options.max_errors; }
  /// Whether whoever parses wants no more, which is an error. For what the text has many of:
  /// instructions, elements of literals and lists.
  bool MustStop() {
    if (is_stopped || (!options.keep_running && !options.progress)) return is_stopped;
    constexpr size_t kBytesBetween = size_t{1} << 14;
    const size_t offset = cursor.Offset();
    if (offset < next_question) return false;
    next_question = offset + kBytesBetween;
    if (options.progress) options.progress(offset, source.text.size());
    is_stopped = options.keep_running && !options.keep_running();
    return is_stopped && !Fail("parsing was stopped");
  }
  /// Consumes `c`, or reports "expected 'c' CONTEXT".
  bool Expect(char c, const char* context) {
    if (cursor.ConsumeIf(c)) return true;
    return Fail(std::string("expected '") + c + "' " + context);
  }
};

/// Counts a level of nesting while it lives.
class NestingScope {
 public:
  explicit NestingScope(ParseState& state) : state_(state) { ++state_.depth; }
  ~NestingScope() { --state_.depth; }
  NestingScope(const NestingScope&) = delete;
  NestingScope& operator=(const NestingScope&) = delete;

  /// False, and an error, beyond the limit of the options.
  bool Check() const {
    if (state_.depth <= state_.options.max_nesting) return true;
    return state_.Fail("nested deeper than " + std::to_string(state_.options.max_nesting) +
                       " levels");
  }

 private:
  ParseState& state_;
};

/// A shape; null after an error.
const Shape* ParseShape(ParseState& state);
/// Whether a shape, not an opcode or a name, comes next.
bool AtShape(ParseState& state);

/// The literal of that shape, as in `constant(...)`; null after an error.
const Literal* ParseLiteral(ParseState& state, const Shape& shape);

/// A literal after its shape, as in `literal=s32[2] {1, 2}`. A tuple's shapes stand before its
/// elements, `(s32[] 1, f32[] 2)`, or before the tuple, `(s32[], f32[]) (1, 2)`. Null after an
/// error.
const Literal* ParseShapedLiteral(ParseState& state);

/// Finds computations and instructions by name while attributes are parsed.
class NameResolver {
 public:
  virtual ~NameResolver() = default;
  /// The computation of that name if it has been parsed; null if it may follow.
  virtual const Computation* FindComputation(llvm::StringRef name) = 0;
  /// Parses the body of an inline computation, its opening brace next.
  virtual const Computation* ParseInlineComputation() = 0;
  /// The instruction of that name in the current computation; null if there is none.
  virtual const Instruction* FindInstruction(llvm::StringRef name) = 0;
};

/// A computation that an attribute names before it is parsed.
struct PendingComputation {
  llvm::StringRef name;
  size_t offset = 0;
};

/// `name=value`. References to computations that are not parsed yet are left null and added to
/// `pending`, in order.
bool ParseAttribute(ParseState& state, NameResolver& resolver, Attribute& attribute,
                    llvm::SmallVectorImpl<PendingComputation>& pending);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_STATE_H_
