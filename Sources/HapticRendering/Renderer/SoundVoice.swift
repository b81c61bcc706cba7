private import Glibc
import Units

/// A sound while it is heard: a file's samples or a synthesized tone, left and right.
struct SoundVoice {
  /// The controls of a stretch, a value a frame.
  struct Controls {
    let volume: UnsafeMutablePointer<Float>
    let pan: UnsafeMutablePointer<Float>
    let pitch: UnsafeMutablePointer<Float>
    let brightness: UnsafeMutablePointer<Float>
    /// Whether the pitch control never leaves its neutral value.
    let pitchIsNeutral: Bool

    @_noAllocation @_noLocks
    init(
      volume: UnsafeMutablePointer<Float>, pan: UnsafeMutablePointer<Float>,
      pitch: UnsafeMutablePointer<Float>, brightness: UnsafeMutablePointer<Float>,
      pitchIsNeutral: Bool
    ) {
      self.volume = volume
      self.pan = pan
      self.pitch = pitch
      self.brightness = brightness
      self.pitchIsNeutral = pitchIsNeutral
    }
  }

  private static var partialCount: Int { 8 }

  let firstFrame: Int
  let endFrame: Int
  private let source: SoundMemory?
  private let envelope: EnvelopeFrames
  private let usesEnvelope: Bool
  private let loops: Bool
  private let volume: Float
  private let pan: Float
  private let pitch: Float
  private let brightness: Float
  private let toneTurns: Double
  /// The speed at the event's own pitch, where no control moves it.
  private let steadySpeed: Double
  private var position: Double
  private var phase: UInt32
  private var heldLeft: Float = 0
  private var heldRight: Float = 0

  /// Takes the pitch control's value at the event's start.
  init(
    event: TimelineEvent, source: SoundMemory?, configuration: RenderConfiguration,
    pitchControl: Double
  ) {
    let rate = configuration.rate.hertz
    let start = event.start * rate
    let sound = event.sound ?? TimelineEvent.Sound()
    firstFrame = frame(atOrAfter: start)
    envelope = EnvelopeFrames(event.envelope, start: start, rate: rate)
    self.source = source
    // Without an envelope a file is cut at its duration, with no ramp.
    usesEnvelope = sound.path == nil || sound.usesEnvelope
    loops = sound.loops
    endFrame = frame(
      atOrAfter: start + (usesEnvelope ? event.envelope.end : event.envelope.duration) * rate)
    volume = Float(sound.volume)
    pan = Float(sound.pan)
    pitch = Float(sound.pitch)
    brightness = Float(sound.brightness)
    toneTurns = configuration.toneFrequency / rate
    steadySpeed = exp2(min(1, max(-1, sound.pitch)))
    // What is heard at the first frame has begun a part of a frame before.
    let begun = (Double(firstFrame) - start) * exp2(min(1, max(-1, sound.pitch + pitchControl)))
    position = begun
    phase = phaseUnits(ofTurns: (begun * toneTurns).truncatingRemainder(dividingBy: 1))
  }

  /// Adds frames; the outputs and the controls point at frame `from`.
  @_noAllocation @_noLocks
  mutating func add(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, from: Int, to: Int,
    controls: Controls, filters: borrowing LookupCurve
  ) {
    let count = earlier(to, endFrame) - from
    guard count > 0 else { return }
    for index in 0..<count {
      let speed =
        controls.pitchIsNeutral
        ? steadySpeed : Double(powerOfTwo(Self.limit(pitch + controls.pitch[index], -1, 1)))
      let bright = Self.limit(brightness + controls.brightness[index], 0, 1)
      let side = Self.limit(pan + controls.pan[index], -1, 1)
      var gain = Self.limit(volume * controls.volume[index], 0, 1)
      if usesEnvelope, !envelope.holds(from + index, from + index + 1) {
        gain *= envelope.gain(at: from + index)
      }
      if let source {
        advance(source, speed: speed, filter: filters.value(at: bright))
      } else {
        heldLeft = Self.tone(phase: phase, turns: toneTurns, brightness: bright)
        heldRight = heldLeft
        phase &+= phaseUnits(ofTurns: toneTurns * speed)
      }
      left[index] += gain * (side > 0 ? 1 - side : 1) * heldLeft
      right[index] += gain * (side < 0 ? 1 + side : 1) * heldRight
    }
  }

  @_noAllocation @_noLocks @inline(__always)
  private mutating func advance(_ source: SoundMemory, speed: Double, filter: Float) {
    let l = Self.read(source.left, source.frameCount, at: position, loops: loops)
    let r = Self.read(source.right, source.frameCount, at: position, loops: loops)
    // An open filter lets samples through to the bit, which the sum below would not.
    heldLeft = filter < 1 ? heldLeft + filter * (l - heldLeft) : l
    heldRight = filter < 1 ? heldRight + filter * (r - heldRight) : r
    position += speed
    while loops, position >= Double(source.frameCount), source.frameCount > 0 {
      position -= Double(source.frameCount)
    }
  }

  /// The sound between samples, by the cubic through four of them (Catmull-Rom).
  @_noAllocation @_noLocks
  static func read(
    _ samples: UnsafePointer<Float>, _ frameCount: Int, at position: Double, loops: Bool
  ) -> Float {
    let index = Int(position)
    guard index < frameCount else { return 0 }
    let share = Float(position - Double(index))
    let before = loops && index == 0 ? samples[frameCount - 1] : samples[index - 1]
    let here = samples[index]
    let after = loops && index + 1 >= frameCount ? samples[0] : samples[index + 1]
    let beyond =
      loops && index + 2 >= frameCount ? samples[(index + 2) % frameCount] : samples[index + 2]
    let slope = (after - before) / 2
    let bend = before - 2.5 * here + 2 * after - 0.5 * beyond
    let twist = (beyond - before) / 2 + 1.5 * (here - after)
    return ((twist * share + bend) * share + slope) * share + here
  }

  /// A tone of up to eight partials of 1/k strength, dulled by brightness, none above the band.
  @_noAllocation @_noLocks
  static func tone(phase: UInt32, turns toneTurns: Double, brightness: Float) -> Float {
    var sum: Float = 0
    var total: Float = 0
    var strength: Float = 1
    for partial in 1...partialCount {
      // The highest pitch doubles every partial.
      guard Double(partial) * toneTurns * 2 < 0.45 else { break }
      let amplitude = strength / Float(partial)
      sum += amplitude * sine(ofPhase: phase &* UInt32(partial))
      total += amplitude
      strength *= brightness
    }
    return total > 0 ? sum / total : 0
  }

  @_noAllocation @_noLocks
  private static func limit(_ value: Float, _ low: Float, _ high: Float) -> Float {
    value < low ? low : value > high ? high : value
  }
}
