// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import Devices
import Glibc
import Perception
import Testing
import Units

/// Events that overlap or ring into each other, told apart by a joint fit.
struct EventSeparationTests {
  private static let rate = SampleRate(hertz: 24_000)

  /// A take that an exact plant answered, measured.
  private struct Answered {
    let readings: [Reading]
    let answer: ExactPlant.Answer

    init(
      _ plant: ExactPlant, events: [String], limits: DriveLimits = Rigs.limits,
      sounds: [String] = []
    ) throws {
      var rig = Rigs.described(limits: limits)
      rig.drive.rate = EventSeparationTests.rate
      let take = TakeBuilder(rig: rig, hasProbe: true).build(
        try Rigs.pattern(events, sounds: sounds, rate: rig.drive.rate))
      answer = plant.answer(take, on: rig)
      readings =
        TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
          take, plant.recording(answer, seed: 7), pattern: "p", number: 1
        ).readings
    }

    func reading(_ kind: ReadingKind, event: Int? = nil) throws -> Reading {
      try #require(readings.first { $0.name == ReadingName(kind) && $0.event == event })
    }
  }

  @Test(arguments: [0.030, 0.012])
  func `two taps that ring into each other have an onset and a level each`(apart: Double) throws {
    let plant = ExactPlant(noise: 0.02)
    let events = [
      AHAPText.tap(at: 0), AHAPText.tap(at: apart, intensity: 0.8, sharpness: 0.3),
    ]
    let both = try Answered(plant, events: events)
    for event in 0..<2 {
      let transport = try both.reading(.latencyEvent, event: event)
      let value = try #require(transport.value, "\(transport.note ?? "")")
      let uncertainty = try #require(transport.uncertainty)
      #expect(abs(value - plant.transport) < 5e-6 && uncertainty < 25e-6)
      #expect(try both.reading(.latencyOnset, event: event).value != nil)
    }
    // What the second does by itself it does with the first before it.
    let second = try Answered(
      plant, events: [AHAPText.tap(at: 0, intensity: 0.8, sharpness: 0.3)])
    for kind: ReadingKind in [.latencyOnset, .responsePeak, .intensityError] {
      let (found, alone) = (
        try both.reading(kind, event: 1), try second.reading(kind, event: 0)
      )
      let (left, right) = (try #require(found.value), try #require(alone.value))
      let spread = 3 * ((found.uncertainty ?? 0) + (alone.uncertainty ?? 0))
      #expect(abs(left - right) < spread + 0.01 * abs(right), "\(kind): \(left) \(right)")
    }
  }

  @Test func `a tap on a vibration of another frequency is told from it`() throws {
    let plant = ExactPlant(noise: 0.02)
    let events = [
      AHAPText.buzz(at: 0, duration: 0.6, intensity: 0.6, sharpness: 0.1),
      AHAPText.tap(at: 0.3, intensity: 0.7, sharpness: 0.9),
    ]
    let take = try Answered(plant, events: events)
    for event in 0..<2 {
      let reading = try take.reading(.latencyEvent, event: event)
      #expect(abs((reading.value ?? 1) - plant.transport) < 20e-6, "\(reading)")
      #expect(try take.reading(.intensityError, event: event).value != nil)
    }
  }

  @Test func `what a limit bends is shared, and each event has its delay`() throws {
    // Two events at full strength at once: more than the actuator bears.
    let events = [
      AHAPText.buzz(at: 0, duration: 0.5, intensity: 1, sharpness: 0.5),
      AHAPText.tap(at: 0.2, intensity: 1, sharpness: 0.5),
    ]
    let plant = ExactPlant(noise: 0.02)
    let take = try Answered(plant, events: events)
    for event in 0..<2 {
      let reading = try take.reading(.latencyEvent, event: event)
      #expect(abs((reading.value ?? 1) - plant.transport) < 50e-6, "\(reading)")
      #expect(try take.reading(.intensityError, event: event).value != nil)
    }
  }

  @Test func `two events that ask for the same at once are scored as one`() throws {
    let events = [
      AHAPText.tap(at: 0.1, intensity: 0.4, sharpness: 0.5),
      AHAPText.tap(at: 0.1, intensity: 0.4, sharpness: 0.5), AHAPText.tap(at: 0.3),
    ]
    let take = try Answered(ExactPlant(noise: 0.02), events: events)
    for event in 0..<2 {
      let reading = try take.reading(.latencyEvent, event: event)
      #expect(reading.value != nil)
      #expect(reading.note?.contains("scored as one with events 0, 1") == true, "\(reading)")
    }
    #expect(try take.reading(.latencyEvent, event: 2).note == nil)
  }

  @Test func `an event that comes late by itself is late, and so is its sync`() throws {
    let events = [
      AHAPText.tap(at: 0), AHAPText.sound("burst.wav", at: 0), AHAPText.tap(at: 0.6),
      AHAPText.sound("burst.wav", at: 0.6),
    ]
    let late = 4e-3
    let plant = ExactPlant(noise: 0.02, lateFrom: (0.5, late))
    let take = try Answered(plant, events: events, sounds: ["burst.wav"])
    let chain = plant.electrical + plant.transport - plant.sound
    for (event, sound, delay) in [(0, 1, 0.0), (2, 3, late)] {
      let own = try take.reading(.latencyEvent, event: event)
      #expect(abs((own.value ?? 1) - plant.transport - delay) < 5e-6, "\(own)")
      let sync = try take.reading(.syncAudioHaptic, event: sound)
      #expect(abs((sync.value ?? 1) - chain - delay) < 5e-6, "\(sync)")
      #expect((sync.note != nil) == (delay > 0))
    }
  }

  @Test func `an event of which nothing comes is told from its neighbour's response`() throws {
    // The second tap is too weak for the noise: the first's ringing is none of it.
    let events = [AHAPText.tap(at: 0), AHAPText.tap(at: 0.03, intensity: 0.02)]
    let take = try Answered(ExactPlant(noise: 1), events: events)
    #expect(try take.reading(.latencyOnset, event: 1).value == nil)
    #expect(try take.reading(.latencyEvent, event: 1).value == nil)
  }
}
