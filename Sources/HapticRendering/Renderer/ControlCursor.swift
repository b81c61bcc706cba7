// SPDX-License-Identifier: Apache-2.0

/// Reads a control track frame by frame without searching.
///
/// Owns a copy of the pieces in frames. Frames are asked for in rising order; the value depends on
/// the frame alone, so blocks of any size read the same.
struct ControlCursor: ~Copyable {
  private struct Piece {
    let start: Double
    /// The first whole frame that is not before the start.
    let firstFrame: Int
    let value: Double
    let slope: Double
  }

  /// Whether the control never leaves its neutral value.
  let isNeutral: Bool
  private let neutral: Float
  private let pieces: UnsafeMutablePointer<Piece>
  private let count: Int
  private var next = 0

  /// Takes a track; `advance` is how many frames after a frame's own time its value is taken.
  init(_ track: ControlTrack, rate: Double, advance: Double = 0) {
    isNeutral = track.isNeutral
    neutral = Float(track.neutral)
    count = track.pieces.count
    pieces = .allocate(capacity: max(1, count))
    for (index, piece) in track.pieces.enumerated() {
      let start = piece.start * rate - advance
      (pieces + index).initialize(
        to: Piece(
          start: start, firstFrame: frame(atOrAfter: start),
          value: piece.value, slope: piece.slope / rate))
    }
  }

  deinit { pieces.deallocate() }

  @_noAllocation @_noLocks
  mutating func fill(_ values: UnsafeMutablePointer<Float>, from frame: Int, count: Int) {
    var done = 0
    while done < count {
      advance(to: frame + done)
      let end = next < self.count ? earlier(count, pieces[next].firstFrame - frame) : count
      guard next > 0, !isNeutral else {
        for index in done..<end { values[index] = neutral }
        done = end
        continue
      }
      let (start, value, slope) = (
        pieces[next - 1].start, pieces[next - 1].value, pieces[next - 1].slope
      )
      // Whole numbers of this size add without error, so that vectors give what one by one gives.
      let first = Double(frame)
      for index in done..<end {
        values[index] = Float(
          value + slope * (first + Double(Int32(truncatingIfNeeded: index)) - start))
      }
      done = end
    }
  }

  private mutating func advance(to frame: Int) {
    while next < count, pieces[next].firstFrame <= frame { next += 1 }
  }
}

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
