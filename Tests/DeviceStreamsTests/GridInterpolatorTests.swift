// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import DeviceStreams

struct GridInterpolatorTests {
  /// Frames of a tone that is sampled, in the middle of what can be made of it.
  private func frames(
    of frequency: Double, sampleRate: Double, frameRate: Double, position: Double = 40.25,
    count: Int = 400
  ) -> (made: [Double], times: [Double]) {
    var grid = GridInterpolator(sampleRate: sampleRate, frameRate: frameRate, channelCount: 1)
    grid.start(at: position)
    var made: [Double] = []
    var times: [Double] = []
    for index in 0..<count {
      grid.append([cos(2 * .pi * frequency * Double(index) / sampleRate)], index: index)
      while grid.isReady {
        times.append(grid.position / sampleRate)
        made.append(grid.next()[0])
      }
    }
    return (made, times)
  }

  @Test(arguments: [0, 10, 170, 230, 420.0])
  func `a tone up to 0.42 of the rate keeps its level and its time`(frequency: Double) {
    let (made, times) = frames(of: frequency, sampleRate: 1000, frameRate: 8000)
    #expect(made.count > 2000)
    let worst = zip(made, times).map { abs($0 - cos(2 * .pi * frequency * $1)) }.max() ?? 1
    // 0.002 dB is 2.3e-4.
    #expect(worst < 2.3e-4, "\(frequency) Hz is wrong by \(worst)")
  }

  @Test func `what lies beyond the frames' half is taken out`() {
    // 11 kHz on frames of 16 kHz would fold back to 5 kHz.
    let (made, _) = frames(
      of: 11_000, sampleRate: 26_667, frameRate: 16_000, position: 100.25, count: 800)
    #expect(made.count > 300)
    #expect((made.map(abs).max() ?? 1) < 1e-4)
  }

  @Test func `frames do not depend on how samples came`() {
    var whole = GridInterpolator(sampleRate: 9000, frameRate: 8000, channelCount: 2)
    var late = whole
    whole.start(at: 40)
    var one: [[Double]] = []
    for index in 7..<4700 {
      let sample = [sin(Double(index)), Double(index)]
      whole.append(sample, index: index)
      late.append(sample, index: index)
      while whole.isReady { one.append(whole.next()) }
    }
    late.start(at: 40)
    var two: [[Double]] = []
    while late.isReady { two.append(late.next()) }
    #expect(one == two)
    #expect(one.count > 4000)
  }
}
