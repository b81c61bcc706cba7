private import Glibc

extension ControlTrack {
  /// How many seconds a sound file plays whose speed is 2^pitch, its pitch moved by this control.
  ///
  /// The file is over when the integral of 2^p reaches its length, p the sum of both held to -1...1:
  /// over a line p = a + b t that integral is (2^(a + b t) - 2^a) / (b ln 2).
  ///
  /// - Parameters:
  ///   - length: The file's length in seconds.
  ///   - start: When it begins, in seconds of the pattern.
  ///   - pitch: The event's own pitch in octaves.
  /// - Returns: The seconds until its end.
  func time(toPlay length: Double, from start: Double, pitch: Double) -> Double {
    guard length > 0 else { return 0 }
    guard !isNeutral else { return length / exp2(min(1, max(-1, pitch))) }
    var left = length
    // At the lowest pitch a file takes twice its length, never more.
    for line in lines(from: start, to: start + 2 * length) {
      let sum = Line(
        start: line.start, end: line.end, value: pitch + line.value, slope: line.slope)
      for part in sum.limited(to: -1...1) {
        let speed = exp2(part.value)
        let rate = part.slope * M_LN2
        let seconds = part.end - part.start
        let played = rate == 0 ? speed * seconds : speed * expm1(rate * seconds) / rate
        if played >= left {
          let rest = rate == 0 ? left / speed : log1p(left * rate / speed) / rate
          return part.start - start + rest
        }
        left -= played
      }
    }
    return 2 * length
  }
}
