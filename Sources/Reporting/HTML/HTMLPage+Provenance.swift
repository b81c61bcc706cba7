// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Devices
import Perception
import Units

extension HTMLPage {
  func writeRunReadings(to main: inout Markup) {
    let readings = readings(of: nil)
    main.writeSection("run", "Readings of the run") { section in
      guard !readings.isEmpty else {
        return section.writeNote("No reading was taken of the run as a whole.")
      }
      section.writeReadings("Readings of the run", readings, summary.scatter)
    }
  }

  func writeProvenance(to main: inout Markup) {
    main.writeSection("provenance", "Rig, laws and files") { section in
      section.writeColumns([
        ("Rig", rigFacts), ("Actuator", actuatorFacts), ("Laws", lawFacts), ("Run", runFacts),
      ])
      writeSetup(to: &section)
      writeLimits(to: &section)
      writeEnvironment(to: &section)
      // Of a large run each pattern's page has its own.
      if !isSplit { writeFiles(of: record.patterns, to: &section) }
      writeHashes(to: &section)
      writeStreams(to: &section)
      if charts == nil {
        section.writeNote(
          "Pictures stand still: dygraphs (libjs-dygraphs) was not installed where this page was "
            + "written.")
      }
      writeGlossary(to: &section)
    }
  }

  private typealias Facts = [(term: String, value: String)]

  private var rigFacts: Facts {
    let rig = record.rig
    let channels = rig.driveChannels.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    return [
      ("name", rig.name), ("device", rig.device),
      ("rate", EngineeringFormat.text(rig.rate, .hertz)),
      ("full scale", EngineeringFormat.text(rig.fullScaleVolts, .volt) + " peak at drive 1"),
      ("drive channels", channels.map { "\($0.value) \($0.key)" }.joined(separator: ", ")),
    ]
  }

  private var actuatorFacts: Facts {
    let actuator = record.actuator
    return [
      ("id", actuator.id), ("model", actuator.model), ("kind", actuator.kind.rawValue),
      ("continuous limit", EngineeringFormat.text(actuator.limits.continuousVolts, .voltRMS)),
      ("peak limit", EngineeringFormat.text(actuator.limits.peakVolts, .volt)),
    ]
  }

  private var lawFacts: Facts {
    let level = EngineeringFormat.text(record.run.referenceLevel, .decibel)
    return record.run.laws.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [
      ("intensity 1", level + " above threshold"),
      // The whole hash stands in the environment.
      ("calibration", Self.shortened(record.run.calibration)),
    ]
  }

  /// A text whose hash has 12 digits, which tell any two files of a project apart.
  private static func shortened(_ text: String) -> String {
    guard let mark = text.firstRange(of: "sha256 ") else { return text }
    return String(text[..<mark.upperBound] + text[mark.upperBound...].prefix(12))
  }

  private var runFacts: Facts {
    let header = record.header
    return [
      ("status", record.run.status.rawValue), ("software", record.run.software),
      ("seed", "\(record.run.seed)"), ("date", header.date), ("host", header.host),
      ("duration", Shown.seconds(header.duration)), ("folder", header.folder),
    ]
  }

  private func writeSetup(to section: inout Markup) {
    section.writeFindings(
      "Setup checks",
      (record.setup ?? []).map { finding in
        FindingLine(
          verdict: finding.holds ? .pass : .fail, word: finding.holds ? "holds" : "does not hold",
          subject: finding.check.rawValue, detail: finding.sentence)
      })
    section.writeFindings(
      "Expected failures",
      record.expectations.map { expected, outcome in
        let (verdict, word): (Verdict, String) =
          switch outcome {
          case .failed(let count): (.pass, "failed as expected, \(Count.of(count, "reading"))")
          case .passed: (.marginal, "holds though it was expected to fail")
          case .notMeasured: (.notMeasured, "not measured")
          }
        let pattern = expected.pattern.map { " of \($0)" } ?? ""
        return FindingLine(
          verdict: verdict, word: word, subject: expected.reading.title + pattern,
          detail: expected.why)
      })
    section.writeList("diagnostics", title: "Notes of the plan", record.plan.notes)
  }

  private func writeLimits(to section: inout Markup) {
    guard !record.plan.limits.isEmpty else { return }
    section.writeTable(
      "Limits of the plan \(record.plan.name)", label: "Limits of the plan",
      ["Reading", "Limit", "Of", "Required", "Patterns~"],
      record.plan.limits.map { limit in
        .texts(
          "\(limit.reading.title) (\(limit.reading))", limit.text,
          limit.aspect.title + (limit.isCalibratedOnly ? ", calibrated" : ""),
          limit.required ? "yes" : "no",
          limit.patterns.isEmpty ? "all" : limit.patterns.joined(separator: ", "))
      })
  }

  func writeEnvironment(to section: inout Markup) {
    let environment = record.header.environment.sorted { $0.key < $1.key }
    guard !environment.isEmpty else { return }
    section.writeTable(
      "Environment: what a later difference may come from", label: "Environment of the run",
      ["Name", "Value~"], environment.map { .texts($0.key, $0.value) })
  }

  /// Writes the recordings' names with their channels; `folder` leads from the page to them.
  func writeFiles(
    of patterns: [RunRecord.Pattern], in folder: String = ".", to section: inout Markup
  ) {
    let takes = patterns.flatMap { pattern in pattern.takes.map { (pattern.name, $0) } }
    guard takes.contains(where: { $0.1.drive != nil || $0.1.response != nil }) else { return }
    section.writeDetails(
      "Recordings of \(Count.of(takes.count, "take"))", isOpen: takes.count <= 16
    ) { details in
      details.writeTable(
        folder == "." ? "Recordings, beside this page" : "Recordings",
        label: "Recordings of the run",
        ["Pattern", "Take", "Drive", "Response", "Time 0 at frame"],
        takes.map { name, take in
          [
            Cell(name), Cell("\(take.number)"),
            Self.cell(take.drive, take.driveChannels, in: folder),
            Self.cell(take.response, take.responseChannels, in: folder),
            Cell("\(take.patternFrame)"),
          ]
        })
    }
  }

  private static func cell(
    _ file: String?, _ channels: [RunRecord.FileChannel], in folder: String
  ) -> Cell {
    Cell { cell in
      guard let file else { return cell.writeAbsence("not kept") }
      cell.element("a", ["href": address(of: file, in: folder)], text: file)
      let words = channels.map { channel in
        let unit = Shown.typeset(channel.unit.rawValue)
        return "\(channel.name) (\(channel.isSilent ? "all zero, not in the file" : unit))"
      }
      cell.writeDetail(words.joined(separator: ", "))
    }
  }

  /// The address of a file beside the page; its leading dot keeps a name from being a scheme.
  private static func address(of file: String, in folder: String = ".") -> String {
    "\(folder)/" + URI.path(file)
  }

  private func writeHashes(to section: inout Markup) {
    let files = record.header.files
    guard !files.isEmpty else { return }
    if isSplit {
      return section.writeNote(
        "The SHA-256 of the run's \(Count.of(files.count, "file")) and of its pages are in "
          + "record.json, and compared by `haprig archive verify`.")
    }
    section.writeDetails("Hashes of \(Count.of(files.count, "file"))") { details in
      details.writeNote(
        "SHA-256, compared by `haprig archive verify`. This page's own hash is in record.json.")
      details.writeTable(
        "Files of the run's folder", label: "Hashes of the run's files",
        ["File", "Bytes#", "SHA-256"],
        files.map { file in
          [
            Cell(file.name, link: Self.address(of: file.name)), Cell("\(file.bytes)"),
            Cell(file.sha256, style: "hash"),
          ]
        })
    }
  }

  private func writeStreams(to section: inout Markup) {
    let takes = record.patterns.flatMap { pattern in
      pattern.takes.compactMap { take in take.stream.map { (pattern.name, take.number, $0) } }
    }
    guard let first = takes.first?.2 else { return }
    for device in first.negotiations { section.writeNote(Self.sentence(about: device)) }
    for statement in first.statements { section.writeNote(Self.sentence(stating: statement)) }
    section.writeTable(
      "Streams of the devices, take by take", label: "Streams of the run",
      ["Pattern", "Take", "Start", "Xruns", "Late by at most, 99 %", "CPU share", "Scheduling"],
      takes.map { name, number, stream in [Cell].texts(name, "\(number)") + Self.cells(of: stream) }
    )
  }

  private static func sentence(about device: Negotiation) -> String {
    "\(device.direction): \(device.pcm), \(device.format.rawValue), \(device.channelCount) channels, "
      + "\(EngineeringFormat.significant(device.rate)) Hz, periods of \(device.periodFrames) in "
      + "\(device.bufferFrames) frames, \(device.access)"
      + (device.isConverted ? ", converted on the way" : "")
  }

  private static func sentence(stating statement: StreamStatistics.Statement) -> String {
    var parts: [String] = []
    if let volts = statement.fullScaleVolts {
      let text = EngineeringFormat.text(volts, .volt)
      parts.append(
        statement.knowsFullScale
          ? "full scale \(text)" : "it does not know its full scale, the rig file's \(text) counts")
    }
    for (delay, path) in [
      (statement.driveDelay, "from a drive frame to the voltage"),
      (statement.sensorDelay, "from an acceleration to its frame"),
    ] {
      if let delay { parts.append("\(EngineeringFormat.text(delay, .second)) \(path)") }
    }
    if let rate = statement.sensorRate {
      parts.append("sensors at \(EngineeringFormat.text(rate, .hertz))")
    }
    return "\(statement.device) by its own word: " + parts.joined(separator: "; ")
      + "; delays are not taken off what was measured"
  }

  private static func cells(of stream: StreamStatistics) -> [Cell] {
    let bound = stream.xrunsPerHourBound.map {
      " (at most \(EngineeringFormat.significant($0)) an hour)"
    }
    let jitter = stream.jitter?.bound(ofShare: 0.99).map { EngineeringFormat.text($0, .second) }
    let share = stream.cpuShare.map { "\(EngineeringFormat.fixed(100 * $0, 1)) %" }
    return .texts(
      stream.start.kind.rawValue, "\(stream.xruns)\(bound ?? "")", jitter ?? "no thread",
      share ?? "no thread", stream.scheduling?.description ?? "in place")
  }

  private static func shown(_ difference: JustNoticeable) -> (scale: Double, unit: String) {
    switch difference {
    case .level: (1, "dB")
    case .frequency: (100, "%")
    case .audioHaptic, .release: (1e3, "ms")
    }
  }

  func writeGlossary(to section: inout Markup) {
    let kinds = record.readings.kinds
    section.writeDetails("What words and readings mean") { details in
      details.writeMeanings(of: [
        .profile, .intensityLaw, .sharpnessLaw, .threshold, .referenceLevel, .noticeable,
        .consistency, .harmony, .standard, .rms,
      ])
      guard !kinds.isEmpty else { return }
      details.writeNote(
        """
        Errors are measured minus intended. ± is one standard uncertainty: the larger of what a reading \
        states of itself and of how it scatters over the takes. A reading under "control." was taken of \
        the control instead of the device under test.
        """)
      details.writeMeanings(of: kinds)
      guard kinds.contains(where: \.isIndex) else { return }
      details.writeNote(
        """
        Indices count errors in differences that people just notice. What is published of those differs by \
        study, condition and person; "± by differences" is what that leaves open. It is the same for every \
        rig, so it does not count where two runs are compared.
        """)
      details.writeTable(
        "Just noticeable differences, as published", label: "Just noticeable differences",
        ["Of", "Taken for#", "Published#", "Relative uncertainty#", "Source~"],
        JustNoticeable.allCases.map { one in
          let (scale, unit) = Self.shown(one)
          func text(_ value: Double) -> String { EngineeringFormat.significant(value * scale) }
          return .texts(
            one.rawValue, "\(text(one.value)) \(unit)",
            "\(text(one.range.lowerBound)) to \(text(one.range.upperBound)) \(unit)",
            Shown.percent(one.relativeUncertainty, decimals: 0), one.source)
        })
    }
  }
}
