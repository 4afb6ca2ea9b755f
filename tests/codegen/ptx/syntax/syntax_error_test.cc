// What is wrong with a text, in which words and where; and texts that try to break the parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "codegen/ptx/syntax/parser.h"
#include "tests/codegen/ptx/syntax/parsing.h"

namespace hlo_indexing::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ErrorAt, ShowsTheLineAndACaret) {
  EXPECT_EQ(ptx::syntax::ErrorAt("a\n\tb c\r\nd", "x.ptx", {4}, "no").message(),
            "x.ptx:2:3: error: no\n b c\n  ^");
  EXPECT_EQ(ptx::syntax::ErrorAt("a", "", {99}, "no").message(), "<input>:1:2: error: no\na\n ^");
}

TEST(ErrorAt, CutsLongLinesAndReplacesWhatIsNotPrintable) {
  const std::string text = std::string(1000, 'a') + "\x01\xff" + std::string(1000, 'b');
  EXPECT_EQ(ptx::syntax::ErrorAt(text, "x", {1001}, "no").message(),
            "x:1:1002: error: no\n" + std::string(59, 'a') + "??" + std::string(59, 'b') + "\n" +
                std::string(60, ' ') + "^");
}

struct ErrorCase {
  std::string_view text;
  std::string_view error;
};

TEST(SyntaxError, OfDeclarations) {
  const ErrorCase cases[] = {
      {R"(.vizible .entry k() {})", "1:1: unknown directive '.vizible'; did you mean '.visible'?"},
      {R"(.version 8.0)",
       "1:1: a second module begins here, and a text is one; `emit --output=FOLDER` writes each "
       "kernel to a file of its own"},
      {R"(entry k() {})", "1:1: expected a directive, found 'entry'"},
      {R"(.entry _() { ret; })", "1:8: expected the name of a function, found '_'"},
      {R"(.global .b32 $;)", "1:14: expected the name of a variable, found '$'"},
      {R"(.entry k() {)", "1:12: this '{' is not closed"},
      {R"(.entry k())", "1:11: expected the body of the function, found the end of the text"},
      {R"(.entry k(.param .u64 a, .param .u64 a) { ret; })",
       "1:37: 'a' is already declared at line 2"},
      {R"(.entry k(.param .u65 a) { ret; })", "1:17: unknown type '.u65'"},
      {R"(.entry k(u64 a) { ret; })",
       "1:10: expected a parameter, '.param' or '.reg', found 'u64'"},
      {R"(.entry k(.param .u64 .ptr .shraed a) { ret; })",
       "1:27: expected the space or '.align' of a pointer, found '.shraed'"},
      {R"(.entry (.param .u32 r) k() { ret; })", "1:8: a kernel has no results"},
      {R"(.entry k() .maxntidx 3 { ret; })",
       "1:12: unknown directive '.maxntidx' of a function; did you mean '.maxntid'?"},
      {R"(.entry k() .maxntid 0 { ret; })", "1:21: a size of 0"},
      {R"(.entry k() .maxnreg 4294967296 { ret; })", "1:21: the number does not fit in 32 bits"},
      {R"(.entry k() { ret; } .entry k() { ret; })", "1:28: 'k' is already declared at line 2"},
      {R"(.func k(); .entry k() { ret; })", "1:19: 'k' is already declared at line 2"},
      {R"(.global .b32 x; .global .b32 x;)", "1:30: 'x' is already declared at line 2"},
      {R"(.global .b32 x; .func x();)", "1:23: 'x' is already declared at line 2"},
      {R"(.global .b32 x = y1; .global .b32 y2;)", "1:18: unknown name 'y1'; did you mean 'y2'?"},
      {R"(.global .b32 x[2] = {1, 2, 3};)", "1:28: more initial values than elements"},
      {R"(.global .b32 x[2][2] = {1, 2};)", "1:25: expected '{' of the initial values, found '1'"},
      {R"(.global .b32 x[];)", "1:14: the size of 'x' is missing"},
      {R"(.global .b32 x[0];)", "1:15: a dimension of size 0"},
      {R"(.global .b32 x[4611686018427387904];)", "1:15: the size of a dimension is too large"},
      {R"(.global .b32 x[100000000000][100000000000];)", "1:14: 'x' is too large"},
      {R"(.global .b32 x[2][] = {{1},{2}};)", "1:19: expected a number, found ']'"},
      {R"(.global .align 3 .b32 x;)", "1:16: an alignment is a power of two"},
      {R"(.global .pred x;)", "1:9: a variable cannot be of type '.pred'"},
      {R"(.global .texref x;)", "1:9: '.texref' is not supported; pass the handle as .u64"},
      {R"(.global .f16 x = 1.0;)",
       "1:18: an initial value of type '.f16'; give the bits of a .b16"},
      {R"(.global .u64 x = 1.5f;)", "1:18: '1.5f' is no number"},
      {R"(.global .u32 x = 1.5;)",
       "1:18: a floating-point number as the initial value of type '.u32'"},
      {R"(.global .u16 y = x;)", "1:18: an address as the initial value of type '.u16'"},
      {R"(.global .b8 y = 0xF0(x);)",
       "1:17: a mask of an address is one byte of it, in elements of 8 bits"},
      {R"(.shared .b32 x = 1;)",
       "1:16: only .global and .const variables of this module have initial values"},
      {R"(.local .b32 x;)", "1:1: a variable of '.local' outside of a function"},
      {R"(.global .b32 x = 1 / 0;)", "1:20: division by 0"},
      {R"(.global .b32 x = 0f3F80000;)", "1:18: 0f is followed by 8 hexadecimal digits"},
      {R"(.global .b32 x = 12a;)", "1:18: '12a' is no number"},
      {R"(.global .b32 x = 18446744073709551616;)", "1:18: the number does not fit in 64 bits"},
      {R"(.global .b32 x = 1.5 + 1;)",
       "1:22: floating-point constants have no operator but a sign"},
      {R"(.pragma nounroll;)", "1:9: expected the string of a '.pragma', found 'nounroll'"},
      {R"(.file 1 x)", "1:9: expected the name of a file, found 'x'"},
      {R"(.section .debug_info { .b8 1)", "1:22: this '{' is not closed"},
      {R"(.alias f, g;)", "1:8: unknown function 'f'"},
      {R"(.func f(); .alias f, f;)", "1:22: an alias is of a function with a body"},
      {R"(.func (.reg .v2 .u32 r) f();)", "1:22: a parameter in registers is a scalar"},
      {R"(/* no end)", "1:1: the comment has no end"},
      {R"(.file 1 "no end)", "1:9: the string has no end"},
  };
  for (const ErrorCase& c : cases) EXPECT_EQ(DeclarationError(c.text), c.error) << c.text;
}

TEST(SyntaxError, OfBodies) {
  const ErrorCase cases[] = {
      {R"(mov.u32 %r1, %r16;)", "1:14: unknown register '%r16'; the last of its range is '%r15'"},
      {R"(mov.u32 %r1, %rr1;)", "1:14: unknown register '%rr1'; did you mean '%pm1'?"},
      {R"(mov.u32 %r1, %tidd.x;)", "1:14: unknown register '%tidd'; did you mean '%tid'?"},
      {R"(mov.u32 %r1, %tid.q;)", "1:18: the special register '%tid' has no '.q'"},
      {R"(mov.u32 %r1, %laneid.x;)", "1:21: the special register '%laneid' has no '.x'"},
      {R"(mov.u32 %r1, %tid .x;)", "1:19: a space before the component of a special register"},
      {R"(mov.u32 %r1, kernell;)", "1:14: unknown function 'kernell'; did you mean 'kernel'?"},
      {R"(add.s32 %r1, total, 1;)", "1:14: unknown name 'total'"},
      {R"(.shared .b32 sum; add.s32 %r1, sun, 1;)",
       "1:32: unknown name 'sun'; did you mean 'sum'?"},
      {R"(bra LOOP; LOOP1: ret;)", "1:5: unknown label 'LOOP'; did you mean 'LOOP1'?"},
      {R"({ L: nop; } bra L;)", "1:17: unknown label 'L'"},
      {R"(ts: .branchtargets L; ret;)", "1:20: unknown label 'L'"},
      {R"(ts: .calltargets g; ret;)", "1:18: unknown function 'g'"},
      {R"(call g, (%r1);)", "1:6: unknown function 'g'"},
      {R"(@%r1 bra L; L:)", "1:2: '%r1' is no predicate register"},
      {R"(@p bra L; L:)", "1:2: unknown register 'p'"},
      {R"(@1 ret;)", "1:2: expected a predicate register, found '1'"},
      {R"(.reg .b32 %r3;)", "1:11: '%r3' is already declared at line 2"},
      {R"(.reg .b32 %r<2>;)", "1:11: '%r' is already declared at line 2"},
      {R"(.reg .b32 %r1<2>;)", "1:11: '%r1' is already declared at line 2"},
      {R"(.reg .b32 a12; .reg .pred a<13>;)", "1:27: 'a' is already declared at line 3"},
      {R"(.reg .b32 a<4000000000>;)", "1:13: the number of registers is too large"},
      {R"(.reg .b32 a<3;)", "1:14: expected '>' after the number of registers, found ';'"},
      {R"(.reg .x32 a;)", "1:6: unknown type '.x32'"},
      {R"(L: L: ret;)", "1:4: 'L' is already declared at line 3"},
      {R"(.reg .b32 L; L: ret;)", "1:14: 'L' is already declared at line 3"},
      {R"(mov.u32 %r1 %r2;)", "1:13: expected ';' after the operands, found '%r2'"},
      {R"(mov.u32 %r1, %r2)", "2:1: expected ';' after the operands, found '}'"},
      {R"(mov.u32 %r1, ;)", "1:14: expected an operand, found ';'"},
      {R"(mov.u32 %r1, {};)", "1:15: expected an operand, found '}'"},
      {R"(mov.u32 %r1, {%r1, {%r2}};)", "1:20: expected an operand, found '{'"},
      {R"(mov.u32 %r1, !%r2;)", "1:14: '!' is followed by a predicate register"},
      {R"(mov.u32 %r1, %r2.x;)", "1:17: the register '%r2' has no '.x'"},
      {R"(.reg .v2 .b32 v; mov.b64 %rd1, {v, v};)", "1:33: 'v' is a vector; name a component"},
      {R"(.reg .v2 .b32 v; mov.b32 %r1, v.z;)", "1:32: the register 'v' has no '.z'"},
      {R"(ld.u32 %r1, [%r1+%r2];)", "1:18: expected a number, found '%r2'"},
      {R"(ld.u32 %r1, [%p1];)", "1:14: an address begins with a register, variable or integer"},
      {R"(ld.u32 %r1, [kernel];)", "1:14: an address begins with a register, variable or integer"},
      {R"(ld.u32 %r1, [%rd1;)", "1:18: expected ']' after the address, found ';'"},
      {R"(ld.u32 %r1, [%rd1, [%rd2]];)", "1:20: expected an operand, found '['"},
      {R"(setp.eq.s32 %p1|3, %r1, %r2;)", "1:17: expected an operand, found '3'"},
      {R"(mov.u32 %r1, 1 ? 2;)", "1:19: expected ':' of the '?', found ';'"},
      {R"(mov.u32 %r1, (1 + 2;)", "1:20: expected ')' at the end of the expression, found ';'"},
      {R"(mov.u32 %r1, 08;)", "1:14: '08' is no number"},
      {R"(mov.u32 %r1, "x";)", "1:14: expected an operand, found a string"},
      {R"(mov.u32 %r1, $;)", "1:14: expected an operand, found '$'"},
      {R"(mov.u32 %r1, #;)", "1:14: this byte begins no token"},
      {R"(mov. u32 %r1, 1;)", "1:4: a name is missing after '.'"},
      {R"(%r1 = 3;)", "1:1: expected an instruction, found '%r1'"},
      {R"(.loc 1 2;)", "1:9: expected a number, found ';'"},
      {R"(.lok 1 2 3)", "1:1: unknown directive '.lok' in a function; did you mean '.loc'?"},
      {R"(3;)", "1:1: expected an instruction, label or directive, found '3'"},
      {R"(})", "2:1: expected a directive, found '}'"},
  };
  for (const ErrorCase& c : cases) EXPECT_EQ(BodyError(c.text), c.error) << c.text;
}

TEST(SyntaxError, OfTheHeader) {
  EXPECT_THAT(ErrorOf(""), StartsWith("test.ptx:1:1: error: expected '.version' at the beginning, "
                                      "found the end of the text\n"));
  EXPECT_THAT(ErrorOf(".version 8"), HasSubstr("1:10: error: expected a version such as 8.5"));
  EXPECT_THAT(ErrorOf(".version 5.0"), HasSubstr("version 5.0 of PTX is not supported"));
  EXPECT_THAT(ErrorOf(".version 8.5 .entry"), HasSubstr("expected '.target' after the version"));
  EXPECT_THAT(ErrorOf(".version 8.5 .target gfx90"), HasSubstr("unknown target 'gfx90'"));
  EXPECT_THAT(ErrorOf(".version 8.5 .target sm_90 .address_size 16"),
              HasSubstr("1:42: error: the size of an address is 32 or 64"));
}

TEST(SyntaxError, HasAnExcerpt) {
  EXPECT_EQ(ErrorOf(".version 8.5\n.target sm_90\n.global .b33 x;\n"),
            "test.ptx:3:9: error: unknown type '.b33'\n.global .b33 x;\n        ^");
}

// A kernel that is cut anywhere is an error.
TEST(Hostile, CutTexts) {
  const std::string whole = WithKernel(
      ".local .align 4 .b8 a[4]; @%p1 ld.v2.f32 {%f1,_}, [a+1]; L: bra L; call (%r1), kernel, "
      "(%r2);"
      "ts: .branchtargets L; mov.b32 %r1, (1 ? 2 : 0x3) /* c */; .loc 1 2 3 mov.f32 %f1, "
      "0f00000000;");
  const size_t header = WithHeader("").size();
  // The last bytes are the closing brace and the end of its line.
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    const auto module = ptx::syntax::ParseModule(std::string_view(whole).substr(0, size), "cut");
    EXPECT_FALSE(size > header && module.ok()) << size;
  }
}

TEST(Hostile, BytesOfAllKinds) {
  for (int byte = 0; byte < 256; ++byte) {
    std::string text = WithKernel("mov.u32 %r1, ? ;");
    text[text.find('?')] = static_cast<char>(byte);
    (void)ptx::syntax::ParseModule(text, "bytes");
  }
  EXPECT_EQ(BodyError(std::string_view("nop;\0", 5)), "1:5: the text holds a byte 0");
}

TEST(Hostile, Nesting) {
  const std::string braces(1'000'000, '{');
  EXPECT_THAT(BodyError(braces), EndsWith(": scopes are nested too deeply"));
  for (const char* text : {"(", "-", "!", "~", "1?", "1?1:", "1+(", "(.u64)"}) {
    std::string expression = "mov.u32 %r1, ";
    for (int i = 0; i < 100'000; ++i) expression += text;
    EXPECT_THAT(BodyError(expression), EndsWith(": the expression is nested too deeply")) << text;
  }
  EXPECT_THAT(BodyError("mov.u32 %r1, " + std::string(100'000, '[')), HasSubstr("expected"));
  EXPECT_THAT(DeclarationError(".global .b32 x[2] = " + braces), HasSubstr("expected a number"));
}

TEST(Hostile, SizesAreLimitedBeforeTheyAreAllocated) {
  EXPECT_THAT(BodyError(".reg .b32 a<2000000000>;"),
              EndsWith("more than 50000000 registers, variables, labels and instructions"));
  EXPECT_THAT(DeclarationError(".global .b8 x[2][70000000000] = {{1}, {2}};"),
              EndsWith("more than 50000000 registers, variables, labels and instructions"));
  const std::string text = WithKernel("nop; nop; nop;");
  EXPECT_TRUE(ptx::syntax::ParseModule(text, "", {.max_items = 8 + 16 + 8 + 8 + 4}).ok());
  EXPECT_FALSE(ptx::syntax::ParseModule(text, "", {.max_items = 8 + 16 + 8 + 8 + 3}).ok());
}

// Each text has some 100'000 things of a kind, for which quadratic time would be minutes.
TEST(Hostile, LongTextsTakeLinearTime) {
  constexpr int kCount = 100'000;
  const auto repeat = [](auto piece) {
    std::string text;
    for (int i = 0; i < kCount; ++i) text += piece(std::to_string(i));
    return text;
  };
  using S = const std::string&;
  const std::string texts[] = {
      repeat([](S i) { return "L" + i + ": bra L" + i + ";"; }),
      repeat([](S i) { return "bra L" + i + ";"; }) + repeat([](S i) { return "L" + i + ":"; }),
      repeat([](S i) { return ".reg .b32 a" + i + "_<3>; mov.b32 a" + i + "_2, 0;"; }),
      repeat([](S i) { return ".reg .b32 a" + i + "; "; }) + ".reg .b32 a<100001>;",
      repeat([](S) { return "{ .reg .b32 x; mov.b32 x, 1; L: bra L; }"; }),
      repeat([](S) { return "call later;"; }),
      "mov.u32 %r1, 0" + repeat([](S i) { return "+" + i; }) + ";",
      ".local .b8 x[4]; ld.u32 %r1, [x" + repeat([](S) { return "+1"; }) + "];",
      "mov.u32 %r1, {0" + repeat([](S) { return ",_"; }) + "};",
  };
  for (const std::string& text : texts) {
    const auto start = std::chrono::steady_clock::now();
    (void)ptx::syntax::ParseModule(WithKernel(text), "long");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20))
        << text.substr(0, 60);
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
