// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import Synchronization

extension Array where Element: Sendable {
  /// Maps elements on all processors where there are many.
  ///
  /// The helpers give way to all else: while one take is measured the next may play.
  func concurrentMap<Result: Sendable>(
    _ body: @escaping @Sendable (Element) -> Result
  ) -> [Result] {
    guard count >= 32 else { return map(body) }
    let work = ConcurrentWork(elements: self, body: body)
    work.run(helpers: Swift.min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 8) - 1)
    return work.results
  }
}

private final class ConcurrentWork<Element: Sendable, Result: Sendable>: Sendable {
  private let elements: [Element]
  private let body: @Sendable (Element) -> Result
  private let next = Atomic<Int>(0)
  private let done = Mutex<[(place: Int, result: Result)]>([])

  init(elements: [Element], body: @escaping @Sendable (Element) -> Result) {
    self.elements = elements
    self.body = body
  }

  func run(helpers: Int) {
    let helper =
      helpers > 0
      ? try? RealtimeThread(name: "haprig-measure", priority: nil) { [self] in
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        run(helpers: helpers - 1)
      } : nil
    var own: [(place: Int, result: Result)] = []
    while true {
      let place = next.add(1, ordering: .relaxed).oldValue
      guard place < elements.count else { break }
      own.append((place, body(elements[place])))
    }
    done.withLock { $0 += own }
    helper?.join()
  }

  var results: [Result] { done.withLock { $0.sorted { $0.place < $1.place }.map(\.result) } }
}
