// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Glibc
import Testing
import Units

/// What cannot be measured is said to be so, with the reason, and never becomes a number.
struct MissingReadingTests {
  /// Half the usual rate, to be quick.
  private static let rate = SampleRate(hertz: 24_000)
  private static let taps = [AHAPText.tap(at: 0), AHAPText.tap(at: 0.3), AHAPText.tap(at: 0.6)]

  /// Three taps on a plant, recorded once and damaged differently by each test.
  private static let whole = Result {
    var rig = Rigs.described()
    rig.drive.rate = rate
    let take = TakeBuilder(rig: rig, hasProbe: true).build(try Rigs.pattern(taps, rate: rate))
    return (take: take, rig: rig, recording: SyntheticPlant().record(take, on: rig))
  }

  private static func measured(_ damage: (TakeDrive) -> Damage) throws -> Measured {
    let whole = try whole.get()
    return Measured(
      whole.take, whole.recording, of: SyntheticPlant(), rig: whole.rig,
      damage: damage(whole.take))
  }

  private func expectOnset(
    _ measured: Measured, event: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reading = try measured.reading(.latencyOnset, event: event)
    let value = try #require(
      reading.value, "\(reading.note ?? "")", sourceLocation: sourceLocation)
    #expect((0...5e-3).contains(value), sourceLocation: sourceLocation)
  }

  @Test(arguments: [true, false])
  func `without a reference channel only the sum of the delays is known`(
    onCapture: Bool
  ) throws {
    let rig =
      onCapture
      ? Rigs.described(capture: [.acceleration, .audio])
      : Rigs.described(drive: [.haptic: 1, .audio: 2])
    let measured = try Measured(rig: rig)
    for kind in [ReadingKind.latencyElectrical, .drift, .latencyTransport] {
      try measured.expectMissing(kind, because: "reference")
    }
    // The fit between command and response gives the rise, and sync, all the same.
    let plant = measured.plant
    #expect(try measured.reading(.latencyRise).value != nil)
    try measured.expect(
      .syncAudioHaptic, event: 1, is: plant.electrical + plant.transport - plant.sound,
      within: 1e-4)
    let onset = try measured.reading(.latencyOnset, event: 0)
    #expect(onset.note?.contains("electrical") == true)
  }

  @Test func `a wire that carries nothing gives no electrical delay`() throws {
    let measured = try Self.measured { _ in .init(dead: [.reference]) }
    try measured.expectMissing(.latencyElectrical, because: "check the wire")
    try measured.expectMissing(.drift, because: "markers were not found")
    #expect(try measured.reading(.latencyTransport).value == nil)
  }

  @Test func `an actuator that does not move has no latency and no onset`() throws {
    let measured = try Self.measured { _ in .init(dead: [.acceleration]) }
    #expect(try measured.reading(.latencyElectrical).value != nil)
    try measured.expectMissing(.latencyTransport, because: "does not rise above its noise")
    try measured.expectMissing(.latencyRise, because: "does not rise above its noise")
    for event in 0..<3 {
      try measured.expectMissing(.latencyOnset, event: event, because: "above its noise")
      // Noise has a peak, a level and a frequency too: none of them is the event's.
      let levels = measured.result.readings.filter { $0.event == event }
      #expect(levels.allSatisfy { $0.value == nil && $0.note != nil })
    }
    #expect(try measured.reading(.energyOutside).value == nil)
  }

  @Test func `a take without a probe is told by its pattern`() throws {
    let measured = try Measured(events: Self.taps, rate: Self.rate, hasProbe: false)
    try expectByPattern(measured)
    for event in 0..<3 { try expectOnset(measured, event: event) }
  }

  /// Transport and rise as the plant has them, read off the pattern.
  private func expectByPattern(
    _ measured: Measured, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let plant = measured.plant
    try measured.expect(.latencyTransport, is: plant.transport, within: 2e-6)
    try measured.expect(.latencyRise, is: log(9) * plant.decayTime, within: 2e-4)
    let note = try measured.reading(.latencyTransport).note
    #expect(note?.contains("to the pattern itself") == true, sourceLocation: sourceLocation)
  }

  @Test func `a pattern that tells no resonance either leaves transport unmeasured`() throws {
    // Noise as high as the taps.
    let measured = try Measured(
      SyntheticPlant(noise: 2_000), events: Self.taps, rate: Self.rate, hasProbe: false)
    try measured.expectMissing(.latencyTransport, because: "no probe")
    try measured.expectMissing(.latencyRise, because: "no probe")
  }

  @Test func `after a gap on the probe the pattern tells transport and rise`() throws {
    let measured = try Self.measured { take in
      let probe = take.layout.probe ?? 0
      return .init(gap: (probe + 2_000)..<(probe + 2_050))
    }
    try expectByPattern(measured)
    try measured.expect(
      .latencyElectrical, is: measured.plant.electrical, within: 1e-6)
    for event in 0..<3 { try expectOnset(measured, event: event) }
    #expect(try measured.reading(.dropouts).value == 1)
  }

  @Test func `a gap on a marker takes the electrical delay`() throws {
    let measured = try Self.measured { take in
      let start = take.layout.endMarker + 300
      return .init(gap: start..<(start + 100))
    }
    try measured.expectMissing(.latencyElectrical, because: "gap")
    #expect(try measured.reading(.latencyTransport).value == nil)
  }

  @Test func `a gap on an event takes that event alone`() throws {
    let measured = try Self.measured { take in
      let start = take.layout.pattern + 7_200 + 250
      return .init(gap: start..<(start + 50))
    }
    for kind in [ReadingKind.latencyOnset, .responsePeak] {
      try measured.expectMissing(kind, event: 1, because: "a gap")
    }
    #expect(measured.result.rejected.map(\.event) == [1])
    for event in [0, 2] {
      try expectOnset(measured, event: event)
      #expect(try measured.reading(.responsePeak, event: event).value != nil)
    }
  }

  @Test func `an overload on an event takes that event alone`() throws {
    let measured = try Self.measured { take in
      let start = take.layout.pattern + 14_400 + 250
      return .init(overload: start..<(start + 50))
    }
    try measured.expectMissing(.latencyOnset, event: 2, because: "overload")
    try measured.expectMissing(.responsePeak, event: 2, because: "overload")
    for event in [0, 1] { try expectOnset(measured, event: event) }
    #expect(try measured.reading(.overloads).value == 1)
  }

  @Test(arguments: [5e-3, 0.1])
  func `an underrun of the drive takes the event that it silenced, however late that is heard`(
    delay: Double
  ) throws {
    let plant = SyntheticPlant(electrical: delay)
    let measured = try Measured(plant, events: Self.taps, rate: Self.rate) { take in
      // In drive frames: the first milliseconds of the second tap.
      let start = take.layout.pattern + 7_200
      return .init(underrun: start..<(start + 120))
    }
    try measured.expectMissing(.latencyOnset, event: 1, because: "xrun")
    for event in [0, 2] { try expectOnset(measured, event: event) }
    #expect(try measured.reading(.xruns).value == 1)
  }

  @Test
  func `an underrun of silence takes nothing, one of a drive that rings on takes what comes then`()
    throws
  {
    let events = Self.taps + [AHAPText.buzz(at: 0.9, duration: 0.1), AHAPText.tap(at: 1.06)]
    func measured(underrunAt time: Double?) throws -> Measured {
      try Measured(events: events, rate: Self.rate) { take in
        guard let time else { return .init() }
        let start = take.layout.pattern + Int(time * Self.rate.hertz)
        return .init(underrun: start..<(start + 480))
      }
    }
    let (whole, silent) = (try measured(underrunAt: nil), try measured(underrunAt: 0.24))
    for event in 0..<5 {
      for kind: ReadingKind in [.latencyEvent, .intensityError] {
        let (was, found) = (
          try whole.reading(kind, event: event), try silent.reading(kind, event: event)
        )
        let (left, right) = (try #require(was.value), try #require(found.value))
        #expect(abs(left - right) < 3 * (was.uncertainty ?? 0) + 1e-9, "\(kind) of \(event)")
      }
    }
    // The end of the vibration was not driven: nobody knows what rings into the tap.
    let cut = try measured(underrunAt: 0.95)
    try cut.expectMissing(.latencyOnset, event: 3, because: "xrun")
    try cut.expectMissing(.latencyEvent, event: 4, because: "hides most of its response")
    #expect(try cut.reading(.latencyEvent, event: 2).value != nil)
  }

  @Test(arguments: [5e-3, 0.1])
  func `after an underrun on the probe the pattern tells the transport latency`(
    delay: Double
  ) throws {
    let measured = try Measured(
      SyntheticPlant(electrical: delay), events: Self.taps, rate: Self.rate
    ) { take in
      let probe = take.layout.probe ?? 0
      return .init(underrun: probe..<(probe + 250))
    }
    try expectByPattern(measured)
  }

  @Test func `a recording that ends early is measured as far as it goes`() throws {
    let measured = try Self.measured { take in
      .init(frameCount: take.layout.pattern + 14_400)
    }
    try measured.expectMissing(.latencyElectrical, because: "ends before")
    try measured.expectMissing(.latencyOnset, event: 2, because: "ends before")
    #expect(try measured.reading(.responsePeak, event: 0).value != nil)
  }

  @Test func `a sound that is not heard has no sync`() throws {
    let measured = try Measured(rate: Self.rate) { _ in .init(dead: [.audio]) }
    try measured.expectMissing(.syncAudioHaptic, event: 1, because: "not found")
  }

  @Test func `a rig without sound says so, and a pattern without sound asks for no sync`() throws {
    let silent = try Measured(
      rig: Rigs.described(
        drive: [.haptic: 1, .reference: 2], capture: [.acceleration, .reference]))
    try silent.expectMissing(.syncAudioHaptic, because: "no audio channel")
    let haptic = try Measured(events: Self.taps, rate: Self.rate)
    #expect(!haptic.result.readings.contains { $0.name == ReadingName(.syncAudioHaptic) })
  }

  @Test func `a gap on the probe and on all of the pattern leaves nothing to tell transport by`()
    throws
  {
    let measured = try Self.measured { take in
      .init(gap: ((take.layout.probe ?? 0) + 2_000)..<(take.layout.pattern + 2_000))
    }
    try measured.expectMissing(.latencyTransport, because: "gap")
    try measured.expectMissing(.latencyRise, because: "gap")
  }

  @Test func `events too near to tell apart are unresolved, each with its neighbour`() throws {
    // Noise as high as the taps: there is no response to predict, and nothing to tell them apart by.
    let measured = try Measured(
      SyntheticPlant(noise: 2_000),
      events: [AHAPText.tap(at: 0), AHAPText.tap(at: 0.03), AHAPText.tap(at: 0.5)],
      hasProbe: false)
    try measured.expectMissing(.latencyOnset, event: 0, because: "unresolved: event 1")
    try measured.expectMissing(.latencyOnset, event: 1, because: "unresolved: event 0")
    #expect(Set(measured.result.rejected.map(\.event)).isSuperset(of: [0, 1]))
  }
}
