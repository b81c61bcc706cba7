// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units

struct StreamFormatTests {
  @Test(arguments: [(0, 256), (-1, 256), (2, 0)])
  func `a stream without a channel or a period is a programmer's error`(
    channels: Int, period: Int
  ) async {
    await #expect(processExitsWith: .failure) { [channels, period] in
      _ = StreamFormat(rate: .standard, channelCount: channels, periodFrames: period)
    }
  }

  @Test func `samples are counted as frames`() {
    let format = StreamFormat(rate: .standard, channelCount: 3, periodFrames: 64)
    #expect(format.frameCount(ofSamples: 0) == 0)
    #expect(format.frameCount(ofSamples: 12) == 4)
  }

  @Test func `a part of a frame traps`() async {
    await #expect(processExitsWith: .failure) {
      let format = StreamFormat(rate: .standard, channelCount: 3, periodFrames: 64)
      format.frameCount(ofSamples: 13)
    }
  }
}
