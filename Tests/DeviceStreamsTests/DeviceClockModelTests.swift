// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import SeededRandom
import Testing

/// A device's clock with a known offset and drift, asked over a bus with frames.
private struct SimulatedBus {
  let polling: USBPolling
  let rate: Double
  let ppm: Double
  let begin: Double
  /// Drift in ppm that comes and goes with a period of 40 s.
  var wander = 0.0
  var random: SeededRandom

  /// The counter at a host time, not rounded.
  func ticks(at time: Double) -> Double {
    let elapsed = time - begin
    let swing: Double = wander * 1e-6 * 40 / (2 * Double.pi)
    let bent = swing * (1 - cosine(2 * Double.pi * elapsed / 40))
    return (elapsed * (1 + ppm * 1e-6) + bent) * rate
  }

  /// The cosine by its series after reduction: the tests need no C library for one function.
  private func cosine(_ angle: Double) -> Double {
    let turns = angle / (2 * .pi)
    let x: Double = (turns - turns.rounded()) * 2 * Double.pi
    var term = 1.0
    var sum = 1.0
    for n in 1...12 {
      term *= -x * x / Double((2 * n - 1) * (2 * n))
      sum += term
    }
    return sum
  }

  /// The host is late by 20 us at most times, by up to 5 ms at some.
  private mutating func lateness() -> Double {
    random.chance(0.05) ? random.uniform(0...5e-3) : random.uniform(0...20e-6)
  }

  mutating func exchange(at time: Double, phase: Double) -> ClockObservation {
    let out = polling.departure(ready: time + 15e-6, phase: phase) + random.uniform(20e-6...60e-6)
    let answered = out + random.uniform(5e-6...200e-6)
    let back = polling.departure(ready: answered, phase: phase) + random.uniform(20e-6...60e-6)
    return .exchange(
      submitted: time, completed: back + lateness(), received: Int64(ticks(at: out)),
      sent: Int64(ticks(at: answered)), tickRate: rate)
  }
}

struct DeviceClockModelTests {
  private struct Coverage {
    var inside = 0
    var count = 0
    var uncertainties: [Double] = []

    mutating func note(_ error: Double, _ uncertainty: Double) {
      count += 1
      if abs(error) <= 1.96 * uncertainty { inside += 1 }
      uncertainties.append(uncertainty)
    }

    var share: Double { Double(inside) / Double(count) }
    var median: Double { uncertainties.sorted()[uncertainties.count / 2] }
  }

  /// Drift and offset of many simulated boards, asked ten times a second.
  private func coverage(
    _ speed: USBPolling.Speed, seconds: Double, wander: Double = 0
  ) -> (drift: Coverage, time: Coverage, breaks: Int) {
    var drift = Coverage()
    var time = Coverage()
    var breaks = 0
    for seed in UInt64(0)..<120 {
      var random = SeededRandom(seed: seed)
      let ppm = random.uniform(-150...150)
      let begin = random.uniform(0...1e5)
      let phase = random.uniform(0...1e-3)
      var bus = SimulatedBus(
        polling: .bulk(speed), rate: 1e6, ppm: ppm, begin: begin - random.uniform(0...1000),
        wander: wander, random: random)
      var model = DeviceClockModel(tickRate: 1e6)
      for question in 0..<Int(seconds * 10) {
        // A program asks at times that have nothing to do with the frames.
        let asked = begin + Double(question) * 0.1 + bus.random.uniform(0...5e-3)
        model.note(bus.exchange(at: asked, phase: phase))
      }
      breaks += model.breakCount
      guard let rate = model.rate else { continue }
      drift.note(rate.ppm - ppm, rate.uncertainty)
      for place in [0, 0.5, 1] {
        let instant = begin + place * seconds
        let ticks = Int64(bus.ticks(at: instant))
        guard let host = model.hostTime(ofTicks: ticks) else { continue }
        time.note(host.time - instant, host.uncertainty)
      }
    }
    return (drift, time, breaks)
  }

  @Test(arguments: [USBPolling.Speed.full, .high])
  func `drift and offset lie within their uncertainty 95 times of 100`(speed: USBPolling.Speed) {
    let result = coverage(speed, seconds: 20)
    #expect(result.drift.count == 120 && result.time.count == 360)
    #expect(result.drift.share >= 0.95, "\(speed): \(result.drift.share) of seeds 0..<120")
    #expect(result.time.share >= 0.95, "\(speed): \(result.time.share) of seeds 0..<120")
    #expect(result.breaks == 0)
    // Not by being vague: an answer made just after a frame always waits for the next one, so nearly a
    // frame stays unknown, 1 ms or 125 us over 20 s.
    let isFull = speed == .full
    #expect(result.drift.median < (isFull ? 35 : 4.5), "\(speed): \(result.drift.median) ppm")
    #expect(result.time.median < (isFull ? 350e-6 : 60e-6), "\(speed): \(result.time.median) s")
  }

  @Test func `a wander within the slack breaks nothing and stays within the uncertainty`() {
    let result = coverage(.high, seconds: 20, wander: 0.1)
    #expect(result.breaks == 0)
    #expect(result.drift.share >= 0.95 && result.time.share >= 0.95)
  }

  /// Reports that a device makes each 4 ms of its own and the host fetches each 4 ms of its: a saw-tooth.
  @Test func `reports without a question give drift and offset within their uncertainty`() throws {
    var drift = Coverage()
    var time = Coverage()
    let polling = USBPolling(.full, bInterval: 6)
    for seed in UInt64(0)..<100 {
      var random = SeededRandom(seed: seed)
      let ppm = random.uniform(-150...150)
      let begin = random.uniform(0...1e5)
      let phase = random.uniform(0...4e-3)
      let rate = 3e6
      var filter = EarliestArrival(tickRate: rate)
      var model = DeviceClockModel(tickRate: rate)
      var counter = CounterUnwrapper(bits: 32)
      let first = Double(UInt32.max) - random.uniform(0...6e7)
      let speed: Double = (1 + ppm * 1e-6) * rate
      let made = { (instant: Double) -> Double in first + (instant - begin) * speed }
      for report in 0..<7500 {
        let ready = begin + Double(report) * 4e-3 / (1 + ppm * 1e-6)
        let late = random.chance(0.1) ? random.uniform(0...20e-3) : random.uniform(0...50e-6)
        let completed = polling.departure(ready: ready, phase: phase) + 80e-6 + late
        let ticks = counter.unwrap(UInt32(truncatingIfNeeded: Int64(made(ready))))
        guard let best = filter.note(ticks: ticks, completed: completed) else { continue }
        model.note(.report(completed: best.completed, ticks: best.ticks, polling: polling))
      }
      let found = try #require(model.rate, "\(random)")
      drift.note(found.ppm - ppm, found.uncertainty)
      let instant = begin + 15
      let host = try #require(model.hostTime(ofTicks: Int64(made(instant))), "\(random)")
      time.note(host.time - instant, host.uncertainty)
      #expect(model.breakCount == 0, "\(random)")
    }
    #expect(drift.share >= 0.95, "\(drift.share) of seeds 0..<100")
    #expect(time.share >= 0.95, "\(time.share) of seeds 0..<100")
  }

  @Test func `exact observations give the drift as well as the slack lets them`() throws {
    var model = DeviceClockModel(tickRate: 1e6, slack: 0)
    for second in 0...100 {
      let time = 500 + Double(second)
      model.note(
        ClockObservation(
          ticks: Int64(Double(second) * 1e6 * (1 + 40e-6)), earliest: time, latest: time))
    }
    let rate = try #require(model.rate)
    #expect(abs(rate.ppm - 40) < 0.03 && rate.uncertainty < 0.02)
    #expect(rate.pairCount == 101)
  }

  @Test func `a device that begins anew breaks the model once and is followed again`() throws {
    var bus = SimulatedBus(
      polling: .bulk(.high), rate: 1e6, ppm: 20, begin: 0, random: SeededRandom(seed: 3))
    var model = DeviceClockModel(tickRate: 1e6)
    for question in 0..<50 { model.note(bus.exchange(at: 10 + Double(question) * 0.1, phase: 0)) }
    var later = SimulatedBus(
      polling: .bulk(.high), rate: 1e6, ppm: -30, begin: -3, random: SeededRandom(seed: 4))
    for question in 0..<200 {
      model.note(later.exchange(at: 15 + Double(question) * 0.1, phase: 0))
    }
    #expect(model.breakCount == 1)
    let rate = try #require(model.rate)
    #expect(abs(rate.ppm + 30) <= 3.squareRoot() * rate.uncertainty)
  }

  @Test func `nothing is said before there are two instants`() {
    var model = DeviceClockModel(tickRate: 1e6)
    #expect(model.rate == nil && model.hostTime(ofTicks: 5) == nil)
    model.note(ClockObservation(ticks: 5, earliest: 1, latest: 2))
    #expect(model.rate == nil && model.hostTime(ofTicks: 5) == nil)
    model.note(ClockObservation(ticks: 5, earliest: 1, latest: 2))
    #expect(model.rate == nil)
    model.note(ClockObservation(ticks: 4, earliest: .nan, latest: 2))
    #expect(model.breakCount == 0)
  }
}

struct USBPollingTests {
  @Test func `intervals are those of the descriptor`() {
    // USB 2.0, 9.6.6: frames at full speed, 2^(n-1) microframes at high speed.
    #expect(USBPolling(.full, bInterval: 1).interval == 1e-3)
    #expect(USBPolling(.full, bInterval: 6).interval == 4e-3)
    #expect(USBPolling(.full, bInterval: 8).interval == 8e-3)
    #expect(USBPolling(.full, bInterval: 0).interval == 1e-3)
    #expect(USBPolling(.high, bInterval: 1).interval == 125e-6)
    #expect(USBPolling(.high, bInterval: 4).interval == 1e-3)
    #expect(USBPolling(.high, bInterval: 255).interval == 125e-6 * 32768)
  }

  @Test(arguments: [USBPolling(.full, bInterval: 1), USBPolling(.high, bInterval: 1)])
  func `random instants wait as the model says`(polling: USBPolling) {
    var random = SeededRandom(seed: 11)
    var sum = 0.0
    var squares = 0.0
    let count = 20_000
    for _ in 0..<count {
      let ready = random.uniform(0...10)
      let wait = polling.departure(ready: ready, phase: 0.3e-3) - ready
      #expect(wait >= -1e-12 && wait < polling.interval + 1e-12)
      sum += wait
      squares += wait * wait
    }
    let mean = sum / Double(count)
    let deviation = (squares / Double(count) - mean * mean).squareRoot()
    // Five standard errors of either.
    #expect(abs(mean - polling.interval / 2) < 5 * polling.standardDeviation / 141)
    #expect(abs(deviation / polling.standardDeviation - 1) < 0.03)
    #expect(polling.mean == polling.interval / 2 + polling.transfer)
    #expect(polling.longest == polling.interval + polling.transfer)
  }
}

/// What the tests' bus does by the description of its polling.
extension USBPolling {
  var mean: Double { interval / 2 + transfer }
  var standardDeviation: Double { interval / 12.squareRoot() }

  /// When a packet leaves, in seconds: the first question at or after it is ready; `phase` is that of any question.
  func departure(ready: Double, phase: Double) -> Double {
    phase + ((ready - phase) / interval).rounded(.up) * interval
  }
}
