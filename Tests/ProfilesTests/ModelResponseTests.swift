// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
import Testing

struct ModelResponseTests {
  private let rate = 48_000.0

  @Test(arguments: [80.0, 120, 150, 190, 230])
  func `a tone comes out as strong as the modes make it`(_ frequency: Double) throws {
    let mode = SampleProfiles.mode(150, 10, gain: 5.3)
    var response = try #require(
      ModelResponse(SampleProfiles.tone(modes: [mode]), rate: rate, fullScaleVolts: 4))
    #expect(response.delay == 1e-4)
    let answers = (0..<48_000).map { frame in
      response.advance(Float(0.25 * sin(2 * .pi * frequency * Double(frame) / rate)))
    }
    // Of what began with it nothing is left after 30 time constants; 0.25 of 4 V is 1 V.
    let highest = Double(answers[32_000...].max() ?? 0)
    #expect(abs(highest / SampleProfiles.magnitude([mode], at: frequency) - 1) < 0.01)
  }

  @Test func `what the inverse makes of a tap is the tap again`() throws {
    let profile = try SampleProfiles.lra()
    var inverse = FeedForwardFilter(profile.feedForward, rate: rate, peakVolts: 1000)
    var response = try #require(ModelResponse(profile, rate: rate, fullScaleVolts: 1))
    let shape = TapShape(length: 0.022)
    let tap = (0..<1056).map { shape.value(at: Double($0) / rate, frequency: 200) }
    let answer = tap.map { Double(response.advance(inverse.advance(Float($0)))) }
    let missing = zip(tap, answer).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    let energy = tap.reduce(0) { $0 + $1 * $1 }
    // The inverse's leak takes what lies below it, which is some 7 % of a tap of 22 ms.
    #expect(missing < 0.1 * energy, "\(missing / energy)")
  }

  @Test func `a motor comes to its speed and its force with its time constant`() throws {
    var response = try #require(
      ModelResponse(SampleProfiles.erm(), rate: rate, fullScaleVolts: 3))
    let answers = (0..<48_000).map { _ in response.advance(1) }
    let steady = answers[24_000...]
    #expect(abs((steady.max() ?? 0) - 15.8) < 0.01)
    let crossings = zip(steady, steady.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect(abs(crossings - 100) <= 1, "200 turns a second in half a second")
    // After one time constant the speed is at 1 - 1/e, the force at its square.
    let share = 1 - exp(-1.0)
    let near = answers[2640..<3120].max() ?? 0
    #expect(abs(Double(near) / 15.8 - share * share) < 0.05)
  }
}
