// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing

struct StopSignalTests {
  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLIN) != 0
  }

  @Test func `nothing is asked of a fresh signal`() {
    let stop = StopSignal()
    #expect(stop.requested == nil)
    #expect(!stop.flag.isSet)
  }

  @Test func `the first request stays`() {
    let stop = StopSignal()
    stop.request(SIGTERM)
    stop.request(SIGINT)
    #expect(stop.requested == SIGTERM)
    #expect(stop.requested == SIGTERM)
  }

  @Test func `a request ends every wait on the descriptor from then on`() {
    let stop = StopSignal()
    #expect(!isReadable(stop.descriptor))
    stop.request(SIGINT)
    for _ in 0..<3 { #expect(isReadable(stop.descriptor)) }
    #expect(stop.flag.isSet)
  }

  @Test func `requests without end neither wait nor touch errno, as a handler must not`() {
    let stop = StopSignal()
    errno = ENOSPC
    // Far more than a pipe holds.
    for _ in 0..<100_000 { stop.request(SIGINT) }
    let kept = errno
    #expect(kept == ENOSPC)
  }

  @Test func `of requests from several threads one stays, whole`() throws {
    for _ in 0..<50 {
      let stop = StopSignal()
      let first = try RealtimeThread(name: "first", priority: nil) { stop.request(SIGINT) }
      let second = try RealtimeThread(name: "second", priority: nil) { stop.request(SIGTERM) }
      // Once one is seen it never changes.
      var seen = stop.requested
      while seen == nil { seen = stop.requested }
      first.join()
      second.join()
      #expect(seen == SIGINT || seen == SIGTERM)
      #expect(stop.requested == seen)
    }
  }
}
