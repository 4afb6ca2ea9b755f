// How many accesses compiled copies make.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace cute_test {
namespace {

TEST(VectorCopies, AssumedAlignmentTakesTheWidestWords) {
  std::ifstream file(HLO_INDEXING_TEST_VECTOR_PTX);
  int loads = 0;
  int stores = 0;
  int wide = 0;
  for (std::string line; std::getline(file, line);) {
    loads += line.find("ld.global") != std::string::npos ? 1 : 0;
    stores += line.find("st.global") != std::string::npos ? 1 : 0;
    wide += line.find(".global.v4.") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(loads, 16);
  EXPECT_EQ(stores, 16);
  EXPECT_EQ(wide, 32);
}

}  // namespace
}  // namespace cute_test
