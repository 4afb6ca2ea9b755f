#include "support/diagnostics.h"

#include <gtest/gtest.h>

#include "support/line_index.h"

namespace hlo_indexing::support {
namespace {

TEST(Diagnostics, LocatesLineAndColumn) {
  const SourcePosition position = Locate("a\nbcd\r\ne", 4);
  EXPECT_EQ(position.line, 2);
  EXPECT_EQ(position.column, 3);
  EXPECT_EQ(position.line_text, "bcd");
  EXPECT_EQ(Locate("a\nb", 99).line, 2);
  EXPECT_EQ(Locate("", 0).column, 1);
}

TEST(Diagnostics, RendersPlaceLineAndCaret) {
  const Diagnostic diagnostic = MakeDiagnostic({"m.hlo", "x = f32[2]\ny = foo(x)"}, 15, "bad");
  EXPECT_EQ(diagnostic.Render(), "m.hlo:2:5: error: bad\ny = foo(x)\n    ^\n");
}

// Cells of a terminal, not bytes: 1 for each of the two, 2 for each of the two.
TEST(Diagnostics, CaretsBehindCharactersOfSeveralBytes) {
  const Diagnostic diagnostic = MakeDiagnostic({"m.hlo", "\u00e9\u00e9 \u65e5\u672c x"}, 12, "bad");
  EXPECT_EQ(diagnostic.column, 13);
  EXPECT_EQ(diagnostic.caret, 8U);
  EXPECT_EQ(MakeDiagnostic({"m.hlo", "\xff\u00e9 x"}, 4, "bad").caret, 4U);
}

TEST(Diagnostics, CutsLongLinesAroundTheColumn) {
  const std::string line(1000000, 'x');
  const Diagnostic diagnostic = MakeDiagnostic({"m.hlo", line}, 500000, "bad");
  EXPECT_LT(diagnostic.excerpt.size(), 200u);
  EXPECT_LT(diagnostic.caret, diagnostic.excerpt.size());
  EXPECT_EQ(diagnostic.column, 500001);
}

TEST(Diagnostics, ReplacesBytesThatATerminalCannotShow) {
  const Diagnostic diagnostic = MakeDiagnostic({"m.hlo", "\x01\t\xff"}, 0, "bad");
  EXPECT_EQ(diagnostic.excerpt, "? ?");
  EXPECT_EQ(Quotable("\x1b[31m"), "?[31m");
  EXPECT_EQ(Quotable("abcdef", 3), "abc...");
}

TEST(Diagnostics, NamesInvisibleCharacters) {
  const auto message_at = [](llvm::StringRef text) {
    return MakeDiagnostic({"m.hlo", text}, 1, "bad").message;
  };
  for (const auto& [text, name] :
       std::initializer_list<std::pair<llvm::StringRef, std::string>>{{"x\xc2\xa0y", "U+00A0"},
                                                                      {"x\xe2\x80\x8by", "U+200B"},
                                                                      {"x\xe2\x80\xa8", "U+2028"},
                                                                      {"x\xef\xbb\xbfy", "U+FEFF"},
                                                                      {"x\x01", "U+0001"}}) {
    EXPECT_EQ(message_at(text), "bad; the invisible character " + name + " stands here");
  }
  for (const llvm::StringRef text : {"x y", "x\ny", "x\ty", "x\xc3\xa9", "x\xff", "x"}) {
    EXPECT_EQ(message_at(text), "bad");
  }
}

// U+009B begins an escape sequence, U+202E turns the direction of text.
TEST(Diagnostics, ReplacesCharactersThatATerminalObeys) {
  EXPECT_EQ(ForTerminal("a\xc2\x9b"
                        "31m\xe2\x80\xae\xc3\xa9"),
            "a??31m???\xc3\xa9");
  EXPECT_EQ(MakeDiagnostic({"\x1b[31m.hlo", "x"}, 0, "bad").file, "?[31m.hlo");
}

TEST(Diagnostics, StatusHoldsAllFindings) {
  EXPECT_TRUE(ToStatus({}).ok());
  const Diagnostic diagnostic = MakeDiagnostic({"m", "abc"}, 1, "bad");
  const absl::Status status = ToStatus({diagnostic, diagnostic});
  EXPECT_EQ(status.message(), "m:1:2: error: bad\nabc\n ^\nm:1:2: error: bad\nabc\n ^");
}

TEST(Diagnostics, SuggestsOnlyNearWords) {
  EXPECT_EQ(DidYouMean("transpos", {"reverse", "transpose"}), "; did you mean 'transpose'?");
  EXPECT_EQ(DidYouMean("xyz", {"reverse", "transpose"}), "");
  EXPECT_EQ(DidYouMean("", {"a"}), "");
  // A beginning is one of one candidate only, and not of two letters.
  EXPECT_EQ(DidYouMean("dir", {"reverse", "direction"}), "; did you mean 'direction'?");
  EXPECT_EQ(DidYouMean("dir", {"directory", "direction"}), "");
  EXPECT_EQ(DidYouMean("di", {"reverse", "direction"}), "");
}

TEST(LineIndex, AgreesWithLocate) {
  for (const llvm::StringRef text : {"", "\n", "a", "a\n", "a\r\nbc\n\nd", "\n\n\nxyz"}) {
    const LineIndex index(text);
    for (size_t offset = 0; offset <= text.size() + 2; ++offset) {
      const SourcePosition expected = Locate(text, offset);
      const SourcePosition actual = index.Locate(offset);
      EXPECT_EQ(actual.line, expected.line) << text.str() << " at " << offset;
      EXPECT_EQ(actual.column, expected.column) << text.str() << " at " << offset;
      EXPECT_EQ(actual.line_text, expected.line_text) << text.str() << " at " << offset;
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::support
