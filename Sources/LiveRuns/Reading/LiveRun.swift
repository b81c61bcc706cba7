// SPDX-License-Identifier: Apache-2.0

/// A piece of work as a list shows it: who, at what, since when, and whether it goes on.
package struct LiveRun: Sendable, Equatable {
  package let id: String
  package let state: LiveState
  package let start: LiveEvent.Start?
  /// What it works at, as it told at its beginning or lately.
  package let work: LiveEvent.Work?

  /// So much is read of a beginning, and of an end, whatever lies between.
  private static let glance = 1 << 16

  /// Everything of this user that works, or died and was not cleared away yet, the oldest first.
  ///
  /// Dead ones older than a day are removed. An error where the folder is not this user's alone.
  package static func all(folder: String? = nil) throws(LiveError) -> [LiveRun] {
    let folder = folder ?? LiveFolder.path
    _ = try LiveFolder.names(in: folder)
    LiveFolder.clean(folder)
    // One that ends in this moment is in the list no more.
    return try LiveFolder.names(in: folder).compactMap { id in try? LiveRun(id, in: folder) }
  }

  private init(_ id: String, in folder: String) throws(LiveError) {
    let lock = try OpenFile("\(folder)/\(id)/\(LiveNames.lock)")
    let events = try OpenFile("\(folder)/\(id)/\(LiveNames.events)")
    // Looked at before the lines: it told its last before it let go of the lock.
    let isFree = lock.isFree
    let end = max(Self.glance, events.size)
    let lines =
      Self.lines(events.bytes(at: 0, atMost: Self.glance), isWhole: true)
      + Self.lines(
        events.bytes(at: end - Self.glance, atMost: Self.glance), isWhole: end == Self.glance)
    var (start, work, state): (LiveEvent.Start?, LiveEvent.Work?, LiveState) = (
      nil, nil, isFree ? .dead : .working
    )
    for line in lines where ["start", "work", "end"].contains(line.kind) {
      switch try? line.line().event {
      case .start(let event): start = event
      case .work(let event): work = event
      case .end(let event): state = .ended(event)
      default: break
      }
    }
    self.init(id: id, state: state, start: start, work: work)
  }

  /// The whole lines of some bytes, which begin in the middle of one unless they are whole.
  private static func lines(_ bytes: [UInt8], isWhole: Bool) -> [RawLine] {
    let feed = UInt8(ascii: "\n")
    let parts = bytes.split(separator: feed, omittingEmptySubsequences: false)
    return parts.dropLast().dropFirst(isWhole ? 0 : 1).map {
      RawLine(number: 0, text: String(decoding: $0, as: UTF8.self))
    }
  }

  package init(
    id: String, state: LiveState, start: LiveEvent.Start?, work: LiveEvent.Work?
  ) {
    self.id = id
    self.state = state
    self.start = start
    self.work = work
  }
}
