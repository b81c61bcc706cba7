// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Glibc
import RigFiles
import Testing

/// A rig file in which every line can be replaced: `replacing` is a piece of it that stands once.
func rigFile(_ replacing: String = "", with text: String = "", of base: String = outsidePlant)
  throws -> String
{
  guard !replacing.isEmpty else { return base }
  let ranges = base.ranges(of: replacing)
  try #require(ranges.count == 1, "'\(replacing)' stands \(ranges.count) times in the rig file")
  return base.replacing(replacing, with: text)
}

/// The example of the documentation.
let outsidePlant = """
  name: outside-plant
  drive:
    device: command
    run: [python3, plant.py, --seed, "7"]
    rate: 48000
    channels: {haptic: 1, audio: 2, reference: 3}
    full-scale: 4.0 V            # peak, at drive 1.0
  capture:
    device: command              # the same process
    channels:
      z: {role: acceleration, unit: m/s2}
      audio: {role: audio, unit: V}
      reference: {role: reference, unit: V}
  actuator: {id: plant-1, model: outside, limits: {continuous: 2.0 Vrms, peak: 4.0 V}}

  """

/// A simulated rig in which everything is written.
let simulated = """
  name: bench
  drive:
    device: simulated
    rate: 48 kHz
    channels: {haptic: 1, audio: 2, reference: 3}
    full-scale: 3.6 V
  capture:
    channels:
      z: {role: acceleration, full-scale: 0.6 V, sensitivity: 10.2 mV/g}
      reference: {role: reference, full-scale: 5 V}
  actuator:
    id: sim-1
    model: coin
    limits: {continuous: 2.5 Vrms, peak: 3.6 V}
  simulation:
    plant: coinZ-170
    drive: {latency: 5 ms}

  """

/// A plan with one limit.
let smallPlan = """
  name: small
  patterns: [a.ahap, folder]
  limits:
    - {reading: latency.onset, below: 20 ms}

  """

func rig(_ text: String) throws -> RigDescription {
  try RigDescription(yaml: Array(text.utf8), file: "rigs/bench.yaml")
}

func plan(_ text: String) throws -> Plan {
  try Plan(yaml: Array(text.utf8), file: "plans/small.yaml")
}

/// Expects that reading fails at `line:column` with a sentence that holds a phrase.
func expectError<Value>(
  _ place: String, _ phrase: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Value
) {
  #expect(sourceLocation: sourceLocation) {
    _ = try body()
  } throws: { error in
    guard let error = error as? RigFileError else { return false }
    let isRight = "\(error.line):\(error.column)" == place && error.message.contains(phrase)
    if !isRight { Issue.record("\(error)", sourceLocation: sourceLocation) }
    return isRight
  }
}

/// The bytes of a file of the project, by its path from the project's folder.
func projectFile(_ path: String, sourceFile: String = #filePath) throws -> [UInt8] {
  let name = projectPath(path, sourceFile: sourceFile)
  let file = try #require(fopen(name, "rb"), "cannot open \(path)")
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    bytes += buffer[..<count]
  }
  return bytes
}

/// The path of a file of the project.
func projectPath(_ path: String, sourceFile: String = #filePath) -> String {
  let folders = sourceFile.split(separator: "/", omittingEmptySubsequences: false)
  return folders.dropLast(3).joined(separator: "/") + "/" + path
}
