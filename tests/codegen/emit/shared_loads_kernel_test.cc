// What is loaded once for several turns of loops, lanes or operands: predicted, and measured.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/codegen/emit/planned_loads.h"

namespace hlo_indexing::emit {
namespace {

// The last turn has fewer elements than threads: what all turns read of a row, or of a column, is
// loaded before them.
TEST(SharedLoads, TurnsWithConditions) {
  PtxBackend backend;
  for (const auto& [rows, columns] :
       {std::pair(64, 65), {37, 1000}, {8, 6401}, {3, 20000}, {5, 9}, {16, 4096}}) {
    for (const int dimension : {0, 1}) {
      for (const int reduced : {0, 1}) {
        const std::string shape = absl::StrCat("s32[", rows, ",", columns, "]");
        const std::string kept = absl::StrCat("s32[", reduced == 0 ? columns : rows, "]");
        ExpectAsPlanned(
            FusionOf({absl::StrCat("s32[", dimension == 0 ? rows : columns, "]"), shape},
                     absl::StrCat("b = ", shape, " broadcast(p0), dimensions={", dimension,
                                  "}\ny = ", shape, " multiply(p1, b)\nc = s32[] constant(1)\n",
                                  "ROOT v = ", kept, " reduce(y, c), dimensions={", reduced,
                                  "}, to_apply=sum\n"),
                     kept, "s32"),
            backend);
      }
    }
  }
  // Vectors, in a loop that is not written out; and turns whose reductions are.
  ExpectAsPlanned(FusionOf({"u8[32]", "u8[31,32]", "u8[31,32]"},
                           "a = u8[31,32] broadcast(p0), dimensions={1}\n"
                           "b = u8[31,32] add(p1, p2)\nd = u8[31,32] multiply(a, b)\n"
                           "c = u8[] constant(1)\n"
                           "ROOT v = u8[] reduce(d, c), dimensions={0,1}, to_apply=sum\n",
                           "u8[]", "u8"),
                  backend);
  ExpectAsPlanned(
      FusionOf({"s16[5]"},
               "b = s16[5,32,100] broadcast(p0), dimensions={0}\nc = s16[] constant(1)\n"
               "r = s16[5,32] reduce(b, c), dimensions={2}, to_apply=sum\n"
               "q = s16[32,100] reduce(b, c), dimensions={0}, to_apply=sum\n"
               "d = s16[5,32,100] broadcast(q), dimensions={1,2}\ns = s16[5,32,100] add(b, d)\n"
               "ROOT t = (s16[5,32], s16[5,32,100], s16[5,32,100]) tuple(r, s, b)\n",
               "(s16[5,32], s16[5,32,100], s16[5,32,100])", "s16"),
      backend);
}

// Neighbouring operands of a concatenate that are one array are that array again and again.
TEST(SharedLoads, RepeatedOperands) {
  PtxBackend backend;
  for (const char* const dimension : {"0", "1"}) {
    for (const int count : {2, 3, 5}) {
      std::string operands = "n";
      for (int i = 1; i < count; ++i) operands += ", n";
      const std::string shape = std::string(dimension) == "0"
                                    ? absl::StrCat("s32[", 13 * count, ",8]{0,1}")
                                    : absl::StrCat("s32[13,", 8 * count, "]{0,1}");
      ExpectAsPlanned(FusionOf({"s32[13,8]", shape},
                               absl::StrCat("n = s32[13,8] negate(p0)\nv = ", shape,
                                            " concatenate(", operands, "), dimensions={", dimension,
                                            "}\nROOT r = ", shape, " add(v, p1)\n"),
                               shape),
                      backend);
    }
  }
  // Of a row, lanes that have the same element; and pairs of lanes that are a vector.
  for (const char* const size : {"3", "7"}) {
    ExpectAsPlanned(
        FusionOf({absl::StrCat("s8[", size, "]"), "s8[8]"},
                 absl::StrCat("n = s8[", size, "] negate(p0)\nb = s8[", size,
                              ",8]{0,1} broadcast(n), dimensions={0}\nc = s8[] constant(2)\n",
                              "ROOT r = s8[] reduce(b, c), dimensions={0,1}, to_apply=sum\n"),
                 "s8[]", "s8"),
        backend);
  }
  ExpectAsPlanned(FusionOf({"s8[50]"},
                           "v = s8[100] concatenate(p0, p0), dimensions={0}\n"
                           "c = s8[] constant(1)\n"
                           "ROOT r = s8[] reduce(v, c), dimensions={0}, to_apply=sum\n",
                           "s8[]", "s8"),
                  backend);
  // In turns that a row is kept in, by another expression of the same place.
  ExpectAsPlanned(FusionOf({"s8[16,32]"},
                           "b = s8[1,16,32] broadcast(p0), dimensions={1,2}\n"
                           "v = s8[3,16,32] concatenate(b, b, b), dimensions={0}\n"
                           "c = s8[] constant(1)\n"
                           "s = s8[] reduce(v, c), dimensions={0,1,2}, to_apply=sum\n"
                           "d = s8[3,16,32] broadcast(s), dimensions={}\n"
                           "ROOT r = s8[3,16,32] add(v, d)\n",
                           "s8[3,16,32]", "s8"),
                  backend);
}

// The last turn of a row has fewer threads, and zeros elsewhere: what it has loaded is not there
// for a later turn of more, though the places have one expression, as (th_x + 64) mod 3 and (th_x +
// 1) mod 3.
TEST(SharedLoads, TurnsOfFewerThreads) {
  PtxBackend backend;
  for (const int size : {3, 5, 7}) {
    for (const int length : {50, 96, 150, 200, 500, 1000, 1500}) {
      for (int shift = 1; shift < size; ++shift) {
        const int rows = length / size + 3;
        const auto slice = [&](int first) {
          return absl::StrCat("s32[", length, "] slice(q), slice={[", first, ":", first + length,
                              "]}\n");
        };
        KernelCheck check(
            FusionOf({absl::StrCat("s32[", size, "]")},
                     absl::StrCat(
                         "w = s32[", rows, ",", size, "] broadcast(p0), dimensions={1}\nq = s32[",
                         rows * size, "] reshape(w)\na = ", slice(0), "b = ", slice(shift),
                         "z = s32[] constant(0)\n",
                         "s = s32[] reduce(a, z), dimensions={0}, to_apply=sum\nc = s32[", length,
                         "] broadcast(s), dimensions={}\nROOT r = s32[", length, "] add(b, c)\n"),
                     absl::StrCat("s32[", length, "]"), "s32"),
            backend);
        EXPECT_EQ(check.Run(1), "") << size << " " << length << " " << shift;
      }
    }
  }
}

// Both arrays between which a select chooses are loaded; of one, moved in two ways, nothing
// decides.
TEST(SharedLoads, OperandsOfSelects) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"pred[300]", "f32[300,2]", "f32[300,3]"},
                           "x = f32[300,1] slice(p1), slice={[0:300],[1:2]}\n"
                           "y = f32[300,1] slice(p2), slice={[0:300],[2:3]}\n"
                           "a = f32[300] reshape(x)\nb = f32[300] reshape(y)\n"
                           "ROOT s = f32[300] select(p0, a, b)\n",
                           "f32[300]"),
                  backend);
  ExpectAsPlanned(FusionOf({"pred[300]", "u8[300]", "u8[300]"},
                           "a = s32[300] convert(p1)\nb = s32[300] convert(p2)\n"
                           "r = s32[300] reverse(b), dimensions={0}\n"
                           "ROOT s = s32[300] select(p0, a, r)\n",
                           "s32[300]"),
                  backend);
  const std::string same = FusionOf({"pred[30,10]", "f32[30,10]"},
                                    "z = f32[] constant(0)\n"
                                    "a = f32[30,10] pad(p1, z), padding=0_0x0_0\n"
                                    "t = f32[10,30] transpose(p1), dimensions={1,0}\n"
                                    "b = f32[30,10] transpose(t), dimensions={1,0}\n"
                                    "ROOT s = f32[30,10] select(p0, a, b)\n",
                                    "f32[30,10]");
  ExpectAsPlanned(same, backend);
  ExpectAsPlanned(
      "HloModule m\nf { p0 = (s32[16,256], s32[16,256]) parameter(0) p1 = pred[16,256] "
      "parameter(1)\ng = s32[16,256] get-tuple-element(p0), index=1\n"
      "h = s32[16,256] get-tuple-element(p0), index=1\n"
      "ROOT r = s32[16,256] select(p1, g, h) }\nENTRY e { p0 = (s32[16,256], "
      "s32[16,256]) parameter(0) p1 = pred[16,256] parameter(1)\n"
      "ROOT r = s32[16,256] fusion(p0, p1), kind=kLoop, calls=f }\n",
      backend);
  // 300 floats, in vectors or not, are 38 sectors of 32 bytes to read and to write.
  EXPECT_EQ(KernelCheck(same, backend).Measure().sectors, 2 * 38) << same;
}

// What the kernel loads at its start stays there, though one branch alone uses it.
TEST(SharedLoads, ScalarsOfOneBranch) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"f64[]", "f64[1000,60]"},
                           "b = f64[1000,60] broadcast(p0), dimensions={}\n"
                           "t = f64[60,1000] transpose(b), dimensions={1,0}\n"
                           "u = f64[60,1000] transpose(p1), dimensions={1,0}\n"
                           "v = f64[60,1000] multiply(t, u)\ns = f64[1000,60] add(b, p1)\n"
                           "ROOT r = (f64[60,1000], f64[1000,60]) tuple(v, s)\n",
                           "(f64[60,1000], f64[1000,60])", "f64"),
                  backend);
  // And one that a reduction has loaded is there for what is made of its result.
  ExpectAsPlanned(FusionOf({"s32[1]", "s32[1]"},
                           "b = s32[245,192,1] broadcast(p0), dimensions={2}\n"
                           "z = s32[] constant(1)\n"
                           "m = s32[1] reduce(b, z), dimensions={0,1}, to_apply=sum\n"
                           "d = s32[1] subtract(p0, p1)\nROOT r = s32[1] multiply(m, d)\n",
                           "s32[1]", "s32"),
                  backend);
}

// Of a row that is kept in several turns, branches may be decided in one turn, or have in another
// what has been made before.
TEST(SharedLoads, TurnsOfARowInBranches) {
  PtxBackend backend;
  const auto row = [](const std::string& shape, const std::string& of_row) {
    return absl::StrCat("z = s32[] constant(1)\ns = ", of_row,
                        " reduce(v, z), dimensions={1}, to_apply=sum\nb = ", shape,
                        " broadcast(s), dimensions={0}\nROOT r = ", shape, " multiply(v, b)\n");
  };
  // Lanes of the first turn are padded.
  ExpectAsPlanned(FusionOf({"s32[48]"},
                           "w = s32[48,380] broadcast(p0), dimensions={0}\n"
                           "c = s32[] constant(1)\n"
                           "v = s32[52,384] pad(w, c), padding=4_0x4_0\n" +
                               row("s32[52,384]", "s32[52]"),
                           "s32[52,384]", "s32"),
                  backend);
  // A value of the row is made in branches, and once without one.
  ExpectAsPlanned(FusionOf({"s32[13,1900]", "s32[13]", "s32[13,700]"},
                           "w = s32[13,900] broadcast(p1), dimensions={0}\n"
                           "n = s32[13,900] negate(w)\n"
                           "v = s32[13,3500] concatenate(p0, n, p2), dimensions={1}\n" +
                               row("s32[13,3500]", "s32[13]"),
                           "s32[13,3500]", "s32"),
                  backend);
}

// A thread has in a turn what it has loaded in another one, unless that was in a branch or for an
// output.
TEST(SharedLoads, TurnsOfARowThatMeet) {
  PtxBackend backend;
  // The last turn has one thread, whose elements are those of its first turn.
  ExpectAsPlanned(FusionOf({"s32[1,2049]", "s32[1,2049]"},
                           "r = s32[1,2049] reverse(p0), dimensions={1}\n"
                           "s = s32[1,2049] add(p0, r)\nz = s32[] constant(0)\n"
                           "w = s32[1] reduce(p1, z), dimensions={1}, to_apply=sum\n"
                           "b = s32[1,2049] broadcast(w), dimensions={0}\n"
                           "ROOT o = s32[1,2049] multiply(s, b)\n",
                           "s32[1,2049]", "s32"),
                  backend);
  // One position, written in two ways.
  ExpectAsPlanned(
      FusionOf({"s32[13,64]"},
               "y = s32[4,208] reshape(p0)\nw = s32[13,64] reshape(y)\n"
               "s = s32[13,64] add(p0, w)\nz = s32[] constant(0)\n"
               "r = s32[13] reduce(p0, z), dimensions={1}, to_apply=sum\n"
               "b = s32[13,64] broadcast(r), dimensions={0}\nq = s32[13,64] subtract(s, b)\n"
               "ROOT o = s32[64,13] transpose(q), dimensions={1,0}\n",
               "s32[64,13]", "s32"),
      backend);
  // Vectors beside those of the row: in the last turn, lanes of them are loaded in a branch.
  ExpectAsPlanned(FusionOf({"u8[7,300]"},
                           "z = u8[] constant(255)\none = u8[] constant(1)\n"
                           "p = u8[7,300] pad(p0, one), padding=0_0x1_-1\n"
                           "w = u8[7] reduce(p0, z), dimensions={1}, to_apply=sum\n"
                           "b = u8[7,300] broadcast(w), dimensions={0}\n"
                           "ROOT a = u8[7,300] add(p, b)\n",
                           "u8[7,300]", "u8"),
                  backend);
}

// Initial values are computed before what is reduced, side outputs behind it.
TEST(SharedLoads, OrderOfReductions) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"u32[2]"},
                           "c = u32[] constant(5)\n"
                           "i = u32[] reduce(p0, c), dimensions={0}, to_apply=sum\n"
                           "ROOT o = u32[] reduce(p0, i), dimensions={0}, to_apply=sum\n",
                           "u32[]", "u32"),
                  backend);
  // In a loop of its own.
  ExpectAsPlanned(FusionOf({"s32[4,2]", "s32[4,2]"},
                           "z = s32[] constant(0)\n"
                           "r = s32[4] reduce(p1, z), dimensions={1}, to_apply=sum\n"
                           "n = s32[4,2] negate(p0)\n"
                           "ROOT t = (s32[4,2], s32[4]) tuple(n, r)\n",
                           "(s32[4,2], s32[4])", "s32"),
                  backend);
  KernelCheck check(
      FusionOf({"s8[2,31,16]"},
               "s = s8[2,31,10] slice(p0), slice={[0:2], [0:31], [0:10]}\n"
               "t = s8[2,31,6] slice(p0), slice={[0:2], [0:31], [10:16]}\n"
               "c = s8[2,31,16] concatenate(s, t), dimensions={2}\nz = s8[] constant(127)\n"
               "w = s8[2,31] reduce(c, z), dimensions={2}, to_apply=sum\n"
               "n = s8[2,31,16] negate(p0)\nROOT o = (s8[2,31,16], s8[2,31]) tuple(n, w)\n",
               "(s8[2,31,16], s8[2,31])", "s8"),
      backend);
  EXPECT_TRUE(check.Measure().IsAtMostAsPlanned());
}

// What one of several runs of lanes has loaded is there for the next.
TEST(SharedLoads, RunsOfLanes) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"s16[4,1,1]", "s16[1]", "s16[4,1,1]", "s16[4,1,1]"},
                           "b = s16[4,1,1] broadcast(p1), dimensions={2}\n"
                           "v = s16[4,4,1] concatenate(p0, b, p2, p3), dimensions={1}\n"
                           "c = s16[] constant(0)\n"
                           "ROOT r = s16[] reduce(v, c), dimensions={0,1,2}, to_apply=sum\n",
                           "s16[]", "s16"),
                  backend);
}

// What all threads have loaded for one output is there for another, which only some of them have.
TEST(SharedLoads, OutputsOfSeveralSizes) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"s8[7,8]"},
                           "z = s8[] constant(0)\n"
                           "r = s8[7] reduce(p0, z), dimensions={1}, to_apply=sum\n"
                           "s = s8[] reduce(r, z), dimensions={0}, to_apply=sum\n"
                           "a = s8[3] broadcast(s), dimensions={}\n"
                           "b = s8[5] broadcast(s), dimensions={}\n"
                           "ROOT t = (s8[5], s8[3]) tuple(b, a)\n",
                           "(s8[5], s8[3])", "s8"),
                  backend);
}

// Rows that go on in other shapes are kept, whatever the lengths.
TEST(SharedLoads, RowsInOtherShapes) {
  PtxBackend backend;
  for (const auto& [shape, reshaped] : {std::pair("s64[2,2,100]", "s64[400]"),
                                        {"s64[8,2,1000]", "s64[1000,16]"},
                                        {"s64[3,7,1000]", "s64[21000]"}}) {
    const std::string rows = std::string(shape).substr(0, std::string(shape).rfind(',')) + "]";
    ExpectAsPlanned(FusionOf({shape},
                             absl::StrCat("c = s64[] constant(0)\ns = ", rows,
                                          " reduce(p0, c), dimensions={2}, to_apply=sum\nb = ",
                                          shape, " broadcast(s), dimensions={0,1}\na = ", shape,
                                          " add(p0, b)\nROOT r = ", reshaped, " reshape(a)\n"),
                             reshaped, "s64"),
                    backend);
  }
  ExpectAsPlanned(
      FusionOf({"s32[3,2,2048]", "s32[2,2,4,768]"},
               "c = s32[] constant(0)\ns = s32[3] reduce(p0, c), dimensions={1,2}, to_apply=sum\n"
               "b = s32[3,2,2048] broadcast(s), dimensions={0}\na = s32[3,2,2048] add(p0, b)\n"
               "q = s32[2,2,4,768] reshape(a)\nx = s32[2,2,4,768] add(p1, q)\n"
               "ROOT t = (s32[3], s32[2,2,4,768]) tuple(s, x)\n",
               "(s32[3], s32[2,2,4,768])", "s32"),
      backend);
}

// Sums of short rows, several of which a vector has, beside the sum of all.
TEST(SharedLoads, SumsOfRowsInAVector) {
  PtxBackend backend;
  for (const char* const shape : {"s16[64,4]", "s16[32,8]", "s32[100,2]"}) {
    const std::string type = std::string(shape).substr(0, 3);
    const std::string rows = std::string(shape).substr(0, std::string(shape).find(',')) + "]";
    ExpectAsPlanned(
        FusionOf(
            {shape},
            absl::StrCat("n = ", shape, " negate(p0)\nc = ", type, "[] constant(0)\ns = ", rows,
                         " reduce(n, c), dimensions={1}, to_apply=sum\nb = ", shape,
                         " broadcast(s), dimensions={0}\nx = ", shape, " add(n, b)\nt = ", type,
                         "[] reduce(n, c), dimensions={0,1}, to_apply=sum\nd = ", shape,
                         " broadcast(t), dimensions={}\ny = ", shape, " add(n, d)\nROOT r = (",
                         shape, ", ", shape, ") tuple(x, y)\n"),
            absl::StrCat("(", shape, ", ", shape, ")"), type),
        backend);
  }
}

// Outputs of a transpose that are stored in one loop read an operand once.
TEST(SharedLoads, OutputsOfATranspose) {
  PtxBackend backend;
  for (const char* const size : {"21", "64", "100"}) {
    const std::string turned = absl::StrCat("f32[", size, ",64]");
    ExpectAsPlanned(
        FusionOf({absl::StrCat("f32[64,", size, "]"), turned},
                 absl::StrCat("v = ", turned, " transpose(p0), dimensions={1,0}\nm = ", turned,
                              " maximum(v, p1)\nn = ", turned, " negate(m)\nROOT t = (", turned,
                              ", ", turned, ") tuple(n, m)\n"),
                 absl::StrCat("(", turned, ", ", turned, ")")),
        backend);
  }
}

// Where rows of an output are cut or padded within a vector, its parts are vectors.
TEST(SharedStores, PartsOfVectors) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"u16[1,96]"},
                           "c = u16[] constant(0)\n"
                           "r = u16[] reduce(p0, c), dimensions={0,1}, to_apply=sum\n"
                           "ROOT v = u16[240,130]{1,0:T(3)} broadcast(r), dimensions={}\n",
                           "u16[240,130]{1,0:T(3)}", "u16"),
                  backend);
  for (const auto& [size, start] : {std::pair(2, 2), {4, 4}, {2, 0}, {4, 9}}) {
    const std::string update = absl::StrCat("s8[512,", size, "]");
    ExpectAsPlanned(
        FusionOf({"s8[512,8]", update},
                 absl::StrCat("z = s32[] constant(0)\ni = s32[] constant(", start,
                              ")\nROOT v = s8[512,8] dynamic-update-slice(p0, p1, z, i)\n"),
                 "s8[512,8]"),
        backend);
  }
}

// Bytes of packed rows in another shape, whose places one expression for all lanes hides.
TEST(SharedStores, PackedRowsInOtherShapes) {
  PtxBackend backend;
  ExpectAsPlanned(
      FusionOf({"f32[10000]"},
               "c = f32[] constant(0)\ns = f32[] reduce(p0, c), dimensions={0}, to_apply=sum\n"
               "b = f32[10000] broadcast(s), dimensions={}\nm = f32[10000] minimum(b, p0)\n"
               "v = f4e2m1fn[10000]{0:E(4)} convert(m)\n"
               "q = f4e2m1fn[10,100,10]{2,1,0:E(4)} reshape(v)\n"
               "ROOT t = (f4e2m1fn[10,100,10]{2,1,0:E(4)}, f4e2m1fn[10000]{0:E(4)}) tuple(q, v)\n",
               "(f4e2m1fn[10,100,10]{2,1,0:E(4)}, f4e2m1fn[10000]{0:E(4)})"),
      backend);
}

// Functions of one number may round to another type.
TEST(MixedFloats, OneOperand) {
  PtxBackend backend;
  for (const char* const from : {"f16", "bf16", "f32", "f8e5m2", "f4e2m1fn", "c64", "c128"}) {
    for (const char* const to : {"bf16", "f16", "f32", "f64", "f8e4m3fn"}) {
      for (const char* const function : {"real(p)", "imag(p)", "abs(p)",
                                         "reduce-precision(p), exponent_bits=5, mantissa_bits=3"}) {
        const bool is_complex = from[0] == 'c';
        if (is_complex && function[0] == 'r' && function[2] == 'd') continue;
        KernelCheck check(
            absl::StrCat("HloModule m\nENTRY e { p = ", from, "[40] parameter(0)\nROOT r = ", to,
                         "[40] ", function, " }\n"),
            backend);
        EXPECT_EQ(check.Run(1, 1e-6), "") << from << " " << to << " " << function;
      }
    }
  }
}

// Such functions are as exact as the result's type asks for.
TEST(MixedFloats, PrecisionOfTheResult) {
  PtxBackend backend;
  for (const char* const from : {"f32", "f16", "f8e4m3fn"}) {
    for (const char* const to : {"f64", "f32", "bf16"}) {
      for (const char* const function :
           {"tanh", "exponential", "sine", "cbrt", "logistic", "erf"}) {
        KernelCheck check(
            absl::StrCat("HloModule m\nENTRY e { p = ", from, "[256] parameter(0)\nROOT r = ", to,
                         "[256] ", function, "(p) }\n"),
            backend);
        const double tolerance = to[1] == '6' ? 1e-15 : to[1] == '3' ? 3e-7 : 1e-2;
        EXPECT_EQ(check.Run(1, tolerance), "") << from << " " << to << " " << function;
      }
    }
  }
}

// The turns of a transpose that are written out: what they read of a row beside the tile, which all
// have alike, comes before them, though the last turn is of fewer threads.
TEST(SharedLoads, TurnsOfATranspose) {
  PtxBackend backend;
  const std::string transposed = FusionOf(
      {"f16[12,4812]", "f16[12]"},
      "t = f16[4812,12] transpose(p0), dimensions={1,0}\n"
      "b = f16[4812,12] broadcast(p1), dimensions={1}\nROOT m = f16[4812,12] maximum(t, b)\n",
      "f16[4812,12]");
  ExpectAsPlanned(transposed, backend);
  // Of several outputs, whose code is long, and whose turns all threads have.
  const std::string two =
      FusionOf({"s8[384,256]", "s8[256,384]", "s8[384]"},
               "t = s8[256,384] transpose(p0), dimensions={1,0}\n"
               "m = s8[256,384] multiply(t, p1)\nb = s8[256,384] broadcast(p2), dimensions={1}\n"
               "n = s8[256,384] multiply(t, b)\n"
               "ROOT o = (s8[256,384], s8[256,384]) tuple(m, n)\n",
               "(s8[256,384], s8[256,384])", "s8");
  ExpectAsPlanned(two, backend);
  // Those that fill the tile.
  const std::string filled = FusionOf(
      {"bf16[10,5855]", "bf16[5855]", "bf16[10,5855]"},
      "b = bf16[10,5855] broadcast(p1), dimensions={1}\na = bf16[10,5855] add(p0, b)\n"
      "m = bf16[10,5855] multiply(a, p2)\nROOT t = bf16[5855,10] transpose(m), dimensions={1,0}\n",
      "bf16[5855,10]");
  ExpectAsPlanned(filled, backend);
}

// Rows of which the last block has fewer, in turns of which the last has fewer threads: what each
// turn reads of the row is loaded in the first one.
TEST(SharedLoads, TurnsOfRowsThatEndEarly) {
  PtxBackend backend;
  const std::string module =
      FusionOf({"s8[44,384]", "s8[44]", "s8[44]"},
               "z = s8[] constant(0)\nr = s8[44] reduce(p0, z), dimensions={1}, to_apply=sum\n"
               "a = s8[44] maximum(p1, p2)\nb = s8[44] maximum(r, a)\n"
               "c = s8[44,384] broadcast(b), dimensions={0}\nROOT m = s8[44,384] multiply(p0, c)\n",
               "s8[44,384]", "s8");
  KernelCheck check(module, backend, /*multiprocessors=*/1);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAsPlanned());
}

// Outputs of one size share a loop, which comes before that of another size, whatever their order.
TEST(SharedLoads, OutputsOfSizesInAnyOrder) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"f32[4]"},
                           "z = f32[] constant(0)\n"
                           "r = f32[] reduce(p0, z), dimensions={0}, to_apply=sum\n"
                           "b = f32[4] broadcast(r), dimensions={}\ns = f32[4] subtract(p0, b)\n"
                           "y = f32[] negate(z)\n"
                           "ROOT t = (f32[], f32[4], f32[]) tuple(y, s, r)\n",
                           "(f32[], f32[4], f32[])"),
                  backend);
  ExpectAsPlanned(FusionOf({"f32[5]", "f32[]"},
                           "n = f32[5] negate(p0)\nm = f32[] negate(p1)\n"
                           "b = f32[5] broadcast(p1), dimensions={}\n"
                           "ROOT t = (f32[5], f32[], f32[5]) tuple(n, m, b)\n",
                           "(f32[5], f32[], f32[5])"),
                  backend);
}

// A reduction that all elements of a window are made of is computed once for the window, though
// only elements inside of it, which padding is not, are read.
TEST(SharedLoads, ReductionsBeforeWindows) {
  PtxBackend backend;
  for (const std::string window : {"window={size=17}", "window={size=17 pad=1_1}"}) {
    const std::string size = window == "window={size=17}" ? "24" : "26";
    const std::string module =
        FusionOf({"f32[1024]", "f32[40]"},
                 "z = f32[] constant(0)\nr = f32[] reduce(p0, z), dimensions={0}, to_apply=sum\n"
                 "b = f32[40] broadcast(r), dimensions={}\nm = f32[40] multiply(b, p1)\n" +
                     absl::StrCat("ROOT w = f32[", size, "] reduce-window(m, z), ", window,
                                  ", to_apply=sum\n"),
                 absl::StrCat("f32[", size, "]"));
    KernelCheck check(module, backend);
    EXPECT_EQ(check.Run(1, 1e-5), "");
    // A warp reads the 1,024 elements once, each of them in one request.
    EXPECT_LE(check.Measure().requests, 1024 + 64) << window;
  }
}

// A vector of four neighbours, and a loop of four turns around a reduction, which is not written
// out: lane and turn have the same values, and are two variables.
TEST(SharedLoads, ATurnIsNoLane) {
  PtxBackend backend;
  const std::string sums =
      "zero = s32[] constant(0)\n"
      "s = s32[33,8] reduce(p0, zero), dimensions={2}, to_apply=sum\n"
      "d = s32[4,4] dynamic-slice(s, p1, p1), dynamic_slice_sizes={4,4}\n"
      "b = s32[4,4] broadcast(p2), dimensions={1}\n"
      "e = s32[4,4] multiply(d, b)\n"
      "t = s32[4] reduce(e, zero), dimensions={1}, to_apply=sum\n";
  KernelCheck check(FusionOf({"s32[33,8,40]", "s32[]", "s32[4]"},
                             sums + "u = s32[256,4] broadcast(p2), dimensions={1}\n"
                                    "v = s32[256,4] broadcast(t), dimensions={1}\n"
                                    "ROOT w = s32[256,4] add(u, v)\n",
                             "s32[256,4]", "s32"),
                    backend, /*multiprocessors=*/1);
  const auto plan = check.Plan();
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->passes.front().vector_elements, 4);
  EXPECT_EQ(check.Run(1), "");
  // The reduction of a row of two in a vector of two.
  KernelCheck row(FusionOf({"s32[33,8,4]", "s32[]", "s32[1,2]"},
                           "zero = s32[] constant(0)\n"
                           "s = s32[33,8] reduce(p0, zero), dimensions={2}, to_apply=sum\n"
                           "d = s32[1,2] dynamic-slice(s, p1, p1), dynamic_slice_sizes={1,2}\n"
                           "e = s32[1,2] add(d, p2)\n"
                           "t = s32[1] reduce(e, zero), dimensions={1}, to_apply=sum\n"
                           "b = s32[1,2] broadcast(t), dimensions={0}\n"
                           "ROOT o = (s32[1], s32[1,2]) tuple(t, b)\n",
                           "(s32[1], s32[1,2])", "s32"),
                  backend);
  EXPECT_EQ(row.Run(1), "");
}

// What threads keep of their rows is none of an element in a loop: neither that of another loop
// within which it stands, nor, of a vector, that of all lanes.
TEST(SharedLoads, AKeptElementIsNoTurn) {
  PtxBackend backend;
  const std::string loops =
      "zero = s32[] constant(0)\n"
      "w = s32[8,8] gather(p0, p1), offset_dims={0}, collapsed_slice_dims={1}, "
      "start_index_map={1}, index_vector_dim=1, slice_sizes={8,1}\n"
      "a = s32[] reduce(w, zero), dimensions={0,1}, to_apply=sum\n"
      "d = s32[8,8] broadcast(a), dimensions={}\n"
      "e = s32[8] reduce(w, zero), dimensions={1}, to_apply=sum\n"
      "f = s32[8,8] broadcast(e), dimensions={0}\n"
      "g = s32[8,8] subtract(w, f)\n"
      "h = s32[8,8,8] broadcast(g), dimensions={0,1}\n"
      "i = s32[8,8,8] broadcast(g), dimensions={1,2}\n"
      "k = s32[8,8,8] multiply(h, i)\n"
      "j = s32[8,8] reduce(k, zero), dimensions={1}, to_apply=sum\n"
      "ROOT o = (s32[8,8], s32[8,8]) tuple(d, j)\n";
  KernelCheck nested(FusionOf({"s32[8,8]", "s32[8]"}, loops, "(s32[8,8], s32[8,8])", "s32"),
                     backend, /*multiprocessors=*/1);
  const auto plan = nested.Plan();
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->keeps_rows);
  EXPECT_EQ(nested.Run(1), "");

  const std::string lanes =
      "zero = s32[] constant(0)\n"
      "a = s32[] reduce(p1, zero), dimensions={0}, to_apply=sum\n"
      "b = s32[4,4] pad(p0, a), padding=1_0x0_0\n"
      "c = s32[4] reduce(p3, zero), dimensions={1}, to_apply=sum\n"
      "d = s32[4,4] broadcast(c), dimensions={0}\n"
      "g = s32[4,4] dot(p2, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "h = s32[4,4] dot(b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "i = s32[4] reduce(h, zero), dimensions={1}, to_apply=sum\n"
      "j = s32[4,4] broadcast(i), dimensions={0}\n"
      "ROOT o = s32[4,4] subtract(h, j)\n";
  KernelCheck vectors(
      FusionOf({"s32[3,4]", "s32[16]", "s32[4,4]", "s32[4,4]"}, lanes, "s32[4,4]", "s32"), backend,
      /*multiprocessors=*/1);
  EXPECT_EQ(vectors.Run(1), "");
}

// What all turns of a row have alike is made in the first of them, in branches, too.
TEST(SharedLoads, BranchesOfRows) {
  PtxBackend backend;
  for (const int columns : {734, 40, 2100}) {
    const std::string shape = absl::StrCat("s32[10,", columns, "]");
    ExpectAsPlanned(
        FusionOf({shape, "s32[5]"},
                 absl::StrCat("zero = s32[] constant(0)\n"
                              "a = s32[10] reduce(p0, zero), dimensions={1}, to_apply=sum\n"
                              "b = s32[5] iota(), iota_dimension=0\n"
                              "c = s32[10] concatenate(p1, b), dimensions={0}\n"
                              "d = s32[10] multiply(a, c)\n"
                              "g = ",
                              shape,
                              " broadcast(d), dimensions={0}\n"
                              "ROOT h = ",
                              shape, " add(p0, g)\n"),
                 shape, "s32"),
        backend);
  }
}

// Turns of a tile that is cut off load, under their conditions, what the first turn has loaded for
// fewer threads.
TEST(SharedLoads, TurnsOfACutTile) {
  PtxBackend backend;
  KernelCheck check(FusionOf({"f16[10]", "pred[5815]", "f16[10,5815]"},
                             "a = f16[5815,10] iota(), iota_dimension=0\n"
                             "b = f16[5815,10] broadcast(p0), dimensions={1}\n"
                             "c = pred[5815,10] broadcast(p1), dimensions={0}\n"
                             "d = f16[5815,10] select(c, a, b)\n"
                             "g = f16[5815,10] reverse(d), dimensions={0}\n"
                             "h = f16[10,5815] transpose(g), dimensions={1,0}\n"
                             "ROOT o = f16[10,5815] add(h, p2)\n",
                             "f16[10,5815]", "f16"),
                    backend, /*multiprocessors=*/1);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAsPlanned());
}

// Loops of elements at indices that are known at run time: the reduction of all elements, which is
// the same in all turns, and the index are loaded before the loop.
TEST(SharedLoads, LoopsBehindGathers) {
  PtxBackend backend;
  for (const int reduced : {0, 1}) {
    const std::string kept = reduced == 0 ? "s32[5]" : "s32[11]";
    KernelCheck check(
        FusionOf({"s32[17,5]", "s32[11]"},
                 absl::StrCat("zero = s32[] constant(0)\n"
                              "s = s32[] reduce(p0, zero), dimensions={0,1}, to_apply=sum\n"
                              "b = s32[17,5] broadcast(s), dimensions={}\n"
                              "a = s32[17,5] add(p0, b)\n"
                              "g = s32[11,5] gather(a, p1), offset_dims={1}, "
                              "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                              "slice_sizes={1,5}\nROOT r = ",
                              kept, " reduce(g, zero), dimensions={", reduced, "}, to_apply=sum\n"),
                 kept, "s32"),
        backend);
    EXPECT_EQ(check.Run(1), "");
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.IsAtMostAsPlanned()) << reduced;
  }
  ExpectAsPlanned(
      FusionOf({"s32[64]"},
               "i = s32[31,100] iota(), iota_dimension=1\nzero = s32[] constant(0)\n"
               "w = s32[31,100] reduce-window(i, zero), window={size=31x1 pad=30_0x0_0}, "
               "to_apply=sum\n"
               "t = s32[100,31] transpose(w), dimensions={1,0}\n"
               "ROOT g = s32[64,31] gather(t, p0), offset_dims={1}, collapsed_slice_dims={0}, "
               "start_index_map={0}, index_vector_dim=1, slice_sizes={1,31}\n",
               "s32[64,31]", "s32"),
      backend);
}

}  // namespace
}  // namespace hlo_indexing::emit
