import Glibc
import SignalAnalysis
import Testing
import Units

struct TemplateFitTests {
  private let rate = SampleRate.standard

  /// A tap's response: a ringing that begins at a frame.
  private func ring(at start: Double, frequency: Double, count: Int = 6_000) -> [Double] {
    (0..<count).map { frame in
      let age = (Double(frame) - start) / 48_000
      guard age > 0 else { return 0 }
      // A soft beginning, so that it can be moved by parts of a frame.
      return (1 - exp(-age * 2_000)) * (1 - exp(-age * 2_000)) * exp(-age / 0.015)
        * sin(2 * .pi * frequency * age)
    }
  }

  private func sum(_ parts: [[Double]]) -> [Double] {
    parts[0].indices.map { index in parts.reduce(0) { $0 + $1[index] } }
  }

  @Test func `two responses that ring into each other keep their own gains and delays`() throws {
    let templates = [ring(at: 800, frequency: 170), ring(at: 1_600, frequency: 170)]
    // The first 0.37 frames late and 0.9 as strong, the second 14.6 frames early and 1.2.
    let truth = sum([
      placed(templates[0], at: 0.37, of: 6_000, gain: 0.9),
      placed(templates[1], at: -14.6, of: 6_000, gain: 1.2),
    ])
    let found = try TemplateFit(templates: templates, reach: 200).fit(
      floats(truth.map { $0 + 9.8 }), noise: 1e-5)
    for (part, (gain, delay)) in zip(found.parts, [(0.9, 0.37), (1.2, -14.6)]) {
      #expect(abs(part.gain.value - gain) < 1e-4, "\(part.gain)")
      #expect(abs(part.delay.value - delay) < 1e-2, "\(part.delay)")
    }
    #expect(found.misfit < 1e-3)
  }

  @Test func `noise moves gain and delay by no more than is stated`() throws {
    let templates = [
      ring(at: 800, frequency: 170), ring(at: 1_300, frequency: 170),
      ring(at: 1_500, frequency: 90),
    ]
    let clean = sum(templates)
    let fit = TemplateFit(templates: templates, reach: 200)
    var noise = Noise(seed: 71)
    let sigma = 0.03
    var inside = 0
    var pulls: [Double] = []
    let rounds = 60
    for _ in 0..<rounds {
      let found = try fit.fit(noise.added(to: clean, sigma: sigma), noise: sigma)
      for part in found.parts {
        pulls.append(part.delay.value / part.delay.uncertainty)
        pulls.append((part.gain.value - 1) / part.gain.uncertainty)
      }
    }
    inside = pulls.count { abs($0) <= 2 }
    #expect(Double(inside) >= 0.93 * Double(pulls.count), "seed 71: \(inside) of \(pulls.count)")
    // The bound is met, not passed by far.
    #expect(rms(pulls) > 0.5, "seed 71: \(rms(pulls))")
  }

  @Test func `what no waveform explains widens all of them`() throws {
    let templates = [ring(at: 800, frequency: 170), ring(at: 1_600, frequency: 170)]
    let other = ring(at: 1_000, frequency: 230).map { 0.3 * $0 }
    let fit = TemplateFit(templates: templates, reach: 200)
    let clean = try fit.fit(floats(sum(templates)), noise: 1e-4)
    let spoilt = try fit.fit(floats(sum(templates + [other])), noise: 1e-4)
    #expect(spoilt.misfit > 0.05)
    for (part, before) in zip(spoilt.parts, clean.parts) {
      #expect(part.delay.uncertainty > 10 * before.delay.uncertainty)
      #expect(abs(part.delay.value) < 2 * part.delay.uncertainty, "\(part.delay)")
      #expect(abs(part.gain.value - 1) < 2 * part.gain.uncertainty, "\(part.gain)")
    }
  }

  @Test func `one waveform twice at one place is not told apart, or with no certainty at all`() {
    let template = ring(at: 800, frequency: 170)
    let found = Result {
      try TemplateFit(templates: [template, template], reach: 200).fit(
        floats(template), noise: 1e-3)
    }
    guard case .success(let found) = found else { return }
    for part in found.parts {
      #expect(part.gain.uncertainty > 10 * abs(part.gain.value) && part.gain.uncertainty > 10)
    }
  }

  @Test func `a waveform that is not where it should be is not found elsewhere`() {
    let late = placed(ring(at: 800, frequency: 170), at: 900, of: 6_000)
    let found = Result {
      try TemplateFit(templates: [ring(at: 800, frequency: 170)], reach: 100).fit(
        floats(late), noise: 1e-3)
    }
    switch found {
    case .failure: break
    case .success(let found): #expect(found.misfit > 0.5, "\(found.parts[0].delay)")
    }
  }
}
