// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import JSONText
import Reporting
import Synchronization

/// The socket of one page: a thread that listens to it, and one that tells it the state of what it looks at.
///
/// At most 30 messages a second go out, and what stages say besides. Who reads slowly gets the next state when there is room for it, not all that
/// were between; who does not read for 10 s is closed.
final class PageSocket: Sendable {
  private let socket: FrameSocket
  private let bench: BenchDesk
  private let live: LiveDesk
  private let jobs: JobDesk
  private let documents: DocumentDesk
  private let stages: StageDesk
  private let topics: Guarded<PageTopics>
  private let isOpen = Atomic(true)

  static let interval = 1.0 / 30
  /// Events of one message.
  static let mostEvents = 200
  /// How often the bench is looked at, in messages.
  private static let benchEvery = 15

  init(
    _ socket: FrameSocket, bench: BenchDesk, live: LiveDesk, jobs: JobDesk, documents: DocumentDesk,
    stages: StageDesk, access: Access
  ) {
    self.socket = socket
    self.bench = bench
    self.live = live
    self.jobs = jobs
    self.documents = documents
    self.stages = stages
    topics = Guarded(PageTopics(access: access))
  }

  /// Serves the page until it leaves, and lets go of what it held.
  func serve() {
    let done = Done()
    Thread.start { [self] in
      tell()
      done.set()
    }
    while case .text(let text) = socket.next() {
      let arrival = socket.now
      let (asked, holds) = topics.withLock { topics in
        let asked = topics.take(text)
        return (asked, topics.holds)
      }
      switch asked {
      case .nothing: break
      // The page's own beat, and nothing else, keeps a drive going.
      case .beat: for name in holds { jobs.held(name)?.beat() }
      case .letGo(let names): for name in names { jobs.held(name)?.closeInput() }
      case .act(let stage, let json):
        do throws(HTTPFault) {
          try stages.act(stage, json, at: arrival)
        } catch {
          topics.withLock { $0.fail(error) }
        }
      }
    }
    for name in topics.withLock({ $0.holds }) { jobs.held(name)?.closeInput() }
    isOpen.store(false, ordering: .releasing)
    socket.cut()
    done.wait()
  }

  private func tell() {
    var round = 0
    while isOpen.load(ordering: .acquiring) {
      let began = socket.now
      for message in stageMessages() + [next(round)].compactMap(\.self) {
        let isSent =
          switch message {
          case .text(let text): socket.send(text: text)
          case .binary(let bytes): socket.send(binary: bytes)
          }
        guard isSent else {
          socket.cut()
          return
        }
      }
      round += 1
      let left = Self.interval - (socket.now - began)
      if left > 0 { usleep(UInt32(left * 1e6)) }
    }
  }

  private enum Message {
    case text([UInt8])
    case binary([UInt8])

    static func json(_ value: JSONValue) -> Message { .text(value.utf8(indent: nil)) }
  }

  /// The next thing that is worth telling, taking turns; `nil` where nothing changed.
  private func next(_ round: Int) -> Message? {
    let answer = topics.withLock { topics -> JSONValue? in
      if let beat = topics.beat {
        topics.beat = nil
        return ["beat": .integer(beat)]
      }
      // In one expression nil would be the null of JSON.
      if topics.faults.isEmpty { return Optional.none }
      return topics.faults.removeFirst().json
    }
    if let answer { return .json(answer) }
    let looks: [() -> Message?] = [
      { round % Self.benchEvery < 3 ? self.benchMessage() : nil }, eventMessage, waveMessage,
      { self.documentMessage(isLooking: round % Self.benchEvery == 0) },
    ]
    for turn in 0..<looks.count {
      if let message = looks[(round + turn) % looks.count]() { return message }
    }
    return nil
  }

  /// What the stages that the page holds have said since.
  private func stageMessages() -> [Message] {
    var messages: [Message] = []
    for (id, known) in topics.withLock({ $0.stages }).sorted(by: { $0.key < $1.key }) {
      guard let (told, stage) = stages.news(of: id, after: known) else {
        topics.withLock { $0.stages[id] = nil }
        continue
      }
      messages += told.map { .text($0.utf8(indent: nil)) }
      topics.withLock { topics in
        // What was let go of meanwhile is told of no more.
        if topics.stages[id] != nil { topics.stages[id] = stage }
      }
    }
    return messages
  }

  private func benchMessage() -> Message? {
    guard let sent = topics.withLock({ $0.bench }) else { return nil }
    let json = bench.json()
    // The time alone is no news.
    let members = (json.members ?? []).filter { $0.key != "time" }
    let text = JSONValue.object(members).text(indent: nil)
    guard text != sent else { return nil }
    topics.withLock { if $0.bench != nil { $0.bench = .some(text) } }
    return .json(.object([JSONMember("topic", "bench")] + (json.members ?? [])))
  }

  private func eventMessage() -> Message? {
    for (id, cursor) in topics.withLock({ $0.live }).sorted(by: { $0.key < $1.key }) {
      if let lines = live.events(id, from: cursor.next, limit: Self.mostEvents), !lines.isEmpty {
        move(id, to: cursor.next + lines.count, cursor.state)
        // What is followed has a name of digits and dashes.
        let head = "{\"topic\":\"live/\(id)\",\"first\":\(cursor.next),\"events\":["
        return .text(Array((head + lines.joined(separator: ",") + "]}").utf8))
      }
      let state = live.state(id)
      if state != cursor.state {
        move(id, to: cursor.next, state)
        // That it works is told by its events.
        if state != "working" {
          return .json(["topic": .string("live/\(id)"), "state": .string(state)])
        }
      }
    }
    return nil
  }

  private func move(_ id: String, to next: Int, _ state: String) {
    topics.withLock { if $0.live[id] != nil { $0.live[id] = (next, state) } }
  }

  /// `isLooking`: whether the file on disk is asked too, which another program may have written.
  private func documentMessage(isLooking: Bool) -> Message? {
    for (name, told) in topics.withLock({ $0.documents }).sorted(by: { $0.key < $1.key }) {
      guard let (version, notice) = documents.look(name, onDisk: isLooking), version != told else {
        continue
      }
      topics.withLock { if $0.documents[name] != nil { $0.documents[name] = version } }
      let news = JSONValue.object(
        of: ["topic": "patterns/\(name)", "version": version, "notice": notice])
      return .text(news.utf8(indent: nil))
    }
    return nil
  }

  private func waveMessage() -> Message? {
    for (id, wish) in topics.withLock({ $0.waves }).sorted(by: { $0.key < $1.key }) {
      guard
        let bins = live.newest(
          id, columns: wish.columns, seconds: wish.seconds, channels: wish.channels),
        bins.range.upperBound != wish.sent
      else { continue }
      topics.withLock { $0.waves[id]?.sent = bins.range.upperBound }
      return .binary(bins.bytes(topic: "live/\(id)"))
    }
    return nil
  }
}

/// Something that one thread waits for and another does once.
private final class Done: Sendable {
  private let isSet = Atomic(false)

  func set() { isSet.store(true, ordering: .releasing) }

  func wait() { while !isSet.load(ordering: .acquiring) { usleep(5000) } }
}
