// SPDX-License-Identifier: Apache-2.0

public import Units

/// The decoded sound files of a pattern by their paths as written, at the rate of rendering.
public struct SoundBank: Sendable, Equatable {
  /// One or two channels of one length; the first two of more are used.
  public private(set) var sounds: [String: [Signal]] = [:]

  /// Makes an empty bank.
  public init() {}

  /// Adds a decoded file, all of whose channels have one rate and length.
  public mutating func add(_ channels: [Signal], path: String) {
    precondition(!channels.isEmpty, "a sound needs a channel")
    precondition(
      channels.allSatisfy { $0.samples.count == channels[0].samples.count },
      "the channels of '\(path)' must have one length")
    sounds[path] = Array(channels.prefix(2))
  }

  /// The length of a sound in seconds.
  public func duration(of path: String) -> Double? { sounds[path]?.first?.duration }
}

/// Where a sound file's channels lie in memory.
struct SoundMemory {
  /// The left channel's first sample; two frames of silence stand before and after each channel.
  let left: UnsafePointer<Float>
  /// The right channel's first sample; equal to `left` for a mono file.
  let right: UnsafePointer<Float>
  let frameCount: Int

  /// Copies sounds of a bank into new memory, which the caller gives back; it is never without room.
  ///
  /// Paths that the bank does not have are left out.
  static func place(
    _ paths: [String], of bank: SoundBank, rate: SampleRate
  ) -> (memory: UnsafeMutablePointer<Float>, files: [String: SoundMemory]) {
    let used = Set(paths).sorted().compactMap { path in bank.sounds[path].map { (path, $0) } }
    // Two frames of silence around each channel keep the cubic inside the memory.
    let size = used.reduce(1) { $0 + $1.1.reduce(0) { $0 + $1.samples.count + 4 } }
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: size)
    memory.initialize(repeating: 0, count: size)
    var files: [String: SoundMemory] = [:]
    var place = 0
    for (path, channels) in used {
      precondition(
        channels.allSatisfy { $0.rate == rate },
        "the sound '\(path)' must be at the rate of rendering, \(rate)")
      var pointers: [UnsafePointer<Float>] = []
      for channel in channels {
        let first = memory + place + 2
        for (index, sample) in channel.samples.enumerated() { first[index] = sample }
        pointers.append(UnsafePointer(first))
        place += channel.samples.count + 4
      }
      files[path] = SoundMemory(
        left: pointers[0], right: pointers[pointers.count - 1],
        frameCount: channels[0].samples.count)
    }
    return (memory, files)
  }
}

/// What a sound is made of and how it is heard, which no control changes.
struct SoundSource {
  let volume: Float
  let pan: Float
  let pitch: Float
  let brightness: Float
  let usesEnvelope: Bool
  let loops: Bool
  /// The samples; `nil` for a synthesized tone.
  let file: SoundMemory?

  /// What an event has that is felt.
  static var none: SoundSource {
    @_noAllocation @_noLocks get {
      SoundSource(
        volume: 0, pan: 0, pitch: 0, brightness: 1, usesEnvelope: true, loops: false, file: nil)
    }
  }

  /// How many frames of a file there are to be heard once.
  var fileFrames: Int? {
    @_noAllocation @_noLocks get { loops ? nil : file?.frameCount }
  }
}

/// The course of a sound, a file's samples or a synthesized tone: of a pattern rendered whole and of a
/// player alike.
struct SoundVoice {
  private let toneTurns: Double
  private var position: Double
  /// Frames of the file in a frame of the clock, as last heard.
  private var speed: Double
  private var phase: UInt32
  private var heldLeft: Float = 0
  private var heldRight: Float = 0

  /// Begins a sound of which `age` frames have passed at the frame that it is first heard in, at the
  /// speed of its first moment.
  @_noAllocation @_noLocks
  init(age: Double, speed: Double, toneTurns: Double) {
    self.toneTurns = toneTurns
    self.speed = speed
    position = age * speed
    let turns = position * toneTurns
    // A start that no count of frames reaches may stand in a file; it is never heard.
    phase = turns.magnitude < 0x1p52 ? phaseUnits(ofTurns: turns - Double(Int(turns))) : 0
  }

  /// Goes on from the place in a looping file that an age of many frames leads to.
  @_noAllocation @_noLocks
  mutating func wrap(_ source: SoundSource) {
    guard source.loops, let file = source.file, file.frameCount > 0 else { return }
    let turns = Int(position / Double(file.frameCount))
    position -= Double(turns) * Double(file.frameCount)
  }

  /// How many frames of the clock a file still has at its present speed; infinite for what has no end.
  @_noAllocation @_noLocks
  func framesLeft(of source: SoundSource) -> Double {
    guard let count = source.fileFrames else { return .infinity }
    return (Double(count) - position) / speed
  }

  @_noAllocation @_noLocks
  func isOver(_ source: SoundSource) -> Bool {
    guard let count = source.fileFrames else { return false }
    return position >= Double(count)
  }

  /// Adds frames of which `memory` holds the gains and the controls.
  ///
  /// At `steadySpeed` where no control moves the pitch, else at the speed that follows from the pitch.
  @_noAllocation @_noLocks
  mutating func add(
    _ source: SoundSource, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>,
    count: Int, steadySpeed: Double? = nil, laws: borrowing RenderLaws,
    memory: borrowing StretchMemory
  ) {
    // Copies, so that no output could change them on the way.
    var voice = self
    let (volume, pan, gains) = (memory.volume, memory.pan, memory.gains)
    let (pitch, brightness) = (memory.pitch, memory.brightness)
    for index in 0..<count {
      voice.speed =
        steadySpeed ?? Double(powerOfTwo(limit(source.pitch + pitch[index], -1, 1)))
      let bright = limit(source.brightness + brightness[index], 0, 1)
      let side = limit(source.pan + pan[index], -1, 1)
      let gain = limit(source.volume * volume[index], 0, 1) * gains[index]
      if let file = source.file {
        voice.advance(file, loops: source.loops, filter: laws.filters.value(at: bright))
      } else {
        voice.advanceTone(brightness: bright)
      }
      left[index] += gain * (side > 0 ? 1 - side : 1) * voice.heldLeft
      right[index] += gain * (side < 0 ? 1 + side : 1) * voice.heldRight
    }
    self = voice
  }

  @inline(__always)
  private mutating func advanceTone(brightness: Float) {
    heldLeft = Self.tone(phase: phase, turns: toneTurns, brightness: brightness)
    heldRight = heldLeft
    phase &+= phaseUnits(ofTurns: toneTurns * speed)
  }

  @inline(__always)
  private mutating func advance(_ file: SoundMemory, loops: Bool, filter: Float) {
    let l = Self.read(file.left, file.frameCount, at: position, loops: loops)
    let r = Self.read(file.right, file.frameCount, at: position, loops: loops)
    // An open filter lets samples through to the bit, which the sum below would not.
    heldLeft = filter < 1 ? heldLeft + filter * (l - heldLeft) : l
    heldRight = filter < 1 ? heldRight + filter * (r - heldRight) : r
    position += speed
    while loops, position >= Double(file.frameCount), file.frameCount > 0 {
      position -= Double(file.frameCount)
    }
  }

  /// The sound between samples, by the cubic through four of them (Catmull-Rom).
  private static func read(
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
    let curvature = before - 2.5 * here + 2 * after - 0.5 * beyond
    let twist = (beyond - before) / 2 + 1.5 * (here - after)
    return ((twist * share + curvature) * share + slope) * share + here
  }

  /// A tone of up to eight partials of 1/k strength, dulled by brightness, none above the band.
  private static func tone(phase: UInt32, turns: Double, brightness: Float) -> Float {
    var sum: Float = 0
    var total: Float = 0
    var strength: Float = 1
    for partial in 1...8 {
      // The highest pitch doubles every partial.
      guard Double(partial) * turns * 2 < highestTurns else { break }
      let amplitude = strength / Float(partial)
      sum += amplitude * sine(ofPhase: phase &* UInt32(partial))
      total += amplitude
      strength *= brightness
    }
    return total > 0 ? sum / total : 0
  }
}

private func limit(_ value: Float, _ low: Float, _ high: Float) -> Float {
  value < low ? low : value > high ? high : value
}
