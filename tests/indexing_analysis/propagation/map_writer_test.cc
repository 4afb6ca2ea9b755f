// Maps of accesses that are made here by hand, as propagation would have left them.
#include "indexing_analysis/propagation/map_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hlo/parser/parser.h"
#include "mlir/IR/MLIRContext.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using Lines = std::vector<std::string>;

// Two outputs of an instruction with two operands; tests say what has reached these.
class MapWriterTest : public testing::Test {
 protected:
  MapWriterTest() : operands_(2), sets_(2) {
    auto module = hlo::ParseModule(
        "ENTRY e {\n  p = f32[2,3] parameter(0)\n  i = s32[] parameter(1)\n"
        "  ROOT c = (f32[3,2], f32[3,2]) custom-call(p, i), custom_call_target=\"t\"\n}\n");
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = std::move(*module);
    // The number of the device, then the value of i.
    runtime_values_.resize(2);
    runtime_values_[kExecutingDevice].bounds = {0, num_devices_ - 1};
    runtime_values_[kExecutingDevice].name = "replica";
    runtime_values_[1].instruction = &root().operand(1);
    runtime_values_[1].bounds = {0, 1};
  }

  const hlo::Instruction& root() const { return module_->entry().root(); }

  // An access of an output f32[3,2] that reaches the results that `make_results` gives.
  template <typename MakeResults>
  const BoundAccess* AccessWith(MakeResults make_results) {
    DigitContext digits;
    Access access;
    access.num_dimensions = 2;
    access.map.boxes = {{0, 2}, {0, 1}};
    make_results(digits, access);
    return bound_.Bind(interner_.Intern(std::move(access)));
  }

  const BoundAccess* Transposed() {
    return AccessWith([](DigitContext& digits, Access& access) {
      access.map.results = {access.map.Variable(digits, 1), access.map.Variable(digits, 0)};
    });
  }

  // The first column.
  const BoundAccess* Column() {
    return AccessWith([](DigitContext& digits, Access& access) {
      access.map.results = {access.map.Variable(digits, 1), simplifier::Constant(0)};
    });
  }

  void AddToFirstOperand(AccessSet::Entry entry) {
    SetOfLeaf(operands_[0], root().operand(0).shape(), 0).Add(sets_, entry);
  }

  MapWriter Writer() {
    return MapWriter(&context_, options_, written_,
                     {root(), output_leaves_, sets_, root().operands(), operands_, runtime_values_,
                      num_devices_});
  }

  static Lines LinesOf(const OutputIndexing& indexing) {
    Lines lines;
    for (const OperandIndexing& operand : indexing.operands()) {
      const std::string start = std::to_string(operand.operand()) + " " +
                                ExactnessName(operand.exactness()).str() + " " + operand.reason() +
                                ": ";
      if (operand.maps().empty()) lines.push_back(start);
      for (const auto& [map, replica_map] : operand.maps()) {
        lines.push_back(start + map.ToString() +
                        (replica_map ? " on " + replica_map->ToString() : ""));
      }
    }
    return lines;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  AnalysisOptions options_;
  std::unique_ptr<hlo::Module> module_;
  const int64_t num_devices_ = 4;
  const std::vector<int64_t> output_leaves_ = {0, 1};
  AccessInterner interner_;
  BoundAccesses bound_;
  RuntimeTable runtime_values_;
  std::vector<AccessSets> operands_;
  OutputSets sets_;
  WrittenMaps written_;
};

TEST_F(MapWriterTest, ExampleOfTheHeader) {
  AddToFirstOperand({Transposed(), "", sets_.All()});
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)),
            Lines({"0 exact : (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]"}));
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kInputToOutput)),
            Lines({"0 exact : (d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 2]"}));
  // The other output reads the same: the maps are written once.
  const OutputIndexing first = writer.Write(0, MapDirection::kOutputToInput);
  const OutputIndexing second = writer.Write(1, MapDirection::kOutputToInput);
  EXPECT_EQ(LinesOf(second), LinesOf(first));
  ASSERT_EQ(second.operands().size(), 1);
  EXPECT_EQ(first.operands()[0].maps().data(), second.operands()[0].maps().data());
}

TEST_F(MapWriterTest, OutputsHaveWhatTheyRead) {
  AddToFirstOperand({Transposed(), "", sets_.Single(0)});
  AddToFirstOperand({Column(), "", sets_.Single(1)});
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)),
            Lines({"0 exact : (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]"}));
  EXPECT_EQ(LinesOf(writer.Write(1, MapDirection::kOutputToInput)),
            Lines({"0 exact : (d0, d1) -> (d1, 0), domain: d0 in [0, 2], d1 in [0, 1]"}));
}

TEST_F(MapWriterTest, AnInexactAccessMakesAllInexact) {
  AddToFirstOperand({Transposed(), "", sets_.All()});
  AddToFirstOperand({Column(), "a loop", sets_.Single(0)});
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)),
            Lines({"0 superset a loop: (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]",
                   "0 superset a loop: (d0, d1) -> (d1, 0), domain: d0 in [0, 2], d1 in [0, 1]"}));
  EXPECT_EQ(LinesOf(writer.Write(1, MapDirection::kOutputToInput)).size(), 1u);
}

TEST_F(MapWriterTest, UnknownHasNoMaps) {
  AddToFirstOperand({Transposed(), "", sets_.All()});
  SetOfLeaf(operands_[1], root().operand(1).shape(), 0)
      .AddUnknown(sets_, "who knows", sets_.Single(1));
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)).size(), 1u);
  const Lines with_unknown = LinesOf(writer.Write(1, MapDirection::kOutputToInput));
  ASSERT_EQ(with_unknown.size(), 2u);
  EXPECT_EQ(with_unknown[1], "1 unknown who knows: ");
}

TEST_F(MapWriterTest, WhatIsReadByNothingIsNotListed) {
  MapWriter writer = Writer();
  EXPECT_TRUE(LinesOf(writer.Write(0, MapDirection::kOutputToInput)).empty());
}

// Accesses that differ in the order of their variables alone are one map.
TEST_F(MapWriterTest, EqualMapsAreOne) {
  AddToFirstOperand({Transposed(), "", sets_.All()});
  AddToFirstOperand(
      {AccessWith([](DigitContext& digits, Access& access) {
         const simplifier::Constraint always = {access.map.Variable(digits, 0), {0, 100}};
         access.map.results = {access.map.Variable(digits, 1), access.map.Variable(digits, 0)};
         access.map.constraints.push_back(always);
       }),
       "", sets_.All()});
  ASSERT_EQ(operands_[0][0].entries().size(), 2u);
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)).size(), 1u);
}

// Row i of the operand: the value of i stays a variable in both directions.
TEST_F(MapWriterTest, RuntimeValues) {
  AddToFirstOperand({AccessWith([](DigitContext& digits, Access& access) {
                       access.runtime = {1};
                       access.map.results = {digits.Function(1, {}, {0, 1}),
                                             access.map.Variable(digits, 0)};
                     }),
                     "", sets_.All()});
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)),
            Lines({"0 exact : (d0, d1){rt0} -> (rt0, d0), domain: d0 in [0, 2], d1 in [0, 1], "
                   "rt0 in [0, 1]"}));
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kInputToOutput)),
            Lines({"0 exact : (d0, d1)[s0]{rt0} -> (d1, s0), domain: d0 in [0, 1], d1 in [0, 2], "
                   "s0 in [0, 1], rt0 in [0, 1], d0 - rt0 in [0, 0]"}));
  const OutputIndexing indexing = writer.Write(0, MapDirection::kOutputToInput);
  EXPECT_EQ(indexing.operands()[0].maps().front().map.runtime()[0].instruction, &root().operand(1));
}

// Read on the next device of four, in a ring; the other way round the one before is meant.
TEST_F(MapWriterTest, OtherDevices) {
  AddToFirstOperand({AccessWith([](DigitContext& digits, Access& access) {
                       access.has_device = true;
                       access.runtime = {kExecutingDevice};
                       const Sum own = digits.Function(kExecutingDevice, {}, {0, 3});
                       const Sum device =
                           DivMod(digits, Add(digits, own, simplifier::Constant(1)), 4).remainder;
                       access.map.results = {access.map.Variable(digits, 1),
                                             access.map.Variable(digits, 0), device};
                     }),
                     "", sets_.All()});
  MapWriter writer = Writer();
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kOutputToInput)),
            Lines({"0 exact : (d0, d1){replica} -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1], "
                   "replica in [0, 3] on (d0, d1){replica} -> ((replica + 1) mod 4), domain: "
                   "d0 in [0, 2], d1 in [0, 1], replica in [0, 3]"}));
  // Device 0 is read by device 3, where s0 is 1, any other by the one before, where it is 0.
  EXPECT_EQ(LinesOf(writer.Write(0, MapDirection::kInputToOutput)),
            Lines({"0 exact : (d0, d1)[s0]{replica} -> (d1, d0), domain: d0 in [0, 1], d1 in "
                   "[0, 2], s0 in [0, 1], replica in [0, 3], s0 * 4 + replica in [1, 4] on "
                   "(d0, d1)[s0]{replica} -> (s0 * 4 + replica - 1), domain: d0 in [0, 1], d1 in "
                   "[0, 2], s0 in [0, 1], replica in [0, 3], s0 * 4 + replica in [1, 4]"}));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
