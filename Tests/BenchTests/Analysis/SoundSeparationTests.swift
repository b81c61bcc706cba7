// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Perception
import Testing
import Units

@testable import Bench

/// Sounds that lie over one another, each with a delay of its own.
struct SoundSeparationTests {
  private static let taps = [AHAPText.tap(at: 0), AHAPText.tap(at: 0.6)]
  private let rig = Rigs.described()

  private func take(_ events: [String]) throws -> TakeDrive {
    TakeBuilder(rig: rig, hasProbe: true).build(
      try Rigs.pattern(events + Self.taps, sounds: ["a.wav", "b.wav"], rate: rig.drive.rate))
  }

  /// A take of all sounds, as captured where each came by itself with a delay of its own.
  private func measured(
    _ sounds: [(event: String, delay: Double)], gain: Double = 1
  ) throws -> Measured {
    let whole = try take(sounds.map(\.event))
    var plant = SyntheticPlant()
    let recording = plant.record(whole, on: rig)
    var heard = [Double](repeating: 0, count: whole.layout.frameCount)
    for (place, sound) in sounds.enumerated() where sound.delay.isFinite {
      plant.sound = sound.delay
      plant.seed = 7 + UInt64(place)
      let alone = plant.record(try take([sound.event]), on: rig)
      for (frame, sample) in (alone.channel(.audio)?.samples ?? []).enumerated() {
        heard[frame] += gain * Double(sample)
      }
    }
    let channels = recording.channels.map { channel in
      channel.description.role == .audio
        ? Recording.Channel(description: channel.description, samples: heard.map(Float.init))
        : channel
    }
    return Measured(
      whole,
      Recording(
        channels: channels, rate: recording.rate, frameCount: recording.frameCount,
        driveFrameCount: recording.driveFrameCount), of: plant, rig: rig, damage: .init())
  }

  private var chain: Double {
    let plant = SyntheticPlant()
    return plant.electrical + plant.transport
  }

  @Test(arguments: [1, -0.03])
  func `each of two sounds that overlap has its own sync`(gain: Double) throws {
    let early = 9.1357e-3
    for late in [early, early + 0.4e-3, early + 3.217e-3] {
      let measured = try measured(
        [(AHAPText.sound("a.wav", at: 0.1), early), (AHAPText.sound("b.wav", at: 0.14), late)],
        gain: gain)
      // In the order of times: the tap at 0 is event 0.
      try measured.expect(.syncAudioHaptic, event: 1, is: chain - early, within: 1e-5)
      try measured.expect(.syncAudioHaptic, event: 2, is: chain - late, within: 1e-5)
    }
  }

  @Test func `a sound that did not come is told, and the other one measured`() throws {
    let early = 9.1357e-3
    let measured = try measured(
      [(AHAPText.sound("a.wav", at: 0.1), early), (AHAPText.sound("b.wav", at: 0.14), .nan)])
    try measured.expect(.syncAudioHaptic, event: 1, is: chain - early, within: 1e-5)
    let lost = try measured.reading(.syncAudioHaptic, event: 2)
    #expect(lost.value == nil)
    #expect(lost.note == "dropped: nothing of the sound came")
  }

  @Test func `sounds that are one have one sync, which names them`() throws {
    let delay = 9.1357e-3
    let twice = AHAPText.sound("a.wav", at: 0.1)
    let measured = try measured([(twice, delay), (twice, delay)])
    try measured.expect(.syncAudioHaptic, event: 1, is: chain - delay, within: 1e-5)
    let note = try measured.reading(.syncAudioHaptic, event: 1).note
    #expect(
      note == "measured as one with the sounds that it cannot be told from: events 1, 2")
    #expect(
      !measured.result.readings.contains { $0.name.kind == .syncAudioHaptic && $0.event == 2 })
  }
}
