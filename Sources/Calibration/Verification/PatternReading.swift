private import Glibc
import Profiles
import SignalAnalysis
import Units

/// How the envelope of a pattern came out.
struct PatternReading: Sendable, Equatable {
  /// The middles of the windows that count, in seconds after the pattern's beginning.
  let times: [Double]
  /// What was asked for there, and what was measured, as peak accelerations in m/s2.
  let asked: [Double]
  let measured: [Double]

  /// The length of a window and the step from one to the next, in seconds.
  private static let window = 0.020
  private static let step = 0.005
  /// With less than this inside, nothing can be said, in seconds.
  private static let shortest = 0.1

  /// Reads a pattern's response, the noise's power and the sensor's low-pass taken out.
  init(
    _ course: PatternCourse, output: [Float], capture: Capture, delay: Double, noise: Double,
    filter: KnownFilter
  ) {
    let rate = capture.rate
    let band = BandPass(20...min(1_000, 0.38 * rate.hertz))
    let found = band.apply(to: output, rate: rate)
    let size = rate.wholeFrames(Self.window)
    let shift = Int(rate.frames(max(0, delay)).rounded())
    var (times, asked, measured): ([Double], [Double], [Double]) = ([], [], [])
    for first in stride(
      from: 0, to: course.asked.count - size, by: rate.wholeFrames(Self.step))
    {
      let frames = first..<first + size
      guard frames.allSatisfy({ course.isInside[$0] }) else { continue }
      let start = capture.frame(of: first) + shift
      guard start >= 0, start + size <= found.count else { continue }
      let wanted = frames.reduce(0.0) { $0 + Double(course.asked[$1]) * Double(course.asked[$1]) }
      let seen = (start..<start + size).reduce(0.0) { $0 + found[$1] * found[$1] }
      let scale = filter.response(at: Double(course.frequency[first + size / 2])).magnitude
      let power = max(1e-12, seen / Double(size) - noise * noise) / (scale * scale)
      times.append(rate.seconds(Double(first + size / 2)))
      asked.append((2 * wanted / Double(size)).squareRoot())
      measured.append((2 * power).squareRoot())
    }
    (self.times, self.asked, self.measured) = (times, asked, measured)
  }

  /// The account that a profile keeps; nil where the actuator follows too little of the pattern.
  var account: ProfileVerification.Pattern? {
    let duration = Double(times.count) * Self.step
    let errors = zip(measured, asked).map { 20 * log10($0 / $1) }
    guard duration >= Self.shortest, let spread = ProfileVerification.Spread(of: errors) else {
      return nil
    }
    return ProfileVerification.Pattern(envelope: spread, duration: duration)
  }
}
