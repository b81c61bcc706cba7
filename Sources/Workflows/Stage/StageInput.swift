// SPDX-License-Identifier: Apache-2.0

/// The input of a stage as it comes: beats of whoever holds the drive, and lines between them.
///
/// A `.` where a line begins is a beat, with or without an end of its own. All else up to an end of line is a
/// command. Bytes come with the seconds at which they came.
package struct StageInput: Sendable {
  package enum Event: Sendable, Equatable {
    /// A line, when its last byte came, and whether the drive was held then.
    case line([UInt8], at: Double, isHeld: Bool)
    /// A line of more bytes than are taken; it was passed over.
    case tooLong
  }

  /// The most bytes of a line.
  package static let longestLine = 8 << 20

  private var held: DeadMansSwitch
  private var isHeld = false
  private var line: [UInt8] = []
  private var isPassing = false

  /// Begins to wait for the first beat.
  package init(at now: Double) { held = DeadMansSwitch(at: now + DeadMansSwitch.grace) }

  /// Why the drive has to stop; `nil` while it may go on.
  package var reason: DeadMansSwitch.Reason? { held.reason }

  /// How long to wait for bytes, in seconds.
  package func remaining(at now: Double) -> Double { held.remaining(at: now) }

  /// Takes what was read: no bytes for the end, `nil` where none came.
  package mutating func take(_ bytes: [UInt8]?, at now: Double) -> [Event] {
    guard let bytes, !bytes.isEmpty else {
      held.take(bytes, at: now)
      return []
    }
    var events: [Event] = []
    var rest = bytes[...]
    var hasBeat = false
    while let first = rest.first {
      if line.isEmpty, !isPassing, first == UInt8(ascii: ".") {
        hasBeat = true
        rest.removeFirst()
        continue
      }
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let part = rest[..<(end ?? rest.endIndex)]
      rest = end.map { rest[($0 + 1)...] } ?? []
      if !isPassing { line += part.prefix(Self.longestLine + 1 - line.count) }
      if line.count > Self.longestLine {
        line = []
        isPassing = true
      }
      guard end != nil else { break }
      if isPassing {
        events.append(.tooLong)
      } else if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        events.append(.line(line, at: now, isHeld: isHeld || hasBeat))
      }
      line = []
      isPassing = false
    }
    held.take(hasBeat ? [UInt8(ascii: ".")] : nil, at: now)
    if hasBeat, held.reason == nil { isHeld = true }
    return events
  }
}
