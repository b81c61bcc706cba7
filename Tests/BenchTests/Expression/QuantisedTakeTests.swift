// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Glibc
import Perception
import Testing
import Units

@testable import Bench

/// Takes on a drive that makes tones of a coarse grid, each 2 ms.
struct QuantisedTakeTests {
  private static let buzzes = [
    CoarseDrive.Buzz(start: 0, duration: 0.3, intensity: 0.7, sharpness: 0.2),
    CoarseDrive.Buzz(start: 0.5, duration: 0.2505, intensity: 0.6, sharpness: 0.7),
  ]
  /// Damped so well that it neither rises nor rings for long.
  private static let plant = SyntheticPlant(q: 1.2)

  private struct Takes {
    /// A drive that plays the waveform.
    let free: Measured
    /// The coarse drive, scored by what it can express.
    let coarse: Measured
    /// The coarse drive, scored as if it could play the waveform.
    let raw: Measured
    let drive: CoarseDrive
  }

  private func takes(
    _ buzzes: [CoarseDrive.Buzz] = Self.buzzes, rig: RigDescription = Rigs.described()
  ) throws -> Takes {
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    let drive = CoarseDrive(configuration: builder.configuration)
    let take = builder.build(try Rigs.pattern(buzzes.map(\.text)))
    let plant = Self.plant
    let played = plant.record(drive.playing(take, buzzes), on: rig)
    func measured(_ recording: Recording) -> Measured {
      Measured(take, recording, of: plant, rig: rig, damage: .init())
    }
    return Takes(
      free: measured(plant.record(take, on: rig)),
      coarse: measured(played.of(CoarseDrive.expressible)), raw: measured(played), drive: drive)
  }

  private func value(_ measured: Measured, _ kind: ReadingKind, event: Int? = nil) throws -> Double
  {
    let reading = try measured.reading(kind, event: event)
    return try #require(reading.value, "\(reading.note ?? "")")
  }

  /// The peak acceleration of a lasting tone over the drive's amplitude.
  private func gain(_ hertz: Double) -> Double {
    let ratio = hertz / Self.plant.frequency
    let damping = ratio / Self.plant.q
    return ratio * ratio
      / ((1 - ratio * ratio) * (1 - ratio * ratio) + damping * damping)
      .squareRoot()
  }

  @Test func `what a drive cannot express is not held against the actuator`() throws {
    let takes = try takes()
    for (event, buzz) in Self.buzzes.enumerated() {
      let (asked, made) = (takes.drive.asked(buzz), takes.drive.made(buzz))
      // The plant and the law differ at the other frequency: that is all that may show.
      let target = IntensityTarget()
      let expected =
        20
        * log10(
          gain(made.frequency) / gain(asked.frequency)
            * target.acceleration(intensity: buzz.intensity, frequency: asked.frequency)
            / target.acceleration(intensity: buzz.intensity, frequency: made.frequency))
      let free = try value(takes.free, .intensityError, event: event)
      let coarse = try value(takes.coarse, .intensityError, event: event)
      #expect(abs(coarse - free - expected) < 0.15, "event \(event): \(coarse), free \(free)")
      #expect(abs(try value(takes.free, .sharpnessError, event: event)) < 0.02)
      #expect(abs(try value(takes.coarse, .sharpnessError, event: event)) < 0.02)
      let octaves = log2(made.frequency / asked.frequency)
      #expect(abs(octaves) > 0.05)
      #expect(abs(try value(takes.raw, .sharpnessError, event: event) - octaves) < 0.02)
      let loss = 20 * log10(made.amplitude / asked.amplitude)
      let raw = try value(takes.raw, .intensityError, event: event)
      #expect(abs(loss) > 0.5 && abs(raw - coarse) > 0.4, "event \(event): \(raw), \(coarse)")
    }
    let decay =
      try value(takes.coarse, .decayError, event: 0) - value(takes.free, .decayError, event: 0)
    #expect(abs(decay) < 3e-3)
  }

  @Test func `the envelope is compared with that of the commands`() throws {
    // 0.35 and 0.25 of full scale become 0.45 and 0.2.
    var buzzes = Self.buzzes
    buzzes[1].sharpness = buzzes[0].sharpness
    let takes = try takes(buzzes)
    let coarse = try value(takes.coarse, .envelopeCorrelation)
    let raw = try value(takes.raw, .envelopeCorrelation)
    #expect(coarse > 0.98, "\(coarse)")
    #expect(raw < coarse - 0.01, "\(raw), \(coarse)")
  }

  @Test func `the losses are those of the arithmetic`() throws {
    let buzzes =
      Self.buzzes + [
        CoarseDrive.Buzz(start: 0.9, duration: 0.1, intensity: 0.2, sharpness: 0.5)
      ]
    let takes = try takes(buzzes)
    var (levels, octaves, both) = (0.0, 0.0, 0)
    var (driven, silenced, silent, prolonged) = (0, 0, 0, 0)
    // To the end of the command in which the last release ends.
    for command in 0..<Int((1.001 / CoarseDrive.interval).rounded(.up)) {
      let start = Double(command) * CoarseDrive.interval
      // No command touches two.
      let buzz = buzzes.last { $0.start <= start + 1e-9 } ?? buzzes[0]
      let made = takes.drive.commanded(buzz, from: start)
      for asked in takes.drive.amplitudes(buzz, from: start) {
        if asked > 0 { driven += 1 } else { silent += 1 }
        if asked == 0, made > 0 { prolonged += 1 }
        if asked > 0, made == 0 { silenced += 1 }
        guard asked > 0, made > 0 else { continue }
        both += 1
        levels += pow(20 * log10(made / asked), 2)
        octaves += pow(
          log2(takes.drive.made(buzz).frequency / takes.drive.asked(buzz).frequency), 2)
      }
    }
    #expect(takes.drive.made(buzzes[2]).amplitude == 0 && silenced >= 400 && prolonged > 0)
    func expect(_ kind: ReadingKind, _ expected: Double) throws {
      let found = try value(takes.coarse, kind)
      #expect(abs(found - expected) < 1e-9, "\(kind.rawValue): \(found), not \(expected)")
    }
    try expect(.quantisationLevel, (levels / Double(both)).squareRoot())
    try expect(.quantisationFrequency, (octaves / Double(both)).squareRoot())
    try expect(.quantisationSilenced, Double(silenced) / Double(driven))
    try expect(.quantisationProlonged, Double(prolonged) / Double(silent))
    try expect(.quantisationDelay, CoarseDrive.interval)
    #expect(try takes.coarse.reading(.quantisationLevel).count == both)
    try takes.coarse.expectMissing(.intensityError, event: 2, because: "cannot express it")
    // What the drive leaves out costs no harmony: the others are there.
    #expect(try takes.coarse.reading(.harmony).value != nil)
  }

  @Test func `a clipped sensor does not make it a drive of waveforms`() throws {
    let rig = Rigs.described()
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    let take = builder.build(try Rigs.pattern(Self.buzzes.map(\.text)))
    let played = CoarseDrive(configuration: builder.configuration).playing(take, Self.buzzes)
    let whole = Self.plant.record(played, on: rig)
    let clipped = Recording(
      channels: whole.channels.map { channel in
        let isMotion = channel.description.role == .acceleration
        return .init(
          description: channel.description,
          samples: isMotion ? channel.samples.map { min($0, 20) } : Array(channel.samples))
      }, rate: whole.rate, frameCount: whole.frameCount, driveFrameCount: whole.frameCount)
    let measured = Measured(
      take, clipped.of(CoarseDrive.expressible), of: Self.plant, rig: rig, damage: .init())
    #expect(try value(measured, .overloads) > 0)
    #expect(try measured.reading(.quantisationLevel).value != nil)
  }

  @Test func `a drive that plays the waveform loses nothing and says nothing`() throws {
    let kinds: Set<ReadingKind> = [
      .quantisationLevel, .quantisationFrequency, .quantisationSilenced, .quantisationProlonged,
      .quantisationDelay,
    ]
    let found = try takes().free.result.readings.filter { kinds.contains($0.name.kind) }
    #expect(found.isEmpty, "\(found.map(\.name.description))")
  }

  @Test func `a probe that the drive cannot play is one more command, and the transport is told`()
    throws
  {
    let rig = Rigs.described()
    let builder = TakeBuilder(rig: rig, hasProbe: true)
    let take = builder.build(try Rigs.pattern(Self.buzzes.map(\.text)))
    let played = CoarseDrive(configuration: builder.configuration).playing(take, Self.buzzes)
    let measured = Measured(
      take, Self.plant.record(played, on: rig).of(CoarseDrive.expressible), of: Self.plant,
      rig: rig, damage: .init())
    let transport = try measured.reading(.latencyTransport)
    let value = try #require(transport.value, "\(transport)")
    #expect(abs(value - Self.plant.transport) < 3 * (transport.uncertainty ?? 0), "\(transport)")
    #expect(try measured.reading(.intensityError, event: 0).value != nil)
  }

  @Test func `without a reference the response is found by its envelope`() throws {
    let rig = Rigs.described(drive: [.haptic: 1], capture: [.acceleration])
    let (wired, lone) = (try takes(), try takes(rig: rig))
    for event in Self.buzzes.indices {
      let (one, other) = (
        try value(wired.coarse, .intensityError, event: event),
        try value(lone.coarse, .intensityError, event: event)
      )
      #expect(abs(one - other) < 0.3, "event \(event): \(one), \(other)")
    }
    #expect(try value(lone.coarse, .envelopeCorrelation) > 0.9)
    for kind in [ReadingKind.decayError, .latencyEvent] {
      let reading = try lone.coarse.reading(kind, event: 0)
      #expect(reading.value != nil, "\(reading)")
    }
    #expect(try lone.coarse.reading(.latencyOnset, event: 0).note?.contains("no reference") == true)
  }

  @Test func `a response that does not follow is not looked into`() throws {
    let rig = Rigs.described(drive: [.haptic: 1], capture: [.acceleration])
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    let take = builder.build(try Rigs.pattern(Self.buzzes.map(\.text)))
    let silent = CoarseDrive(configuration: builder.configuration).playing(take, [])
    let measured = Measured(
      take, Self.plant.record(silent, on: rig).of(CoarseDrive.expressible), of: Self.plant,
      rig: rig, damage: .init())
    try measured.expectMissing(.latencyOnset, event: 0, because: "delay from command to response")
    try measured.expectMissing(.envelopeCorrelation, because: "delay from command to response")
  }
}
