// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Glibc
import LiveRuns
import ScratchFolder
import SeededRandom
import Testing

/// What is told stands in the folder, line by line, and the folder goes with the work.
struct LiveWriterTests {
  private let place: LivePlace

  init() throws { place = try LivePlace() }

  @Test func `what is told before the work is told with it, and nothing without work`() throws {
    let idle = place.writer(id: "20261125-230501-1")
    #expect(idle.tell(.notice(.note, "early")) == nil)
    idle.finish(status: 0, sentence: nil)
    #expect(!place.scratch.names.contains("live"))
    let writer = place.writer()
    _ = writer.tell(.notice(.note, "early"))
    _ = writer.tell(.step("passing", share: 0.5))
    #expect(writer.tell(.work(.made)) == nil)
    var reader = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    writer.finish(status: 0, sentence: nil)
    let events = try place.read(&reader).map { try $0.line().event }
    #expect(
      events == [
        .start(.made()), .notice(.note, "early"), .work(.made),
        .end(.init(outcome: .done, status: 0)),
      ])
    #expect(reader.state == .ended(.init(outcome: .done, status: 0)))
    #expect(ScratchFolder.names(in: place.folder).isEmpty)
  }

  @Test func `a reader that comes in the middle gets all from any number on`() throws {
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    for number in 0..<500 { _ = writer.tell(.notice(.note, "\(number)")) }
    var late = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    var later = try LiveReader(id: "20261125-230501-4711", from: 100, in: place.folder)
    for number in 500..<1000 { _ = writer.tell(.notice(.note, "\(number)")) }
    var lines = try place.read(&late, lines: 900)
    writer.finish(status: 1, sentence: "it broke")
    lines += try place.read(&late)
    #expect(lines.map(\.number) == Array(0..<1003))
    #expect(lines.map { try? $0.line().number } == lines.map(\.number))
    let texts = lines.compactMap { line -> String? in
      if case .notice(_, let text)? = try? line.line().event { text } else { nil }
    }
    #expect(texts == (0..<1000).map(String.init))
    #expect(late.state == .ended(.init(outcome: .failed, status: 1, sentence: "it broke")))
    #expect(try place.read(&later).map(\.text) == lines.dropFirst(100).map(\.text))
    #expect(try late.next().isEmpty)
  }

  @Test func `many threads tell, and each line is whole`() async throws {
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    var reader = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for number in 0..<300 { _ = writer.tell(.notice(.note, "\(thread) \(number)")) }
        }
      }
    }
    writer.finish(status: 0, sentence: nil)
    let lines = try place.read(&reader)
    #expect(lines.count == 2403)
    for thread in 0..<8 {
      let own = lines.compactMap { line -> String? in
        if case .notice(_, let text)? = try? line.line().event, text.hasPrefix("\(thread) ") {
          text
        } else {
          nil
        }
      }
      #expect(own == (0..<300).map { "\(thread) \($0)" })
    }
  }

  @Test func `progress is told now and then, readings always`() throws {
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    var reader = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    for number in 0..<2000 {
      _ = writer.tell(.progress(.init(share: Double(number) / 2000, overall: 0)))
      _ = writer.tell(.reading(.init(.drift, value: Double(number))))
    }
    writer.finish(status: 0, sentence: nil)
    let kinds = try place.read(&reader).map { try $0.line().event.kind }
    #expect(kinds.count { $0 == .reading } == 2000)
    #expect((1..<2000).contains(kinds.count { $0 == .progress }))
  }

  @Test func `losses are told where they begin in the waves`() throws {
    let writer = place.writer()
    #expect(writer.tap(Rigs.described()) == nil)
    _ = writer.tell(.work(.made))
    var reader = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    let tap = try #require(writer.tap(Rigs.described()))
    tap.begin()
    tap.drive([Float](repeating: 0, count: 2 * 500).span)
    tap.capture([Float](repeating: 0, count: 2 * 500).span)
    #expect(writer.nextFrame == 500)
    tap.begin()
    tap.lost(StreamEvent(kind: .underrun, frame: 7, length: 3), ofDrive: true)
    tap.lost(StreamEvent(kind: .overload, frame: 9, length: 1, channel: "z"), ofDrive: false)
    tap.lost(StreamEvent(kind: .overload, frame: 10, length: 1), ofDrive: true)
    tap.lost(StreamEvent(kind: .drop, frame: 20, length: 64), ofDrive: false)
    // The waves of other channels are another file.
    #expect(writer.tap(Rigs.described()) === tap)
    let waves = try LiveWaves(folder: place.folder + "/20261125-230501-4711")
    #expect(!waves.isGone && waves.frameCount == 500)
    let other = try #require(writer.tap(Rigs.described(inputs: 3)))
    #expect(other !== tap && waves.isGone)
    writer.finish(status: 0, sentence: nil)
    let events = try place.read(&reader).map { try $0.line().event }
    #expect(
      events.filter { $0.kind == .loss } == [
        .loss(.init(what: .xrun, frame: 507, count: 3, device: .drive)),
        .loss(.init(what: .overload, frame: 509, count: 1, device: .capture)),
        .loss(.init(what: .clipped, frame: 510, count: 1, device: .drive)),
        .loss(.init(what: .dropped, frame: 520, count: 64, device: .capture)),
      ])
    #expect(events.count { $0.kind == .channels } == 2)
  }

  @Test func `what came of the work stands in its end`() throws {
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    var reader = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    writer.note(folder: "/reports/a", verdicts: ["run": "pass"])
    writer.finish(status: 130, sentence: "stopped")
    writer.finish(status: 0, sentence: nil)
    #expect(writer.tell(.idle) == nil)
    _ = try place.read(&reader)
    #expect(
      reader.state
        == .ended(
          .init(
            outcome: .interrupted, status: 130, sentence: "stopped", folder: "/reports/a",
            verdicts: ["run": "pass"])))
  }

  @Test(arguments: [0o755, 0o777, 0o722])
  func `a folder that others can look into or write is refused, once and in words`(
    mode: mode_t
  ) throws {
    mkdir(place.folder, 0o700)
    chmod(place.folder, mode)
    let writer = place.writer()
    let notice = try #require(writer.tell(.work(.made)))
    #expect(notice.contains("not this user's alone"), "\(notice)")
    #expect(writer.tell(.idle) == nil && writer.tap(Rigs.described()) == nil)
    writer.finish(status: 0, sentence: nil)
    #expect(ScratchFolder.names(in: place.folder).isEmpty)
    #expect(throws: LiveError.self) { try LiveRun.all(folder: place.folder) }
    #expect(throws: LiveError.self) { try LiveReader(id: "1", in: place.folder) }
  }

  @Test(.enabled(if: getuid() == 0, "only the superuser gives folders away"))
  func `a folder of another user is refused`() throws {
    mkdir(place.folder, 0o700)
    #expect(chown(place.folder, 65_534, 65_534) == 0)
    #expect(try #require(place.writer().tell(.work(.made))).contains("not this user's alone"))
    #expect(throws: LiveError.self) { try LiveRun.all(folder: place.folder) }
  }

  @Test func `where there is no room for waves one notice says so, and losses are told`() throws {
    let writer = place.writer()
    _ = writer.tell(.work(.made))
    var reader = try LiveReader(id: "20261125-230501-4711", in: place.folder)
    // A folder in the place of the file lets none be made.
    mkdir(place.folder + "/20261125-230501-4711/.waves", 0o700)
    let tap = try #require(writer.tap(Rigs.described()))
    let notice = try #require(writer.takeNotice())
    #expect(notice.hasPrefix("nobody can see the signals of this work: "), "\(notice)")
    #expect(writer.takeNotice() == nil && writer.tap(Rigs.described()) === tap)
    tap.begin()
    tap.drive([Float](repeating: 0, count: 2 * 500).span)
    tap.lost(StreamEvent(kind: .drop, frame: 7, length: 3), ofDrive: false)
    #expect(writer.nextFrame == 500)
    rmdir(place.folder + "/20261125-230501-4711/.waves")
    writer.finish(status: 0, sentence: nil)
    #expect(try place.read(&reader).contains { $0.kind == "loss" })
    #expect(ScratchFolder.names(in: place.folder).isEmpty)
  }

  @Test func `where no folder can be made one notice says why`() throws {
    try place.scratch.write("no folder", to: "live")
    let writer = place.writer()
    #expect(try #require(writer.tell(.work(.made))).hasPrefix("nobody can watch this work: "))
    #expect(writer.tell(.work(.made)) == nil)
    let nowhere = LiveWriter(folder: place.scratch.file("a/b/live")) { .made() }
    let notice = try #require(nowhere.tell(.work(.made)))
    #expect(notice.contains("No such file or directory"), "\(notice)")
    nowhere.finish(status: 0, sentence: nil)
  }
}
