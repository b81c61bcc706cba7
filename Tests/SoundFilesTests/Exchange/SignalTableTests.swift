// SPDX-License-Identifier: Apache-2.0

import Foundation
import ScratchFolder
import SoundFiles
import Testing
import Units

struct SignalTableTests {
  private static let table = SignalTable(
    title: "rig lra-1 tap take 2", date: "2026-03-14T09:26:53Z", rate: SampleRate(hertz: 48_000),
    origin: 2,
    columns: [
      SignalTable.Column(
        name: "z", unit: .metrePerSecondSquared,
        samples: [0, 1.5, -9.80665, 1e-30, 3.4e38, 0.1, 7]),
      SignalTable.Column(
        name: "a \"quoted\", name", unit: .volt, samples: [1, 2, 3, 4, 5, 6, -7.25]),
    ])

  @Test func `CSV names columns with units, counts time from the origin and keeps every sample`()
    throws
  {
    let text = String(decoding: Self.table.csv, as: UTF8.self)
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.count == 9 && lines.last == "")
    #expect(lines[0] == "time (s),z (m/s2),\"a \"\"quoted\"\", name (V)\"")
    for (frame, line) in lines[1...7].enumerated() {
      let fields = line.split(separator: ",").map(String.init)
      #expect(Double(fields[0]) == Double(frame - 2) / 48_000)
      #expect(Float(fields[1]) == Self.table.columns[0].samples[frame])
      #expect(Float(fields[2]) == Self.table.columns[1].samples[frame])
    }
  }

  @Test func `a universal file holds each signal in the columns that dataset 58 fixes`() throws {
    let text = String(decoding: Self.table.universalFile, as: UTF8.self)
    let lines = text.components(separatedBy: "\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 80 })
    #expect(lines.count { $0 == "    -1" } == 6)
    #expect(lines[1] == "   164" && lines[2].hasPrefix("         1SI"))
    let starts = lines.indices.filter { lines[$0] == "    58" }
    try #require(starts.count == 2)
    for (number, start) in starts.enumerated() {
      let column = Self.table.columns[number]
      let form = lines[start + 7]
      func field(_ line: String, _ from: Int, _ width: Int) -> String {
        String(decoding: Array(line.utf8)[from..<from + width], as: UTF8.self)
          .trimmingCharacters(in: .whitespaces)
      }
      // (2(I5,I10),2(1X,10A1,I10,I4)) then (3I10,3E13.5).
      #expect(field(lines[start + 6], 0, 5) == "1")
      #expect(field(lines[start + 6], 5, 10) == "\(number + 1)")
      #expect(field(form, 0, 10) == "2" && field(form, 10, 10) == "7" && field(form, 20, 10) == "1")
      let begin = try #require(Double(field(form, 30, 13)))
      let step = try #require(Double(field(form, 43, 13)))
      #expect(abs(begin + 2 / 48_000.0) < 1e-10)
      #expect(abs(step * 48_000 - 1) < 1e-5)
      #expect(field(lines[start + 8], 0, 10) == "17")
      #expect(field(lines[start + 9], 0, 10) == (number == 0 ? "12" : "1"))
      #expect(field(lines[start + 9], 47, 20) == column.unit.rawValue)
      let values = (lines[start + 12] + lines[start + 13]).split(separator: " ")
        .compactMap { Double(String($0)) }
      try #require(values.count == 7)
      for (value, sample) in zip(values, column.samples) {
        #expect(abs(value - Double(sample)) <= 6e-6 * abs(Double(sample)))
      }
      #expect(lines[start + 14] == "    -1")
    }
  }

  @Test func `a MATLAB file reads back sample for sample and has no date in it`() throws {
    let folder = try ScratchFolder()
    let signals = Self.table.columns.map {
      Signal(samples: $0.samples, rate: Self.table.rate, unit: $0.unit)
    }
    let paths = ["a.mat", "b.mat"].map { folder.path + "/" + $0 }
    for path in paths { try SoundFile.write(path: path, signals: signals, format: .matlab) }
    let bytes = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(bytes[0] == bytes[1])
    let read = try SoundFile.read(path: paths[0])
    #expect(read.info.rate == Self.table.rate)
    #expect(read.channels.map(\.samples) == Self.table.columns.map(\.samples))
    // MATLAB 4: a matrix of doubles named samplerate, then one of 32-bit floats, little-endian.
    let text = String(decoding: bytes[0], as: UTF8.self)
    #expect(text.contains("samplerate") && text.contains("wavedata"))
  }
}
