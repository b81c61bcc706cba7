// SPDX-License-Identifier: Apache-2.0

import AHAP
import Fuzzing
import JSONText

/// Bytes as an AHAP file, in both modes: every place in the text, every value in its range, and what
/// is read writes and reads back as itself.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  for mode in AHAPMode.allCases {
    guard let document = read(bytes, AHAPOptions(mode: mode)) else { continue }
    check(document, of: bytes)
    check(document.pattern)
    checkWriting(document.pattern)
    checkLimits(document, of: bytes, mode: mode)
  }
  return 0
}

/// Reads a text; nil if it is refused, at a place in it.
private func read(_ bytes: [UInt8], _ options: AHAPOptions) -> AHAPDocument? {
  do throws(AHAPError) {
    return try AHAPReader.read(bytes, options: options)
  } catch {
    require(error.position, in: bytes, of: "the error \(error.code.rawValue)")
    require(error.text.contains(error.diagnostic.message), "an error without its message")
    return nil
  }
}

private func check(_ document: AHAPDocument, of bytes: [UInt8]) {
  for diagnostic in document.diagnostics + Advice.findings(for: document) {
    require(diagnostic.position, in: bytes, of: "the finding \(diagnostic.code.rawValue)")
  }
  for diagnostic in document.diagnostics.prefix(8) {
    let text = diagnostic.text(fileName: "f", bytes: bytes)
    require(text.hasPrefix("f:\(diagnostic.position): "), "a finding without its place: \(text)")
  }
  let places = document.diagnostics.map(\.position)
  require(zip(places, places.dropFirst()).allSatisfy { $0 <= $1 }, "findings out of order")
  let pattern = document.pattern
  let marks =
    pattern.events.map(\.source) + pattern.parameters.map(\.source) + pattern.curves.map(\.source)
  for mark in marks {
    guard let position = mark.position else { fatalError("violated: an entry without its place") }
    require(position, in: bytes, of: "an entry")
  }
}

private func check(_ pattern: HapticPattern) {
  for event in pattern.events {
    require(event.time.isFinite && event.time >= 0, "an event at \(event.time) s")
    let duration = event.duration
    require(duration != nil || !event.kind.isContinuous, "a \(event.kind) without a duration")
    require(duration.map { $0.isFinite && $0 >= 0 } ?? true, "a duration of \(duration ?? 0) s")
    for id in EventParameterID.allCases {
      guard let value = event.parameters[id] else { continue }
      require(id.range.contains(value), "\(id.rawValue) is \(value)")
    }
  }
  for step in pattern.parameters {
    require(step.time.isFinite && step.time >= 0, "a parameter at \(step.time) s")
    require(step.id.range.contains(step.value), "\(step.id.rawValue) is \(step.value)")
  }
  for curve in pattern.curves {
    require(curve.time.isFinite && curve.time >= 0, "a curve at \(curve.time) s")
    for point in curve.points {
      require(point.time.isFinite && point.time >= 0, "a point at \(point.time) s")
      require(curve.id.range.contains(point.value), "\(curve.id.rawValue) is \(point.value)")
    }
    let times = curve.points.map(\.time)
    require(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "points out of order")
  }
}

private func checkWriting(_ pattern: HapticPattern) {
  let text = AHAPWriter.text(pattern)
  for mode in AHAPMode.allCases {
    let document: AHAPDocument
    do throws(AHAPError) {
      document = try AHAPReader.read(Array(text.utf8), options: AHAPOptions(mode: mode))
    } catch {
      fatalError("violated: what was written is refused: \(error)")
    }
    require(document.pattern == pattern, "reads back as another pattern (\(mode)):\n\(text)")
    let again = AHAPWriter.text(document.pattern)
    // Bytes, as two strings are equal in any Unicode normal form.
    require(again.utf8.elementsEqual(text.utf8), "writes back as other bytes:\n\(text)\n\(again)")
  }
}

/// Reads again with a limit of 2 findings a code: what is then left out is counted.
private func checkLimits(_ document: AHAPDocument, of bytes: [UInt8], mode: AHAPMode) {
  let limit = 2
  guard let short = read(bytes, AHAPOptions(mode: mode, diagnosticsPerCode: limit)) else {
    fatalError("violated: refused for the number of its findings")
  }
  require(short.pattern == document.pattern, "another pattern for the number of findings")
  require(
    short.diagnostics.count + short.omittedDiagnostics
      == document.diagnostics.count + document.omittedDiagnostics,
    "\(short.diagnostics.count) findings and \(short.omittedDiagnostics) left out, of "
      + "\(document.diagnostics.count) and \(document.omittedDiagnostics)")
  let counts = Dictionary(grouping: short.diagnostics, by: \.code).mapValues(\.count)
  require(counts.values.allSatisfy { $0 <= limit }, "more findings of a code than \(limit)")
}
