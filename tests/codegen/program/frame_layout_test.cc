#include "codegen/program/frame_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/property/random.h"

namespace hlo_indexing::program {
namespace {

FrameBuffer Buffer(int64_t bytes, size_t first_step, size_t last_step) {
  FrameBuffer buffer;
  buffer.bytes = bytes;
  buffer.first_step = first_step;
  buffer.last_step = last_step;
  return buffer;
}

TEST(FrameLayoutTest, BuffersThatAreNotNeededAtTheSameTimeShareMemory) {
  std::vector<FrameBuffer> buffers = {Buffer(256, 0, 1), Buffer(512, 1, 2), Buffer(200, 2, 3)};
  const FrameSize size = LayOutFrame(buffers);
  EXPECT_EQ(buffers[0].offset, 0);
  EXPECT_EQ(buffers[1].offset, 256);
  EXPECT_EQ(buffers[2].offset, 0);
  EXPECT_EQ(size.bytes, 768);
  EXPECT_EQ(size.live_bytes, 768);
}

TEST(FrameLayoutTest, TheGapAtTheEndGrows) {
  std::vector<FrameBuffer> buffers = {Buffer(256, 0, 9), Buffer(256, 0, 0), Buffer(1024, 1, 9)};
  EXPECT_EQ(LayOutFrame(buffers).bytes, 1280);
  EXPECT_EQ(buffers[2].offset, 256);
}

TEST(FrameLayoutTest, EmptyFramesAndBuffers) {
  EXPECT_EQ(LayOutFrame({}).bytes, 0);
  std::vector<FrameBuffer> buffers = {Buffer(0, 0, 1), Buffer(1, 0, 1), Buffer(0, 1, 1)};
  EXPECT_EQ(LayOutFrame(buffers).bytes, 256);
}

TEST(FrameLayoutTest, RandomBuffersThatLiveTogetherLieApart) {
  testing::Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<FrameBuffer> buffers;
    const int64_t count = random.Between(1, 40);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t first = random.Between(0, 20);
      buffers.push_back(Buffer(random.Between(0, 3000), static_cast<size_t>(first),
                               static_cast<size_t>(first + random.Between(0, 6))));
    }
    const FrameSize size = LayOutFrame(buffers);
    int64_t most = 0;
    int64_t all = 0;
    const auto padded = [](const FrameBuffer& buffer) {
      return (buffer.bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
    };
    for (size_t step = 0; step < 30; ++step) {
      int64_t live = 0;
      for (const FrameBuffer& buffer : buffers) {
        if (buffer.first_step <= step && step <= buffer.last_step) live += padded(buffer);
      }
      most = std::max(most, live);
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      const FrameBuffer& a = buffers[i];
      all += padded(a);
      EXPECT_EQ(a.offset % kFrameAlignment, 0);
      EXPECT_LE(a.offset + padded(a), size.bytes);
      for (size_t k = 0; k < i; ++k) {
        const FrameBuffer& b = buffers[k];
        const bool live_together = a.first_step <= b.last_step && b.first_step <= a.last_step;
        const bool lie_apart = a.offset + padded(a) <= b.offset || b.offset + padded(b) <= a.offset;
        EXPECT_TRUE(!live_together || lie_apart || padded(a) == 0 || padded(b) == 0);
      }
    }
    EXPECT_EQ(size.live_bytes, most);
    EXPECT_GE(size.bytes, most);
    EXPECT_LE(size.bytes, all);
  }
}

}  // namespace
}  // namespace hlo_indexing::program
