// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation

/// Bytes to model: ours beside Foundation's decoder into a model of the same shape, and ours on larger
/// and larger files.
struct ReadingBenchmark {
  let corpus: Corpus

  func report() {
    print("reading AHAP (\(corpus.large.count / 1000) kB)")
    let bytes = [UInt8](corpus.large)
    let megabytes = Double(bytes.count) / 1e6
    let own = best(of: 20) { _ = try? AHAPReader.read(bytes) }
    let decoder = JSONDecoder()
    let peer = best(of: 10) { _ = try? decoder.decode(PeerFile.self, from: corpus.large) }
    row("AHAPReader, with positions and findings", speed(megabytes / own), "")
    row(
      "JSONDecoder into the same model", speed(megabytes / peer),
      "ratio \((peer / own * 10).rounded() / 10), aim 5")
    for factor in [1, 4, 16] {
      let bytes = longer(bytes, by: factor)
      let seconds = best(of: 5) { _ = try? AHAPReader.read(bytes) }
      let perByte = seconds / Double(bytes.count) * 1e9
      row(
        "AHAPReader at \(factor) times the size", "\((perByte * 100).rounded() / 100) ns a byte",
        factor == 1 ? "" : "aim: as at 1")
    }
    print()
  }

  private func speed(_ megabytes: Double) -> String { "\(Int(megabytes)) MB/s" }

  /// The file with its entries several times over.
  private func longer(_ bytes: [UInt8], by factor: Int) -> [UInt8] {
    guard let opening = bytes.firstIndex(of: UInt8(ascii: "[")),
      let closing = bytes.lastIndex(of: UInt8(ascii: "]"))
    else { return bytes }
    let entries = repeatElement(bytes[(opening + 1)..<closing], count: factor)
    let joined = Array(entries.joined(separator: [UInt8(ascii: ",")]))
    return Array(bytes[...opening]) + joined + Array(bytes[closing...])
  }
}

private struct PeerFile: Decodable {
  let version: Double?
  let pattern: [PeerEntry]

  enum CodingKeys: String, CodingKey {
    case version = "Version"
    case pattern = "Pattern"
  }
}

private struct PeerEntry: Decodable {
  let event: PeerEvent?
  let parameter: PeerParameter?
  let curve: PeerCurve?

  enum CodingKeys: String, CodingKey {
    case event = "Event"
    case parameter = "Parameter"
    case curve = "ParameterCurve"
  }
}

private struct PeerEvent: Decodable {
  let kind: String
  let time: Double
  let duration: Double?
  let path: String?
  let usesEnvelope: Bool?
  let loops: Bool?
  let parameters: [PeerParameter]?

  enum CodingKeys: String, CodingKey {
    case kind = "EventType"
    case time = "Time"
    case duration = "EventDuration"
    case path = "EventWaveformPath"
    case usesEnvelope = "EventWaveformUseVolumeEnvelope"
    case loops = "EventWaveformLoopEnabled"
    case parameters = "EventParameters"
  }
}

private struct PeerParameter: Decodable {
  let id: String
  let value: Double
  let time: Double?

  enum CodingKeys: String, CodingKey {
    case id = "ParameterID"
    case value = "ParameterValue"
    case time = "Time"
  }
}

private struct PeerCurve: Decodable {
  let id: String
  let time: Double
  let points: [PeerPoint]

  enum CodingKeys: String, CodingKey {
    case id = "ParameterID"
    case time = "Time"
    case points = "ParameterCurveControlPoints"
  }
}

private struct PeerPoint: Decodable {
  let time: Double
  let value: Double

  enum CodingKeys: String, CodingKey {
    case time = "Time"
    case value = "ParameterValue"
  }
}
