/// An event of a player's pattern as the stage begins it: no memory of its own, nothing left to look up.
struct LiveEvent {
  /// Whether it is a tap.
  let isTap: Bool
  /// Whether it is felt; otherwise it is heard.
  let isFelt: Bool
  /// When it begins, in seconds of the pattern.
  let start: Double
  /// When its release begins, in seconds of the pattern; infinite for a sound that ends with its file.
  let holdEnd: Double
  let isSustained: Bool
  let attack: Float
  let decay: Float
  let release: Float
  let intensity: Float
  let sharpness: Float
  /// Turns a frame at the event's own sharpness.
  let turns: Float
  let sound: Sound

  /// What only sounds have.
  struct Sound {
    let volume: Float
    let pan: Float
    let pitch: Float
    let brightness: Float
    /// Whether the sound is ramped in and out.
    let usesEnvelope: Bool
    let loops: Bool
    /// Whether there is a file; without one a tone is made.
    let isFile: Bool
    /// The first sample of each channel, two frames of silence before and after.
    let left: UnsafePointer<Float>?
    let right: UnsafePointer<Float>?
    let frameCount: Int
  }

  /// Whether a play that enters after its start takes it up on the way.
  @_noAllocation @_noLocks
  func isHeld(at position: Double) -> Bool {
    !isTap && start < position && position < holdEnd
  }
}

/// A piece of a dynamic parameter as the pattern itself has it, in seconds of the pattern.
struct LivePiece {
  let start: Double
  let value: Double
  let slope: Double
  /// Where the step or curve begins that it belongs to.
  let sourceStart: Double
}

/// What a stage reads of a program while it plays; the program owns the memory.
struct ProgramView: BitwiseCopyable {
  let length: Double
  let events: UnsafePointer<LiveEvent>
  let eventCount: Int
  let pieces: UnsafePointer<LivePiece>
  /// Where the pieces of each dynamic parameter begin, and after the last where they end.
  let firstPiece: UnsafePointer<Int>
}
