// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import ScratchFolder
import Testing

@testable import Workbench

/// A workbench with patterns of its own, and the simulated rig with a profile or without.
struct AuthoringFixture {
  let server: ServerFixture
  let folder: ScratchFolder

  static let rig = "authoring-rig"
  static let project =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  init(isCalibrated: Bool = false, program: String = "exit 0") throws {
    let folder = try ScratchFolder()
    self.folder = folder
    for name in ["plans", "patterns", "calibration", "jobs"] { _ = try folder.folder(name) }
    let text = try #require(ScratchFolder.text(Self.project + "/rigs/simulated-lra.yaml"))
    let rig = try folder.write(
      text.replacing("name: simulated-lra", with: "name: \(Self.rig)"), to: "rig.yaml")
    if isCalibrated {
      let profile = try #require(
        ScratchFolder.text(Self.project + "/rigs/profiles/sim-coin-1.json"))
      try folder.write(profile, to: "calibration/sim-coin-1.json")
    }
    let script = try folder.write("#!/bin/sh\n\(program)\n", to: "program")
    chmod(script, 0o755)
    server = try ServerFixture(holding: folder) { options in
      options.rigs = [rig]
      options.plans = folder.file("plans")
      options.calibration = folder.file("calibration")
      options.program = script
      options.jobs = folder.file("jobs")
    }
  }

  func write(_ text: String, as name: String) throws {
    if let slash = name.firstIndex(of: "/") {
      mkdir(folder.file("patterns/\(name[..<slash])"), 0o755)
    }
    try folder.write(text, to: "patterns/\(name).ahap")
  }

  func get(_ path: String) -> Answer { server.get("/api/v1/patterns/\(path)") }

  func json(_ path: String) throws -> JSONValue {
    let answer = get(path)
    #expect(answer.status == 200, "\(path): \(answer.text)")
    return try JSONValue(parsing: answer.body)
  }

  /// The rate, the smallest and the largest values of one lane.
  func waves(
    _ query: String
  ) throws -> (header: JSONValue, lowest: [Float], highest: [Float]) {
    let answer = get(query)
    try #require(answer.status == 200, "\(query): \(answer.text)")
    let (header, values) = try RecordingTests.waves(answer.body)
    return (
      header, stride(from: 0, to: values.count, by: 2).map { values[$0] },
      stride(from: 1, to: values.count, by: 2).map { values[$0] }
    )
  }

  /// An event as a file has it.
  static func event(
    _ kind: String, at time: Double = 0, for duration: Double? = nil, intensity: Double = 1,
    sharpness: Double = 0.5, _ more: String = ""
  ) -> String {
    let length = duration.map { ", \"EventDuration\": \($0)" } ?? ""
    return """
      {"Event": {"Time": \(time), "EventType": "Haptic\(kind)"\(length), "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)},
        {"ParameterID": "HapticSharpness", "ParameterValue": \(sharpness)}\(more)]}}
      """
  }

  static func pattern(_ entries: String...) -> String {
    "{\"Version\": 1.0, \"Pattern\": [\(entries.joined(separator: ",\n"))]}"
  }
}
