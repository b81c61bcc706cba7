// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText

extension JSONField.Schema {
  /// The schema of a line of `events.jsonl`: what a later version adds is passed over.
  static let live = JSONField.Schema(name: "live event")
}

extension LiveEvent {
  /// The word that a line says of what it is.
  package enum Kind: String, Sendable, CaseIterable {
    case start
    case work
    case channels
    case take
    case segment
    case progress
    case measured
    case reading
    case again
    case loss
    case notice
    case step
    case ask
    case idle
    case end
  }

  package var kind: Kind {
    switch self {
    case .start: .start
    case .work: .work
    case .channels: .channels
    case .take: .take
    case .segment: .segment
    case .progress: .progress
    case .measured: .measured
    case .reading: .reading
    case .again: .again
    case .loss: .loss
    case .notice: .notice
    case .step: .step
    case .ask: .ask
    case .idle: .idle
    case .end: .end
    }
  }

  /// Whether somebody who never hears of it misses nothing that lasts.
  var isPassing: Bool { kind == .progress || kind == .step }

  /// The members of its line besides number, time and kind.
  var members: [JSONMember] {
    let json: JSONValue =
      switch self {
      case .start(let start): Start.form.json(start)
      case .work(let work): Work.form.json(work)
      case .channels(let channels): Channels.form.json(channels)
      case .take(let take): Take.form.json(take)
      case .segment(let segment): Segment.form.json(segment)
      case .progress(let progress): Progress.form.json(progress)
      case .measured(let measured): Measured.form.json(measured)
      case .reading(let reading): ToldReading.form.json(ToldReading(reading: reading))
      case .again(let again): Again.form.json(again)
      case .loss(let loss): Loss.form.json(loss)
      case .notice(let level, let text): Notice.form.json(Notice(level: level, text: text))
      case .step(let title, let share): Step.form.json(Step(title: title, share: share))
      case .ask(let text): Ask.form.json(Ask(text: text))
      case .idle: .object([])
      case .end(let end): End.form.json(end)
      }
    return json.members ?? []
  }

  init(_ kind: Kind, _ field: JSONField) throws(JSONFieldError) {
    switch kind {
    case .start: self = .start(try Start.form.value(of: field))
    case .work: self = .work(try Work.form.value(of: field))
    case .channels: self = .channels(try Channels.form.value(of: field))
    case .take: self = .take(try Take.form.value(of: field))
    case .segment: self = .segment(try Segment.form.value(of: field))
    case .progress: self = .progress(try Progress.form.value(of: field))
    case .measured: self = .measured(try Measured.form.value(of: field))
    case .reading: self = .reading(try ToldReading.form.value(of: field).reading)
    case .again: self = .again(try Again.form.value(of: field))
    case .loss: self = .loss(try Loss.form.value(of: field))
    case .notice:
      let notice = try Notice.form.value(of: field)
      self = .notice(notice.level, notice.text)
    case .step:
      let step = try Step.form.value(of: field)
      self = .step(step.title, share: step.share)
    case .ask: self = .ask(try Ask.form.value(of: field).text)
    case .idle: self = .idle
    case .end: self = .end(try End.form.value(of: field))
    }
  }
}

extension LiveEvent.Start {
  fileprivate static let form = JSONForm(
    { _, id, program, process, host, started, command, arguments in
      Self(
        id: id, program: program, process: process, host: host, started: started,
        command: command, arguments: arguments)
    },
    ("schema", { @Sendable _ in LiveEvent.schema }, schema), ("id", \.id, .string),
    ("program", \.program, .string), ("process", \.process, .integer), ("host", \.host, .string),
    ("started", \.started, .string), ("command", \.command, .string),
    ("arguments", \.arguments, .list(.string)))

  /// The same name and first number: a later version of the same form may add members.
  private static let schema = JSONForm<String>.string.checked {
    field, found throws(JSONFieldError) in
    let known = LiveEvent.schema
    try field.check(
      found == known || found.hasPrefix(known + "."),
      "is '\(JSONField.shortened(found))', but this version of haprig reads '\(known)'")
  }
}

extension LiveEvent.Work {
  fileprivate static let form = JSONForm(
    Self.init(rig:plan:title:actuators:patterns:takes:archive:), ("rig", \.rig, .string),
    ("plan", \.plan, .optional(.string)), ("title", \.title, .string),
    ("actuators", \.actuators, .list(.string)), ("patterns", \.patterns, .list(.string)),
    ("takes", \.takes, .optional(.integer)), ("archive", \.archive, .optional(.string)))
}

extension LiveEvent.Channels {
  fileprivate static let form = JSONForm(
    Self.init(rate:channels:), ("rate", \.rate, .number),
    ("channels", \.channels, .list(LiveEvent.Channel.form)))
}

extension LiveEvent.Channel {
  fileprivate static let form = JSONForm(
    Self.init(name:kind:side:unit:fullScale:volts:actuator:), ("name", \.name, .string),
    ("kind", \.kind, .word), ("side", \.side, .word), ("unit", \.unit, .string),
    ("fullScale", \.fullScale, .optional(.number)), ("volts", \.volts, .optional(.number)),
    ("actuator", \.actuator, .optional(.string)))
}

extension LiveEvent.Take {
  fileprivate static let form = JSONForm(
    Self.init(pattern:take:number:total:frame:seconds:), ("pattern", \.pattern, .string),
    ("take", \.take, .integer), ("number", \.number, .integer), ("total", \.total, .integer),
    ("frame", \.frame, .integer), ("seconds", \.seconds, .number))
}

extension LiveEvent.Segment {
  fileprivate static let form = JSONForm(
    Self.init(title:level:number:total:frame:remaining:), ("title", \.title, .string),
    ("level", \.level, .number), ("number", \.number, .integer), ("total", \.total, .integer),
    ("frame", \.frame, .integer), ("remaining", \.remaining, .number))
}

extension LiveEvent.Progress {
  fileprivate static let form = JSONForm(
    Self.init(share:overall:remaining:), ("share", \.share, .number),
    ("overall", \.overall, .number), ("remaining", \.remaining, .optional(.number)))
}

extension LiveEvent.Measured {
  fileprivate static let form = JSONForm(
    Self.init(pattern:take:segment:isKept:), ("pattern", \.pattern, .optional(.string)),
    ("take", \.take, .optional(.integer)), ("segment", \.segment, .optional(.string)),
    ("kept", \.isKept, JSONForm<Bool>.bool.or(false)))
}

extension LiveEvent.Again {
  fileprivate static let form = JSONForm(
    Self.init(segment:reason:), ("segment", \.segment, .string), ("reason", \.reason, .string))
}

extension LiveEvent.Loss {
  fileprivate static let form = JSONForm(
    Self.init(what:frame:count:device:), ("what", \.what, .word), ("frame", \.frame, .integer),
    ("count", \.count, .integer), ("device", \.device, .word))
}

extension LiveEvent.End {
  fileprivate static let form = JSONForm(
    { (outcome, status, sentence, folder, verdicts) in
      Self(
        outcome: outcome, status: status, sentence: sentence, folder: folder, verdicts: verdicts)
    },
    ("outcome", \.outcome, .word), ("status", \.status, .integer),
    ("sentence", \.sentence, .optional(.string)), ("folder", \.folder, .optional(.string)),
    ("verdicts", \.verdicts, JSONForm.named(.string).or([:])))
}

/// A reading as the record has it, and beside it what a page sorts by.
private struct ToldReading: Sendable {
  let reading: Reading

  static let form = JSONForm(
    { reading, _, _, _, _, _ in Self(reading: reading) }, ("reading", \.reading, Reading.form),
    ("pattern", \.reading.pattern, .derived(.string)), ("take", \.reading.take, .derived(.integer)),
    ("event", \.reading.event, .derived(.integer)),
    ("verdict", \.reading.verdict, .derived(.word)), ("limit", \.reading.limit, .derived(.string)))
}

private struct Notice: Sendable {
  let level: LiveEvent.NoticeLevel
  let text: String

  static let form = JSONForm(
    { Self(level: $0, text: $1) }, ("level", \.level, .word), ("text", \.text, .string))
}

private struct Step: Sendable {
  let title: String
  let share: Double

  static let form = JSONForm(
    { Self(title: $0, share: $1) }, ("title", \.title, .string), ("share", \.share, .number))
}

private struct Ask: Sendable {
  let text: String

  static let form = JSONForm({ Self(text: $0) }, ("text", \.text, .string))
}
