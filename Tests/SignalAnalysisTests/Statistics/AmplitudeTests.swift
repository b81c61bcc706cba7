import Glibc
import SignalAnalysis
import Testing

struct AmplitudeTests {
  @Test func `a sine has its amplitude over root two as rms`() {
    let samples = (0..<4_800).map { Float(3 * sin(2 * .pi * Double($0) / 48)) }
    #expect(abs(Amplitude.rms(samples) - 3 / 2.0.squareRoot()) < 1e-6)
    #expect(Amplitude.rms([]) == 0)
  }

  @Test(arguments: [0.01, 0.1, 0.2, 0.25])
  func `the peak between the samples of a short tone is found`(cycles: Double) throws {
    // A tone of some cycles a frame under a wide Gaussian, its top between two frames.
    let samples = (0..<400).map { frame -> Float in
      let t = Double(frame) - 200.43
      return Float(-2 * exp(-t * t / 5_000) * cos(2 * .pi * cycles * t))
    }
    let peak = try #require(Amplitude.peak(samples))
    #expect(abs(peak.value + 2) < 2e-4, "\(cycles): \(peak)")
    #expect(abs(peak.frame - 200.43) < 1e-2, "\(cycles): \(peak)")
  }

  @Test func `nothing has no peak`() {
    #expect(Amplitude.peak([]) == nil)
  }
}
