// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Devices
private import Glibc
import JSONText
import LiveRuns
import Reporting
import Workflows

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show running work on this machine (a run, a calibration), from its beginning.",
    discussion: """
      Shows a run, a calibration or other work as its own terminal does, even if you start watching late. It does \
      not affect the work: the work goes on when you stop watching. With --json every event is a line, as described \
      in docs/FILE-FORMATS.md, "Live folders". You see only your own user's work.

      EXAMPLES
        haprig watch
        haprig watch bench-1
        haprig watch 20261125-230501-4711 --json
        haprig watch --list

      EXIT CODES
        0 the work is done    1 it failed or was stopped, or there is no work    2 wrong usage or input
        3 its process died    130 this command was interrupted
      """)

  @Argument(help: "The name of the work or of its rig (default: the only work).")
  var name: String?

  @Flag(help: "List running and dead work, with state, rig, command and start time.")
  var list = false

  @Flag(help: "Print events, or the list, as JSON.")
  var json = false

  func validate() throws {
    try Usage.require(!list || name == nil, "--list shows all: leave out the name")
  }

  func run() throws {
    let all = try LiveRun.all()
    if list { return Console.out(LiveListing(runs: all), asJSON: json) }
    try follow(Self.choice(of: name, from: all))
  }

  /// The work that is meant: of a name what works now, else what died last.
  private static func choice(of name: String?, from all: [LiveRun]) throws -> LiveRun {
    let named = all.filter { run in name.map { run.id == $0 || run.work?.rig == $0 } ?? true }
    let working = named.filter { $0.state == .working }
    if working.count == 1 { return working[0] }
    guard working.isEmpty else {
      throw ExitStatus(
        .wrongInput,
        "\(working.count) are at work: name one of "
          + working.map { run in
            "\(run.id) (\(run.work.map { "\($0.title) on \($0.rig)" } ?? "work"))"
          }.joined(separator: ", ").printable)
    }
    if name != nil, let last = named.last { return last }
    throw ExitStatus(
      .failed, name.map { "nothing works under the name '\($0.printable)'" } ?? "nothing works")
  }

  private func follow(_ run: LiveRun) throws {
    Interruption.listen()
    var reader = try LiveReader(id: run.id)
    let display = WatchDisplay(asJSON: json)
    defer { display.clear() }
    while true {
      let lines = try reader.next()
      for line in lines { display.show(line) }
      if let signal = Interruption.signal.requested { throw ExitStatus(code: 128 + signal) }
      guard lines.isEmpty else { continue }
      switch reader.state {
      case .working: usleep(UInt32(LiveReader.pause * 1e6))
      case .ended(let end):
        guard end.outcome != .done else { return }
        throw ExitStatus(.failed)
      case .dead:
        display.clear()
        throw ExitStatus(
          .deviceFault, "\(run.id): its process is dead, and told nothing of its end")
      }
    }
  }
}

private struct WatchDisplay {
  private let asJSON: Bool
  private let display = OperatorDisplay(isQuiet: false)

  init(asJSON: Bool) { self.asJSON = asJSON }

  func clear() { display.clear() }

  func show(_ line: RawLine) {
    guard !asJSON else { return Console.out(line.text + "\n") }
    // What a later version tells besides is not for this one.
    guard let event = try? line.line().event else { return }
    display.show(event)
    switch event {
    case .work(let work):
      display.clear()
      Console.out("\(work.rig.printable): \(work.title.printable)\n")
    case .ask(let request):
      display.clear()
      Console.error("asked at its own terminal: \(request.printable)")
    case .end(let end):
      display.clear()
      Console.out(Self.text(end) + "\n")
    default: break
    }
  }

  private static func text(_ end: LiveEvent.End) -> String {
    var text = end.outcome.rawValue
    if let verdict = end.verdicts["run"] { text += ", \(verdict)" }
    if let sentence = end.sentence { text += ": \(sentence)" }
    if let folder = end.folder { text += "\nfolder: \(folder)" }
    return text.split(separator: "\n").map { String($0).printable }.joined(separator: "\n")
  }
}

private struct LiveListing: Listing {
  let runs: [LiveRun]

  var text: String {
    guard !runs.isEmpty else { return "nothing works\n" }
    return TextTable(
      head: ["name", "state", "rig", "work", "command", "since (UTC)"],
      rows: runs.map { run in
        [
          run.id, run.state.word, run.work?.rig ?? "-", run.work?.title ?? "-",
          run.start?.command ?? "-", run.start?.started ?? "-",
        ].map(\.printable)
      }
    ).text
  }

  var json: JSONValue {
    .array(
      runs.map { run in
        .object(all: [
          "id": run.id, "state": run.state.word, "rig": run.work?.rig, "work": run.work?.title,
          "plan": run.work?.plan, "command": run.start?.command, "process": run.start?.process,
          "started": run.start?.started,
        ])
      })
  }
}
