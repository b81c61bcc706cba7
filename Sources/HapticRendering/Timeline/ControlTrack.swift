private import Glibc

/// One dynamic parameter over the whole pattern: linear pieces, each holding until the next begins.
///
/// Built from steps and curves by one rule: the newest wins. A step begins at its time, a curve at its
/// first control point; what begins takes over from whatever was in force, and of two that begin
/// together the later in the file. Before the first the parameter is neutral; after a curve's last
/// point it holds.
public struct ControlTrack: Sendable, Equatable {
  /// One piece, in force from its start to the next piece's.
  public struct Piece: Sendable, Equatable {
    /// When it begins, in seconds of the pattern.
    public let start: Double
    /// The value at its start.
    public let value: Double
    /// How the value grows, per second.
    public let slope: Double
  }

  /// A step or a curve before they are put together.
  public struct Source: Sendable, Equatable {
    /// Times in seconds of the pattern and values, by rising time; one point for a step.
    public let points: [(time: Double, value: Double)]
    /// The place in the file: of two that begin together the higher wins.
    public let order: Int

    /// Makes a source; a source needs a point.
    public init(points: [(time: Double, value: Double)], order: Int) {
      precondition(!points.isEmpty, "a control source needs a point")
      self.points = points
      self.order = order
    }

    /// Two sources are equal when their points and places are.
    public static func == (left: Source, right: Source) -> Bool {
      left.order == right.order && left.points.map(\.time) == right.points.map(\.time)
        && left.points.map(\.value) == right.points.map(\.value)
    }
  }

  /// The value before the first piece.
  public let neutral: Double
  /// The pieces by rising start.
  public let pieces: [Piece]

  /// Puts sources together, their values limited to a range, in n log n of their points.
  public init(neutral: Double, range: ClosedRange<Double>, sources: [Source]) {
    self.neutral = neutral
    let ordered = sources.sorted {
      $0.points[0].time != $1.points[0].time
        ? $0.points[0].time < $1.points[0].time : $0.order < $1.order
    }
    var pieces: [Piece] = []
    for (index, source) in ordered.enumerated() {
      let end = index + 1 < ordered.count ? ordered[index + 1].points[0].time : .infinity
      Self.append(source, until: end, range: range, to: &pieces)
    }
    self.pieces = pieces
  }

  private static func append(
    _ source: Source, until end: Double, range: ClosedRange<Double>, to pieces: inout [Piece]
  ) {
    let points = source.points
    for index in points.indices {
      let (time, raw) = points[index]
      guard time < end else { return }
      let value = min(max(raw, range.lowerBound), range.upperBound)
      var slope = 0.0
      if index + 1 < points.count, points[index + 1].time > time {
        let next = min(max(points[index + 1].value, range.lowerBound), range.upperBound)
        // A ramp of less than a nanosecond is a jump: its slope would be beyond what can be held.
        let length = points[index + 1].time - time
        slope = length >= 1e-9 ? (next - value) / length : 0
      }
      // A later point at the same time is a jump: it replaces the piece that had no length.
      if let last = pieces.last, last.start >= time { pieces.removeLast() }
      pieces.append(Piece(start: time, value: value, slope: slope))
    }
  }

  /// The value at a time in seconds of the pattern; logarithmic in the number of pieces.
  public func value(at time: Double) -> Double {
    let place = place(at: time)
    guard place > 0 else { return neutral }
    let piece = pieces[place - 1]
    return piece.value + piece.slope * (time - piece.start)
  }

  /// How many pieces have begun at a time.
  func place(at time: Double) -> Int { pieces.leadingCount { $0.start <= time } }

  /// Whether the parameter is neutral throughout.
  public var isNeutral: Bool { pieces.allSatisfy { $0.value == neutral && $0.slope == 0 } }
}

extension ControlTrack {
  /// How many seconds a sound file of some seconds plays that begins at a time of the pattern at the speed
  /// 2^pitch, its pitch in octaves moved by this control.
  ///
  /// The file is over when the integral of 2^p reaches its length, p the sum of both held to -1...1:
  /// over a line p = a + b t that integral is (2^(a + b t) - 2^a) / (b ln 2).
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

/// The dynamic parameters of a pattern, each over the whole of it.
public struct Controls: Sendable, Equatable {
  /// Multiplies the intensity of haptic events.
  public var intensity: ControlTrack
  /// Adds to the sharpness of haptic events.
  public var sharpness: ControlTrack
  /// Multiplies the volume of sounds.
  public var volume: ControlTrack
  /// Adds to the pan of sounds.
  public var pan: ControlTrack
  /// Adds to the pitch of sounds.
  public var pitch: ControlTrack
  /// Adds to the brightness of sounds.
  public var brightness: ControlTrack

  /// Makes controls; neutral throughout unless given.
  public init(
    intensity: ControlTrack = .unity, sharpness: ControlTrack = .zero,
    volume: ControlTrack = .unity, pan: ControlTrack = .zero, pitch: ControlTrack = .zero,
    brightness: ControlTrack = .zero
  ) {
    self.intensity = intensity
    self.sharpness = sharpness
    self.volume = volume
    self.pan = pan
    self.pitch = pitch
    self.brightness = brightness
  }
}

extension ControlTrack {
  /// 1 throughout: neutral for what multiplies.
  public static var unity: ControlTrack { ControlTrack(neutral: 1, range: 0...1, sources: []) }
  /// 0 throughout: neutral for what adds.
  public static var zero: ControlTrack { ControlTrack(neutral: 0, range: -1...1, sources: []) }
}
