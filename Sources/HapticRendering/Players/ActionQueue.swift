// SPDX-License-Identifier: Apache-2.0

/// What was asked of players for later, the earliest first; of one instant what was asked first.
///
/// Memory for so many is taken when it is made; a heap of fixed size. *Render thread*: no allocation.
struct ActionQueue: ~Copyable {
  struct Entry {
    /// When, in seconds of the clock.
    let time: Double
    /// The rank among what was asked: of two of one time the lower one is done first.
    let order: Int
    let slot: Int
    let action: PlayerAction

    func isBefore(_ other: Entry) -> Bool {
      time != other.time ? time < other.time : order < other.order
    }
  }

  private(set) var count = 0
  let capacity: Int
  private let entries: UnsafeMutablePointer<Entry>

  init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
  }

  deinit { entries.deallocate() }

  /// When the first is due; infinite where none waits.
  @_noAllocation @_noLocks
  func nextTime() -> Double { count > 0 ? entries[0].time : .infinity }

  /// Takes one in; false where there is no room.
  @_noAllocation @_noLocks
  mutating func insert(
    _ action: PlayerAction, of slot: Int, at time: Double, order: Int
  ) -> Bool {
    guard count < capacity else { return false }
    (entries + count).initialize(
      to: Entry(time: time, order: order, slot: slot, action: action))
    count += 1
    raise(count - 1)
    return true
  }

  @_noAllocation @_noLocks
  mutating func removeFirst() -> Entry {
    let first = entries[0]
    count -= 1
    if count > 0 {
      entries[0] = entries[count]
      lower(0)
    }
    return first
  }

  /// Forgets what waits for a player and was asked before a rank, and says how much it was.
  @_noAllocation @_noLocks
  mutating func removeAll(of slot: Int, before order: Int) -> Int {
    var kept = 0
    for index in 0..<count where entries[index].slot != slot || entries[index].order > order {
      if kept != index { entries[kept] = entries[index] }
      kept += 1
    }
    let removed = count - kept
    count = kept
    var place = kept / 2
    while place > 0 {
      place -= 1
      lower(place)
    }
    return removed
  }

  private func raise(_ start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard entries[place].isBefore(entries[parent]) else { return }
      swap(place, parent)
      place = parent
    }
  }

  private func lower(_ start: Int) {
    var place = start
    while true {
      var first = place
      if 2 * place + 1 < count, entries[2 * place + 1].isBefore(entries[first]) {
        first = 2 * place + 1
      }
      if 2 * place + 2 < count, entries[2 * place + 2].isBefore(entries[first]) {
        first = 2 * place + 2
      }
      guard first != place else { return }
      swap(place, first)
      place = first
    }
  }

  private func swap(_ a: Int, _ b: Int) {
    let kept = entries[a]
    entries[a] = entries[b]
    entries[b] = kept
  }
}
