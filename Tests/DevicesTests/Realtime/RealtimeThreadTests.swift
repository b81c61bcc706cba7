// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Synchronization
import Testing

struct RealtimeThreadTests {
  /// What a thread saw of itself.
  private final class Notes: Sendable {
    let text = Mutex("")
    let number = Atomic<Int>(0)
    let policy = Atomic<Int>(-1)
    let priority = Atomic<Int>(-1)
  }

  private static func ownName() -> String {
    let file = open("/proc/thread-self/comm", O_RDONLY)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).filter { $0 != 10 }, as: UTF8.self)
  }

  private func scheduling(priority: Int?) throws -> (granted: Scheduling, policy: Int, level: Int) {
    let notes = Notes()
    let thread = try RealtimeThread(name: "policy", priority: priority) {
      var (policy, parameters) = (Int32(0), sched_param())
      pthread_getschedparam(pthread_self(), &policy, &parameters)
      notes.policy.store(Int(policy), ordering: .releasing)
      notes.priority.store(Int(parameters.sched_priority), ordering: .releasing)
    }
    let granted = thread.scheduling
    thread.join()
    return (
      granted, notes.policy.load(ordering: .acquiring), notes.priority.load(ordering: .acquiring)
    )
  }

  @Test func `the body runs once, on a thread of its own`() throws {
    let notes = Notes()
    let own = UInt(pthread_self())
    let thread = try RealtimeThread(name: "body", priority: nil) {
      notes.number.add(UInt(pthread_self()) == own ? 1000 : 1, ordering: .relaxed)
    }
    thread.join()
    #expect(notes.number.load(ordering: .relaxed) == 1)
  }

  @Test func `joining waits for the end of the body`() throws {
    let notes = Notes()
    let thread = try RealtimeThread(name: "worker", priority: nil) {
      for _ in 0..<200_000 { notes.number.add(1, ordering: .relaxed) }
    }
    thread.join()
    #expect(notes.number.load(ordering: .relaxed) == 200_000)
  }

  @Test func `a thread that nobody joins runs on while its maker goes on`() throws {
    let notes = Notes()
    try RealtimeThread.detach(name: "detached", priority: nil) {
      while notes.number.load(ordering: .acquiring) == 0 { usleep(100) }
      notes.number.store(2, ordering: .releasing)
    }
    // Only the maker lets the body end.
    notes.number.store(1, ordering: .releasing)
    while notes.number.load(ordering: .acquiring) != 2 { usleep(100) }
  }

  @Test func `a thread that is let go of is joined`() throws {
    let notes = Notes()
    do {
      _ = try RealtimeThread(name: "worker", priority: nil) {
        for _ in 0..<200_000 { notes.number.add(1, ordering: .relaxed) }
      }
    }
    #expect(notes.number.load(ordering: .relaxed) == 200_000)
  }

  /// Holds a thread that looks at it now and then, as sensors with a thread of their own do.
  private final class Owner: Sendable {
    let thread = Guarded<RealtimeThread?>(nil)
    let notes: Notes

    init(_ notes: Notes) { self.notes = notes }

    deinit { notes.number.store(3, ordering: .releasing) }

    func put(_ new: consuming RealtimeThread?) {
      var new = consume new
      thread.withLock { held in held = new.take() }
    }

    func look() {
      notes.number.store(1, ordering: .releasing)
      while notes.number.load(ordering: .acquiring) == 1 { usleep(100) }
    }
  }

  @Test func `what is let go of on its own thread leaves no thread behind`() throws {
    let before = try Self.mappedBytes()
    for _ in 0..<100 {
      let notes = Notes()
      do {
        let owner = Owner(notes)
        let started = try RealtimeThread(name: "own", priority: nil) { [weak owner] in
          owner?.look()
        }
        let new: RealtimeThread? = consume started
        owner.put(new)
        while notes.number.load(ordering: .acquiring) != 1 { usleep(100) }
      }
      // The thread holds it alone by now, and lets it go when it has looked.
      notes.number.store(2, ordering: .releasing)
      while notes.number.load(ordering: .acquiring) != 3 { usleep(100) }
    }
    // A thread that is over and was not joined keeps its stack of 8 MiB.
    #expect(try Self.mappedBytes() < before + 400 << 20)
  }

  private static func mappedBytes() throws -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let pages = try #require(text.split(separator: " ").first.flatMap { Int($0) })
    return pages * 4096
  }

  @Test(arguments: [
    ("haprig-device", "haprig-device"), ("a-name-that-is-too-long", "a-name-that-is-"),
  ])
  func `a thread carries its name as far as there is room`(name: String, shown: String) throws {
    let notes = Notes()
    let thread = try RealtimeThread(name: name, priority: nil) {
      notes.text.withLock { $0 = Self.ownName() }
    }
    thread.join()
    #expect(notes.text.withLock { $0 } == shown)
  }

  @Test func `a thread that asks for no priority is ordinary and says why`() throws {
    let (granted, policy, _) = try scheduling(priority: nil)
    guard case .ordinary(let reason) = granted else {
      Issue.record("granted \(granted)")
      return
    }
    #expect(!reason.isEmpty)
    #expect(policy == Int(SCHED_OTHER))
  }

  @Test func `what is reported of real-time scheduling is what the system granted`() throws {
    let (granted, policy, level) = try scheduling(priority: 10)
    switch granted {
    case .fifo(let priority):
      #expect(priority == 10)
      #expect(policy == Int(SCHED_FIFO))
      #expect(level == 10)
      #expect(granted.description == "SCHED_FIFO at priority 10")
    case .ordinary(let reason):
      // Where it is refused the thread still runs, and a person reads what to set.
      #expect(policy == Int(SCHED_OTHER))
      #expect(reason.contains("rtprio"))
      #expect(granted.description.contains(reason))
    }
  }

  @Test func `a priority that no system grants leaves an ordinary thread that runs`() throws {
    let (granted, policy, _) = try scheduling(priority: 1000)
    guard case .ordinary = granted else {
      Issue.record("granted \(granted)")
      return
    }
    #expect(policy == Int(SCHED_OTHER))
  }
}
