// SPDX-License-Identifier: Apache-2.0

/// Which events of a timeline sound when more would be in force at once than there are voices.
///
/// The rule is that of `HapticRenderer.droppedEventIndices`, with events taken in the order of time.
struct VoiceSchedule {
  /// The events that sound, by rising start.
  let events: [TimelineEvent]
  /// The places in the timeline of those left out, rising.
  let dropped: [Int]

  /// Cost: n log n in the events, and a move of at most `limit` ranks for each.
  init(timeline: Timeline, limit: Int) {
    let events = timeline.events
    let byEnd = events.indices.sorted { events[$0].end < events[$1].end }
    /// Those in force, the one that matters least at the end.
    var sounding: [Rank] = []
    var dropped: Set<Int> = []
    var ended = 0
    for (index, event) in events.enumerated() where event.envelope.end > 0 {
      while ended < byEnd.count, events[byEnd[ended]].end <= event.start {
        let rank = Rank(events[byEnd[ended]], index: byEnd[ended])
        let place = sounding.leadingCount { $0.matters(moreThan: rank) }
        if place < sounding.count, sounding[place].index == rank.index {
          sounding.remove(at: place)
        }
        ended += 1
      }
      let rank = Rank(event, index: index)
      sounding.insert(rank, at: sounding.leadingCount { $0.matters(moreThan: rank) })
      if sounding.count > limit { dropped.insert(sounding.removeLast().index) }
    }
    self.dropped = dropped.sorted()
    self.events =
      dropped.isEmpty ? events : events.indices.filter { !dropped.contains($0) }.map { events[$0] }
  }

  private struct Rank {
    let index: Int
    let isHaptic: Bool
    let strength: Double

    init(_ event: TimelineEvent, index: Int) {
      self.index = index
      isHaptic = event.kind.isHaptic
      strength = event.sound?.volume ?? event.intensity
    }

    func matters(moreThan other: Rank) -> Bool {
      if isHaptic != other.isHaptic { return isHaptic }
      return strength != other.strength ? strength > other.strength : index < other.index
    }
  }
}

/// Which voices are in force at a frame: their places by rising first frame.
///
/// Voices in force stay in the order of their beginnings, so that sums come out the same whatever
/// ended in between.
struct VoiceQueue: ~Copyable {
  private(set) var activeCount = 0
  /// The first frame after which no voice is left.
  let endFrame: Int

  private let spans: UnsafeMutablePointer<(first: Int, end: Int)>
  private let active: UnsafeMutablePointer<Int>
  private let count: Int
  private var next = 0

  /// Takes the spans of voices by rising first frame.
  init(_ voices: [(first: Int, end: Int)]) {
    count = voices.count
    endFrame = voices.map(\.end).max() ?? 0
    spans = .allocate(capacity: max(1, count))
    active = .allocate(capacity: max(1, count))
    for (index, voice) in voices.enumerated() { (spans + index).initialize(to: voice) }
  }

  deinit {
    spans.deallocate()
    active.deallocate()
  }

  @_noAllocation @_noLocks @inline(__always)
  func place(_ index: Int) -> Int { active[index] }

  /// The first frame of the next voice to begin, where one is left.
  @_noAllocation @_noLocks @inline(__always)
  func nextFirstFrame() -> Int { next < count ? spans[next].first : Int.max }

  /// Begins the voices whose time has come and drops those whose time is over.
  @_noAllocation @_noLocks
  mutating func update(at frame: Int) {
    var kept = 0
    var index = 0
    while index < activeCount {
      if spans[active[index]].end > frame {
        active[kept] = active[index]
        kept += 1
      }
      index += 1
    }
    while next < count, spans[next].first <= frame {
      if spans[next].end > frame {
        active[kept] = next
        kept += 1
      }
      next += 1
    }
    activeCount = kept
  }
}
