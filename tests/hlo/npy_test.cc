// Files as NumPy writes them, byte by byte.
#include "hlo/interpreter/npy.h"

#include <gtest/gtest.h>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"

namespace hlo_indexing::testing {
namespace {

enum class Order : uint8_t { kC, kFortran };

// A file of format `version`.0 with these bytes behind its header.
std::string NpyFile(int version, const std::string& type, Order order, const std::string& shape,
                    const std::string& bytes) {
  const std::string header = "{'descr': '" + type +
                             "', 'fortran_order': " + (order == Order::kC ? "False" : "True") +
                             ", 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return file + header + bytes;
}

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

// The literal that a file holds for an array of that shape, or the message of the error.
std::string Read(const std::string& shape, const std::string& file) {
  const auto module =
      hlo::ParseModule("HloModule m\nENTRY e { ROOT p = " + shape + " parameter(0) }\n");
  if (!module.ok()) return std::string(module.status().message());
  const hlo::Shape& parsed = (*module)->entry().root().shape();
  const auto bytes = hlo::ReadNpy(file, parsed);
  if (!bytes.ok()) return std::string(bytes.status().message());
  const llvm::ArrayRef<uint8_t> leaf = *bytes;
  const auto value = hlo::Value::FromBytes(parsed, leaf);
  if (!value.ok()) return std::string(value.status().message());
  // What is written is read back.
  const auto again = hlo::ReadNpy(hlo::WriteNpy(value->array()), parsed);
  if (!again.ok() || *again != *bytes) return "is not read back";
  return value->ToString();
}

struct Case {
  const char* name;
  std::string shape;
  std::string file;
  const char* expected;
};

TEST(NpyTest, IsRead) {
  const Case cases[] = {
      {"LittleEndian", "f32[2]",
       NpyFile(1, "<f4", Order::kC, "(2,)", Bytes({0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0})),
       "{1, -2.5}"},
      {"BigEndian", "f32[2]",
       NpyFile(1, ">f4", Order::kC, "(2,)", Bytes({0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0})),
       "{1, -2.5}"},
      {"BigEndianIntegers", "s16[2]",
       NpyFile(1, ">i2", Order::kC, "(2,)", Bytes({1, 2, 0xff, 0xfe})), "{258, -2}"},
      // Each part of a complex number is in the byte order of its own.
      {"BigEndianComplex", "c64[1]",
       NpyFile(1, ">c8", Order::kC, "(1,)", Bytes({0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0})), "{(1, -2)}"},
      {"Format2", "s8[3]", NpyFile(2, "|i1", Order::kC, "(3,)", Bytes({1, 2, 0xff})), "{1, 2, -1}"},
      {"Format3", "s8[3]", NpyFile(3, "|i1", Order::kC, "(3,)", Bytes({1, 2, 0xff})), "{1, 2, -1}"},
      // The first index runs fastest.
      {"Fortran", "s8[2,3]",
       NpyFile(1, "|i1", Order::kFortran, "(2, 3)", Bytes({1, 2, 3, 4, 5, 6})),
       "{{1, 3, 5}, {2, 4, 6}}"},
      {"FortranOfRank3", "s8[2,1,2]",
       NpyFile(1, "|i1", Order::kFortran, "(2, 1, 2)", Bytes({1, 2, 3, 4})),
       "{{{1, 3}}, {{2, 4}}}"},
      {"BigEndianFortran", "u16[2,2]",
       NpyFile(1, ">u2", Order::kFortran, "(2, 2)", Bytes({0, 1, 0, 2, 0, 3, 0, 4})),
       "{{1, 3}, {2, 4}}"},
      {"FortranScalar", "s8[]", NpyFile(1, "|i1", Order::kFortran, "()", Bytes({7})), "7"},
      {"FortranOfNothing", "s8[0,2]", NpyFile(1, "|i1", Order::kFortran, "(0, 2)", ""), "{}"},
      // The bits of types that NumPy lacks.
      {"Bf16", "bf16[2]", NpyFile(1, "<u2", Order::kC, "(2,)", Bytes({0x80, 0x3f, 0x20, 0xc0})),
       "{1, -2.5}"},
      {"Bf16BigEndian", "bf16[2]",
       NpyFile(1, ">u2", Order::kC, "(2,)", Bytes({0x3f, 0x80, 0xc0, 0x20})), "{1, -2.5}"},
      {"Bf16Fortran", "bf16[1,2]",
       NpyFile(1, "<u2", Order::kFortran, "(1, 2)", Bytes({0x80, 0x3f, 0x20, 0xc0})),
       "{{1, -2.5}}"},
      {"Bf16AsWideIntegers", "bf16[1]",
       NpyFile(1, "<i8", Order::kC, "(1,)", Bytes({0x80, 0x3f, 0, 0, 0, 0, 0, 0})), "{1}"},
      {"F8E4M3FN", "f8e4m3fn[3]", NpyFile(1, "|u1", Order::kC, "(3,)", Bytes({0x38, 0xb8, 0x7e})),
       "{1, -1, 448}"},
      {"F8E5M2AsWideIntegers", "f8e5m2[2]",
       NpyFile(1, ">u2", Order::kC, "(2,)", Bytes({0, 0x3c, 0, 0xc4})), "{1, -4}"},
      {"S4", "s4[3]", NpyFile(1, "|i1", Order::kC, "(3,)", Bytes({7, 0xf8, 0xff})), "{7, -8, -1}"},
  };
  for (const Case& c : cases) EXPECT_EQ(Read(c.shape, c.file), c.expected) << c.name;
}

TEST(NpyTest, SaysWhatDoesNotFit) {
  const Case cases[] = {
      {"S4TooLarge", "s4[1]", NpyFile(1, "|i1", Order::kC, "(1,)", Bytes({8})),
       "an element does not fit into s4"},
      {"F8TooLarge", "f8e4m3fn[1]", NpyFile(1, "<u2", Order::kC, "(1,)", Bytes({0x38, 1})),
       "an element does not fit into f8e4m3fn"},
      {"Bf16Negative", "bf16[1]", NpyFile(1, "<i4", Order::kC, "(1,)", Bytes({255, 255, 255, 255})),
       "an element does not fit into bf16"},
      {"OtherWidth", "s16[1]", NpyFile(1, "<i4", Order::kC, "(1,)", Bytes({1, 0, 0, 0})),
       "its elements are <i4, s16[1] needs <i2"},
      {"Format9", "s8[1]", NpyFile(9, "|i1", Order::kC, "(1,)", Bytes({1})),
       "its format has version 9; 1 to 3 are known"},
      {"OtherSizes", "s8[2,3]",
       NpyFile(1, "|i1", Order::kFortran, "(3, 2)", Bytes({1, 2, 3, 4, 5, 6})),
       "it has shape (3, 2), s8[2,3] needs (2, 3)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Read(c.shape, c.file), c.expected) << c.name;
}

TEST(NpyTest, TypesInFiles) {
  EXPECT_EQ(hlo::NumpyType(hlo::ElementType::kBF16), "<u2");
  EXPECT_EQ(hlo::NumpyType(hlo::ElementType::kF8E5M2), "|u1");
  EXPECT_EQ(hlo::NumpyType(hlo::ElementType::kS4), "|i1");
  EXPECT_EQ(hlo::NumpyType(hlo::ElementType::kU4), "|u1");
}

}  // namespace
}  // namespace hlo_indexing::testing
