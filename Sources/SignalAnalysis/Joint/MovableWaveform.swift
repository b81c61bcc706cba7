// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A short waveform that can be moved by parts of a frame, at a place in a longer stretch.
struct MovableWaveform {
  /// The frame of the stretch that `values` begin at.
  private(set) var first: Int
  /// The waveform at its present delay, zero where frames are left out.
  private(set) var values: [Double] = []
  /// How fast it changes with time there, a frame.
  private(set) var slope: [Double] = []
  /// The delay in frames at which `values` were drawn.
  private(set) var delay = 0.0

  /// The frame that it begins at without a delay, its room before it included.
  let origin: Int
  private let count: Int
  let length: Int
  private var bins: [Complex]
  private var isDrawn = false

  /// A delay that changes by less than this many frames is the same.
  private static let finest = 1e-5

  /// Frames of room at either end, in which what is moved by parts of a frame dies away.
  static let room = 24

  init(_ samples: [Double], first: Int, _ plans: Plans) {
    count = samples.count + 2 * Self.room
    length = FourierTransform.commonLength(atLeast: count + Self.room)
    origin = first - Self.room
    self.first = origin
    bins = plans.with(length) {
      $0.forward(([Double](repeating: 0, count: Self.room) + samples).span)
    }
  }

  /// The frames that the waveform was given for.
  var frames: Range<Int> { origin + Self.room..<origin + count - Self.room }

  var end: Int { first + count }

  /// Draws the waveform at a delay in frames, whole frames by its place and the rest in its spectrum.
  mutating func move(to delay: Double, _ plans: Plans) {
    guard !isDrawn || abs(delay - self.delay) > Self.finest else { return }
    let whole = delay.rounded()
    isDrawn = true
    self.delay = delay
    first = origin + Int(whole)
    if values.isEmpty {
      values = [Double](repeating: 0, count: count)
      slope = values
    }
    let (turn, scale) = (-2 * .pi / Double(length) * (delay - whole), 1 / Double(length))
    plans.with(length) { plan in
      let samples = plan.inverse { bins.turn(by: turn, into: $0) }
      values.withUnsafeMutableBufferPointer { values in
        for index in values.indices { values[index] = scale * samples[index] }
      }
      Self.differentiate(samples, scale: scale, into: &slope)
    }
  }

  /// How fast samples change, by differences to the eighth order: to 1 % up to a fifth of the rate.
  ///
  /// The ends, where a waveform has died away, have no slope.
  private static func differentiate(
    _ samples: UnsafePointer<Double>, scale: Double, into slope: inout [Double]
  ) {
    let (a, b) = (scale * 4 / 5, scale * -1 / 5)
    let (c, d) = (scale * 4 / 105, scale * -1 / 280)
    slope.withUnsafeMutableBufferPointer { slope in
      guard slope.count > 8 else { return }
      for n in 4..<(slope.count - 4) {
        slope[n] =
          a * (samples[n + 1] - samples[n - 1]) + b * (samples[n + 2] - samples[n - 2])
          + c * (samples[n + 3] - samples[n - 3]) + d * (samples[n + 4] - samples[n - 4])
      }
    }
  }

  /// Puts zeros where frames of the stretch are left out.
  mutating func leaveOut(_ frames: [Range<Int>]) {
    for frames in frames {
      for frame in frames.clamped(to: first..<end) {
        values[frame - first] = 0
        slope[frame - first] = 0
      }
    }
  }

  /// Multiplies its spectrum by a factor for each bin; it is drawn anew when it is moved next.
  mutating func filter(_ factors: [Complex]) {
    bins.withUnsafeMutableBufferPointer { bins in
      factors.withUnsafeBufferPointer { factors in
        for bin in bins.indices { bins[bin] = bins[bin] * factors[bin] }
      }
    }
    isDrawn = false
  }

  final class Plans {
    private final class Plan {
      var transform: FourierTransform
      init(_ length: Int) { transform = FourierTransform(length: length) }
    }

    private var plans: [Int: Plan] = [:]

    func with<Value>(_ length: Int, _ body: (inout FourierTransform) -> Value) -> Value {
      if let plan = plans[length] { return body(&plan.transform) }
      let plan = Plan(length)
      plans[length] = plan
      return body(&plan.transform)
    }
  }
}
