// SPDX-License-Identifier: Apache-2.0

import Devices
import RunArchive

/// The archive as all who ask share it: opened when somebody asks, let go of when nobody does.
///
/// One question at a time, on the thread that asks. Whoever wants to replace the index waits no longer than until
/// `rest` finds nobody asking.
final class ArchiveDesk: Sendable {
  let location: ArchiveLocation
  private let state = Guarded(State())

  private struct State {
    var open: Kept?
    var refreshed = -Double.infinity
    var asked = -Double.infinity
  }

  /// An archive is used under the lock alone.
  private struct Kept: @unchecked Sendable {
    let archive: Archive
  }

  /// For how long what was found in the folder counts as known, and an archive that nobody asks is kept open.
  private static let freshness = 1.0
  private static let patience = 2.0

  init(_ location: ArchiveLocation) { self.location = location }

  func ask<Value: Sendable>(_ question: @Sendable (Archive) throws -> Value) throws -> Value {
    try state.withLock { state in
      let now = MonotonicClock.seconds
      defer { state.asked = MonotonicClock.seconds }
      if let kept = state.open {
        if now - state.refreshed > Self.freshness {
          try kept.archive.refresh()
          state.refreshed = MonotonicClock.seconds
        }
        return try question(kept.archive)
      }
      let kept = Kept(archive: try Archive(opening: location))
      state.refreshed = MonotonicClock.seconds
      state.open = kept
      return try question(kept.archive)
    }
  }

  /// Closes an archive that nobody asked for some seconds; one that was read into an index of this program's own
  /// stays, since nobody waits for it.
  func rest() {
    state.withLock { state in
      guard state.open?.archive.isOwnIndex == false else { return }
      if MonotonicClock.seconds - state.asked > Self.patience { state.open = nil }
    }
  }
}
