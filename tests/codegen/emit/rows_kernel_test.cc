// Kernels of rows that are reduced, and then made of the results: what is read how often.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

constexpr char kReducers[] = R"(
sum_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
largest_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
argmax { v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
  gt = pred[] compare(v, w), direction=GT eq = pred[] compare(v, w), direction=EQ
  lt = pred[] compare(i, j), direction=LT tie = pred[] and(eq, lt) keep = pred[] or(gt, tie)
  x = f32[] select(keep, v, w) y = s32[] select(keep, i, j) ROOT r = (f32[], s32[]) tuple(x, y) }
)";

// Each access as often as planned.
Traffic MeasureAsPlanned(KernelCheck& check, const std::string& name) {
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "") << name;
  EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << name;
  EXPECT_EQ(traffic.requests, traffic.planned_requests) << name;
  EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts) << name;
  return traffic;
}

TEST(RowKernels, RowsThatAreReducedAndGoOn) {
  PtxBackend backend;
  const auto softmax = [](const std::string& type, int64_t rows, int64_t length) {
    const std::string of_all = absl::StrCat(type, "[", rows, ",", length, "]");
    const std::string of_rows = absl::StrCat("f32[", rows, "]");
    const std::string wide = absl::StrCat("f32[", rows, ",", length, "]");
    return absl::StrCat(
        "HloModule m\n", kReducers, "fused {\nx = ", of_all, " parameter(0)\nf = ", wide,
        " convert(x)\nl = f32[] constant(-inf)\nm = ", of_rows,
        " reduce(f, l), dimensions={1}, to_apply=largest_f32\nb = ", wide,
        " broadcast(m), dimensions={0}\nd = ", wide, " subtract(f, b)\ne = ", wide,
        " exponential(d)\nz = f32[] constant(0)\ns = ", of_rows,
        " reduce(e, z), dimensions={1}, to_apply=sum_f32\nt = ", wide,
        " broadcast(s), dimensions={0}\nq = ", wide, " divide(e, t)\nROOT r = ", of_all,
        " convert(q)\n}\nENTRY e {\nx = ", of_all, " parameter(0)\nROOT r = ", of_all,
        " fusion(x), kind=kCustom, calls=fused\n}\n");
  };
  for (const int64_t length : {16, 30, 33, 64, 700, 1024, 5000}) {
    for (const int64_t rows : {1, 7, 64}) {
      for (const char* type : {"f32", "bf16"}) {
        const double tolerance = std::string(type) == "f32" ? 1e-5 : 1e-2;
        KernelCheck check(softmax(type, rows, length), backend);
        EXPECT_EQ(check.Run(1, tolerance), "") << type << rows << "x" << length;
      }
    }
  }
  // What fits into registers is read once and written once; longer rows are read three times. The
  // vectors of some of these are not as many as the threads have.
  for (const int64_t length : {1024, 1056, 4168, 32768, 65536}) {
    KernelCheck check(softmax("f32", 64, length), backend);
    const Traffic traffic = MeasureAsPlanned(check, absl::StrCat(length));
    EXPECT_EQ(traffic.sectors, int64_t{length <= 32768 ? 2 : 4} * 64 * length / 8) << length;
  }
}

// Of the same reductions one element for each row, alone or beside all elements: the logarithm of
// the sum of exponentials.
TEST(RowKernels, RowsThatBecomeOneElement) {
  PtxBackend backend;
  const auto module = [](const std::string& rows, int64_t length, bool has_softmax) {
    const std::string of_rows = absl::StrCat("f32[", rows, "]");
    const std::string wide = absl::StrCat("f32[", rows, rows.empty() ? "" : ",", length, "]");
    const std::string kept = rows.empty() ? "" : "0";
    const std::string reduced = rows.empty() ? "0" : "1";
    const std::string result = has_softmax ? absl::StrCat("(", of_rows, ", ", wide, ")") : of_rows;
    return absl::StrCat(
        "HloModule m\n", kReducers, "fused {\nx = ", wide,
        " parameter(0)\nl = f32[] constant(-inf)\nm = ", of_rows, " reduce(x, l), dimensions={",
        reduced, "}, to_apply=largest_f32\nb = ", wide, " broadcast(m), dimensions={", kept,
        "}\nd = ", wide, " subtract(x, b)\ne = ", wide,
        " exponential(d)\nz = f32[] constant(0)\ns = ", of_rows, " reduce(e, z), dimensions={",
        reduced, "}, to_apply=sum_f32\nn = ", of_rows, " log(s)\n",
        has_softmax ? absl::StrCat("t = ", wide, " broadcast(s), dimensions={", kept,
                                   "}\nq = ", wide, " divide(e, t)\na = ", of_rows,
                                   " add(n, m)\nROOT r = ", result, " tuple(a, q)")
                    : absl::StrCat("ROOT a = ", of_rows, " add(n, m)"),
        "\n}\nENTRY e {\nx = ", wide, " parameter(0)\nROOT r = ", result,
        " fusion(x), kind=kCustom, calls=fused\n}\n");
  };
  for (const int64_t length : {16, 33, 64, 700, 1024, 5000}) {
    for (const char* rows : {"", "1", "7", "64"}) {
      for (const bool has_softmax : {false, true}) {
        KernelCheck check(module(rows, length, has_softmax), backend);
        EXPECT_EQ(check.Run(1, 1e-5), "") << rows << "x" << length << " " << has_softmax;
      }
    }
  }
  for (const bool has_softmax : {false, true}) {
    KernelCheck check(module("64", 32768, has_softmax), backend);
    EXPECT_EQ(MeasureAsPlanned(check, "").sectors, (has_softmax ? 2 : 1) * 64 * 32768 / 8 + 64);
  }
}

// One array of a reduction of two, and what becomes of it.
TEST(RowKernels, OneArrayOfAReduction) {
  PtxBackend backend;
  for (const int64_t rows : {1, 5, 200}) {
    for (const int64_t length : {16, 100, 1024, 3000}) {
      const std::string kept = absl::StrCat("[", rows, "]");
      const std::string all = absl::StrCat("[", rows, ",", length, "]");
      KernelCheck check(
          absl::StrCat("HloModule m\n", kReducers, "f {\np = f32", all, " parameter(0)\ni = s32",
                       all, " iota(), iota_dimension=1\nl = f32[] constant(-inf)\n",
                       "z = s32[] constant(2147483647)\nm = (f32", kept, ", s32", kept,
                       ") reduce(p, i, l, z), dimensions={1}, to_apply=argmax\n", "g = s32", kept,
                       " get-tuple-element(m), index=1\nROOT r = s64", kept,
                       " convert(g)\n}\nENTRY e {\np = f32", all, " parameter(0)\nROOT r = s64",
                       kept, " fusion(p), kind=kLoop, calls=f\n}\n"),
          backend);
      EXPECT_EQ(check.Run(1), "") << rows << "x" << length;
      const Traffic traffic = check.Measure();
      EXPECT_EQ(traffic.error, "");
      EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << rows << "x" << length;
      EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts) << rows << "x" << length;
    }
  }
}

// What one thread has of a row is in one place of memory for the reduction and in another for the
// result, which would need other rows' results if threads went over it in the order of memory.
TEST(RowKernels, ResultsInAnotherLayout) {
  PtxBackend backend;
  for (const char* layout : {"{0,1}", "{1,0:T(8,128)}"}) {
    KernelCheck check(absl::StrCat("HloModule m\n", kReducers, R"(
          fused {
            p = f32[96,200]{1,0} parameter(0)
            c = f32[] constant(-inf)
            m = f32[96] reduce(p, c), dimensions={1}, to_apply=largest_f32
            b = f32[96,200] broadcast(m), dimensions={0}
            ROOT s = f32[96,200])",
                                   layout, R"( subtract(p, b)
          }
          ENTRY e { p = f32[96,200]{1,0} parameter(0) ROOT r = f32[96,200])",
                                   layout, " fusion(p), kind=kCustom, calls=fused }\n"),
                      backend);
    EXPECT_EQ(check.Run(1), "") << layout;
    const auto plan = check.Plan();
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->emitter, plan::Emitter::kRows) << layout;
    // Stores of lanes that are apart are a sector each, at most.
    EXPECT_LE(MeasureAsPlanned(check, layout).sectors, 96 * 200 / 8 + 96 * 200) << layout;
  }
}

// Two reductions of the same rows, one of an array whose rows do not lie one after the other.
TEST(RowKernels, ReductionsOfOtherLayouts) {
  PtxBackend backend;
  KernelCheck check(absl::StrCat("HloModule m\n", kReducers, R"(
    fused {
      p = f32[64,80]{0,1} parameter(0)
      c = f32[] constant(-inf)
      z = f32[] constant(0)
      m = f32[64] reduce(p, c), dimensions={1}, to_apply=largest_f32
      b = f32[64,80]{1,0} broadcast(m), dimensions={0}
      d = f32[64,80]{1,0} subtract(p, b)
      t = f32[64] reduce(d, z), dimensions={1}, to_apply=sum_f32
      u = f32[64,80]{1,0} broadcast(t), dimensions={0}
      ROOT s = f32[64,80]{1,0} multiply(d, u)
    }
    ENTRY e { p = f32[64,80]{0,1} parameter(0)
      ROOT r = f32[64,80]{1,0} fusion(p), kind=kCustom, calls=fused })"),
                    backend);
  EXPECT_EQ(check.Run(1, 1e-4), "");
  // Once each, not once for each element of a row.
  EXPECT_LE(MeasureAsPlanned(check, "").sectors, 64 * 80 + 64 * 80 / 8);
}

// Elements that a thread has not are computed from zeros: not where that might never end.
TEST(RowKernels, LoopsThatEndByTheirValuesAreNotComputedFromZeros) {
  PtxBackend backend;
  const auto plan_of = [&](const std::string& doubled) {
    KernelCheck check(absl::StrCat("HloModule m\n", kReducers, R"(
      is_small { s = (f32[16,33]) parameter(0) x = f32[16,33] get-tuple-element(s), index=0
        z = f32[] constant(0) l = f32[] constant(-inf)
        m = f32[] reduce(x, l), dimensions={0,1}, to_apply=largest_f32
        o = f32[] constant(100) ROOT r = pred[] compare(m, o), direction=LT }
      grow { s = (f32[16,33]) parameter(0) x = f32[16,33] get-tuple-element(s), index=0
        y = f32[16,33] add(x, x) ROOT r = (f32[16,33]) tuple(y) }
      fused {
        p = f32[16,33] parameter(0)
        q = f32[16,33] abs(p)
        o = f32[] constant(1)
        ob = f32[16,33] broadcast(o), dimensions={}
        v = f32[16,33] add(q, ob)
        )",
                                   doubled, R"(
        z = f32[] constant(0)
        t = f32[16] reduce(w, z), dimensions={1}, to_apply=sum_f32
        u = f32[16,33] broadcast(t), dimensions={0}
        ROOT s = f32[16,33] divide(w, u)
      }
      ENTRY e { p = f32[16,33] parameter(0)
        ROOT r = f32[16,33] fusion(p), kind=kCustom, calls=fused })"),
                      backend);
    return check.Plan();
  };
  const auto kept = plan_of("w = f32[16,33] add(v, v)");
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_TRUE(kept->keeps_rows);
  const auto looped = plan_of(
      "i = (f32[16,33]) tuple(v)\nn = (f32[16,33]) while(i), condition=is_small, body=grow\n"
      "w = f32[16,33] get-tuple-element(n), index=0");
  ASSERT_TRUE(looped.ok()) << looped.status();
  EXPECT_FALSE(looped->keeps_rows);
}

// Few columns: lanes of a warp that have the same are shuffled together.
// The initial value of a reduction is the result of another one, of the same row.
TEST(RowKernels, InitialValuesThatAreReduced) {
  PtxBackend backend;
  for (const int64_t length : {17, 33, 64, 128, 1025, 3120}) {
    for (const bool has_two_results : {false, true}) {
      const std::string array = absl::StrCat("s32[", length, "]");
      const std::string root =
          has_two_results
              ? "w = s64[] convert(m)\nROOT o = (s64[], s32[]) tuple(w, s)\n"
              : absl::StrCat("b = ", array, " broadcast(s), dimensions={}\nROOT o = ", array,
                             " subtract(p, b)\n");
      const std::string result = has_two_results ? "(s64[], s32[])" : array;
      const std::string module = absl::StrCat(
          "HloModule m\nsum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, "
          "b) }\nlargest { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, "
          "b) }\nfused {\np = ",
          array,
          " parameter(0)\nz = s32[] constant(7)\nm = s32[] reduce(p, "
          "z), dimensions={0}, to_apply=largest\ns = s32[] reduce(p, m), dimensions={0}, "
          "to_apply=sum\n",
          root, "}\nENTRY e {\np = ", array, " parameter(0)\nROOT r = ", result,
          " fusion(p), kind=kInput, calls=fused\n}\n");
      for (const int multiprocessors : {1, 84}) {
        KernelCheck check(module, backend, multiprocessors);
        EXPECT_EQ(check.Run(1), "") << module;
        EXPECT_TRUE(check.Measure().IsAsPlanned()) << module;
      }
    }
  }
}

// What is reduced goes through a loop of a program: none of its arrays is one of the rows.
TEST(RowKernels, ResultsThatLoopsCarry) {
  PtxBackend backend;
  for (const char* carried : {"b = s32[17] broadcast(s), dimensions={}",
                              "b = s32[17] dynamic-slice(q, s), dynamic_slice_sizes={17}"}) {
    // The array stands where the rank is that of the rows, or where it is not.
    for (const int place : {0, 1}) {
      const std::string state = place == 0 ? "(s32[17], s32[])" : "(s32[], s32[17])";
      const std::string declared = absl::StrCat("t = ", state,
                                                " parameter(0) i = s32[] "
                                                "get-tuple-element(t), index=",
                                                1 - place, " ");
      KernelCheck check(
          absl::StrCat("HloModule m\nsum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = "
                       "s32[] add(a, b) }\ncond { ",
                       declared,
                       "n = s32[] constant(2) ROOT r = "
                       "pred[] compare(i, n), direction=LT }\nbody { ",
                       declared, "x = s32[17] get-tuple-element(t), index=", place,
                       " o = s32[] constant(1) j = s32[] add(i, o) y = s32[17] negate(x) ROOT r = ",
                       state, " tuple(", place == 0 ? "y, j" : "j, y",
                       ") }\nfused {\np = s32[17] parameter(0)\nq = s32[20] parameter(1)\n"
                       "z = s32[] constant(0)\ns = s32[] reduce(p, z), dimensions={0}, "
                       "to_apply=sum\n",
                       carried, "\ni = s32[] constant(0)\nt = ", state, " tuple(",
                       place == 0 ? "b, i" : "i, b", ")\nw = ", state,
                       " while(t), condition=cond, body=body\nROOT o = s32[17] "
                       "get-tuple-element(w), index=",
                       place,
                       "\n}\nENTRY e {\np = s32[17] parameter(0)\nq = s32[20] parameter(1)\n"
                       "ROOT r = s32[17] fusion(p, q), kind=kLoop, calls=fused\n}\n"),
          backend);
      EXPECT_EQ(check.Run(1), "") << carried << place;
    }
  }
}

TEST(RowKernels, FewColumns) {
  PtxBackend backend;
  for (const int64_t columns : {1, 2, 3, 4, 8, 12, 16, 32, 64, 96}) {
    for (const int64_t rows : {5, 31, 72, 700, 5000}) {
      const std::string text =
          absl::StrCat("HloModule m\n", kReducers, "fused {\np = f32[3,", rows, ",", columns,
                       "] parameter(0)\nz = f32[] constant(0)\nROOT t = f32[3,", columns,
                       "] reduce(p, z), dimensions={1}, to_apply=sum_f32\n}\nENTRY e { p = f32[3,",
                       rows, ",", columns, "] parameter(0) ROOT r = f32[3,", columns,
                       "] fusion(p), kind=kInput, calls=fused }\n");
      KernelCheck check(text, backend);
      EXPECT_EQ(check.Run(1, 1e-4), "") << rows << "x" << columns;
    }
  }
}

// The second turn of a thread begins where no row does: it is a vector all the same.
TEST(RowKernels, VectorsThatBeginWithinRowsAreOneLoad) {
  PtxBackend backend;
  KernelCheck check(R"(add {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT r = f32[] add(a, b) }
  f {
    p = f32[2064,3] parameter(0)
    q = f32[] parameter(1)
    i = f32[] constant(0)
    r = f32[] reduce(p, i), dimensions={0,1}, to_apply=add
    ROOT s = f32[] add(r, q) }
  ENTRY e {
    p = f32[2064,3] parameter(0)
    q = f32[] parameter(1)
    ROOT f = f32[] fusion(p, q), kind=kInput, calls=f })",
                    backend);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  EXPECT_TRUE(traffic.is_exact);
  EXPECT_TRUE(traffic.IsAsPlanned());
}

// What several outputs of a row read is loaded once if the first has all threads, and again where a
// branch ends. Outputs of the same elements are stored in the same branch.
TEST(RowKernels, OutputsOfSomeThreads) {
  PtxBackend backend;
  for (const std::string length : {"31", "32", "127", "2000"}) {
    const std::string rows = "f32[5," + length + "]";
    const std::string flat = "f32[5,1," + length + "]";
    KernelCheck check(R"(max {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] maximum(a, b) }
    f {
      p = )" + rows + R"( parameter(0)
      q = f32[5] parameter(1)
      i = f32[] constant(-inf)
      m = f32[5] reduce(p, i), dimensions={1}, to_apply=max
      a = f32[5] add(m, q)
      b = )" + rows + R"( broadcast(a), dimensions={0}
      c = )" + flat + R"( reshape(b)
      ROOT t = ()" + rows +
                          ", " + flat +
                          R"(, f32[5]) tuple(b, c, a) }
    ENTRY e {
      p = )" + rows + R"( parameter(0)
      q = f32[5] parameter(1)
      ROOT f = ()" + rows +
                          ", " + flat + R"(, f32[5]) fusion(p, q), kind=kLoop, calls=f })",
                      backend);
    EXPECT_EQ(check.Run(1), "") << length;
    MeasureAsPlanned(check, length);
  }
}

// Rows whose last vectors only some threads have, and that go on in other rows: what is read for
// the sum is there for the quotient.
TEST(RowKernels, RowsThatGoOnInOtherRows) {
  PtxBackend backend;
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"32,96", "24,128"},
                                                        {"32,96", "96,32"},
                                                        {"16,200", "25,128"},
                                                        {"8,1056", "33,256"},
                                                        {"6,40", "3,80"},
                                                        {"64,24", "48,32"},
                                                        {"10,160", "5,2,160"},
                                                        {"33,96", "32,33,3"},
                                                        {"33,3072", "1024,33,3"},
                                                        {"14,90", "45,14,2"},
                                                        {"6,84", "12,6,7"}}) {
    const std::string rows = from.substr(0, from.find(','));
    KernelCheck check(absl::StrCat(R"(add {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b) }
    f {
      p = f32[)",
                                   from, R"(] parameter(0)
      z = f32[] constant(0)
      s = f32[)",
                                   rows, R"(] reduce(p, z), dimensions={1}, to_apply=add
      b = f32[)",
                                   from, R"(] broadcast(s), dimensions={0}
      d = f32[)",
                                   from, R"(] divide(p, b)
      ROOT n = f32[)",
                                   to, R"(] reshape(d) }
    ENTRY e {
      p = f32[)",
                                   from, R"(] parameter(0)
      ROOT f = f32[)",
                                   to, R"(] fusion(p), kind=kInput, calls=f })"),
                      backend);
    const std::string name = absl::StrCat(from, " -> ", to);
    EXPECT_EQ(check.Run(1), "") << name;
    MeasureAsPlanned(check, name);
  }
}

// What is loaded in straight code of all threads is there in other loops; what a loop loads is not.
TEST(RowKernels, LoadsOfOtherLoops) {
  PtxBackend backend;
  for (const char* const type : {"s8", "s32"}) {
    for (const auto& [size, rows] : std::vector<std::pair<int, int>>{{8, 4}, {16, 8}, {60, 3}}) {
      const std::string array = absl::StrCat(type, "[", size, ",1]");
      const std::string result = absl::StrCat(type, "[", rows, "]");
      const std::string outputs = absl::StrCat("(", result, ", ", array, ")");
      KernelCheck check(
          absl::StrCat("add {\n a = ", type, "[] parameter(0)\n b = ", type,
                       "[] parameter(1)\n ROOT r = ", type, "[] add(a, b) }\nf {\n p = ", array,
                       " parameter(0)\n q = ", type, "[", rows, ",", size / rows,
                       "] reshape(p)\n z = ", type, "[] constant(0)\n s = ", result,
                       " reduce(q, z), dimensions={1}, to_apply=add\n ROOT t = ", outputs,
                       " tuple(s, p) }\nENTRY e {\n p = ", array,
                       " parameter(0)\n ROOT r = ", outputs, " fusion(p), kind=kInput, calls=f }"),
          backend);
      EXPECT_EQ(check.Run(1), "") << array;
      MeasureAsPlanned(check, absl::StrCat(array, " to ", result));
    }
  }
}

// What a row reads in later turns only, and what another turn's threads read.
TEST(RowKernels, OperandsOfLaterTurns) {
  PtxBackend backend;
  for (const auto& [first, second] : std::vector<std::pair<int, int>>{
           {17, 5}, {17, 1}, {19, 7}, {25, 5}, {10, 12}, {12, 1}, {33, 5}, {49, 3}}) {
    const auto rows = [](int length) { return absl::StrCat("f32[3,", length, "]"); };
    KernelCheck check(absl::StrCat(R"(add {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b) }
    f {
      p = )",
                                   rows(first), R"( parameter(0)
      q = f32[3] parameter(1)
      b = )",
                                   rows(second), R"( broadcast(q), dimensions={0}
      c = )",
                                   rows(first + second), R"( concatenate(p, b), dimensions={1}
      z = f32[] constant(0)
      ROOT r = f32[3] reduce(c, z), dimensions={1}, to_apply=add }
    ENTRY e {
      p = )",
                                   rows(first), R"( parameter(0)
      q = f32[3] parameter(1)
      ROOT f = f32[3] fusion(p, q), kind=kInput, calls=f })"),
                      backend);
    const std::string name = absl::StrCat(first, " and ", second);
    EXPECT_EQ(check.Run(1), "") << name;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << name;
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << name;
    // Of two branches that load, LLVM may make one load.
    EXPECT_LE(traffic.requests, traffic.planned_requests) << name;
  }
}

// With a transposed operand or result not as a transpose, of which each thread would reduce a row
// for each of its elements. Short rows are transposes.
TEST(RowKernels, RowsBesideTransposes) {
  PtxBackend backend;
  const auto emitter_of = [&](int64_t rows, int64_t length, bool is_result) {
    const std::string array = absl::StrCat("f32[", rows, ",", length, "]");
    const std::string transposed = absl::StrCat("f32[", length, ",", rows, "]");
    const std::string of_rows = absl::StrCat("f32[", rows, "]");
    const std::string parameters =
        absl::StrCat("x = ", array, " parameter(0)\ny = ", transposed, " parameter(1)\n");
    const std::string body = absl::StrCat(
        "l = f32[] constant(-inf)\nm = ", of_rows,
        " reduce(x, l), dimensions={1}, to_apply=largest_f32\nb = ", array,
        " broadcast(m), dimensions={0}\nd = ", array, " subtract(x, b)\n",
        is_result ? absl::StrCat("t = ", transposed, " transpose(d), dimensions={1,0}\nROOT r = ",
                                 transposed, " multiply(t, y)\n")
                  : absl::StrCat("t = ", array, " transpose(y), dimensions={1,0}\nROOT r = ", array,
                                 " multiply(d, t)\n"));
    KernelCheck check(
        absl::StrCat("HloModule m\n", kReducers, "fused {\n", parameters, body, "}\nENTRY e {\n",
                     parameters, "ROOT r = ", is_result ? transposed : array,
                     " fusion(x, y), kind=kInput, calls=fused\n}\n"),
        backend);
    EXPECT_EQ(check.Run(1), "") << array << is_result;
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.IsAtMostAsPlanned()) << array << is_result;
    const auto plan = check.Plan();
    EXPECT_TRUE(plan.ok());
    return plan->emitter;
  };
  for (const bool is_result : {false, true}) {
    for (const auto& [rows, length] : {std::pair(17, 1025), {64, 4100}, {33, 40}, {128, 1024}}) {
      EXPECT_EQ(emitter_of(rows, length, is_result), plan::Emitter::kRows) << length << is_result;
    }
    EXPECT_EQ(emitter_of(4096, 8, is_result), plan::Emitter::kTranspose) << is_result;
  }
}

// A thread stores the elements of its row where the root has them: each is read once, and each sum
// made once, whatever the order of the dimensions. Loads and stores of several outputs.
TEST(RowKernels, TransposedRows) {
  PtxBackend backend;
  for (const auto& [rows, length] : {std::pair(48, 128), {3, 1000}, {17, 33}, {64, 4100}}) {
    const std::string sizes = absl::StrCat("[2,", rows, ",", length, "]");
    const std::string array = "f32" + sizes;
    const std::string of_rows = absl::StrCat("f32[2,", rows, "]");
    const std::string transposed = absl::StrCat("bf16[", length, ",2,", rows, "]");
    const std::string outputs = absl::StrCat("(", transposed, ", ", array, ", ", of_rows, ")");
    KernelCheck check(
        absl::StrCat(
            "HloModule m\n", kReducers, "fused {\nx = ", array,
            " parameter(0)\nl = f32[] constant(-inf)\nn = ", array, " negate(x)\nm = ", of_rows,
            " reduce(n, l), dimensions={2}, to_apply=largest_f32\nb = ", array,
            " broadcast(m), dimensions={0,1}\nd = ", array, " subtract(n, b)\nh = bf16", sizes,
            " convert(d)\nt = ", transposed, " transpose(h), dimensions={2,0,1}\nROOT r = ",
            outputs, " tuple(t, d, m)\n}\nENTRY e {\nx = ", array,
            " parameter(0)\nROOT r = ", outputs, " fusion(x), kind=kInput, calls=fused\n}\n"),
        backend);
    EXPECT_EQ(check.Run(1), "") << sizes;
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.IsAsPlanned()) << sizes;
    // Each output element is a sector at most, and so is each operand.
    EXPECT_LE(traffic.sectors, 3 * 2 * rows * length + 2 * rows) << sizes;
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
