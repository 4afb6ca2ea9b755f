#include "hlo/parser/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/printer.h"

namespace hlo_indexing::hlo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Module> Parse(llvm::StringRef text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? std::move(*module) : nullptr;
}

// Texts and what they print as in canonical form; the canonical form is its own canonical form. It
// says ENTRY where the text does: what belongs to fusions depends on it.
struct RoundTripCase {
  const char* name;
  const char* text;
  const char* printed;
};

class ParserRoundTrip : public ::testing::TestWithParam<RoundTripCase> {};

TEST_P(ParserRoundTrip, PrintsCanonically) {
  const auto module = Parse(GetParam().text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ToString(*module), GetParam().printed);
  const auto again = Parse(GetParam().printed);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(ToString(*again), GetParam().printed);
}

constexpr RoundTripCase kRoundTrips[] = {
    {"Bare", "e { ROOT p = f32[2] parameter(0) }",
     "\n%e (p: f32[2]) -> f32[2] {\n  ROOT %p = f32[2] parameter(0)\n}\n"},
    {"HeaderAndSignature",
     "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }\n"
     "ENTRY %e (p: f32[2]) -> (f32[2]) { %p = f32[2]{0} parameter(0)\n"
     " ROOT %t = (f32[2]{0}) tuple(f32[2]{0} %p) }",
     "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }\n\n"
     "ENTRY %e (p: f32[2]{0}) -> (f32[2]{0}) {\n  %p = f32[2]{0} parameter(0)\n"
     "  ROOT %t = (f32[2]{0}) tuple(%p)\n}\n"},
    {"CommentsEverywhere",
     "// first\ne /* a */ { // b\n p = f32[ 2, 3 ] /* c */ parameter( 0 ) // d }\n"
     " ROOT n = f32[2,3] negate(/*x*/p) }",
     "\n%e (p: f32[2,3]) -> f32[2,3] {\n  %p = f32[2,3] parameter(0)\n"
     "  ROOT %n = f32[2,3] negate(%p)\n}\n"},
    {"InlineOperandsAndInferredShapes",
     "e { a = f32[3] parameter(0)\n ROOT r = add(f32[3] multiply(a, a), negate(a)) }",
     "\n%e (a: f32[3]) -> f32[3] {\n  %a = f32[3] parameter(0)\n"
     "  %multiply.inline.0 = f32[3] multiply(%a, %a)\n"
     "  %negate.inline.1 = f32[3] negate(%a)\n"
     "  ROOT %r = f32[3] add(%multiply.inline.0, %negate.inline.1)\n}\n"},
    {"TupleElementSuffix", "e { t = (f32[3], (s32[])) parameter(0)\n ROOT r = s32[] copy(t#1#0) }",
     "\n%e (t: (f32[3], (s32[]))) -> s32[] {\n  %t = (f32[3], (s32[])) parameter(0)\n"
     "  %get-tuple-element.inline.0 = (s32[]) get-tuple-element(%t), index=1\n"
     "  %get-tuple-element.inline.1 = s32[] "
     "get-tuple-element(%get-tuple-element.inline.0), index=0\n"
     "  ROOT %r = s32[] copy(%get-tuple-element.inline.1)\n}\n"},
    {"InlineComputation",
     "e { p = f32[3] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[] reduce(p, z), "
     "dimensions={0}, to_apply={ a = f32[] parameter(0) b = f32[] parameter(1)\n ROOT c = f32[] "
     "add(a, b) }, metadata={op_name=\"x\"} }",
     "\n%inline_computation.inline.0 (a: f32[], b: f32[]) -> f32[] {\n"
     "  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %c = f32[] add(%a, %b)\n}\n"
     "\n%e (p: f32[3]) -> f32[] {\n  %p = f32[3] parameter(0)\n"
     "  %z = f32[] constant(0)\n  ROOT %r = f32[] reduce(%p, %z), dimensions={0}, "
     "to_apply=%inline_computation.inline.0, metadata={op_name=\"x\"}\n}\n"},
    {"AsyncSugar",
     "e { p = f32[3] parameter(0)\n s = ((f32[3]), f32[3], s32[]) negate-start(p)\n"
     " u = ((f32[3]), f32[3], s32[]) negate-update(s)\n ROOT d = f32[3] negate-done(u) }",
     "\n%async_computation.inline.0 (param.inline.2: f32[3]) -> f32[3] {\n"
     "  %param.inline.2 = f32[3] parameter(0)\n"
     "  ROOT %negate.inline.1 = f32[3] negate(%param.inline.2)\n}\n"
     "\n%e (p: f32[3]) -> f32[3] {\n  %p = f32[3] parameter(0)\n"
     "  %s = ((f32[3]), f32[3], s32[]) async-start(%p), calls=%async_computation.inline.0\n"
     "  %u = ((f32[3]), f32[3], s32[]) async-update(%s), calls=%async_computation.inline.0\n"
     "  ROOT %d = f32[3] async-done(%u), calls=%async_computation.inline.0\n}\n"},
    {"AsyncSugarSplitsAttributes",
     "e { p = f32[3] parameter(0)\n n = f32[3] negate(p)\n"
     " s = ((f32[3]), f32[3], s32[]) custom-call-start(p), custom_call_target=\"f\", "
     "control-predecessors={n}, async_execution_thread=\"t\", metadata={op_name=\"x\"}\n"
     " ROOT d = f32[3] custom-call-done(s) }",
     "\n%async_computation.inline.0 (param.inline.2: f32[3]) -> f32[3] {\n"
     "  %param.inline.2 = f32[3] parameter(0)\n"
     "  ROOT %custom-call.inline.1 = f32[3] custom-call(%param.inline.2), "
     "custom_call_target=\"f\", metadata={op_name=\"x\"}\n}\n"
     "\n%e (p: f32[3]) -> f32[3] {\n  %p = f32[3] parameter(0)\n"
     "  %n = f32[3] negate(%p)\n"
     "  %s = ((f32[3]), f32[3], s32[]) async-start(%p), calls=%async_computation.inline.0, "
     "control-predecessors={%n}, async_execution_thread=\"t\", metadata={op_name=\"x\"}\n"
     "  ROOT %d = f32[3] async-done(%s), calls=%async_computation.inline.0\n}\n"},
    {"SeveralOnOneLine",
     "HloModule m, is_scheduled=true, num_partitions=2 f { ROOT q = f32[2] parameter(0), "
     "sharding={replicated} }, execution_thread=\"t\" ENTRY e { p = f32[2] parameter(0), "
     "metadata={op_name=\"x y\"} n = f32[2] negate(p), unknown=a.b {c d} [2] ROOT t = f32[2] "
     "custom-call(n), custom_call_target=\"f\", backend_config=\"s\" }",
     "HloModule m, is_scheduled=true, num_partitions=2\n\n%f (q: f32[2]) -> f32[2] {\n"
     "  ROOT %q = f32[2] parameter(0), sharding={replicated}\n}, execution_thread=\"t\"\n\n"
     "ENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2] parameter(0), metadata={op_name=\"x y\"}\n"
     "  %n = f32[2] negate(%p), unknown=a.b {c d} [2]\n"
     "  ROOT %t = f32[2] custom-call(%n), custom_call_target=\"f\", backend_config=\"s\"\n}\n"},
    {"LineEndsOfOldMacs", "// comment\re { ROOT p = f32[2] parameter(0) // c\r}\r",
     "\n%e (p: f32[2]) -> f32[2] {\n  ROOT %p = f32[2] parameter(0)\n}\n"},
    {"RulesAreComments",
     "HloModule m\n// ---------\n// -----x\ne { ROOT p = f32[2] parameter(0)\n// ------\n}",
     "HloModule m\n\n%e (p: f32[2]) -> f32[2] {\n  ROOT %p = f32[2] parameter(0)\n}\n"},
    {"FreshNamesAvoidThoseOfTheText",
     "e { p = f32[] parameter(0)\n add.inline.0 = f32[] negate(p)\n"
     " ROOT x = f32[] multiply(add(p, p), add.inline.0) }",
     "\n%e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
     "  %add.inline.0 = f32[] negate(%p)\n  %add.inline2.0 = f32[] add(%p, %p)\n"
     "  ROOT %x = f32[] multiply(%add.inline2.0, %add.inline.0)\n}\n"},
    {"EmptyLiteralWithComments",
     "e { ROOT c = f32[2,0,4] constant({ { /*i0=0*/ }, { /*i0=1*/ } }) }",
     "\n%e () -> f32[2,0,4] {\n  ROOT %c = f32[2,0,4] constant({})\n}\n"},
    {"PaddingOfAScalar",
     "e { p = f32[] parameter(0)\n q = f32[] pad(p, p), padding=\n ROOT n = f32[] negate(q) }",
     "\n%e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
     "  %q = f32[] pad(%p, %p), padding=\n  ROOT %n = f32[] negate(%q)\n}\n"},
    {"StackTables",
     "HloModule m\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
     "1 {file_name_id=1 function_name_id=1 line=3}\n\nStackFrames\n1 {file_location_id=1}\n\n"
     "ENTRY e { ROOT p = f32[] parameter(0), metadata={stack_frame_id=1} }",
     "HloModule m\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
     "1 {file_name_id=1 function_name_id=1 line=3}\n\nStackFrames\n1 {file_location_id=1}\n\n"
     "ENTRY %e (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0), "
     "metadata={stack_frame_id=1}\n}\n"},
    {"ComputationsInAnyOrder",
     "ENTRY e { p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=f }\n"
     "f { ROOT q = f32[] parameter(0) }, execution_thread=\"t\"",
     "\nENTRY %e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
     "  ROOT %c = f32[] call(%p), to_apply=%f\n}\n"
     "\n%f (q: f32[]) -> f32[] {\n  ROOT %q = f32[] parameter(0)\n}, execution_thread=\"t\"\n"},
};

INSTANTIATE_TEST_SUITE_P(All, ParserRoundTrip, ::testing::ValuesIn(kRoundTrips),
                         [](const auto& test) { return std::string(test.param.name); });

// Instructions whose line prints as it is written, in a computation with the operands that they
// name.
class InstructionRoundTrip : public ::testing::TestWithParam<const char*> {};

constexpr const char* kOperands =
    "  %a = f32[4,6]{1,0} parameter(0)\n  %b = f32[6,5]{1,0} parameter(1)\n"
    "  %i = s32[] parameter(2)\n  %x = s32[2,1]{1,0} parameter(3)\n"
    "  %z = f32[] parameter(4)\n  %tok = token[] parameter(5)\n"
    "  %img = f32[1,8,8,4]{3,2,1,0} parameter(6)\n  %k = f32[3,3,4,6]{3,2,1,0} parameter(7)\n"
    "  %st = u64[2]{0} parameter(8)\n";

TEST_P(InstructionRoundTrip, PrintsAsWritten) {
  const std::string text =
      "%add (p: f32[], q: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
      "  %q = f32[] parameter(1)\n  ROOT %r = f32[] add(%p, %q)\n}\n\nENTRY %e () -> f32[4,6] {\n" +
      std::string(kOperands) + "  ROOT %c = f32[4,6]{1,0} copy(%a)\n  " + GetParam() + "\n}\n";
  const auto module = Parse(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ToString(*module->entry().instructions().back()), GetParam());
  EXPECT_THAT(ToString(*module), HasSubstr(std::string("  ") + GetParam() + "\n}"));
}

INSTANTIATE_TEST_SUITE_P(
    All, InstructionRoundTrip,
    ::testing::Values(
        "%r = f32[6,4]{1,0} transpose(%a), dimensions={1,0}",
        "%r = f32[2,3]{1,0} slice(%a), slice={[0:4:2], [1:4]}",
        "%r = f32[8,6]{1,0} pad(%a, %z), padding=1_-1_1x0_0",
        "%r = f32[4,5]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
        "operand_precision={high,highest}, algorithm=dot_bf16_bf16_f32",
        "%r = f32[4]{0} reduce(%a, %z), dimensions={1}, to_apply=%add",
        "%r = f32[1,3,3,6]{3,2,1,0} convolution(%img, %k), window={size=3x3 stride=2x1 "
        "pad=-1_0x0_2 "
        "lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, "
        "feature_group_count=1",
        "%r = f32[4,6]{1,0} all-reduce(%a), channel_id=1, replica_groups={{0,1},{2,3}}, "
        "to_apply=%add",
        "%r = f32[4,6]{1,0} all-reduce(%a), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=%add",
        "%r = f32[4,6]{1,0} all-reduce(%a), replica_groups=mesh['x'=2,'y'=2] {'y'}, to_apply=%add",
        "%r = f32[4,6]{1,0} all-reduce(%a), replica_groups={}, to_apply=%add",
        "%r = f32[4,6]{1,0} all-reduce(%a), replica_groups=mesh['x'=4], device_ids=([2,2]T(1,0)) "
        "{'x'}, to_apply=%add",
        "%r = f32[4,6]{1,0} custom-call(%a), custom_call_target=\"f\", literal=(s32[2]{0} {1, 2}, "
        "(f32[] 1.5, pred[1]{0} {true}))",
        "%r = f32[4,6]{1,0} custom-call(%a), custom_call_target=\"f\", "
        "backend_config={it's: {at: http://x}}, metadata={op_name=\"y\"}",
        "%r = f32[4,6]{1,0} collective-permute(%a), source_target_pairs={{0,1},{1,0}}",
        "%r = f32[2,1,6]{2,1,0} gather(%a, %x), offset_dims={1,2}, collapsed_slice_dims={}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}, indices_are_sorted=true",
        "%r = pred[4,6]{1,0} compare(%a, %a), direction=LT, type=TOTALORDER",
        "%r = f32[4,6]{1,0} custom-call(%a, %i), custom_call_target=\"f\\\"oo\", "
        "operand_layout_constraints={f32[4,6]{1,0}, s32[]}, custom_call_has_side_effect=true, "
        "api_version=API_VERSION_TYPED_FFI, backend_config={bar = 42 : i32, s = \"}\"}",
        "%r = f32[4,6]{1,0} custom-call(%a), custom_call_target=\"f\", literal=s32[2]{0} {1, 2}, "
        "output_to_operand_aliasing={{}: (0, {})}",
        "%r = (s32[3]{0}, token[]) infeed(%tok), infeed_config=\"x\"",
        "%r = (u64[2]{0}, u32[4]{0}) rng-bit-generator(%st), algorithm=rng_philox, "
        "sharding={{maximal device=0}, {replicated}}",
        "%r = f32[4,6]{1,0} copy(%a), sharding={devices=[2,2]<=[4]T(1,0) last_tile_dim_replicate}, "
        "control-predecessors={%i, %z}, frontend_attributes={a=\"b\",c={\"d\":1}}",
        "%r = f32[4,6]{1,0} copy(%a), some_future_attribute={x=[1,2]}, another=foo",
        "%r = f32[4,6]{1,0:T(8,128)(2,1)S(1)} copy(%a)",
        "%r = c64[4,4]{1,0} fft(%a), fft_type=RFFT, fft_length={6}",
        "%r = c64[2]{0} constant({(1, -2.5), (0, nan)})",
        "%r = s4[2,2]{1,0} constant({{-8, 7}, {0, 1}})",
        "%r = f8e4m3fn[3]{0} constant({1, 448, -nan})",
        "%r = (s32[], pred[2]{0}) constant((3, {true, false}))",
        "%r = f32[1000]{0} constant({...})", "%r = f32[2,0]{1,0} constant({})",
        "%r = f32[3,<=5,?]{2,1,0} custom-call(), custom_call_target=\"x\"",
        "%r = b(f32[2]) custom-call(), custom_call_target=\"Pin\"",
        "%r = f32[4,6]{1,0} reduce-precision(%a), exponent_bits=8, mantissa_bits=10",
        "%r = (f32[4,2]{1,0}, s32[4,2]{1,0}) topk(%a), k=2, largest=true"));

TEST(Parser, LinksUsersAndParameters) {
  const auto module = Parse(
      "e { b = f32[] parameter(1)\n a = f32[] parameter(0)\n s = f32[] add(a, a)\n"
      " ROOT t = f32[] multiply(s, a)\n unused = f32[] negate(b) }");
  ASSERT_NE(module, nullptr);
  const Computation& entry = module->entry();
  EXPECT_EQ(entry.parameters()[0]->name(), "a");
  ASSERT_EQ(entry.parameters()[0]->users().size(), 2u);
  EXPECT_EQ(entry.parameters()[0]->users()[0]->name(), "s");
  EXPECT_EQ(entry.root().name(), "t");
  EXPECT_TRUE(entry.root().users().empty());
  std::vector<std::string> order;
  for (const Instruction* instruction : entry.PostOrder()) {
    order.push_back(instruction->name().str());
  }
  EXPECT_EQ(order, (std::vector<std::string>{"a", "s", "t"}));
}

TEST(Parser, EntryIsMarkedOrLast) {
  EXPECT_EQ(Parse("ENTRY a { ROOT p = f32[] parameter(0) } b { ROOT p = f32[] parameter(0) }")
                ->entry()
                .name(),
            "a");
  EXPECT_EQ(Parse("a { ROOT p = f32[] parameter(0) } b { p = f32[] parameter(0) }")->entry().name(),
            "b");
}

TEST(Parser, SplitsModules) {
  std::vector<support::Diagnostic> diagnostics;
  const auto text = std::make_shared<const std::string>(
      "// RUN\n// -----\nHloModule a\ne { ROOT p = f32[] parameter(0) }\n// -----\n"
      "e { ROOT p = f32[] parameter(0) }\nHloModule c\ne { ROOT p = f32[] parameter(0) }\n");
  const auto modules = ParseModules(text, {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0]->name(), "a");
  EXPECT_EQ(modules[1]->name(), "");
  EXPECT_EQ(modules[2]->name(), "c");
}

// A mistake and what is said about it.
struct ErrorCase {
  const char* name;
  const char* text;
  const char* message;
};

class ParserErrors : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ParserErrors, AreReportedWithPlace) {
  const auto module = ParseModule(GetParam().text);
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(std::string(module.status().message()), HasSubstr(GetParam().message));
  if (*GetParam().text != '\0') {
    EXPECT_THAT(std::string(module.status().message()), HasSubstr("^"));
  }
}

constexpr ErrorCase kErrors[] = {
    {"Empty", "", "<input>:1:1: error: expected an HLO module"},
    {"OnlyComments", "// nothing\n", "expected an HLO module"},
    {"Opcode", "e {\n  p = f32[2] parameter(0)\n  t = f32[2] transpos(p)\n}",
     "<input>:3:14: error: unknown opcode 'transpos'; did you mean 'transpose'?"},
    {"Operand", "e {\n  pppp = f32[2] parameter(0)\n  t = f32[2] negate(ppp)\n}",
     "<input>:3:21: error: instruction 'ppp' is not defined; did you mean 'pppp'?"},
    {"OperandLater", "e {\n  t = f32[2] negate(p)\n  p = f32[2] parameter(0)\n}",
     "<input>:2:21: error: instruction 'p' is not defined yet"},
    {"Type", "e { p = f23[2] parameter(0) }", "<input>:1:9: error: unknown element type 'f23'"},
    {"Dimension", "e { p = f32[2,x] parameter(0) }", "<input>:1:15: error: expected a dimension"},
    {"Negative", "e { p = f32[-2] parameter(0) }", "cannot be negative"},
    {"TooManyElements", "e { p = f32[4294967296,4294967296] parameter(0) }", "does not fit"},
    {"Layout", "e { p = f32[2,2]{0,0} parameter(0) }", "<input>:1:20: error: minor_to_major"},
    {"LayoutOfTooFewBits", "e { p = f32[2]{0:E(16)} parameter(0) }",
     "<input>:1:9: error: f32 does not fit in 16 bits"},
    {"Tile", "e { p = f32[2]{0:T(0)} parameter(0) }", "at least 1"},
    {"AttributeMisspelt", "e { p = f32[3,3] parameter(0)\n ROOT r = cholesky(p), lowr=true }",
     "unknown attribute 'lowr'; did you mean 'lower'?"},
    {"WindowFieldTwice",
     "e { p = f32[8] parameter(0)\n ROOT r = f32[6] reduce-window(p, p), window={size=5 size=3}, "
     "to_apply=a }",
     "window field 'size' stands twice"},
    {"WindowWithoutSize",
     "e { p = f32[8] parameter(0)\n ROOT r = f32[6] reduce-window(p, p), window={pad=0_0}, "
     "to_apply=a }",
     "the window needs the field 'size'"},
    {"CommentWithoutEnd", "e { p = f32[] parameter(0) }\n/* f { q = f32[] parameter(0) }",
     "the comment has no end"},
    {"ModuleWithoutName", "HloModule\ne { p = f32[] parameter(0) }",
     "expected the name of the module"},
    {"ModuleBeforeEntry", "HloModule\nENTRY e { p = f32[] parameter(0) }",
     "expected the name of the module"},
    {"NoNumberOfReplicas", "HloModule m, replica_count=two\ne { p = f32[] parameter(0) }",
     "replica_count must be a number of devices, from 1 to 2147483647"},
    {"ModuleAttributeTwice",
     "HloModule m, num_partitions=2, num_partitions=1\ne { p = f32[] parameter(0) }",
     "of the module stands twice"},
    {"NotScheduledOrNot", "HloModule m, is_scheduled=maybe\ne { p = f32[] parameter(0) }",
     "is_scheduled must be true or false"},
    {"LayoutOfOtherParameter",
     "HloModule m, entry_computation_layout={(f32[3]{0})->f32[2]{0}}\ne { p = f32[2] parameter(0) "
     "}",
     "<input>:1:41: error: parameter 0 of the entry has shape f32[2], the header says f32[3]{0}"},
    {"LayoutOfFewerParameters",
     "HloModule m, entry_computation_layout={()->f32[2]{0}}\ne { p = f32[2] parameter(0) }",
     "<input>:1:41: error: expected the shapes of the entry's 1 parameter"},
    {"LayoutOfMoreParameters",
     "HloModule m, entry_computation_layout={(f32[2], f32[2])->f32[2]}\ne { p = f32[2] "
     "parameter(0) "
     "}",
     "<input>:1:47: error: expected ')' after the shapes of the entry's 1 parameter"},
    {"LayoutOfOtherResult",
     "HloModule m, entry_computation_layout={(f32[2])->s32[2]}\ne { p = f32[2] parameter(0) }",
     "the entry's result has shape f32[2], the header says s32[2]"},
    {"AliasOfNoParameter",
     "HloModule m, input_output_alias={ {}: (1, {}, may-alias) }\ne { p = f32[2] parameter(0) }",
     "<input>:1:40: error: the entry has no parameter 1"},
    {"AliasOfNoOutput",
     "HloModule m, input_output_alias={ {1}: (0, {}) }\ne { p = f32[2] parameter(0) }",
     "<input>:1:36: error: the entry's result has no element 1 there: it is f32[2]"},
    {"AliasOfNoPart",
     "HloModule m, input_output_alias={ {}: (0, {0}) }\ne { p = f32[2] parameter(0) }",
     "<input>:1:44: error: the parameter has no element 0 there: it is f32[2]"},
    {"AliasTwice",
     "HloModule m, input_output_alias={ {}: (0, {}), {}: 0 }\ne { p = f32[2] parameter(0) }",
     "<input>:1:48: error: input_output_alias has this output twice"},
    {"AliasOfNoKind",
     "HloModule m, input_output_alias={ {}: (0, {}, shall-alias) }\ne { p = f32[2] parameter(0) }",
     "<input>:1:47: error: expected may-alias or must-alias"},
    {"AliasWithoutEnd",
     "HloModule m, input_output_alias={ {}: (0, {}) {} }\ne { p = f32[2] parameter(0) }",
     "<input>:1:47: error: expected '}'"},
    {"Duplicate", "e { p = f32[] parameter(0)\n p = f32[] negate(p) }", "is defined twice"},
    {"TwoRoots", "e { ROOT p = f32[] parameter(0)\n ROOT q = f32[] negate(p) }", "second ROOT"},
    {"TwoEntries", "ENTRY a { p = f32[] parameter(0) } ENTRY b { p = f32[] parameter(0) }",
     "second ENTRY"},
    {"SameComputation", "a { p = f32[] parameter(0) } a { p = f32[] parameter(0) }",
     "computation 'a' is defined twice"},
    {"NoInstructions", "e { }", "has no instructions"},
    {"NotClosed", "e { p = f32[] parameter(0)", "expected '}' to close computation 'e'"},
    {"NoComputation", "e { ROOT c = f32[] call(), to_apply=nowhere }",
     "there is no computation 'nowhere'"},
    {"Recursion", "e { ROOT c = f32[] call(), to_apply=e }", "calls itself"},
    {"MutualRecursion",
     "f { ROOT c = f32[] call(), to_apply=g } g { ROOT c = f32[] call(), to_apply=f }",
     "calls itself"},
    {"ParameterGap", "e { p = f32[] parameter(1) }", "parameter number 1"},
    {"ParameterTwice", "e { p = f32[] parameter(0)\n q = f32[] parameter(0) }",
     "parameter number 0 is taken"},
    {"OperandCount", "e { p = f32[] parameter(0)\n q = f32[] add(p) }",
     "add takes 2 operands, not 1"},
    {"MissingAttribute", "e { p = f32[2] parameter(0)\n q = f32[2] transpose(p) }",
     "transpose needs the attribute 'dimensions'"},
    {"MissingKindOfFusion",
     "f { ROOT p = f32[2] parameter(0) } e { p = f32[2] parameter(0)\n"
     " q = f32[2] fusion(p), calls=f }",
     "fusion needs the attribute 'kind'"},
    {"MissingIndexVectorDim",
     "e { p = f32[4] parameter(0)\n i = s32[2] parameter(1)\n"
     " q = f32[2] gather(p, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
     "slice_sizes={1} }",
     "gather needs the attribute 'index_vector_dim'"},
    {"MissingEpsilon",
     "e { p = f32[2,3] parameter(0)\n s = f32[3] parameter(1)\n"
     " q = (f32[2,3], f32[3], f32[3]) batch-norm-training(p, s, s), feature_index=1 }",
     "batch-norm-training needs the attribute 'epsilon'"},
    {"AttributeTwice",
     "e { p = f32[2] parameter(0)\n q = f32[2] reverse(p), dimensions={0}, "
     "dimensions={0} }",
     "'dimensions' stands twice"},
    {"AttributeValue", "e { p = f32[2] parameter(0)\n q = f32[2] reverse(p), dimensions={x} }",
     "expected an integer"},
    {"MissingComma", "e { p = f32[2] parameter(0)\n q = f32[2] reverse(p) dimensions={0} }",
     "expected ',' before the attribute 'dimensions'"},
    {"AttributeInCapitals",
     "e { p = f32[2,2] parameter(0)\n q = f32[2,2] cholesky(p), LOWER=true }",
     "did you mean 'lower'?"},
    {"ListsInPlaceOfIntegers",
     "e { p = f32[2,3] parameter(0)\n q = f32[2,3] reverse(p), dimensions={{0,1}} }",
     "expected an integer"},
    {"IntegersInPlaceOfLists",
     "e { p = f32[2] parameter(0)\n q = f32[2] collective-permute(p), source_target_pairs={0,1} }",
     "expected '{'"},
    {"BooleanAsNumber",
     "e { p = f32[2] parameter(0)\n q = f32[2] sort(p), dimensions={0}, is_stable=0 }",
     "expected true or false"},
    {"UnknownKeyword",
     "e { a = f32[2,2] parameter(0)\n x = f32[2,2] triangular-solve(a, a), transpose_a=true }",
     "expected NO_TRANSPOSE, TRANSPOSE, ADJOINT, not 'true'"},
    {"Window", "e { p = f32[2] parameter(0)\n q = f32[2] reduce-window(p, p), window={sise=2} }",
     "unknown window field 'sise'; did you mean 'size'?"},
    {"Labels", "e { p = f32[2] parameter(0)\n q = f32[2] convolution(p, p), dim_labels=b_i->b }",
     "expected dimension labels"},
    {"LiteralSize", "e { c = f32[3] constant({1, 2}) }", "has 2 entries, the shape says 3"},
    {"LiteralValue", "e { c = s8[] constant(300) }", "out of range for s8"},
    {"LiteralNesting", "e { c = s8[2,2] constant({1, 2, 3, 4}) }", "expected '{'"},
    {"Signature", "e () -> f32[3] { ROOT c = f32[2] constant({1, 2}) }",
     "the signature says f32[3]"},
    {"OperandShape", "e { p = f32[2] parameter(0)\n q = f32[2] negate(f32[3] %p) }",
     "operand 'p' has shape f32[2], not f32[3]"},
    {"String", "e { c = f32[] custom-call(), custom_call_target=\"abc\n }", "expected a string"},
    {"Braces", "e { c = f32[] constant(1), metadata={op_name=\"x\"", "do not close"},
    {"NoShape", "e { c = custom-call(), custom_call_target=\"x\" }", "needs a shape"},
    {"Garbage", "%$&", "expected a computation"},
};

INSTANTIATE_TEST_SUITE_P(All, ParserErrors, ::testing::ValuesIn(kErrors),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Parser, ReportsSeveralErrorsAndNoConsequences) {
  const auto module = ParseModule(
      "e {\n  a = f32[2] bad1(b)\n  c = f32[2] negate(a)\n  d = f32[2] add(c, a)\n"
      "  f = f99[2] parameter(0)\n  ROOT g = f32[2] negate(nothing)\n}\n");
  const std::string message(module.status().message());
  EXPECT_THAT(message, HasSubstr(":2:14: error: unknown opcode 'bad1'"));
  EXPECT_THAT(message, HasSubstr(":5:7: error: unknown element type 'f99'"));
  EXPECT_THAT(message, HasSubstr(":6:26: error: instruction 'nothing' is not defined"));
  EXPECT_THAT(message, Not(HasSubstr("'a' is not defined")));
}

// What is wrong with an instruction is known where the next one begins.
TEST(Parser, ReportsErrorsOfLinesBehindEachOther) {
  const auto module = ParseModule(
      "e {\n  p = f32[8] parameter(0)\n  a = f32[4] slice(p)\n  b = f32[8] nagate(p)\n"
      "  c = f32[8] add(p\n  d = f32[8] nigate(p)\n  ROOT r = f32[8] negate(b)\n}\n");
  const std::string message(module.status().message());
  EXPECT_THAT(message, HasSubstr(":3:14: error: slice needs the attribute 'slice'"));
  EXPECT_THAT(message, HasSubstr(":4:14: error: unknown opcode 'nagate'"));
  EXPECT_THAT(message, HasSubstr(":6:3: error: expected ')' after the operands"));
  EXPECT_THAT(message, HasSubstr(":6:14: error: unknown opcode 'nigate'"));
  EXPECT_THAT(message, Not(HasSubstr("'b' is not defined")));
}

// A computation ends where its brace is, also on a line with an error.
TEST(Parser, FindsTheEndBehindAnError) {
  const std::vector<std::string> lines = {"slice(p) }", "foo(p), metadata={op_name=\"}\"} }",
                                          "slice(p), slice={[0:4]}, x=} }",
                                          "slice(p)\n q = f32[4] negate(r) }"};
  for (const std::string& line : lines) {
    std::vector<support::Diagnostic> diagnostics;
    ParseModules(std::make_shared<const std::string>("a { p = f32[16] parameter(0)\n r = f32[4] " +
                                                     line + "\nb { ROOT p = f32[8] parameter(0) }"),
                 {}, diagnostics);
    ASSERT_EQ(diagnostics.size(), 1u) << line;
    EXPECT_EQ(diagnostics[0].line, 2) << diagnostics[0].message;
  }
}

TEST(Parser, StopsAfterTheMaximumOfErrors) {
  std::string text = "e {\n";
  for (int i = 0; i < 100; ++i) text += "  a" + std::to_string(i) + " = f32[] bad()\n";
  std::vector<support::Diagnostic> diagnostics;
  ParseOptions options;
  options.max_errors = 7;
  ParseModules(std::make_shared<const std::string>(text + "}"), options, diagnostics);
  EXPECT_EQ(diagnostics.size(), 7u);
}

TEST(Parser, OneInstructionHasTheMaximumOfErrorsToo) {
  std::string text = "e { r = f32[] custom-call(), custom_call_target=\"t\", called_computations={";
  for (int i = 0; i < 100; ++i) text += (i == 0 ? "a" : ", a") + std::to_string(i);
  std::vector<support::Diagnostic> diagnostics;
  ParseOptions options;
  options.max_errors = 7;
  ParseModules(std::make_shared<const std::string>(text + "} }"), options, diagnostics);
  EXPECT_EQ(diagnostics.size(), 7u);
}

TEST(Parser, WhatIsMissingBehindACommentWithoutEndIsTheCommentsFault) {
  const std::vector<std::string> texts = {"e { p = f32[] parameter(0) /* }",
                                          "e { p = f32[] parameter(/*0) }",
                                          "e { p = f32[] constant(/* 1) }",
                                          "e { p = f32[] custom-call(), literal=(/* f32[] 1) }",
                                          "e { p = f32[] parameter(0), x={/*} }",
                                          "/*",
                                          "HloModule m /* e { }"};
  for (const std::string& text : texts) {
    std::vector<support::Diagnostic> diagnostics;
    ParseModules(std::make_shared<const std::string>(text), {}, diagnostics);
    ASSERT_EQ(diagnostics.size(), 1u) << text;
    EXPECT_EQ(diagnostics[0].message, "the comment has no end") << text;
    EXPECT_EQ(diagnostics[0].column, 1 + static_cast<int64_t>(text.find("/*"))) << text;
  }
}

TEST(Parser, StopsWhenItShall) {
  // Many instructions, elements of a literal, operands, numbers of a list; each on a line.
  std::string instructions;
  std::string elements;
  std::string operands;
  std::string groups;
  for (int i = 0; i < 6000; ++i) {
    instructions += "a" + std::to_string(i) + " = f32[] constant(1)\n";
    elements += std::string(i == 0 ? "" : ",") + "\n  123456.789";
    operands += std::string(i == 0 ? "" : ",") + "\n  a0000000000";
    groups += std::string(i == 0 ? "" : ",") + "\n  12345678901";
  }
  for (const std::string& body :
       {instructions, "c = f32[6000] constant({" + elements + "})\n",
        "a0000000000 = f32[] constant(1)\nt = tuple(" + operands + ")\n",
        "p = f32[] parameter(0)\nr = f32[] all-reduce(p), replica_groups={{" + groups +
            "}}, to_apply=add\n"}) {
    const std::string text =
        "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\ne {\n" +
        body + "}\n";
    // The rest would be in error, too, and so would further modules.
    const auto several = std::make_shared<const std::string>(text + "// -----\n" + text);
    for (const int answers : {1, 2, 5}) {
      int asked = 0;
      ParseOptions options;
      options.keep_running = [&] { return ++asked < answers; };
      std::vector<support::Diagnostic> diagnostics;
      EXPECT_TRUE(ParseModules(several, options, diagnostics).empty());
      ASSERT_EQ(diagnostics.size(), 1u) << body.substr(0, 50);
      EXPECT_EQ(diagnostics[0].message, "parsing was stopped");
      // One question for each 16 KiB of text, at the next line.
      llvm::SmallVector<llvm::StringRef> lines;
      llvm::StringRef(text).split(lines, '\n');
      size_t offset = 0;
      for (size_t i = 0; i + 1 < static_cast<size_t>(diagnostics[0].line); ++i) {
        offset += lines[i].size() + 1;
      }
      EXPECT_NEAR(static_cast<double>(offset), 16384.0 * (answers - 1), 200.0)
          << body.substr(0, 50);
    }
    ParseOptions options;
    std::vector<size_t> told;
    options.progress = [&](size_t done, size_t total) {
      EXPECT_EQ(total, several->size());
      told.push_back(done);
    };
    std::vector<support::Diagnostic> diagnostics;
    EXPECT_EQ(ParseModules(several, options, diagnostics).size(), 2u);
    EXPECT_TRUE(diagnostics.empty());
    EXPECT_GE(told.size(), several->size() / 20000);
    EXPECT_TRUE(llvm::is_sorted(told));
    EXPECT_EQ(told.back(), several->size());
  }
}

TEST(Parser, LimitsNesting) {
  for (const char* piece : {"(", "{", "f32[] add("}) {
    std::string text = "e { p = f32[] parameter(0)\n q = ";
    for (int i = 0; i < 100000; ++i) text += piece;
    EXPECT_FALSE(ParseModule(text).ok());
  }
  std::string literal = "e { c = (f32[]) constant(";
  for (int i = 0; i < 100000; ++i) literal += "(";
  EXPECT_FALSE(ParseModule(literal).ok());
  std::string inline_computations;
  for (int i = 0; i < 10000; ++i) inline_computations += "e { c = f32[] call(), to_apply=";
  EXPECT_FALSE(ParseModule(inline_computations).ok());
}

// Literals and printed values nest as deep as an array has dimensions.
TEST(Parser, LimitsTheNumberOfDimensions) {
  const auto literal = [](int rank) {
    std::string sizes = "1";
    for (int i = 1; i < rank; ++i) sizes += ",1";
    const auto braces = static_cast<size_t>(rank);
    return "e { ROOT c = f32[" + sizes + "] constant(" + std::string(braces, '{') + "1" +
           std::string(braces, '}') + ") }";
  };
  EXPECT_TRUE(ParseModule(literal(256)).ok());
  for (const int rank : {257, 50000}) {
    EXPECT_THAT(std::string(ParseModule(literal(rank)).status().message()),
                HasSubstr("an array has at most 256 dimensions"));
  }
}

TEST(Parser, LimitsTheDepthOfTuples) {
  std::string text = "e {\n  x0 = f32[4] parameter(0)\n";
  for (int i = 1; i <= 100000; ++i) {
    text += "  x" + std::to_string(i) + " = tuple(x" + std::to_string(i - 1) + ")\n";
  }
  EXPECT_THAT(std::string(ParseModule(text + "}").status().message()), HasSubstr("nests too deep"));
}

TEST(Parser, ReadsATupleLiteralInBothForms) {
  const char* const form =
      "e {\n  ROOT %c = f32[] custom-call(), custom_call_target=\"f\", literal=%s\n}";
  const auto print = [&](const std::string& literal) {
    const std::string text(form);
    const size_t place = text.find("%s");
    const auto module = Parse(text.substr(0, place) + literal + text.substr(place + 2));
    return module == nullptr ? "" : ToString(*module);
  };
  EXPECT_EQ(print("( s32[2]{0} {1, 2}, pred[] true )"), print("(s32[2], pred[]) ({1, 2}, true)"));
}

TEST(Parser, ReadsLongChains) {
  std::string text = "e {\n  v0 = f32[2] parameter(0)\n";
  for (int i = 1; i < 100000; ++i) {
    text += "  v" + std::to_string(i) + " = f32[2] negate(v" + std::to_string(i - 1) + ")\n";
  }
  const auto module = Parse(text + "}\n");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->num_instructions(), 100000);
}

TEST(Parser, SurvivesEveryTruncation) {
  std::string text;
  for (const RoundTripCase& test : kRoundTrips) text += std::string(test.text) + "\n// -----\n";
  for (size_t length = 0; length < text.size(); ++length) {
    std::vector<support::Diagnostic> diagnostics;
    const auto modules =
        ParseModules(std::make_shared<const std::string>(text.substr(0, length)), {}, diagnostics);
    EXPECT_TRUE(!modules.empty() || !diagnostics.empty());
  }
}

}  // namespace
}  // namespace hlo_indexing::hlo
