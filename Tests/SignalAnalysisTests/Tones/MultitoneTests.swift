import SignalAnalysis
import Testing
import Units

struct MultitoneTests {
  @Test func `tones stand on multiples of the repeat rate, each once`() {
    let tones = Multitone(frequencies: [150.2, 80, 151, 300, 0.1], amplitude: 0.2, period: 0.5)
    #expect(tones.tones.map(\.frequency) == [2, 80, 150, 152, 300])
  }

  @Test func `it repeats after its period`() {
    let tones = Multitone(frequencies: [81, 151, 233], amplitude: 0.2, period: 0.25)
    for time in [0.01, 0.1, 0.2] {
      #expect(abs(tones.value(at: time) - tones.value(at: time + 0.25)) < 1e-9)
    }
    #expect(tones.samples(at: .standard, periods: 3).count == 36_000)
  }

  @Test func `each tone has its amplitude, and the crest is far below their sum`() throws {
    let wanted = (1...20).map { 40.0 * Double($0) }
    let tones = Multitone(frequencies: wanted, amplitude: 0.1, period: 0.5)
    let samples = tones.samples(at: .standard, periods: 1, ramp: 0)
    let crest = samples.map(abs).max() ?? 0
    // Schroeder's phases reach about 1.7 times the rms; all in phase it would be 2.
    #expect(crest < 0.65, "\(crest)")
    let fit = try #require(
      ToneFit.fit(samples.map { Float($0) }, rate: .standard, frequency: 40, harmonics: 20))
    #expect(fit.components.allSatisfy { abs($0.amplitude.value - 0.1) < 1e-6 })
  }
}
