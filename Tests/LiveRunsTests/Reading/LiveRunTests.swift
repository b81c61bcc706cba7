// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import LiveRuns
import ScratchFolder
import SeededRandom
import Testing

/// Who works and who is dead, as anybody sees it.
struct LiveRunTests {
  private let place: LivePlace

  init() throws { place = try LivePlace() }

  private var id: String { "20261125-230501-4711" }

  /// Leaves what a killed process leaves: a folder whose lock nobody holds.
  private func leaveDead(
    _ id: String, _ lines: [LiveEvent] = [], age: Int = 0, rest: String = ""
  ) throws {
    let events = [.start(.made(id: id)), .work(.made)] + lines
    let text = events.enumerated().map {
      LiveLine(number: $0, seconds: Double($0), event: $1).text + "\n"
    }.joined()
    if mkdir(place.folder, 0o700) == 0 { chmod(place.folder, 0o700) }
    mkdir("\(place.folder)/\(id)", 0o700)
    try place.scratch.write("", to: "live/\(id)/lock")
    try place.scratch.write(text + rest, to: "live/\(id)/events.jsonl")
    let time = timespec(tv_sec: Glibc.time(nil) - age, tv_nsec: 0)
    utimensat(AT_FDCWD, "\(place.folder)/\(id)", [time, time], 0)
  }

  @Test func `nothing works where there is no folder`() throws {
    #expect(try LiveRun.all(folder: place.folder) == [])
  }

  @Test func `work is listed with rig and start while it goes on`() throws {
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    _ = writer.tell(.work(.init(rig: "other", title: "next")))
    var reader = try LiveReader(id: id, in: place.folder)
    _ = try place.read(&reader, lines: 3)
    let runs = try LiveRun.all(folder: place.folder)
    #expect(runs.map(\.id) == [id] && runs[0].state == .working)
    #expect(runs[0].work?.rig == "other" && runs[0].start?.command == "run")
    writer.finish(status: 0, sentence: nil)
    #expect(try LiveRun.all(folder: place.folder) == [])
  }

  @Test func `who holds no lock is dead, whatever the folder says`() throws {
    try leaveDead("20261125-230501-1", rest: "{\"n\":2,\"t\"")
    try leaveDead(
      "20261125-230501-2", [.end(.init(outcome: .failed, status: 3, sentence: "the cable"))])
    let runs = try LiveRun.all(folder: place.folder)
    #expect(runs.map(\.state.word) == ["dead", "ended"])
    #expect(runs[0].work?.rig == "bench")
    var reader = try LiveReader(id: "20261125-230501-1", in: place.folder)
    #expect(try place.read(&reader).count == 2)
    #expect(reader.state == .dead)
  }

  @Test func `dead ones go after a day, and beyond the youngest 32`() throws {
    for number in 0..<40 {
      try leaveDead("20261125-230501-\(100 + number)", age: 60 * (40 - number))
    }
    try leaveDead("20261125-230501-9", age: 90_000)
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    let runs = try LiveRun.all(folder: place.folder)
    #expect(runs.count { $0.state == .dead } == 32)
    #expect(runs.count { $0.state == .working } == 1)
    #expect(runs.contains { $0.id == "20261125-230501-139" })
    #expect(!runs.contains { $0.id == "20261125-230501-107" || $0.id == "20261125-230501-9" })
    writer.finish(status: 0, sentence: nil)
    #expect(ScratchFolder.names(in: place.folder).count == 32)
  }

  @Test(arguments: ["..", "../live", "/etc", "", "a", ".20261125-230501-1", "1/2"])
  func `no name leads out of the folder`(name: String) throws {
    try leaveDead("20261125-230501-1")
    #expect(throws: LiveError.self) { try LiveReader(id: name, in: place.folder) }
  }

  /// 1,000 files of events with bytes changed, lines cut and bytes added: no crash, and an end.
  @Test func `spoilt events do no harm`() throws {
    var random = SeededRandom(seed: 0x5902)
    let events = LiveEvent.Kind.allCases.map { LiveEvent.any($0, &random) }
    try leaveDead("20261125-230501-1", events)
    let sound = try place.scratch.bytes(of: "live/20261125-230501-1/events.jsonl")
    for _ in 0..<1000 {
      var bytes = sound
      for _ in 0..<random.integer(1...10) {
        let at = random.integer(0...bytes.count - 1)
        switch random.integer(0...3) {
        case 0: bytes[at] = UInt8(random.integer(0...255))
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(UInt8(random.integer(0...255)), at: at)
        default: bytes.removeLast(min(bytes.count - 1, random.integer(0...200)))
        }
      }
      try place.scratch.write(bytes, to: "live/20261125-230501-1/events.jsonl")
      var reader = try LiveReader(id: "20261125-230501-1", in: place.folder)
      let lines = try place.read(&reader)
      #expect(reader.state != .working, "\(random)")
      #expect(lines.count <= bytes.count { $0 == 0x0A }, "\(random)")
      for line in lines { _ = try? line.line() }
    }
    #expect(try LiveRun.all(folder: place.folder).count == 1)
  }

  @Test func `the last lines of much that was told are found by number`() throws {
    let many = (0..<5000).map {
      LiveEvent.notice(.note, "\($0) " + String(repeating: "x", count: 90))
    }
    try leaveDead("20261125-230501-1", many)
    for first in [0, 1, 4000, 5001, 5002, 9000] {
      var reader = try LiveReader(id: "20261125-230501-1", from: first, in: place.folder)
      #expect(try place.read(&reader).map(\.number) == Array(min(first, 5002)..<5002), "\(first)")
      #expect(reader.state == .dead)
    }
  }

  @Test func `a line that never ends is an error`() throws {
    try leaveDead("20261125-230501-1", rest: String(repeating: "x", count: 5 << 20))
    var reader = try LiveReader(id: "20261125-230501-1", in: place.folder)
    #expect(throws: LiveError.self) { while reader.state == .working { _ = try reader.next() } }
    let run = try #require(try LiveRun.all(folder: place.folder).first)
    #expect(run.state == .dead && run.work?.rig == "bench")
  }

  @Test func `the end of much that was told is seen in a list`() throws {
    let many = (0..<5000).map {
      LiveEvent.notice(.note, "\($0) " + String(repeating: "x", count: 90))
    }
    let end = LiveEvent.End(outcome: .failed, status: 3)
    try leaveDead(
      "20261125-230501-1", many + [.work(.init(rig: "next", title: "run"))] + [.end(end)])
    let run = try #require(try LiveRun.all(folder: place.folder).first)
    #expect(run.state == .ended(end) && run.work?.rig == "next")
    #expect(run.start?.command == "run")
  }
}
