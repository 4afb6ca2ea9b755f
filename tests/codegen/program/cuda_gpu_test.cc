// Programs through the interface of the CUDA driver, behind which is the virtual GPU.
#include "codegen/program/cuda_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "codegen/emit/ptx_backend.h"
#include "tests/codegen/program/program_check.h"

namespace hlo_indexing::program {
namespace {

using ::testing::HasSubstr;

CudaOptions VirtualDriver() {
  CudaOptions options;
  options.driver = VIRTUAL_CUDA_DRIVER;
  return options;
}

TEST(CudaGpuTest, RunsPrograms) {
  const auto gpu = CudaGpu::Open(VirtualDriver());
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  EXPECT_EQ((*gpu)->architecture(), 90);
  emit::PtxBackend backend;
  const ProgramCheck check(R"(
    few { s = (s32[], f32[70]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)
      ROOT r = pred[] compare(i, n), direction=LT }
    twice { s = (s32[], f32[70]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[70] get-tuple-element(s), index=1
      one = s32[] constant(1)
      j = s32[] add(i, one)
      b = f32[70] add(a, a)
      ROOT r = (s32[], f32[70]) tuple(j, b) }
    less { a = f32[] parameter(0) b = f32[] parameter(1)
      ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e {
      p = f32[70] parameter(0)
      z = s32[] constant(0)
      t = (s32[], f32[70]) tuple(z, p)
      w = (s32[], f32[70]) while(t), condition=few, body=twice
      x = f32[70] get-tuple-element(w), index=1
      y = f32[70] sort(x), dimensions={0}, to_apply=less
      ROOT r = (f32[70], f32[70], f32[70]) tuple(x, y, p) })",
                           backend);
  ASSERT_TRUE(check.is_accepted());
  EXPECT_EQ(check.RunOn(**gpu, 1, 0), "");
  EXPECT_EQ(check.RunOn(**gpu, 2, 0), "");
}

TEST(CudaGpuTest, ALoopEndsAtTheLimitOfSteps) {
  const auto gpu = CudaGpu::Open(VirtualDriver());
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  emit::PtxBackend backend;
  const ProgramCheck check(R"(
    less { s = (s32[], f32[100000]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(1000000)
      ROOT r = pred[] compare(i, n), direction=LT }
    step { s = (s32[], f32[100000]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[100000] get-tuple-element(s), index=1
      one = s32[] constant(1)
      j = s32[] add(i, one)
      b = f32[100000] add(a, a)
      ROOT r = (s32[], f32[100000]) tuple(j, b) }
    ENTRY e {
      p = f32[100000] parameter(0)
      z = s32[] constant(0)
      t = (s32[], f32[100000]) tuple(z, p)
      ROOT w = (s32[], f32[100000]) while(t), condition=less, body=step })",
                           backend);
  ASSERT_TRUE(check.is_accepted());
  const absl::Status status = check.RunWithin(**gpu, 1'000'000);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limit of 1000000 steps is reached"));
}

TEST(CudaGpuTest, WhatTheDriverRefusesIsAnErrorWithItsWords) {
  const auto gpu = CudaGpu::Open(VirtualDriver());
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  emit::Kernel kernel;
  kernel.name = "k";
  kernel.text = ".version 8.0 nothing";
  const std::string message((*gpu)->Launch(kernel, {}, 1).status().message());
  EXPECT_THAT(message, HasSubstr("cannot load the kernel k: a PTX JIT compilation failed"));
  EXPECT_THAT(message, HasSubstr("driver.ptx:1:14"));
  EXPECT_THAT(std::string((*gpu)->Free(7).message()), HasSubstr("cannot free memory"));
}

TEST(CudaGpuTest, WithoutADriverOrDeviceThereIsAReason) {
  CudaOptions options = VirtualDriver();
  options.device = 1;
  EXPECT_EQ(CudaGpu::Open(options).status().message(), "there is no GPU 1: the CUDA driver has 1");
  options.driver = "no_such_library.so";
  EXPECT_THAT(std::string(CudaGpu::Open(options).status().message()),
              HasSubstr("there is no CUDA driver here: no_such_library.so"));
  options.driver = "libm.so.6";
  EXPECT_THAT(std::string(CudaGpu::Open(options).status().message()),
              HasSubstr("the CUDA driver libm.so.6 has no cu"));
}

}  // namespace
}  // namespace hlo_indexing::program
