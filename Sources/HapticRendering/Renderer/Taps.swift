// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import Units

/// The taps in force, in a pool made for the most that ever sound together.
///
/// Taps that wait are seeds by rising first frame; a tap is made of its seed when its time has come,
/// and its place is given to another when it is over. All taps of a renderer have one length, so the
/// one that began last ends last.
struct TransientPool: ~Copyable {
  private(set) var activeCount = 0
  /// The first frame after which none is left.
  let endFrame: Int

  private let seeds: UnsafeMutablePointer<TransientSeed>
  private let count: Int
  private let voices: UnsafeMutablePointer<TransientVoice>
  private var next = 0

  /// Takes the seeds by rising first frame.
  init(_ waiting: [TransientSeed]) {
    count = waiting.count
    seeds = .allocate(capacity: max(1, count))
    var (ended, most, last) = (0, 0, 0)
    for (index, seed) in waiting.enumerated() {
      (seeds + index).initialize(to: seed)
      while waiting[ended].endFrame <= seed.firstFrame, ended < index { ended += 1 }
      most = max(most, index + 1 - ended)
      last = max(last, seed.endFrame)
    }
    voices = .allocate(capacity: max(1, most))
    endFrame = last
  }

  deinit {
    seeds.deallocate()
    voices.deallocate()
  }

  /// The first frame of the next tap to begin, where one is left.
  @_noAllocation @_noLocks @inline(__always)
  func nextFirstFrame() -> Int { next < count ? seeds[next].firstFrame : Int.max }

  /// Begins the taps whose time has come and drops those whose time is over.
  @_noAllocation @_noLocks
  mutating func update(at frame: Int) {
    var kept = 0
    for index in 0..<activeCount where voices[index].endFrame > frame {
      if kept != index { voices[kept] = voices[index] }
      kept += 1
    }
    while next < count, seeds[next].firstFrame <= frame {
      if seeds[next].endFrame > frame {
        (voices + kept).initialize(to: TransientVoice(seeds[next]))
        kept += 1
      }
      next += 1
    }
    activeCount = kept
  }

  /// Adds the taps in force to frames; `output` points at frame `from`.
  @_noAllocation @_noLocks
  mutating func add(to output: UnsafeMutablePointer<Float>, from: Int, to: Int) {
    for index in 0..<activeCount {
      // Not by a subscript: Swift 6.3 then makes no valid code for the thread sanitizer.
      (voices + index).pointee.add(to: output, from: from, to: to)
    }
  }

  /// Fills what the last tap that asks for something leaves of the vibrations in frames; false where
  /// there is none.
  @_noAllocation @_noLocks
  func fillDucking(
    _ gains: UnsafeMutablePointer<Float>, from: Int, to: Int, depth: Float,
    halfTurnsPerFrame: Double
  ) -> Bool {
    var index = activeCount - 1
    while index >= 0, voices[index].isSilent { index -= 1 }
    guard index >= 0 else { return false }
    let end = earlier(to, voices[index].endFrame)
    let first = voices[index].age - Double(voices[index].firstFrame)
    for frame in from..<to {
      let age = Double(frame) + first
      // A quarter of a turn ahead the sine is the cosine.
      let cosine = sine(ofPhase: phaseUnits(ofTurns: 0.25 + 0.5 * halfTurnsPerFrame * age))
      gains[frame - from] = frame < end ? 1 - depth * (0.5 + 0.5 * cosine) : 1
    }
    return true
  }
}

/// What a tap begins with, worked out before rendering: small, so that millions may wait.
struct TransientSeed {
  let firstFrame: Int
  let endFrame: Int
  let amplitude: Double
  /// The frames from the tap's start to the first frame, less than one.
  let age: Double
  /// The carrier's phase at the first frame.
  let phase: Rotation
  /// The carrier's turn from frame to frame.
  let step: Rotation
  /// The fall's phase at the first frame.
  let fallPhase: Rotation
  /// The fall's turn from frame to frame.
  let fallStep: Rotation

  init(
    _ event: TimelineEvent, intent: Intent, configuration: RenderConfiguration,
    laws: borrowing RenderLaws
  ) {
    let rate = configuration.rate.hertz
    let level = intent.intensity(of: event, at: event.start)
    let turns: Double
    // With a profile the amplitude is what the inverse is fed with, else a drive.
    if laws.hasProfile {
      let sharpness = intent.sharpness(of: event, at: event.start)
      let command = laws.taps.value(intensity: Float(level), sharpness: Float(sharpness))
      amplitude = Double(command.amplitude)
      turns = Double(command.turns)
    } else {
      amplitude = configuration.fullScale * configuration.intensityLaw.share(of: level)
      turns = intent.frequency(of: event, at: event.start) / rate
    }
    // The first moment of a tap lies between two frames.
    let start = event.start * rate
    firstFrame = frame(atOrAfter: start)
    endFrame = frame(atOrAfter: start + laws.tapFrames)
    age = Double(firstFrame) - start
    let fall = Double.pi / laws.tapFrames
    fallPhase = Rotation(radians: fall * age)
    fallStep = Rotation(radians: fall)
    if laws.isTone {
      let radiansPerFrame = 2 * .pi * min(highestTurns, turns)
      phase = Rotation(radians: 2 * .pi * laws.tapPhase + radiansPerFrame * age)
      step = Rotation(radians: radiansPerFrame)
    } else {
      // The same fall without a carrier: a sine that stands at its crest.
      phase = Rotation(radians: .pi / 2)
      step = Rotation(radians: 0)
    }
  }
}

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

    @inline(__always)
    mutating func advance() {
      let following = factor * current - previous
      previous = current
      current = following
    }
  }

  let firstFrame: Int
  let endFrame: Int
  let isSilent: Bool
  let age: Double
  private var carrier: Sine
  private var upper: Sine
  private var lower: Sine

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

/// Cosine and sine of an angle: two turns after each other are one by the sum of their angles.
struct Rotation {
  let cosine: Double
  let sine: Double

  init(radians: Double) {
    cosine = cos(radians)
    sine = sin(radians)
  }

  @inline(__always)
  init(cosine: Double, sine: Double) {
    self.cosine = cosine
    self.sine = sine
  }

  @inline(__always)
  func turned(by other: Rotation) -> Rotation {
    Rotation(
      cosine: cosine * other.cosine - sine * other.sine,
      sine: sine * other.cosine + cosine * other.sine)
  }

  var inverse: Rotation { Rotation(cosine: cosine, sine: -sine) }
}
