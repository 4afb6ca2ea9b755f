#include "hlo/opcode.h"

#include <gtest/gtest.h>

namespace hlo_indexing::hlo {
namespace {

TEST(Opcode, NamesParseBack) {
  EXPECT_EQ(AllOpcodeNames().size(), 133u);
  for (const llvm::StringRef name : AllOpcodeNames()) {
    const std::optional<Opcode> opcode = ParseOpcode(name);
    ASSERT_TRUE(opcode.has_value()) << name.str();
    EXPECT_EQ(OpcodeName(*opcode), name);
    const OpcodeInfo& info = InfoOf(*opcode);
    EXPECT_LE(info.min_operands, info.max_operands) << name.str();
  }
  EXPECT_EQ(ParseOpcode("transpos"), std::nullopt);
}

TEST(Opcode, AttributesParseBack) {
  for (int i = 0; i < static_cast<int>(AttributeName::kOther); ++i) {
    const auto name = static_cast<AttributeName>(i);
    EXPECT_EQ(ParseAttributeName(AttributeText(name)), name);
  }
  EXPECT_EQ(ParseAttributeName("no_such_attribute"), AttributeName::kOther);
  EXPECT_EQ(KindOf(AttributeName::kOther), AttributeKind::kText);
}

}  // namespace
}  // namespace hlo_indexing::hlo
