// Directives, functions and their parameters, variables and initial values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ptx/syntax/module.h"
#include "tests/codegen/ptx/syntax/parsing.h"

namespace hlo_indexing::testing {
namespace {

using ptx::Space;
using ptx::Type;
using ptx::syntax::Variable;
using ::testing::ElementsAre;

Variable ParseVariable(const std::string& text) {
  return Parse(WithHeader(text)).module.variables.back();
}

std::vector<uint64_t> BitsOf(const Variable& variable) {
  std::vector<uint64_t> bits;
  for (const auto& value : variable.initializers) bits.push_back(value.bits);
  return bits;
}

TEST(Types, NamesAndWidths) {
  for (int i = 0; i <= static_cast<int>(Type::kB1); ++i) {
    const Type type = static_cast<Type>(i);
    EXPECT_EQ(ptx::TypeNamed(NameOf(type)), type);
  }
  EXPECT_FALSE(ptx::TypeNamed("f128").has_value());
  EXPECT_EQ(BitWidth(Type::kBf16x2), 32);
  EXPECT_TRUE(IsFloat(Type::kE4m3));
  EXPECT_TRUE(IsSigned(Type::kS16x2));
  EXPECT_FALSE(IsSigned(Type::kB64));
}

TEST(Module, HeaderFilesAndSections) {
  const ParsedModule parsed = Parse(R"(// comment
.version 7.0
.target sm_100f, debug
.address_size 64
.file 7 "a\"b.cu", 123, 0x10
.section .debug_abbrev { .b8 1 .b8 0x11
  label: .b64 other
}
@@DWARF .byte 0x10 ;;; }{
.entry k() { .loc 2 17 3, function_name $L__info_string0+4, inlined_at 7 20 5 nop;
  .loc 7 18 0
  nop; }
.file 2 "late.cu")");
  EXPECT_EQ(parsed.module.version, 70);
  EXPECT_EQ(parsed.module.target, 100);
  EXPECT_EQ(parsed.module.target_name, "sm_100f");
  EXPECT_THAT(parsed.module.files, ElementsAre("", "a\\\"b.cu", "late.cu"));
  EXPECT_EQ(parsed.function().instructions.at(0).source_file, 2u);
  EXPECT_EQ(parsed.function().instructions.at(0).source_line, 17u);
  EXPECT_EQ(parsed.function().instructions.at(1).source_file, 1u);
}

TEST(Variables, SpacesShapesAndAlignment) {
  const ParsedModule parsed = Parse(WithHeader(
      ".visible .global .align 16 .b8 a[4][0x8]; .shared .f64 b; .weak .const .v4 .f32 c[2];"
      ".extern .shared .align 128 .b8 d[]; .global .attribute(.managed) .align 4 .u32 e;"
      ".global .u16 f, g[3]; .extern .global .u32 h; .global .u32 h = 3; .extern .global .u32 h;"));
  const auto& v = parsed.module.variables;
  ASSERT_EQ(v.size(), 8u);
  EXPECT_EQ(v[0].elements, 32u);
  EXPECT_EQ(v[0].alignment, 16u);
  EXPECT_EQ(v[1].space, Space::kShared);
  EXPECT_EQ(v[1].alignment, 8u);
  EXPECT_EQ(v[1].SizeInBytes(), 8u);
  EXPECT_EQ(v[2].elements, 8u);
  EXPECT_EQ(v[2].alignment, 16u);
  EXPECT_EQ(v[3].elements, 0u);
  EXPECT_TRUE(v[3].is_extern);
  EXPECT_EQ(v[5].alignment, 2u);
  EXPECT_EQ(v[6].SizeInBytes(), 6u);
  EXPECT_EQ(v[7].name, "h");
  EXPECT_FALSE(v[7].is_extern);
  EXPECT_THAT(BitsOf(v[7]), ElementsAre(3u));
}

TEST(Initializers, NumbersInTheTypeOfTheElement) {
  EXPECT_THAT(BitsOf(ParseVariable(".global .u8 x[4] = {255, -1, 0x101};")),
              ElementsAre(255u, 255u, 1u));
  EXPECT_THAT(
      BitsOf(ParseVariable(".const .f32 x[4] = {1.5, 0f40000000, -2, 0d3FF0000000000000};")),
      ElementsAre(0x3FC00000u, 0x40000000u, 0xC0000000u, 0x3F800000u));
  EXPECT_THAT(BitsOf(ParseVariable(".global .f64 x[3] = {1.0, 0f40000000, 1};")),
              ElementsAre(0x3FF0000000000000u, 0x4000000000000000u, 0x3FF0000000000000u));
  EXPECT_THAT(BitsOf(ParseVariable(".global .b32 x = 0f3F800000;")), ElementsAre(0x3F800000u));
  EXPECT_THAT(BitsOf(ParseVariable(".global .s64 x = {-(1 + 2)};")),
              ElementsAre(static_cast<uint64_t>(-3)));
}

TEST(Initializers, RowsAreFilledWithZeros) {
  const Variable matrix = ParseVariable(".global .b32 x[][3] = {{1, 2}, {}, {3}};");
  EXPECT_EQ(matrix.elements, 9u);
  EXPECT_THAT(BitsOf(matrix), ElementsAre(1u, 2u, 0u, 0u, 0u, 0u, 3u));
  const Variable vectors = ParseVariable(".global .v2 .b32 x[2] = {{1}, {2, 3}};");
  EXPECT_THAT(BitsOf(vectors), ElementsAre(1u, 0u, 2u, 3u));
}

TEST(Initializers, Addresses) {
  const ParsedModule parsed = Parse(WithHeader(
      ".global .u64 x[5] = {y, generic(y)+8, f, y-4, 0}; .global .b32 y[4];"
      ".global .align 8 .u8 z[3] = {0xFF(y), 0xFF00(generic(y)+4), 0xFF00000000000000(f)};"
      ".func f() { ret; }"));
  const auto& x = parsed.module.variables.at(0).initializers;
  EXPECT_EQ(x[0].variable, 2u);
  EXPECT_FALSE(x[0].is_generic);
  EXPECT_TRUE(x[1].is_generic);
  EXPECT_EQ(x[1].bits, 8u);
  EXPECT_EQ(x[2].function, 1u);
  EXPECT_EQ(x[3].bits, static_cast<uint64_t>(-4));
  EXPECT_EQ(x[4].variable + x[4].function, 0u);
  const auto& z = parsed.module.variables.at(2).initializers;
  EXPECT_EQ(z[0].byte_of_address, 0);
  EXPECT_EQ(z[1].byte_of_address, 1);
  EXPECT_EQ(z[1].bits, 4u);
  EXPECT_TRUE(z[1].is_generic);
  EXPECT_EQ(z[2].byte_of_address, 7);
  EXPECT_EQ(z[2].function, 1u);
}

TEST(Functions, ParametersAndDirectives) {
  const ParsedModule parsed = Parse(WithHeader(R"(
.visible .entry k(.param .u64 .ptr .shared .align 16 p, .param .align 8 .b8 s[24],
                  .param .u64 .ptr .align 4 q, .param .f32 x)
.maxntid 0x80, 2
.minnctapersm 3 .maxnreg 64 .reqnctapercluster 2, 1, 1 .explicitcluster .maxclusterrank 8
.pragma "nounroll"; .blocksareclusters
{ .pragma "used_bytes_mask 3"; ret; })"));
  const auto& k = parsed.function();
  EXPECT_TRUE(k.is_entry);
  EXPECT_TRUE(k.has_body);
  EXPECT_EQ(k.max_block, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(k.required_block, (std::array<uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(k.required_cluster, (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(k.min_blocks_per_multiprocessor, 3u);
  EXPECT_EQ(k.max_registers, 64u);
  EXPECT_EQ(k.max_cluster_rank, 8u);
  EXPECT_TRUE(k.is_explicit_cluster);
  ASSERT_EQ(k.parameters.size(), 4u);
  const Variable& p = k.variables.at(k.parameters[0]);
  EXPECT_TRUE(p.is_pointer);
  EXPECT_EQ(p.pointer_space, Space::kShared);
  EXPECT_EQ(p.pointer_alignment, 16u);
  EXPECT_EQ(p.alignment, 8u);
  EXPECT_EQ(k.variables.at(k.parameters[1]).SizeInBytes(), 24u);
  EXPECT_EQ(k.variables.at(k.parameters[2]).pointer_space, Space::kGeneric);
}

TEST(Functions, DeclarationsJoinBodiesAndAliasesTheirTargets) {
  const ParsedModule parsed = Parse(WithHeader(R"(
.func (.param .b32 _) f(.param .b32 a);
.extern .func e();
.func other();
.func (.reg .u32 %r) g(.reg .u32 %x, .reg .pred %p) { call f, (1); call other; ret; }
.func (.param .b32 r) f(.param .b32 b) { ret; }
.func (.param .b32 r) f(.param .b32 b);
.alias other, g;)"));
  const auto& functions = parsed.module.functions;
  ASSERT_EQ(functions.size(), 4u);
  EXPECT_EQ(functions[0].name, "f");
  EXPECT_TRUE(functions[0].has_body);
  EXPECT_EQ(functions[0].variables.at(functions[0].parameters.at(0)).name, "b");
  EXPECT_FALSE(functions[1].has_body);
  EXPECT_THAT(functions[3].parameter_is_register, ElementsAre(true, true));
  EXPECT_EQ(functions[3].registers.at(functions[3].parameters[1]).type, Type::kPred);
  EXPECT_EQ(functions[3].instructions.at(0).operands.at(0).index, 0u);
  EXPECT_EQ(functions[3].instructions.at(1).operands.at(0).index, 3u);
}

TEST(Registers, RangesAndVectors) {
  const ParsedModule parsed =
      Parse(WithHeader(".func f() { .reg.b32 x, %a<0x2>, y; .reg .v2 .f32 %v<2>; }"));
  std::vector<std::string> names;
  for (const auto& r : parsed.function().registers) names.push_back(r.FullName());
  EXPECT_THAT(names, ElementsAre("x", "%a0", "%a1", "y", "%v0.x", "%v0.y", "%v1.x", "%v1.y"));
}

TEST(Registers, TwoWaysToReadAName) {
  const ParsedModule parsed = Parse(
      WithHeader(".func f() { .reg .b32 %r<10>, %r1<5>; .reg .pred %p; mov.u32 %r12, %r9; }"));
  const auto& mov = parsed.function().instructions.at(0);
  EXPECT_EQ(parsed.function().registers[mov.operands[0].index].name, "%r1");
  EXPECT_EQ(mov.operands[0].index, 12u);
  EXPECT_EQ(mov.operands[1].index, 9u);
}

}  // namespace
}  // namespace hlo_indexing::testing
