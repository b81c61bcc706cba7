/// A tap while it sounds: three sines by the recurrence y[n+4] = 2 cos(4w) y[n] - y[n-4].
///
/// A sin(wt) (1 + cos(vt)) / 2 = A/2 sin(wt) + A/4 sin((w+v)t) + A/4 sin((w-v)t). Four neighbouring
/// frames are held at once, counted from the tap's first, so that they are computed side by side. In
/// double precision the recurrence stays within 1e-10 over the thousand frames of a tap.
struct TransientVoice {
  private struct Sine {
    var current: SIMD4<Double>
    var previous: SIMD4<Double>
    let factor: SIMD4<Double>

    @_noAllocation @_noLocks
    init(amplitude: Double, step: Rotation, phase: Rotation) {
      let one = phase.turned(by: step)
      let two = one.turned(by: step)
      let back = phase.turned(by: step.inverse)
      let double = step.turned(by: step)
      let four = double.turned(by: double)
      current = SIMD4(phase.sine, one.sine, two.sine, two.turned(by: step).sine)
      previous = SIMD4(
        phase.turned(by: four.inverse).sine, one.turned(by: four.inverse).sine,
        back.turned(by: step.inverse).sine, back.sine)
      current *= amplitude
      previous *= amplitude
      factor = SIMD4(repeating: 2 * four.cosine)
    }

    @_noAllocation @_noLocks @inline(__always)
    mutating func advance() {
      let following = factor * current - previous
      previous = current
      current = following
    }
  }

  let firstFrame: Int
  let endFrame: Int
  /// Whether the tap asks for nothing.
  let isSilent: Bool
  /// The frames from the tap's start to its first frame.
  let age: Double
  private var carrier: Sine
  private var upper: Sine
  private var lower: Sine

  @_noAllocation @_noLocks
  init(_ seed: TransientSeed) {
    firstFrame = seed.firstFrame
    endFrame = seed.endFrame
    isSilent = seed.amplitude <= 0
    age = seed.age
    carrier = Sine(amplitude: seed.amplitude / 2, step: seed.step, phase: seed.phase)
    upper = Sine(
      amplitude: seed.amplitude / 4, step: seed.step.turned(by: seed.fallStep),
      phase: seed.phase.turned(by: seed.fallPhase))
    lower = Sine(
      amplitude: seed.amplitude / 4, step: seed.step.turned(by: seed.fallStep.inverse),
      phase: seed.phase.turned(by: seed.fallPhase.inverse))
  }

  /// Adds frames; `output` points at frame `from`, which follows the last one added.
  @_noAllocation @_noLocks
  mutating func add(to output: UnsafeMutablePointer<Float>, from: Int, to: Int) {
    let count = earlier(to, endFrame) - from
    guard count > 0 else { return }
    var (a, b, c) = (carrier, upper, lower)
    var lane = (from - firstFrame) & 3
    var index = 0
    // Four at a time where a block holds all four, else one by one: the sums are the same.
    while index < count {
      let sum = a.current + b.current + c.current
      if lane == 0, index + 4 <= count {
        output[index] += Float(sum[0])
        output[index + 1] += Float(sum[1])
        output[index + 2] += Float(sum[2])
        output[index + 3] += Float(sum[3])
        index += 4
      } else {
        output[index] += Float(sum[lane])
        index += 1
        lane = (lane + 1) & 3
        if lane != 0 { continue }
      }
      a.advance()
      b.advance()
      c.advance()
    }
    (carrier, upper, lower) = (a, b, c)
  }
}
