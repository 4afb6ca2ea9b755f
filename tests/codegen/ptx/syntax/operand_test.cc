// Instructions: guards, modifiers, and every form of operand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/syntax/module.h"
#include "tests/codegen/ptx/syntax/parsing.h"

namespace hlo_indexing::testing {
namespace {

using ptx::Type;
using ptx::syntax::Instruction;
using ptx::syntax::Operand;
using ptx::syntax::OperandKind;

ParsedModule ParseBody(std::string_view body) { return Parse(WithKernel(body)); }

// The last operand of `mov.u64 %rd1, TEXT;`.
uint64_t ValueOf(std::string_view expression) {
  const ParsedModule parsed = ParseBody("mov.u64 %rd1, " + std::string(expression) + ";");
  const Operand& operand = parsed.function().instructions.at(0).operands.at(1);
  EXPECT_EQ(operand.kind, OperandKind::kInteger) << expression;
  return operand.bits;
}

TEST(Instruction, HasGuardModifiersAndOperands) {
  const ParsedModule parsed =
      Parse(WithKernel("@!%p1 ld.global.nc.L2::128B.v2.f32 {%f1, _}, [%rd4+8];"));
  const auto& function = parsed.function();
  const Instruction& load = function.instructions.at(0);
  ASSERT_TRUE(load.guard.has_value());
  EXPECT_TRUE(load.guard->is_negated);
  EXPECT_EQ(function.registers[load.guard->register_index].FullName(), "%p1");
  EXPECT_EQ(load.opcode, "ld");
  std::vector<std::string_view> modifiers;
  for (const auto& modifier : load.modifiers) modifiers.push_back(modifier.name);
  EXPECT_THAT(modifiers, ::testing::ElementsAre("global", "nc", "L2::128B", "v2", "f32"));
  ASSERT_EQ(load.operands.size(), 2u);
  ASSERT_EQ(load.operands[0].kind, OperandKind::kVector);
  EXPECT_EQ(load.operands[0].elements[0].kind, OperandKind::kRegister);
  EXPECT_EQ(function.registers[load.operands[0].elements[0].index].FullName(), "%f1");
  EXPECT_EQ(load.operands[0].elements[1].kind, OperandKind::kSink);
  ASSERT_EQ(load.operands[1].kind, OperandKind::kAddress);
  EXPECT_EQ(load.operands[1].offset, 8);
  EXPECT_EQ(function.registers[load.operands[1].elements[0].index].FullName(), "%rd4");
  EXPECT_EQ(parsed.text.substr(load.place.offset, 2), "@!");
  EXPECT_EQ(parsed.text.substr(load.operands[1].place.offset, 4), "[%rd");
}

TEST(Instruction, ManyOnALineAndSpacesWithin) {
  const ParsedModule parsed =
      ParseBody("{mov.u32 %r1, WARP_SZ;add.s32 %r2,%r1 ,\n1;}ret;;@%p1 /* x */ bra // y\n L; L:");
  ASSERT_EQ(parsed.function().instructions.size(), 4u);
  EXPECT_EQ(parsed.Line(0), "mov.u32 %r1, 32;");
  EXPECT_EQ(parsed.Line(1), "add.s32 %r2, %r1, 1;");
  EXPECT_EQ(parsed.Line(2), "ret;");
  EXPECT_EQ(parsed.Line(3), "@%p1 bra L;");
  EXPECT_EQ(parsed.function().labels.at(0).instruction, 4u);
}

TEST(Operand, Addresses) {
  const ParsedModule parsed = ParseBody(
      ".local .b8 depot[32]; .reg .v2 .b64 %v;"
      "ld.u32 %r1, [ %rd1 + 0 ]; ld.u32 %r1, [%rd1+-28]; ld.u32 %r1, [depot+4*2-1];"
      "ld.u32 %r1, [0x10]; ld.u32 %r1, [%v.y - 4]; tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, "
      "{%r1,%r2}];"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
      "{%r1, %r2}], [%r3];"
      "ld.u32 %r1, depot[2]; ld.u32 %r1, [depot[2]+1];");
  const std::vector<std::string> expected = {
      "ld.u32 %r1, [%rd1];", "ld.u32 %r1, [%rd1+-28];", "ld.u32 %r1, [depot+7];",
      "ld.u32 %r1, [16];", "ld.u32 %r1, [%v.y+-4];",
      "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}];",
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma)
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
      "{%r1, %r2}], [%r3];",
      "ld.u32 %r1, depot+2;", "ld.u32 %r1, [depot+3];"};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(parsed.Line(i), expected[i]);
  const Operand& address = parsed.function().instructions[2].operands[1];
  EXPECT_EQ(address.offset, 7);
  EXPECT_EQ(address.elements.at(0).kind, OperandKind::kVariable);
  EXPECT_TRUE(address.elements[0].is_local);
  const Operand& tensor = parsed.function().instructions[5].operands[1];
  ASSERT_EQ(tensor.elements.size(), 2u);
  EXPECT_EQ(tensor.elements[1].kind, OperandKind::kVector);
}

TEST(Operand, VectorsSelectorsPairsAndSpecialRegisters) {
  const ParsedModule parsed = ParseBody(
      ".reg .v4 .f32 %v; mov.v4.f32 %v, {%f1, %f2, %f3, %f4}; mov.f32 %f1, %v.z; mov.f32 %f1, %v.a;"
      "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1, %r4; shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;"
      "setp.lt.and.s32 %p1|_, %r1, %r2, !%p3; elect.sync _|%p2, -1; mov.u32 %r1, %tid.x;"
      "mov.u32 %r1, %envreg31; mov.u64 %rd1, %clock64; mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;");
  const std::vector<std::string> expected = {
      "mov.v4.f32 {%v.x, %v.y, %v.z, %v.w}, {%f1, %f2, %f3, %f4};",
      "mov.f32 %f1, %v.z;",
      "mov.f32 %f1, %v.w;",
      "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1, %r4;",
      "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
      "setp.lt.and.s32 %p1|_, %r1, %r2, !%p3;",
      "elect.sync _|%p2, -1;",
      "mov.u32 %r1, %tid.x;",
      "mov.u32 %r1, %envreg31;",
      "mov.u64 %rd1, %clock64;",
      "mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;"};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(parsed.Line(i), expected[i]);
  EXPECT_EQ(parsed.function().instructions[7].operands[1].name, "%tid.x");
  EXPECT_EQ(parsed.function().instructions[3].operands[1].name, "b3");
}

TEST(Operand, Integers) {
  EXPECT_EQ(ValueOf("0x1FU"), 31u);
  EXPECT_EQ(ValueOf("017"), 15u);
  EXPECT_EQ(ValueOf("0b101"), 5u);
  EXPECT_EQ(ValueOf("18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(ValueOf("-1"), ~uint64_t{0});
  EXPECT_EQ(ValueOf("-9223372036854775808"), uint64_t{1} << 63);
}

TEST(Operand, ConstantExpressions) {
  EXPECT_EQ(ValueOf("1+2*3"), 7u);
  EXPECT_EQ(ValueOf("(1+2)*3"), 9u);
  EXPECT_EQ(ValueOf("10-3-2"), 5u);
  EXPECT_EQ(ValueOf("7 % 4 << 1 | 1 ^ 3 & 2"), 7u);
  EXPECT_EQ(ValueOf("-7 / 2"), static_cast<uint64_t>(-3));
  EXPECT_EQ(ValueOf("-7 % 4"), static_cast<uint64_t>(-3));
  EXPECT_EQ(ValueOf("-1 >> 1"), ~uint64_t{0});
  EXPECT_EQ(ValueOf("(.u64)-1 >> 1"), ~uint64_t{0} >> 1);
  EXPECT_EQ(ValueOf("-1 < 1"), 1u);
  EXPECT_EQ(ValueOf("-1 < 1U"), 0u);
  EXPECT_EQ(ValueOf("(.s64)(-1 + 0U) < 1"), 1u);
  EXPECT_EQ(ValueOf("1 == 1 && 2 != 2 || 3 >= 3"), 1u);
  EXPECT_EQ(ValueOf("0 ? 5 : 1 ? 6 : 7"), 6u);
  EXPECT_EQ(ValueOf("~0 + !0 + !7"), 0u);
  EXPECT_EQ(ValueOf("1 << 64"), 0u);
  EXPECT_EQ(ValueOf("-1 >> 64"), ~uint64_t{0});
  EXPECT_EQ(ValueOf("(-9223372036854775807 - 1) / -1"), uint64_t{1} << 63);
  EXPECT_EQ(ValueOf("(-9223372036854775807 - 1) % -1"), 0u);
  EXPECT_EQ(ValueOf("WARP_SZ*2"), 64u);
  // Left to right: 2^62 * 4 wraps to 0.
  EXPECT_EQ(ValueOf("4611686018427387904 * 4 + 3"), 3u);
}

TEST(Operand, Floats) {
  const ParsedModule parsed = ParseBody(
      "mov.f32 %f1, 0f3F800000; mov.f32 %f1, 0D3ff0000000000000; mov.f32 %f1, 1.5;"
      "mov.f32 %f1, -0f3F800000; mov.f32 %f1, .5; mov.f32 %f1, 1e-3; mov.f32 %f1, 2.5E+1;");
  const std::vector<std::string> expected = {
      "0f3F800000",         "0d3FF0000000000000", "0d3FF8000000000000", "0fBF800000",
      "0d3FE0000000000000", "0d3F50624DD2F1A9FC", "0d4039000000000000"};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(parsed.Line(i), "mov.f32 %f1, " + expected[i] + ";");
  }
}

TEST(Scope, RegistersHideOthersAndEnd) {
  const ParsedModule parsed = ParseBody(
      "mov.u32 %r1, 1; { .reg .u16 %r1; mov.u16 %r1, 2; { .reg.b64 %r<2>; mov.u64 %r1, 3; } }"
      "{ .reg .f32 t; mov.f32 t, 0f00000000; } { .reg .s32 t; mov.s32 t, 4; } mov.u32 %r1, 5;");
  const auto type_of = [&](size_t instruction) {
    const auto& function = parsed.function();
    return function.registers[function.instructions.at(instruction).operands[0].index].type;
  };
  EXPECT_EQ(type_of(0), Type::kB32);
  EXPECT_EQ(type_of(1), Type::kU16);
  EXPECT_EQ(type_of(2), Type::kB64);
  EXPECT_EQ(type_of(3), Type::kF32);
  EXPECT_EQ(type_of(4), Type::kS32);
  EXPECT_EQ(type_of(5), Type::kB32);
  EXPECT_EQ(parsed.function().instructions[0].operands[0].index,
            parsed.function().instructions[5].operands[0].index);
}

TEST(Scope, LabelsAreTheInnermostAlsoIfLater) {
  const ParsedModule parsed =
      ParseBody("L: { bra L; nop; L: { bra L; bra M; } bra M; } bra L; { bra N; N: } M: bra M;");
  const auto& function = parsed.function();
  const auto target = [&](size_t instruction) {
    return function.labels.at(function.instructions.at(instruction).operands[0].index).instruction;
  };
  EXPECT_EQ(target(0), 2u);
  EXPECT_EQ(target(2), 2u);
  EXPECT_EQ(target(3), 7u);
  EXPECT_EQ(target(4), 7u);
  EXPECT_EQ(target(5), 0u);
  EXPECT_EQ(target(6), 7u);
  EXPECT_EQ(target(7), 7u);
}

TEST(Call, InAllForms) {
  const ParsedModule parsed = Parse(WithHeader(R"(
.func (.param .b32 r) callee(.param .b32 a, .param .align 8 .b8 s[16]);
.func plain() .noreturn;
.entry kernel(.param .u64 f) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  { .param .b32 param0; .param .align 8 .b8 param1[16]; .param .b32 retval0;
    call.uni
    (retval0),
    callee,
    (
    param0,
    param1
    );
    prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
    call (retval0), %rd1, (param0, param1), prototype_0;
    targets: .calltargets callee, later;
    call (retval0), %rd1, (param0, param1), targets;
  }
  call plain; call plain, (); call later, (%r1, 5);
  mov.u64 %rd2, later;
}
.func later(.reg .u32 %a, .reg .u32 %b) { ret; }
)"));
  const auto& kernel = parsed.module.functions.at(2);
  const auto& call = kernel.instructions.at(0);
  ASSERT_EQ(call.operands.size(), 3u);
  EXPECT_EQ(call.operands[0].kind, OperandKind::kTuple);
  EXPECT_EQ(call.operands[1].kind, OperandKind::kFunction);
  EXPECT_EQ(parsed.module.functions[call.operands[1].index].name, "callee");
  EXPECT_EQ(call.operands[2].elements.size(), 2u);
  const auto& indirect = kernel.instructions.at(1);
  ASSERT_EQ(indirect.operands.size(), 4u);
  EXPECT_EQ(indirect.operands[3].kind, OperandKind::kPrototype);
  EXPECT_EQ(kernel.prototypes.at(0).parameters.at(1).SizeInBytes(), 16u);
  EXPECT_EQ(kernel.instructions.at(2).operands[3].kind, OperandKind::kLabelList);
  EXPECT_THAT(kernel.label_lists.at(0).functions, ::testing::ElementsAre(0u, 3u));
  EXPECT_EQ(kernel.instructions.at(3).operands.size(), 1u);
  EXPECT_TRUE(kernel.instructions.at(4).operands.at(1).elements.empty());
  EXPECT_EQ(kernel.instructions.at(5).operands.at(0).index, 3u);
  EXPECT_EQ(kernel.instructions.at(6).operands.at(1).kind, OperandKind::kFunction);
  EXPECT_EQ(kernel.instructions.at(6).operands[1].index, 3u);
}

TEST(Branch, ThroughAList) {
  const ParsedModule parsed =
      ParseBody("ts: .branchtargets A, B, A; brx.idx %r1, ts; A: nop; B: ret;");
  const auto& function = parsed.function();
  EXPECT_THAT(function.label_lists.at(0).labels, ::testing::ElementsAre(0u, 1u, 0u));
  EXPECT_EQ(function.instructions.at(0).operands.at(1).kind, OperandKind::kLabelList);
}

}  // namespace
}  // namespace hlo_indexing::testing
