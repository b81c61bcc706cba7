// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Perception
import SeededRandom
import Testing
import Units

/// Drive and capture on two cards, with no reference between them.
struct TwoClockTests {
  /// A motion as a capture sees it whose clock is ahead, with what the engine says of both rates.
  private func measured(
    ppm: Double, said: Double?, pcms: [String] = ["hw:A", "hw:B"]
  ) throws -> (TakeDrive, TakeAnalysis.Result) {
    let rig = Rigs.described(drive: [.haptic: 1], capture: [.acceleration])
    let take = TakeBuilder(rig: rig, hasProbe: true).build(
      try Rigs.pattern([0, 1.5, 3].map { AHAPText.tap(at: $0) }))
    let plant = SyntheticPlant(noise: 0.001)
    let fine = plant.motion(take, volts: 4, oversampling: 4)
    var random = SeededRandom(seed: 0x2c10)
    let samples = (0..<take.layout.frameCount).map { frame -> Float in
      let place = min(Double(frame) / (1 + ppm * 1e-6) * 4, Double(fine.count - 2))
      let whole = Int(place)
      let value = fine[whole] + (place - Double(whole)) * (fine[whole + 1] - fine[whole])
      return Float(value + plant.offset + plant.noise * random.gaussian())
    }
    var statistics = StreamStatistics()
    statistics.negotiations = pcms.map {
      Negotiation(
        direction: "", pcm: $0, cardName: "", access: "", format: .s32, channelCount: 1,
        rate: 48_000, periodFrames: 64, bufferFrames: 256)
    }
    if let said {
      statistics.driveRate = .init(ppm: -7, uncertainty: 0.03, pairCount: 40)
      statistics.captureRate = .init(ppm: said - 7, uncertainty: 0.04, pairCount: 50)
    }
    let recording = Recording(
      channels: [.init(description: rig.capture.channels[0].port, samples: samples)],
      rate: take.rate, frameCount: samples.count, driveFrameCount: samples.count,
      statistics: statistics)
    return (
      take,
      TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
        take, recording, pattern: "pattern", number: 1)
    )
  }

  private func onsets(_ result: TakeAnalysis.Result) -> [Double] {
    result.readings.filter { $0.name == ReadingName(.latencyOnset) }.compactMap(\.value)
  }

  @Test func `what two clocks drift apart is taken off the times of events`() throws {
    let (_, result) = try measured(ppm: 120, said: 120)
    let times = onsets(result)
    #expect(times.count == 3)
    // 120 ppm of 3 s are 360 us; noise moves an onset by some 20 us.
    #expect((times.max() ?? 1) - (times.min() ?? 0) < 60e-6, "\(times)")
    let drift = try #require(result.readings.first { $0.name == ReadingName(.drift) })
    #expect(drift.value == 120)
    #expect(drift.uncertainty == 0.05)
    #expect(drift.count == 40)
    #expect(drift.note?.contains("two devices") == true)
  }

  @Test func `one card has one clock, whatever scatter its two rates show`() throws {
    let (_, result) = try measured(ppm: 0, said: 120, pcms: ["hw:A", "hw:A"])
    let times = onsets(result)
    #expect((times.max() ?? 1) - (times.min() ?? 0) < 60e-6, "\(times)")
    let drift = try #require(result.readings.first { $0.name == ReadingName(.drift) })
    #expect(drift.value == nil)
  }
}
