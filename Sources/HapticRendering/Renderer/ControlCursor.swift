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

  init(_ track: ControlTrack, rate: Double) {
    isNeutral = track.isNeutral
    neutral = Float(track.neutral)
    count = track.pieces.count
    pieces = .allocate(capacity: max(1, count))
    for (index, piece) in track.pieces.enumerated() {
      let start = piece.start * rate
      (pieces + index).initialize(
        to: Piece(
          // A time that no count of frames reaches may stand in a file.
          start: start, firstFrame: start < 1e15 ? Int(start.rounded(.up)) : .max,
          value: piece.value, slope: piece.slope / rate))
    }
  }

  deinit { pieces.deallocate() }

  /// The value at a frame that is not before the last one asked for.
  @_noAllocation @_noLocks
  mutating func value(at frame: Int) -> Float {
    advance(to: frame)
    guard next > 0 else { return neutral }
    let piece = pieces[next - 1]
    return Float(piece.value + piece.slope * (Double(frame) - piece.start))
  }

  /// Fills a stretch of frames, piece by piece.
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
      // Whole numbers of this size add without error: the same as `value(at:)`, but in vectors.
      let first = Double(frame)
      for index in done..<end {
        values[index] = Float(
          value + slope * (first + Double(Int32(truncatingIfNeeded: index)) - start))
      }
      done = end
    }
  }

  @_noAllocation @_noLocks
  private mutating func advance(to frame: Int) {
    while next < count, pieces[next].firstFrame <= frame { next += 1 }
  }
}
