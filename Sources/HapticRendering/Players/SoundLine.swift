/// A sound of a player while it is heard: a file's samples or a made tone, left and right.
struct SoundLine {
  let slot: Int
  let index: Int
  let event: LiveEvent
  var gain: LiveEnvelope
  private let toneTurns: Double
  private var position: Double
  /// Frames of the file in a frame of the clock, as last heard.
  private var speed: Double
  private var phase: UInt32
  private var heldLeft: Float = 0
  private var heldRight: Float = 0

  /// What the controls say in a stretch, a value a frame.
  struct Controls {
    let volume: UnsafeMutablePointer<Float>
    let pan: UnsafeMutablePointer<Float>
    let pitch: UnsafeMutablePointer<Float>
    let brightness: UnsafeMutablePointer<Float>

    @_noAllocation @_noLocks
    init(_ memory: UnsafeMutablePointer<Float>, capacity: Int) {
      volume = memory
      pan = memory + capacity
      pitch = memory + 2 * capacity
      brightness = memory + 3 * capacity
    }
  }

  /// Begins a sound; `age` frames of it have passed at the frame that it is first heard in, at the
  /// speed of its first moment.
  @_noAllocation @_noLocks
  init(
    slot: Int, index: Int, event: LiveEvent, age: Double, speed: Double, toneTurns: Double,
    envelope: LiveEnvelope
  ) {
    self.slot = slot
    self.index = index
    self.event = event
    self.toneTurns = toneTurns
    gain = envelope
    self.speed = speed
    position = age * speed
    phase = phaseUnits(ofTurns: Self.fraction(age * speed * toneTurns))
    if event.sound.loops, event.sound.frameCount > 0 {
      let turns = Int(position / Double(event.sound.frameCount))
      position -= Double(turns) * Double(event.sound.frameCount)
    }
  }

  /// Whether nothing of it is heard from a frame on.
  @_noAllocation @_noLocks
  func isOver(at frame: Int) -> Bool {
    if gain.isOver(at: frame) { return true }
    guard event.sound.isFile, !event.sound.loops else { return false }
    return position >= Double(event.sound.frameCount)
  }

  /// How many frames of the clock the file still has at its present speed; infinite for what has no end.
  @_noAllocation @_noLocks
  func framesLeft() -> Double {
    guard event.sound.isFile, !event.sound.loops else { return .infinity }
    return (Double(event.sound.frameCount) - position) / speed
  }

  /// Adds frames; the outputs, the gains and the controls point at the first of them.
  @_noAllocation @_noLocks
  mutating func add(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>,
    gains: UnsafeMutablePointer<Float>, count: Int, controls: Controls,
    filters: borrowing LookupCurve
  ) {
    let sound = event.sound
    for index in 0..<count {
      speed = Double(powerOfTwo(Self.limit(sound.pitch + controls.pitch[index], -1, 1)))
      let bright = Self.limit(sound.brightness + controls.brightness[index], 0, 1)
      let side = Self.limit(sound.pan + controls.pan[index], -1, 1)
      let level = Self.limit(sound.volume * controls.volume[index], 0, 1) * gains[index]
      if sound.isFile {
        advance(filter: filters.value(at: bright))
      } else {
        heldLeft = SoundVoice.tone(phase: phase, turns: toneTurns, brightness: bright)
        heldRight = heldLeft
        phase &+= phaseUnits(ofTurns: toneTurns * speed)
      }
      left[index] += level * (side > 0 ? 1 - side : 1) * heldLeft
      right[index] += level * (side < 0 ? 1 + side : 1) * heldRight
    }
  }

  @_noAllocation @_noLocks @inline(__always)
  private mutating func advance(filter: Float) {
    guard let first = event.sound.left, let second = event.sound.right else { return }
    let (count, loops) = (event.sound.frameCount, event.sound.loops)
    let l = SoundVoice.read(first, count, at: position, loops: loops)
    let r = SoundVoice.read(second, count, at: position, loops: loops)
    // An open filter lets samples through to the bit, which the sum below would not.
    heldLeft = filter < 1 ? heldLeft + filter * (l - heldLeft) : l
    heldRight = filter < 1 ? heldRight + filter * (r - heldRight) : r
    position += speed
    while loops, position >= Double(count), count > 0 { position -= Double(count) }
  }

  @_noAllocation @_noLocks
  private static func fraction(_ value: Double) -> Double { value - Double(Int(value)) }

  @_noAllocation @_noLocks
  private static func limit(_ value: Float, _ low: Float, _ high: Float) -> Float {
    value < low ? low : value > high ? high : value
  }
}
