#ifndef HLO_INDEXING_LAYOUT_CUTE_MMA_SM80_H_
#define HLO_INDEXING_LAYOUT_CUTE_MMA_SM80_H_

#include "layout/cute/complex.h"
#include "layout/cute/mma_atom.h"

// The instructions mma.sync of sm_80 for dense matrices, A row-major and B column-major:
// SM80_MxNxK_DABC_TN, with the types of the elements of D, A, B and C. _SATURATE keeps sums of
// integers in range; of one bit, XOR and AND count the bits in which operands differ, or which both
// have.
//
//   MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>
//
// They run on a device only, by a whole warp.
HLO_CUTE_BEGIN_NAMESPACE

// Instructions by how many registers D, A and B have. R and r are the type of a register of D and
// the letter that stands for it in an asm statement; S and s those of A and B.
#define HLO_CUTE_FMA_2_1_1(instruction, R, r, S, s)                                             \
  using DRegisters = R[2];                                                                      \
  using ARegisters = S[1];                                                                      \
  using BRegisters = S[1];                                                                      \
  using CRegisters = R[2];                                                                      \
  HLO_CUTE_INLINE static void fma([[maybe_unused]] R& d0, [[maybe_unused]] R& d1,               \
                                  [[maybe_unused]] S const& a0, [[maybe_unused]] S const& b0,   \
                                  [[maybe_unused]] R const& c0, [[maybe_unused]] R const& c1) { \
    HLO_CUTE_DEVICE_ASM("mma.sync.aligned." instruction                                         \
                        " {%0, %1}, {%2}, {%3}, {%4, %5};" : HLO_CUTE_OUT_##r(d0),              \
                        HLO_CUTE_OUT_##r(d1) : HLO_CUTE_IN_##s(a0), HLO_CUTE_IN_##s(b0),        \
                        HLO_CUTE_IN_##r(c0), HLO_CUTE_IN_##r(c1));                              \
  }
#define HLO_CUTE_FMA_2_2_1(instruction, R, r, S, s)                                           \
  using DRegisters = R[2];                                                                    \
  using ARegisters = S[2];                                                                    \
  using BRegisters = S[1];                                                                    \
  using CRegisters = R[2];                                                                    \
  HLO_CUTE_INLINE static void fma([[maybe_unused]] R& d0, [[maybe_unused]] R& d1,             \
                                  [[maybe_unused]] S const& a0, [[maybe_unused]] S const& a1, \
                                  [[maybe_unused]] S const& b0, [[maybe_unused]] R const& c0, \
                                  [[maybe_unused]] R const& c1) {                             \
    HLO_CUTE_DEVICE_ASM("mma.sync.aligned." instruction                                       \
                        " {%0, %1}, {%2, %3}, {%4}, {%5, %6};" : HLO_CUTE_OUT_##r(d0),        \
                        HLO_CUTE_OUT_##r(d1) : HLO_CUTE_IN_##s(a0), HLO_CUTE_IN_##s(a1),      \
                        HLO_CUTE_IN_##s(b0), HLO_CUTE_IN_##r(c0), HLO_CUTE_IN_##r(c1));       \
  }
#define HLO_CUTE_FMA_4_2_1(instruction, R, r, S, s)                                             \
  using DRegisters = R[4];                                                                      \
  using ARegisters = S[2];                                                                      \
  using BRegisters = S[1];                                                                      \
  using CRegisters = R[4];                                                                      \
  HLO_CUTE_INLINE static void fma(                                                              \
      [[maybe_unused]] R& d0, [[maybe_unused]] R& d1, [[maybe_unused]] R& d2,                   \
      [[maybe_unused]] R& d3, [[maybe_unused]] S const& a0, [[maybe_unused]] S const& a1,       \
      [[maybe_unused]] S const& b0, [[maybe_unused]] R const& c0, [[maybe_unused]] R const& c1, \
      [[maybe_unused]] R const& c2, [[maybe_unused]] R const& c3) {                             \
    HLO_CUTE_DEVICE_ASM(                                                                        \
        "mma.sync.aligned." instruction                                                         \
        " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" : HLO_CUTE_OUT_##r(d0),         \
        HLO_CUTE_OUT_##r(d1), HLO_CUTE_OUT_##r(d2), HLO_CUTE_OUT_##r(d3) : HLO_CUTE_IN_##s(a0), \
        HLO_CUTE_IN_##s(a1), HLO_CUTE_IN_##s(b0), HLO_CUTE_IN_##r(c0), HLO_CUTE_IN_##r(c1),     \
        HLO_CUTE_IN_##r(c2), HLO_CUTE_IN_##r(c3));                                              \
  }
#define HLO_CUTE_FMA_2_4_2(instruction, R, r, S, s)                                                \
  using DRegisters = R[2];                                                                         \
  using ARegisters = S[4];                                                                         \
  using BRegisters = S[2];                                                                         \
  using CRegisters = R[2];                                                                         \
  HLO_CUTE_INLINE static void fma([[maybe_unused]] R& d0, [[maybe_unused]] R& d1,                  \
                                  [[maybe_unused]] S const& a0, [[maybe_unused]] S const& a1,      \
                                  [[maybe_unused]] S const& a2, [[maybe_unused]] S const& a3,      \
                                  [[maybe_unused]] S const& b0, [[maybe_unused]] S const& b1,      \
                                  [[maybe_unused]] R const& c0, [[maybe_unused]] R const& c1) {    \
    HLO_CUTE_DEVICE_ASM("mma.sync.aligned." instruction                                            \
                        " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};" : HLO_CUTE_OUT_##r(d0), \
                        HLO_CUTE_OUT_##r(d1) : HLO_CUTE_IN_##s(a0), HLO_CUTE_IN_##s(a1),           \
                        HLO_CUTE_IN_##s(a2), HLO_CUTE_IN_##s(a3), HLO_CUTE_IN_##s(b0),             \
                        HLO_CUTE_IN_##s(b1), HLO_CUTE_IN_##r(c0), HLO_CUTE_IN_##r(c1));            \
  }
#define HLO_CUTE_FMA_4_4_2(instruction, R, r, S, s)                                                \
  using DRegisters = R[4];                                                                         \
  using ARegisters = S[4];                                                                         \
  using BRegisters = S[2];                                                                         \
  using CRegisters = R[4];                                                                         \
  HLO_CUTE_INLINE static void fma(                                                                 \
      [[maybe_unused]] R& d0, [[maybe_unused]] R& d1, [[maybe_unused]] R& d2,                      \
      [[maybe_unused]] R& d3, [[maybe_unused]] S const& a0, [[maybe_unused]] S const& a1,          \
      [[maybe_unused]] S const& a2, [[maybe_unused]] S const& a3, [[maybe_unused]] S const& b0,    \
      [[maybe_unused]] S const& b1, [[maybe_unused]] R const& c0, [[maybe_unused]] R const& c1,    \
      [[maybe_unused]] R const& c2, [[maybe_unused]] R const& c3) {                                \
    HLO_CUTE_DEVICE_ASM(                                                                           \
        "mma.sync.aligned." instruction                                                            \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" : HLO_CUTE_OUT_##r( \
            d0),                                                                                   \
        HLO_CUTE_OUT_##r(d1), HLO_CUTE_OUT_##r(d2), HLO_CUTE_OUT_##r(d3) : HLO_CUTE_IN_##s(a0),    \
        HLO_CUTE_IN_##s(a1), HLO_CUTE_IN_##s(a2), HLO_CUTE_IN_##s(a3), HLO_CUTE_IN_##s(b0),        \
        HLO_CUTE_IN_##s(b1), HLO_CUTE_IN_##r(c0), HLO_CUTE_IN_##r(c1), HLO_CUTE_IN_##r(c2),        \
        HLO_CUTE_IN_##r(c3));                                                                      \
  }
#define HLO_CUTE_FMA_4_8_4(instruction, R, r, S, s)                                                \
  using DRegisters = R[4];                                                                         \
  using ARegisters = S[8];                                                                         \
  using BRegisters = S[4];                                                                         \
  using CRegisters = R[4];                                                                         \
  HLO_CUTE_INLINE static void fma(                                                                 \
      [[maybe_unused]] R& d0, [[maybe_unused]] R& d1, [[maybe_unused]] R& d2,                      \
      [[maybe_unused]] R& d3, [[maybe_unused]] S const& a0, [[maybe_unused]] S const& a1,          \
      [[maybe_unused]] S const& a2, [[maybe_unused]] S const& a3, [[maybe_unused]] S const& a4,    \
      [[maybe_unused]] S const& a5, [[maybe_unused]] S const& a6, [[maybe_unused]] S const& a7,    \
      [[maybe_unused]] S const& b0, [[maybe_unused]] S const& b1, [[maybe_unused]] S const& b2,    \
      [[maybe_unused]] S const& b3, [[maybe_unused]] R const& c0, [[maybe_unused]] R const& c1,    \
      [[maybe_unused]] R const& c2, [[maybe_unused]] R const& c3) {                                \
    HLO_CUTE_DEVICE_ASM(                                                                           \
        "mma.sync.aligned." instruction                                                            \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, " \
        "%18, %19};" : HLO_CUTE_OUT_##r(d0),                                                       \
        HLO_CUTE_OUT_##r(d1), HLO_CUTE_OUT_##r(d2), HLO_CUTE_OUT_##r(d3) : HLO_CUTE_IN_##s(a0),    \
        HLO_CUTE_IN_##s(a1), HLO_CUTE_IN_##s(a2), HLO_CUTE_IN_##s(a3), HLO_CUTE_IN_##s(a4),        \
        HLO_CUTE_IN_##s(a5), HLO_CUTE_IN_##s(a6), HLO_CUTE_IN_##s(a7), HLO_CUTE_IN_##s(b0),        \
        HLO_CUTE_IN_##s(b1), HLO_CUTE_IN_##s(b2), HLO_CUTE_IN_##s(b3), HLO_CUTE_IN_##r(c0),        \
        HLO_CUTE_IN_##r(c1), HLO_CUTE_IN_##r(c2), HLO_CUTE_IN_##r(c3));                            \
  }
#define HLO_CUTE_IN_r(x) "r"(x)
#define HLO_CUTE_IN_f(x) "f"(x)
#define HLO_CUTE_IN_d(x) "d"(x)
#define HLO_CUTE_OUT_r(x) "=r"(x)
#define HLO_CUTE_OUT_f(x) "=f"(x)
#define HLO_CUTE_OUT_d(x) "=d"(x)
#define HLO_CUTE_MMA(name, m, n, k, D, A, B, registers, instruction, R, r, S, s) \
  struct name : detail::WarpMma<m, n, k, D, A, B, D> {                           \
    HLO_CUTE_FMA_##registers(instruction, R, r, S, s)                            \
  };
/// Halves, in halves or in floats.
HLO_CUTE_MMA(SM80_16x8x8_F16F16F16F16_TN, 16, 8, 8, half_t, half_t, half_t, 2_2_1,
             "m16n8k8.row.col.f16.f16.f16.f16", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x8_F32F16F16F32_TN, 16, 8, 8, float, half_t, half_t, 4_2_1,
             "m16n8k8.row.col.f32.f16.f16.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x8_F32BF16BF16F32_TN, 16, 8, 8, float, bfloat16_t, bfloat16_t, 4_2_1,
             "m16n8k8.row.col.f32.bf16.bf16.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_F16F16F16F16_TN, 16, 8, 16, half_t, half_t, half_t, 2_4_2,
             "m16n8k16.row.col.f16.f16.f16.f16", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_F32F16F16F32_TN, 16, 8, 16, float, half_t, half_t, 4_4_2,
             "m16n8k16.row.col.f32.f16.f16.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_F32BF16BF16F32_TN, 16, 8, 16, float, bfloat16_t, bfloat16_t, 4_4_2,
             "m16n8k16.row.col.f32.bf16.bf16.f32", float, f, uint32_t, r)
using SM75_16x8x8_F32F16F16F32_TN = SM80_16x8x8_F32F16F16F32_TN;
/// Floats of which the upper 19 bits are read, and doubles.
HLO_CUTE_MMA(SM80_16x8x4_F32TF32TF32F32_TN, 16, 8, 4, float, tfloat32_t, tfloat32_t, 4_2_1,
             "m16n8k4.row.col.f32.tf32.tf32.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x8_F32TF32TF32F32_TN, 16, 8, 8, float, tfloat32_t, tfloat32_t, 4_4_2,
             "m16n8k8.row.col.f32.tf32.tf32.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x4_F64F64F64F64_TN, 8, 8, 4, double, double, double, 2_1_1,
             "m8n8k4.row.col.f64.f64.f64.f64", double, d, double, d)
/// Doubles, on sm_90.
HLO_CUTE_MMA(SM90_16x8x4_F64F64F64F64_TN, 16, 8, 4, double, double, double, 4_2_1,
             "m16n8k4.row.col.f64.f64.f64.f64", double, d, double, d)
HLO_CUTE_MMA(SM90_16x8x8_F64F64F64F64_TN, 16, 8, 8, double, double, double, 4_4_2,
             "m16n8k8.row.col.f64.f64.f64.f64", double, d, double, d)
HLO_CUTE_MMA(SM90_16x8x16_F64F64F64F64_TN, 16, 8, 16, double, double, double, 4_8_4,
             "m16n8k16.row.col.f64.f64.f64.f64", double, d, double, d)
/// Integers of eight and of four bits.
HLO_CUTE_MMA(SM80_8x8x16_S32S8S8S32_TN, 8, 8, 16, int32_t, int8_t, int8_t, 2_1_1,
             "m8n8k16.row.col.s32.s8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32S8S8S32_TN_SATURATE, 8, 8, 16, int32_t, int8_t, int8_t, 2_1_1,
             "m8n8k16.row.col.satfinite.s32.s8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32S8U8S32_TN, 8, 8, 16, int32_t, int8_t, uint8_t, 2_1_1,
             "m8n8k16.row.col.s32.s8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32S8U8S32_TN_SATURATE, 8, 8, 16, int32_t, int8_t, uint8_t, 2_1_1,
             "m8n8k16.row.col.satfinite.s32.s8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32U8S8S32_TN, 8, 8, 16, int32_t, uint8_t, int8_t, 2_1_1,
             "m8n8k16.row.col.s32.u8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32U8S8S32_TN_SATURATE, 8, 8, 16, int32_t, uint8_t, int8_t, 2_1_1,
             "m8n8k16.row.col.satfinite.s32.u8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32U8U8S32_TN, 8, 8, 16, int32_t, uint8_t, uint8_t, 2_1_1,
             "m8n8k16.row.col.s32.u8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x16_S32U8U8S32_TN_SATURATE, 8, 8, 16, int32_t, uint8_t, uint8_t, 2_1_1,
             "m8n8k16.row.col.satfinite.s32.u8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32S8S8S32_TN, 16, 8, 16, int32_t, int8_t, int8_t, 4_2_1,
             "m16n8k16.row.col.s32.s8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32S8S8S32_TN_SATURATE, 16, 8, 16, int32_t, int8_t, int8_t, 4_2_1,
             "m16n8k16.row.col.satfinite.s32.s8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32S8U8S32_TN, 16, 8, 16, int32_t, int8_t, uint8_t, 4_2_1,
             "m16n8k16.row.col.s32.s8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32S8U8S32_TN_SATURATE, 16, 8, 16, int32_t, int8_t, uint8_t, 4_2_1,
             "m16n8k16.row.col.satfinite.s32.s8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32U8S8S32_TN, 16, 8, 16, int32_t, uint8_t, int8_t, 4_2_1,
             "m16n8k16.row.col.s32.u8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32U8S8S32_TN_SATURATE, 16, 8, 16, int32_t, uint8_t, int8_t, 4_2_1,
             "m16n8k16.row.col.satfinite.s32.u8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32U8U8S32_TN, 16, 8, 16, int32_t, uint8_t, uint8_t, 4_2_1,
             "m16n8k16.row.col.s32.u8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x16_S32U8U8S32_TN_SATURATE, 16, 8, 16, int32_t, uint8_t, uint8_t, 4_2_1,
             "m16n8k16.row.col.satfinite.s32.u8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S8S8S32_TN, 16, 8, 32, int32_t, int8_t, int8_t, 4_4_2,
             "m16n8k32.row.col.s32.s8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S8S8S32_TN_SATURATE, 16, 8, 32, int32_t, int8_t, int8_t, 4_4_2,
             "m16n8k32.row.col.satfinite.s32.s8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S8U8S32_TN, 16, 8, 32, int32_t, int8_t, uint8_t, 4_4_2,
             "m16n8k32.row.col.s32.s8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S8U8S32_TN_SATURATE, 16, 8, 32, int32_t, int8_t, uint8_t, 4_4_2,
             "m16n8k32.row.col.satfinite.s32.s8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U8S8S32_TN, 16, 8, 32, int32_t, uint8_t, int8_t, 4_4_2,
             "m16n8k32.row.col.s32.u8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U8S8S32_TN_SATURATE, 16, 8, 32, int32_t, uint8_t, int8_t, 4_4_2,
             "m16n8k32.row.col.satfinite.s32.u8.s8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U8U8S32_TN, 16, 8, 32, int32_t, uint8_t, uint8_t, 4_4_2,
             "m16n8k32.row.col.s32.u8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U8U8S32_TN_SATURATE, 16, 8, 32, int32_t, uint8_t, uint8_t, 4_4_2,
             "m16n8k32.row.col.satfinite.s32.u8.u8.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32S4S4S32_TN, 8, 8, 32, int32_t, int4b_t, int4b_t, 2_1_1,
             "m8n8k32.row.col.s32.s4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32S4S4S32_TN_SATURATE, 8, 8, 32, int32_t, int4b_t, int4b_t, 2_1_1,
             "m8n8k32.row.col.satfinite.s32.s4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32S4U4S32_TN, 8, 8, 32, int32_t, int4b_t, uint4b_t, 2_1_1,
             "m8n8k32.row.col.s32.s4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32S4U4S32_TN_SATURATE, 8, 8, 32, int32_t, int4b_t, uint4b_t, 2_1_1,
             "m8n8k32.row.col.satfinite.s32.s4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32U4S4S32_TN, 8, 8, 32, int32_t, uint4b_t, int4b_t, 2_1_1,
             "m8n8k32.row.col.s32.u4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32U4S4S32_TN_SATURATE, 8, 8, 32, int32_t, uint4b_t, int4b_t, 2_1_1,
             "m8n8k32.row.col.satfinite.s32.u4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32U4U4S32_TN, 8, 8, 32, int32_t, uint4b_t, uint4b_t, 2_1_1,
             "m8n8k32.row.col.s32.u4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x32_S32U4U4S32_TN_SATURATE, 8, 8, 32, int32_t, uint4b_t, uint4b_t, 2_1_1,
             "m8n8k32.row.col.satfinite.s32.u4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S4S4S32_TN, 16, 8, 32, int32_t, int4b_t, int4b_t, 4_2_1,
             "m16n8k32.row.col.s32.s4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S4S4S32_TN_SATURATE, 16, 8, 32, int32_t, int4b_t, int4b_t, 4_2_1,
             "m16n8k32.row.col.satfinite.s32.s4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S4U4S32_TN, 16, 8, 32, int32_t, int4b_t, uint4b_t, 4_2_1,
             "m16n8k32.row.col.s32.s4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32S4U4S32_TN_SATURATE, 16, 8, 32, int32_t, int4b_t, uint4b_t, 4_2_1,
             "m16n8k32.row.col.satfinite.s32.s4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U4S4S32_TN, 16, 8, 32, int32_t, uint4b_t, int4b_t, 4_2_1,
             "m16n8k32.row.col.s32.u4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U4S4S32_TN_SATURATE, 16, 8, 32, int32_t, uint4b_t, int4b_t, 4_2_1,
             "m16n8k32.row.col.satfinite.s32.u4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U4U4S32_TN, 16, 8, 32, int32_t, uint4b_t, uint4b_t, 4_2_1,
             "m16n8k32.row.col.s32.u4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x32_S32U4U4S32_TN_SATURATE, 16, 8, 32, int32_t, uint4b_t, uint4b_t, 4_2_1,
             "m16n8k32.row.col.satfinite.s32.u4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32S4S4S32_TN, 16, 8, 64, int32_t, int4b_t, int4b_t, 4_4_2,
             "m16n8k64.row.col.s32.s4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32S4S4S32_TN_SATURATE, 16, 8, 64, int32_t, int4b_t, int4b_t, 4_4_2,
             "m16n8k64.row.col.satfinite.s32.s4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32S4U4S32_TN, 16, 8, 64, int32_t, int4b_t, uint4b_t, 4_4_2,
             "m16n8k64.row.col.s32.s4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32S4U4S32_TN_SATURATE, 16, 8, 64, int32_t, int4b_t, uint4b_t, 4_4_2,
             "m16n8k64.row.col.satfinite.s32.s4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32U4S4S32_TN, 16, 8, 64, int32_t, uint4b_t, int4b_t, 4_4_2,
             "m16n8k64.row.col.s32.u4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32U4S4S32_TN_SATURATE, 16, 8, 64, int32_t, uint4b_t, int4b_t, 4_4_2,
             "m16n8k64.row.col.satfinite.s32.u4.s4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32U4U4S32_TN, 16, 8, 64, int32_t, uint4b_t, uint4b_t, 4_4_2,
             "m16n8k64.row.col.s32.u4.u4.s32", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x64_S32U4U4S32_TN_SATURATE, 16, 8, 64, int32_t, uint4b_t, uint4b_t, 4_4_2,
             "m16n8k64.row.col.satfinite.s32.u4.u4.s32", uint32_t, r, uint32_t, r)
using SM75_8x8x16_S32S8S8S32_TN = SM80_8x8x16_S32S8S8S32_TN;
/// Single bits.
HLO_CUTE_MMA(SM80_8x8x128_S32U1U1S32_TN_XORPOPC, 8, 8, 128, int32_t, uint1b_t, uint1b_t, 2_1_1,
             "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_8x8x128_S32U1U1S32_TN_ANDPOPC, 8, 8, 128, int32_t, uint1b_t, uint1b_t, 2_1_1,
             "m8n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x128_S32U1U1S32_TN_XORPOPC, 16, 8, 128, int32_t, uint1b_t, uint1b_t, 4_2_1,
             "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x128_S32U1U1S32_TN_ANDPOPC, 16, 8, 128, int32_t, uint1b_t, uint1b_t, 4_2_1,
             "m16n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x256_S32U1U1S32_TN_XORPOPC, 16, 8, 256, int32_t, uint1b_t, uint1b_t, 4_4_2,
             "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM80_16x8x256_S32U1U1S32_TN_ANDPOPC, 16, 8, 256, int32_t, uint1b_t, uint1b_t, 4_4_2,
             "m16n8k256.row.col.s32.b1.b1.s32.and.popc", uint32_t, r, uint32_t, r)
/// Eight-bit floats, of sm_89 and later.
HLO_CUTE_MMA(SM89_16x8x32_F32E4M3E4M3F32_TN, 16, 8, 32, float, float_e4m3_t, float_e4m3_t, 4_4_2,
             "m16n8k32.row.col.f32.e4m3.e4m3.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F32E4M3E5M2F32_TN, 16, 8, 32, float, float_e4m3_t, float_e5m2_t, 4_4_2,
             "m16n8k32.row.col.f32.e4m3.e5m2.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F32E5M2E4M3F32_TN, 16, 8, 32, float, float_e5m2_t, float_e4m3_t, 4_4_2,
             "m16n8k32.row.col.f32.e5m2.e4m3.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F32E5M2E5M2F32_TN, 16, 8, 32, float, float_e5m2_t, float_e5m2_t, 4_4_2,
             "m16n8k32.row.col.f32.e5m2.e5m2.f32", float, f, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F16E4M3E4M3F16_TN, 16, 8, 32, half_t, float_e4m3_t, float_e4m3_t, 2_4_2,
             "m16n8k32.row.col.f16.e4m3.e4m3.f16", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F16E4M3E5M2F16_TN, 16, 8, 32, half_t, float_e4m3_t, float_e5m2_t, 2_4_2,
             "m16n8k32.row.col.f16.e4m3.e5m2.f16", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F16E5M2E4M3F16_TN, 16, 8, 32, half_t, float_e5m2_t, float_e4m3_t, 2_4_2,
             "m16n8k32.row.col.f16.e5m2.e4m3.f16", uint32_t, r, uint32_t, r)
HLO_CUTE_MMA(SM89_16x8x32_F16E5M2E5M2F16_TN, 16, 8, 32, half_t, float_e5m2_t, float_e5m2_t, 2_4_2,
             "m16n8k32.row.col.f16.e5m2.e5m2.f16", uint32_t, r, uint32_t, r)
#undef HLO_CUTE_MMA
#undef HLO_CUTE_FMA_2_1_1
#undef HLO_CUTE_FMA_2_2_1
#undef HLO_CUTE_FMA_4_2_1
#undef HLO_CUTE_FMA_2_4_2
#undef HLO_CUTE_FMA_4_4_2
#undef HLO_CUTE_FMA_4_8_4
#undef HLO_CUTE_IN_r
#undef HLO_CUTE_IN_f
#undef HLO_CUTE_IN_d
#undef HLO_CUTE_OUT_r
#undef HLO_CUTE_OUT_f
#undef HLO_CUTE_OUT_d

/// Complex doubles, by four products of their parts.
struct SM80_8x8x4_C64C64C64C64_TN
    : detail::WarpMma<8, 8, 4, complex<double>, complex<double>, complex<double>, complex<double>> {
  using DRegisters = complex<double>[2];
  using ARegisters = complex<double>[1];
  using BRegisters = complex<double>[1];
  using CRegisters = complex<double>[2];
  HLO_CUTE_INLINE static void fma(complex<double>& d0, complex<double>& d1,
                                  complex<double> const& a, complex<double> const& b,
                                  complex<double> const& c0, complex<double> const& c1) {
    using Real = SM80_8x8x4_F64F64F64F64_TN;
    double re0 = 0;
    double re1 = 0;
    double im0 = 0;
    double im1 = 0;
    Real::fma(re0, re1, a.real(), b.real(), c0.real(), c1.real());
    Real::fma(im0, im1, a.real(), b.imag(), c0.imag(), c1.imag());
    Real::fma(d0.real(), d1.real(), -a.imag(), b.imag(), re0, re1);
    Real::fma(d0.imag(), d1.imag(), a.imag(), b.real(), im0, im1);
  }
};

namespace detail {

// The same by an instruction of 16 rows: `a` registers of A, `b` of B and four of C.
template <class Real, int k, int a, int b>
struct WideComplexMma
    : WarpMma<16, 8, k, complex<double>, complex<double>, complex<double>, complex<double>> {
  using DRegisters = complex<double>[4];
  using ARegisters = complex<double>[a];
  using BRegisters = complex<double>[b];
  using CRegisters = complex<double>[4];
  // The registers of A, of B and of C follow those of the result.
  template <class... R>
  HLO_CUTE_INLINE static void fma(complex<double>& d0, complex<double>& d1, complex<double>& d2,
                                  complex<double>& d3, R const&... operands) {
    static_assert(sizeof...(R) == a + b + 4, "fma(d..., a..., b..., c...)");
    const double re[] = {operands.real()...};
    const double im[] = {operands.imag()...};
    double minus_im[a];
    for (int i = 0; i < a; ++i) minus_im[i] = -im[i];
    double sum_re[4] = {};
    double sum_im[4] = {};
    constexpr make_seq<a> in_a{};
    constexpr make_seq<b> in_b{};
    Fma(sum_re[0], sum_re[1], sum_re[2], sum_re[3], re, re + a, re + a + b, in_a, in_b);
    Fma(sum_im[0], sum_im[1], sum_im[2], sum_im[3], im, re + a, im + a + b, in_a, in_b);
    Fma(d0.real(), d1.real(), d2.real(), d3.real(), minus_im, im + a, sum_re, in_a, in_b);
    Fma(d0.imag(), d1.imag(), d2.imag(), d3.imag(), re, im + a, sum_im, in_a, in_b);
  }

 private:
  template <int... i, int... j>
  HLO_CUTE_INLINE static void Fma(double& d0, double& d1, double& d2, double& d3, double const* x,
                                  double const* y, double const* z, seq<i...>, seq<j...>) {
    Real::fma(d0, d1, d2, d3, x[i]..., y[j]..., z[0], z[1], z[2], z[3]);
  }
};

}  // namespace detail

struct SM90_16x8x4_C64C64C64C64_TN : detail::WideComplexMma<SM90_16x8x4_F64F64F64F64_TN, 4, 2, 1> {
};
struct SM90_16x8x8_C64C64C64C64_TN : detail::WideComplexMma<SM90_16x8x8_F64F64F64F64_TN, 8, 4, 2> {
};
struct SM90_16x8x16_C64C64C64C64_TN
    : detail::WideComplexMma<SM90_16x8x16_F64F64F64F64_TN, 16, 8, 4> {};

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_MMA_SM80_H_
