/// Which events of a timeline sound when more would be in force at once than there are voices.
///
/// Decided before anything is rendered, so that an event sounds whole or not at all and nothing is cut
/// short. Events are taken in the order of time; where one begins while the limit is reached, of it and
/// those in force the one that matters least is left out: sounds before vibrations and taps, then the
/// weaker as written (intensity, volume), then the one that begins later. Cost: n log n in the events.
struct VoiceSchedule {
  /// The events that sound, by rising start.
  let events: [TimelineEvent]
  /// The places in the timeline of those left out, rising.
  let dropped: [Int]

  init(timeline: Timeline, limit: Int) {
    let events = timeline.events
    let byEnd = events.indices.sorted { events[$0].end < events[$1].end }
    var isSounding = [Bool](repeating: false, count: events.count)
    var isDropped = isSounding
    var weakest = WeakestFirst()
    var (ended, count) = (0, 0)
    for (index, event) in events.enumerated() where event.envelope.end > 0 {
      while ended < byEnd.count, events[byEnd[ended]].end <= event.start {
        if isSounding[byEnd[ended]] { count -= 1 }
        isSounding[byEnd[ended]] = false
        ended += 1
      }
      isSounding[index] = true
      count += 1
      weakest.insert(WeakestFirst.Entry(event, index: index))
      while count > limit, let entry = weakest.removeFirst() {
        guard isSounding[entry.index] else { continue }
        isSounding[entry.index] = false
        isDropped[entry.index] = true
        count -= 1
      }
    }
    dropped = isDropped.indices.filter { isDropped[$0] }
    self.events =
      dropped.isEmpty ? events : events.indices.filter { !isDropped[$0] }.map { events[$0] }
  }
}

/// Events with the one that matters least in front: a binary heap.
private struct WeakestFirst {
  struct Entry {
    let index: Int
    let isHaptic: Bool
    let strength: Double

    init(_ event: TimelineEvent, index: Int) {
      self.index = index
      isHaptic = event.kind.isHaptic
      strength = event.sound?.volume ?? event.intensity
    }

    func mattersLess(than other: Entry) -> Bool {
      if isHaptic != other.isHaptic { return !isHaptic }
      return strength != other.strength ? strength < other.strength : index > other.index
    }
  }

  private var entries: [Entry] = []

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var place = entries.count - 1
    while place > 0, entries[place].mattersLess(than: entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeFirst() -> Entry? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
        if entries[child].mattersLess(than: entries[least]) { least = child }
      }
      guard least != place else { return first }
      entries.swapAt(place, least)
      place = least
    }
  }
}
