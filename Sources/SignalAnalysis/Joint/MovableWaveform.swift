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

  private let origin: Int
  private let count: Int
  /// The length of its transform.
  let length: Int
  private var bins: [Complex]
  private var isDrawn = false

  /// A delay that changes by less than this many frames is the same.
  private static let finest = 1e-5

  /// Frames of room at either end, in which what is moved by parts of a frame dies away.
  static let room = 24

  /// Takes a waveform that begins at a frame of the stretch.
  init(_ samples: [Double], first: Int, _ plans: Plans) {
    count = samples.count + 2 * Self.room
    // Few different lengths: of each a transform is planned.
    length = FourierTransform.fastLength(atLeast: (count + Self.room + 255) / 256 * 256)
    origin = first - Self.room
    self.first = origin
    bins = plans.with(length) {
      $0.forward(([Double](repeating: 0, count: Self.room) + samples).span)
    }
  }

  /// The last frame after its end.
  var end: Int { first + count }

  /// Draws the waveform at a delay in frames, whole frames by its place and the rest in its spectrum.
  mutating func move(to delay: Double, _ plans: Plans) {
    guard !isDrawn || abs(delay - self.delay) > Self.finest else { return }
    let whole = delay.rounded()
    let part = delay - whole
    isDrawn = true
    self.delay = delay
    first = origin + Int(whole)
    var moved = bins
    var slopes = bins
    let step = 2 * .pi / Double(length)
    let turn = Complex(angle: -step * part)
    var angle = Complex(1)
    for bin in bins.indices {
      // Every so often exactly, so that rounding does not add up.
      if bin.isMultiple(of: 64) { angle = Complex(angle: -step * part * Double(bin)) }
      moved[bin] = bins[bin] * angle
      slopes[bin] = moved[bin] * Complex(0, step * Double(bin))
      angle = angle * turn
    }
    plans.with(length) { plan in
      values = Array(plan.inverse(moved).prefix(count))
      slope = Array(plan.inverse(slopes).prefix(count))
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
    for bin in bins.indices { bins[bin] = bins[bin] * factors[bin] }
    isDrawn = false
  }

  /// Fourier transforms by their lengths, each made once.
  final class Plans {
    private final class Plan {
      var transform: FourierTransform
      init(_ length: Int) { transform = FourierTransform(length: length) }
    }

    private var plans: [Int: Plan] = [:]

    /// Runs something with the transform of a length.
    func with<Value>(_ length: Int, _ body: (inout FourierTransform) -> Value) -> Value {
      if let plan = plans[length] { return body(&plan.transform) }
      let plan = Plan(length)
      plans[length] = plan
      return body(&plan.transform)
    }
  }
}
