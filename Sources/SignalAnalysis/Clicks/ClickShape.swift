private import Glibc
import Units

/// The envelope of a transient over its noise.
struct ClickShape {
  private let values: [Double]
  private let envelope: [Double]
  private let frames: Range<Int>
  private let rate: SampleRate
  /// The standard deviation of the noise in the band.
  private let sigma: Double
  /// How many independent numbers a frame of band-limited noise holds.
  private let freedom: Double
  /// The highest value of the envelope.
  let top: Amplitude.Peak

  init(
    _ samples: [Float], frames: Range<Int>, quiet: Range<Int>, rate: SampleRate,
    band: ClosedRange<Double>, onset: Double
  ) {
    let analytic = BandPass(band).analytic(samples, rate: rate)
    let envelope = analytic.map(\.magnitude)
    values = analytic.map(\.real)
    self.envelope = envelope
    self.frames = frames
    self.rate = rate
    let power = quiet.reduce(0) { $0 + analytic[$1].power / 2 } / Double(max(1, quiet.count))
    sigma = power.squareRoot()
    freedom = min(1, 2 * (band.upperBound - band.lowerBound) / rate.hertz)
    let frame = frames.max { envelope[$0] < envelope[$1] } ?? frames.lowerBound
    top = Amplitude.Peak(frame: Double(frame), value: envelope[frame])
  }

  private var topFrame: Int { Int(top.frame) }

  /// Where the envelope first falls to half after its top, or the end of the drive if that is later.
  func pulseEnd(driveEnd: Double?) -> Int {
    let half = fall(below: 0.5) ?? Double(frames.upperBound)
    return min(frames.upperBound, Int(max(half, driveEnd ?? half).rounded(.up)))
  }

  /// Where the envelope first falls to 3 standard deviations, at least 5 ms and at most 200 ms on.
  func ringEnd(after start: Int) -> Int {
    let limit = min(frames.upperBound, start + rate.wholeFrames(0.2))
    let least = min(limit, start + rate.wholeFrames(0.005))
    guard start < limit else { return start }
    return (least..<limit).first { envelope[$0] < 3 * sigma } ?? limit
  }

  /// The frames between half height on both sides of the top.
  var halfWidth: Double {
    let half = 0.5 * top.value
    let before =
      (frames.lowerBound...topFrame).last { envelope[$0] < half }.map { crossing($0, half) }
      ?? Double(frames.lowerBound)
    return (fall(below: 0.5) ?? Double(frames.upperBound)) - before
  }

  /// The frames from 10 to 90 % before the top; nil where the stretch begins above 10 %.
  var rise: Double? {
    let (low, high) = (0.1 * top.value, 0.9 * top.value)
    guard let first = (frames.lowerBound...topFrame).last(where: { envelope[$0] < low }),
      let last = (first...topFrame).first(where: { envelope[$0 + 1] >= high })
    else { return nil }
    return crossing(last, high) - crossing(first, low)
  }

  /// Where the envelope falls below a share of its top for the last time; nil where noise hides it.
  func lastPassage(of share: Double) -> Double? {
    let level = share * top.value
    guard level > 5 * sigma,
      let last = (topFrame..<frames.upperBound).last(where: { envelope[$0] >= level }),
      last + 1 < frames.upperBound
    else { return nil }
    return crossing(last, level)
  }

  /// The energy of some frames less that of the noise.
  ///
  /// The noise of a sum of squares over m independent numbers: s^2 sqrt(2 m) dt, and 2 s sqrt(E dt) where there is a signal.
  func energy(of frames: Range<Int>) -> Estimate {
    let step = rate.period
    let sum = frames.reduce(0) { $0 + values[$1] * values[$1] }
    let noise = sigma * sigma
    let count = Double(frames.count)
    let energy = (sum - noise * count) * step
    let own = noise * (2 * count / max(freedom, 1e-12)).squareRoot()
    let cross = 2 * sigma * (max(0, energy) / step / max(freedom, 1e-12)).squareRoot()
    return Estimate(energy, uncertainty: step * (own * own + cross * cross).squareRoot())
  }

  private func fall(below share: Double) -> Double? {
    let level = share * top.value
    return (topFrame..<(frames.upperBound - 1)).first { envelope[$0 + 1] < level }
      .map { crossing($0, level) }
  }

  /// Where the straight line from a frame to the next passes a level.
  private func crossing(_ frame: Int, _ level: Double) -> Double {
    let next = envelope[min(frame + 1, envelope.count - 1)]
    guard next != envelope[frame] else { return Double(frame) }
    return Double(frame) + max(0, min(1, (level - envelope[frame]) / (next - envelope[frame])))
  }
}
