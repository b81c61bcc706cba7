// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ChangeDetection
import RunArchive
import ScratchFolder
import Units

/// A run as tests need it: few words, any day, any readings.
struct SampleRun {
  var id: String
  var day = CalendarDay(number: 20_000)
  /// Seconds into the day.
  var second = 3600
  var rig = "rig"
  var plan = "nightly"
  var actuator = "lra-1"
  var status = RunRecord.Status.complete
  var verdict = Verdict.pass
  var environment: [String: String] = [:]
  var readings = [Reading(.drift, value: 1.5, uncertainty: 0.25, count: 3)]
  var takes: [RunRecord.Take] = []

  /// The record, without its files.
  var record: RunRecord {
    RunRecord(
      header: .init(
        date: Moment(seconds: day.number * 86_400 + second).description, host: "bench", duration: 1,
        folder: id, environment: environment),
      run: .init(
        status: status, software: "haprig 9", seed: 1, laws: [:], referenceLevel: 30,
        calibration: "uncalibrated"),
      rig: .init(
        name: rig, device: "simulated", rate: 48_000, fullScaleVolts: 4, driveChannels: [:]),
      actuator: .init(
        id: actuator, model: "m", kind: .lra, limits: .init(continuousVolts: 2, peakVolts: 4)),
      plan: Plan(name: plan),
      patterns: takes.isEmpty
        ? []
        : [
          .init(
            name: "tap", file: "tap.ahap", duration: 1, events: 1, diagnostics: [], takes: takes)
        ],
      readings: readings, verdict: verdict)
  }

  /// What an index keeps of it.
  func entry() throws(ArchiveError) -> RunEntry {
    try RunEntry(record: record, id: id, hash: ContentHash(of: record.text))
  }

  /// Writes the run's folder as `haprig run` does: two recordings, a report and the record.
  @discardableResult
  func write(to archive: String) throws(ArchiveError) -> String {
    var run = self
    run.takes = [
      .init(
        number: 1, drive: "tap-1-drive.wav", driveChannels: [], response: "tap-1-response.wav",
        responseChannels: [], patternFrame: 0, rejected: [])
    ]
    var folder = try RunFolder(name: id, in: archive)
    try folder.write("the drive of \(id)", to: "tap-1-drive.wav")
    try folder.write("the response of \(id), which is longer", to: "tap-1-response.wav")
    try folder.write("<html>\(id)</html>", to: "report.html")
    var record = run.record
    record.header.files = try folder.contents()
    try folder.write(record.text, to: "record.json")
    try folder.keep()
    return folder.finalPath
  }
}

/// A folder of runs that goes with the value.
struct ScratchArchive {
  let scratch: ScratchFolder
  let location: ArchiveLocation

  init() throws {
    scratch = try ScratchFolder()
    location = try ArchiveLocation(scratch.path)
  }

  var path: String { scratch.path }

  func open() throws(ArchiveError) -> Archive { try Archive(opening: location) }
}
