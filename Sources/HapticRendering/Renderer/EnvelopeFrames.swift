/// An envelope counted in frames, for the render loop.
struct EnvelopeFrames {
  /// The event's start in frames, with its fraction.
  let start: Double
  let envelope: Envelope
  /// Frames at which the gain is 1, where `gain` need not be asked.
  let holdStart: Int
  let holdEnd: Int

  init(_ source: Envelope, start: Double, rate: Double) {
    self.start = start
    envelope = Envelope(
      attack: source.attack * rate, decay: source.decay * rate, release: source.release * rate,
      isSustained: source.isSustained, duration: source.duration * rate)
    holdStart = frame(atOrAfter: start + envelope.attack)
    holdEnd =
      source.isSustained ? frame(atOrAfter: start + envelope.duration) : 0
  }

  /// Whether the gain is 1 at all frames of a stretch.
  @_noAllocation @_noLocks
  func holds(_ from: Int, _ to: Int) -> Bool { from >= holdStart && to <= holdEnd }

  @_noAllocation @_noLocks
  func gain(at frame: Int) -> Float { Float(envelope.gain(at: Double(frame) - start)) }
}
