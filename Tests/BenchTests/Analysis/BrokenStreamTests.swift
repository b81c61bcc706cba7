// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Perception
import SeededRandom
import SignalAnalysis
import Testing
import Units

@testable import Bench

/// Takes whose stream broke and was started again, each time with another delay.
struct BrokenStreamTests {
  private static let rate = SampleRate(hertz: 24_000)

  /// A take of taps and buzzes in which every stretch has an electrical delay of its own.
  private struct BrokenTake {
    let take: TakeDrive
    let broken: TakeAnalysis.Result
    /// By stretch, the delay in seconds.
    let delays: [Double]
    let breaks: [Range<Int>]
    let alignment: TakeAlignment

    /// Breaks a take at times of the pattern, for 20 ms each; the steps between the delays of its
    /// stretches have a standard deviation of `step` seconds, and the engine says `said`.
    init(
      at times: [Double], events: [String], step: Double, seed: UInt64, said: Double? = nil,
      start: StreamStatistics.Start = .unlinked(offset: 0, uncertainty: 1e-5, reason: "")
    ) throws {
      var random = SeededRandom(seed: seed)
      var rig = Rigs.described()
      rig.drive.rate = BrokenStreamTests.rate
      let take = TakeBuilder(rig: rig, hasProbe: true).build(
        try Rigs.pattern(events, rate: BrokenStreamTests.rate))
      let rate = take.rate
      let layout = take.layout
      let breaks = times.map { time in
        let first = layout.pattern + Int((time * rate.hertz).rounded())
        return first..<(first + rate.wholeFrames(0.02))
      }
      // At 20 dB under the tones on the wire, which have some 2 V.
      var plant = SyntheticPlant(wireNoise: 0.05, seed: random.next())
      let recording = plant.record(take, on: rig)
      var parts = [recording]
      var delays = [plant.electrical]
      for _ in times {
        plant.electrical += step * random.gaussian()
        plant.seed = random.next()
        delays.append(plant.electrical)
        parts.append(plant.record(take, on: rig))
      }
      self.delays = delays
      let starts = [0] + breaks.map(\.lowerBound) + [recording.frameCount]
      let channels = recording.channels.indices.map { channel in
        var samples = parts.indices.flatMap {
          parts[$0].channels[channel].samples[starts[$0]..<starts[$0 + 1]]
        }
        for frame in breaks.joined() { samples[frame] = 0 }
        return Recording.Channel(
          description: recording.channels[channel].description, samples: samples)
      }
      var statistics = StreamStatistics()
      statistics.start = start
      statistics.restartUncertainty = said ?? step
      let spliced = Recording(
        channels: channels, rate: rate, frameCount: recording.frameCount,
        driveFrameCount: recording.driveFrameCount,
        captureEvents: breaks.map {
          StreamEvent(kind: .overrun, frame: $0.lowerBound, length: $0.count)
        },
        driveEvents: breaks.map {
          StreamEvent(kind: .underrun, frame: $0.lowerBound, length: $0.count)
        }, statistics: statistics)
      self.take = take
      self.breaks = breaks
      alignment = TakeAlignment(rig: rig, take: take, recording: spliced, noise: nil)
      let analysis = TakeAnalysis(rig: rig, target: IntensityTarget())
      broken = analysis.measure(take, spliced, pattern: "pattern", number: 1)
    }

    func reading(_ kind: ReadingKind, event: Int? = nil) -> Reading? {
      broken.readings.first {
        $0.name == ReadingName(kind) && $0.event == event
      }
    }
  }

  private static let events = (0..<10).map { AHAPText.tap(at: 0.25 * Double($0)) }

  @Test(arguments: [UInt64(1), 2, 3])
  func `each stretch keeps its taps to a few microseconds, whatever its delay`(seed: UInt64) throws
  {
    let take = try BrokenTake(
      at: [0.15, 0.66, 1.14, 1.9], events: Self.events, step: 0.4e-3, seed: seed)
    for event in Self.events.indices {
      #expect(try #require(take.reading(.latencyOnset, event: event)).value != nil)
      let frame = take.take.frame(ofPatternTime: 0.25 * Double(event))
      let stretch = take.breaks.count { Double($0.upperBound) <= frame }
      let found = try #require(take.alignment.electrical).delay(at: frame)
      let error = found.value / Self.rate.hertz - take.delays[stretch]
      let sigma = found.uncertainty / Self.rate.hertz
      #expect(abs(error) < 10e-6 && abs(error) < 4 * sigma, "tap \(event): \(error) ± \(sigma)")
      #expect(sigma < 10e-6)
    }
    let drift = try #require(take.reading(.drift))
    #expect(abs(drift.value ?? 0) < 4 * (drift.uncertainty ?? 0) + 1e-9, "\(drift)")
    let electrical = try #require(take.reading(.latencyElectrical))
    let value = try #require(electrical.value)
    #expect(abs(value - take.delays[0]) < 5 * (electrical.uncertainty ?? 0))
  }

  @Test func `long stretches tell the drift again`() throws {
    let buzzes = (0..<8).map {
      AHAPText.buzz(at: 1.0 * Double($0), duration: 0.9, sharpness: 0.1 * Double($0))
    }
    let take = try BrokenTake(at: [3.95, 5.95], events: buzzes, step: 0.2e-3, seed: 4)
    let drift = try #require(take.reading(.drift))
    let value = try #require(drift.value, "\(drift)")
    let sigma = try #require(drift.uncertainty)
    #expect(abs(value) < 3 * sigma && sigma < 5, "\(value) ± \(sigma)")
  }

  @Test func `a stretch in which nothing is sent is known as its neighbours are`() throws {
    // Nothing but silence from 0.4 s to 1.4 s, where the stream breaks twice.
    let events = [AHAPText.tap(at: 0), AHAPText.tap(at: 0.3), AHAPText.tap(at: 1.6)]
    let take = try BrokenTake(at: [0.6, 1.2], events: events, step: 0.3e-3, seed: 5)
    for event in events.indices {
      let reading = try #require(take.reading(.latencyOnset, event: event))
      #expect(reading.value != nil, "\(reading)")
    }
    let analysis = take.broken
    #expect(analysis.rejected.isEmpty)
  }

  @Test func `an event in a stretch that nothing tells the delay of is not timed`() throws {
    // A steady tone over all breaks: with steps as long as its period no cycle can be told.
    let events = [
      AHAPText.tap(at: 0), AHAPText.buzz(at: 0.4, duration: 2.2, sharpness: 1),
      AHAPText.tap(at: 3),
    ]
    let take = try BrokenTake(
      at: [0.3, 3.5], events: events, step: 0.1e-3, seed: 6, said: 8e-3)
    let reading = try #require(take.reading(.latencyOnset, event: 2))
    // The tap alone tells it: nothing else has its envelope.
    #expect(reading.value != nil, "\(reading)")
  }

  @Test func `devices that keep every frame's place by construction need no second look`() throws {
    let take = try BrokenTake(
      at: [0.15, 0.66], events: Self.events, step: 0, seed: 7, start: .lockStep)
    let drift = try #require(take.reading(.drift))
    #expect(drift.value != nil)
    #expect(drift.count == 2)
  }

  @Test
  func `what two sides tell of one moment counts once, what one side tells twice counts twice`() {
    func events(_ kind: StreamEvent.Kind, _ frames: [Int]) -> [StreamEvent] {
      frames.map { StreamEvent(kind: kind, frame: $0, length: 20) }
    }
    let recording = Recording(
      channels: [], rate: .standard, frameCount: 10_000, driveFrameCount: 10_000,
      captureEvents: events(.overrun, [1000, 1200, 5000, 8000]),
      driveEvents: events(.underrun, [1050, 1230, 5010, 8500]))
    #expect(
      recording.moments(of: [.underrun, .overrun])
        == [1000..<1070, 1200..<1250, 5000..<5030, 8000..<8020, 8500..<8520])
  }

  @Test func `a break takes both sides' losses and what is on its way between them`() {
    let recording = Recording(
      channels: [], rate: .standard, frameCount: 10_000, driveFrameCount: 10_000,
      captureEvents: [
        StreamEvent(kind: .overrun, frame: 1000, length: 100),
        StreamEvent(kind: .drop, frame: 3000, length: 50),
        StreamEvent(kind: .overrun, frame: 5000, length: 10),
      ],
      driveEvents: [
        StreamEvent(kind: .underrun, frame: 1010, length: 300),
        StreamEvent(kind: .overload, frame: 7000, length: 300),
      ])
    let stretches = TakeStretches(recording, delay: 399.5)
    #expect(stretches.breaks == [600..<1310, 4600..<5010])
    #expect(stretches.count == 3)
    #expect(
      [0, 1000, 1309.9, 1310, 5009, 9000].map { stretches.index(at: $0) } == [0, 0, 0, 1, 1, 2])
    #expect((0..<3).map { stretches.frames(of: $0) } == [0..<600, 1310..<4600, 5010..<10_000])
  }
}

extension TakeDrive {
  /// The drive frame of a time of the pattern, in seconds.
  fileprivate func frame(ofPatternTime time: Double) -> Double {
    Double(layout.pattern) + rate.frames(time)
  }
}
