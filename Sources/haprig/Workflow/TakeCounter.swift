import Synchronization

/// Which take of how many is being played, for the line that a person watches.
final class TakeCounter: Sendable {
  private let current = Atomic<Int>(0)
  private let total: Int

  init(total: Int) { self.total = total }

  func begin(_ number: Int) { current.store(number, ordering: .relaxed) }

  var text: String { "[\(current.load(ordering: .relaxed))/\(total)]" }
}
