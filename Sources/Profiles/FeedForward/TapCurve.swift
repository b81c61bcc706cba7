private import Glibc

/// What an actuator makes of taps of one frequency under a peak voltage: asked against given.
///
/// A tap is a(t) = A sin(2 pi f t) (1 + cos(pi t / T)) / 2, and it counts by its energy: a tap that is
/// given as A has the energy of one that does exactly this. Where the peak holds the drive back, more
/// has to be asked for than is given.
public struct TapCurve: Sendable, Equatable {
  /// What the inverse filter is fed with, as peak accelerations in m/s2, rising.
  public let asked: [Double]
  /// What the actuator then does, in m/s2, rising.
  public let given: [Double]

  /// The strongest tap, in m/s2.
  public var ceiling: Double { given.last ?? 0 }

  /// What to ask for so that a tap is given, in m/s2; above the ceiling what the ceiling takes.
  ///
  /// Between the curve's points straight on logarithmic axes, below them in proportion.
  public func asked(for wanted: Double) -> Double {
    guard let first = given.first, wanted > first else {
      return wanted * (asked.first ?? 1) / (given.first ?? 1)
    }
    let place = Interpolation(of: wanted, in: given, logarithmic: true)
    let (a, b) = (asked[place.lower], asked[place.upper])
    return a * pow(b / a, place.share)
  }
}

extension FeedForward {
  /// Works out what an actuator makes of taps.
  ///
  /// The curve ends at the steady vibration that the peak would hold, or where a tap would not be
  /// 20 dB down 13 ms after its end. Some 40,000 steps of the filter.
  ///
  /// - Parameters:
  ///   - frequency: The tap's frequency in hertz.
  ///   - length: The tap's length T in seconds.
  ///   - peakVolts: The highest voltage at any sample.
  ///   - rate: Frames a second.
  /// - Returns: The curve; it has two points at least.
  public func tapCurve(
    frequency: Double, length: Double, peakVolts: Double, rate: Double = 16_000
  ) -> TapCurve {
    let frames = max(8, Int((length * rate).rounded(.up)))
    let settled = frames + Int((Self.settling * rate).rounded(.up))
    // What is still there after the settling is looked at for a while.
    let tap = (0..<settled + frames).map { frame in
      let time = Double(frame) / rate
      guard time < length else { return 0.0 }
      return sin(2 * .pi * frequency * time) * 0.5 * (1 + cos(.pi * time / length))
    }
    let energy = tap.reduce(0) { $0 + $1 * $1 }
    func given(_ amplitude: Double) -> (amplitude: Double, isSettled: Bool) {
      var filter = FeedForwardFilter(self, rate: rate, peakVolts: peakVolts)
      var actuator = actuatorSections(rate: rate)
      var (sum, peak, rest) = (0.0, 0.0, 0.0)
      for (frame, sample) in tap.enumerated() {
        var value = filter.volts(amplitude * sample) / gain
        for index in actuator.indices { value = actuator[index].advance(value) }
        sum += value * value
        if frame < settled { peak = max(peak, abs(value)) } else { rest = max(rest, abs(value)) }
      }
      return ((sum / energy).squareRoot(), rest < 0.1 * peak)
    }
    let highest = peakVolts / response(at: frequency).magnitude
    // 1.5 dB apart; at the lowest the peak is far away.
    var asked = [highest * pow(Self.step, -40)]
    var reached = [given(asked[0]).amplitude]
    for power in -39...0 {
      let next = highest * pow(Self.step, Double(power))
      let value = given(next)
      guard value.isSettled else { break }
      // Where the peak leaves nothing of what more is asked for, the curve goes straight past it.
      guard value.amplitude > reached[reached.count - 1] * pow(Self.step, 0.1) else { continue }
      asked.append(next)
      reached.append(value.amplitude)
    }
    if asked.count == 1 {
      asked.append(asked[0] * Self.step)
      reached.append(reached[0] * Self.step)
    }
    return TapCurve(asked: asked, given: reached)
  }

  private static let step = pow(10, 0.075)
  /// The time in seconds after which a tap is to be 20 dB down.
  private static let settling = 13e-3

  /// The actuator itself, as far as the inverse knows it: without the leak that replaces its s^2.
  private func actuatorSections(rate: Double) -> [FilterSection] {
    var sections = sections.map { FilterSection($0.denominator, over: $0.numerator, rate: rate) }
    if leak > 0 {
      let w = 2 * Double.pi * leak
      sections.append(
        FilterSection(
          Polynomial(0, 0, 1), over: Polynomial(w * w, 2.0.squareRoot() * w, 1), rate: rate,
          corner: w))
    }
    return sections
  }
}
