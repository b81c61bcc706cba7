// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Testing

@testable import SampledSensors

struct SampleTimelineTests {
  private let broken = SensorEvent.damaged(
    CodecError(.length, packet: "serial line", offset: 0, problem: "cut"))

  private func places(
    _ fields: [SensorField], _ events: [SensorEvent], rate: Double = 1000
  ) -> [Int] {
    var timeline = SampleTimeline(fields, sampleRate: rate)
    return events.compactMap { timeline.note($0)?.index }
  }

  private func sample(counter: UInt32? = nil, ticks: UInt32? = nil) -> SensorEvent {
    .sample(SensorSample(counter: counter, ticks: ticks, acceleration: [0]))
  }

  @Test func `a counter places samples, also where it wraps, and passes over what came twice`() {
    let events = [254, 255, 0, 0, 3, 2, 4].map { sample(counter: $0) }
    #expect(places([.counter(bits: 8), .axis(0)], events) == [0, 1, 2, 5, 6])
  }

  @Test func `ticks place samples by whole samples, whatever the reading of the clock is late by`()
  {
    // Microseconds at 1 kHz: 2 samples are lost after the third; the clock wraps.
    let start = UInt32.max - 1500
    let events = [0, 1010, 1980, 5030, 6000].map { sample(ticks: start &+ $0) }
    #expect(
      places([.ticks(rate: 1e6, bits: 32), .axis(0)], events) == [0, 1, 2, 5, 6])
  }

  @Test func `two samples of one tick are two samples`() {
    let events = [0, 1000, 1000, 2000].map { sample(ticks: $0) }
    #expect(places([.ticks(rate: 1e6, bits: 32), .axis(0)], events) == [0, 1, 2, 3])
  }

  @Test func `without either, what is damaged is one sample each`() {
    let events = [sample(), sample(), broken, sample(), .skipped(7), broken, broken, sample()]
    #expect(places([.axis(0)], events) == [0, 1, 3, 6])
  }
}
