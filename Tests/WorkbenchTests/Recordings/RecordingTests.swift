// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import JSONText
import ScratchFolder
import SeededRandom
import SoundFiles
import Testing
import Units

@testable import Workbench

/// Waves and sounds of a run whose samples are known.
struct RecordingTests {
  private static let rate = 8000.0

  /// A run of one take: a drive of one channel, a response of two, of known samples.
  private static func fixture(
    _ random: inout SeededRandom
  ) throws -> (fixture: ServerFixture, channels: [[Float]]) {
    let fixture = try ServerFixture()
    let count = 20_011
    let channels = (0..<3).map { channel in
      // An accelerometer stands at what it feels of gravity.
      (0..<count).map { _ in
        Float(random.uniform(-1...1)) * Float(channel + 1) + (channel == 1 ? 9.81 : 0)
      }
    }
    _ = try fixture.folder.folder("reports/one")
    let rate = SampleRate(hertz: rate)
    try SoundFile.write(
      path: fixture.folder.file("reports/one/drive.wav"),
      signals: [Signal(samples: channels[0], rate: rate, unit: .one)])
    try SoundFile.write(
      path: fixture.folder.file("reports/one/response.wav"),
      signals: channels[1...].map { Signal(samples: $0, rate: rate, unit: .one) })
    let take = RunRecord.Take(
      number: 1, drive: "drive.wav", driveChannels: [.init(name: "haptic", unit: .one)],
      response: "response.wav",
      responseChannels: [
        .init(name: "z", unit: .metrePerSecondSquared), .init(name: "reference", unit: .volt),
      ], patternFrame: 800, rejected: [],
      device: .init(frames: count, driveFrames: count))
    let record = RunRecord(
      header: .init(date: "2026-11-25T00:00:00Z", host: "h", duration: 1, folder: "one"),
      run: .init(
        status: .complete, software: "haprig 9", seed: 1, laws: [:], referenceLevel: 30,
        calibration: "uncalibrated"),
      rig: .init(
        name: "rig", device: "simulated", rate: Self.rate, fullScaleVolts: 4, driveChannels: [:]),
      actuator: .init(
        id: "lra-1", model: "m", kind: .lra, limits: .init(continuousVolts: 2, peakVolts: 4)),
      plan: Plan(name: "plan"),
      patterns: [
        .init(
          name: "tap", file: "tap.ahap", duration: 1, events: 1, diagnostics: [], takes: [take])
      ], readings: [], verdict: .pass)
    try fixture.folder.write(record.text, to: "reports/one/record.json")
    return (fixture, channels)
  }

  /// The header and the pairs of waves as they come.
  static func waves(_ bytes: [UInt8]) throws -> (header: JSONValue, values: [Float]) {
    func word(_ place: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }
    #expect(Array(bytes.prefix(4)) == Array("HW1\0".utf8))
    let length = Int(word(4))
    #expect((8 + length) % 8 == 0)
    let header = try JSONValue(parsing: Array(bytes[8..<8 + length]))
    let values = stride(from: 8 + length, to: bytes.count, by: 4).map {
      Float(bitPattern: word($0))
    }
    return (header, values)
  }

  @Test func `takes are told with their channels`() throws {
    var random = SeededRandom(seed: 1)
    let (fixture, _) = try Self.fixture(&random)
    let json = try JSONValue(parsing: fixture.get("/api/v1/runs/one/takes").body)
    let take = try #require(json["takes"]?.elements?.first)
    #expect(take["pattern"]?.string == "tap" && take["take"]?.integer == 1)
    #expect(take["rate"]?.number == 8000 && take["seconds"]?.number == 20_011 / 8000)
    #expect(take["patternStart"]?.number == 0.1)
    let channels = take["channels"]?.elements ?? []
    #expect(channels.compactMap { $0["kind"]?.string } == ["drive", "response", "reference"])
    #expect(channels.compactMap { $0["unit"]?.string } == ["1", "m/s2", "V"])
  }

  @Test func `bins hold the smallest and the largest sample of their frames`() throws {
    var random = SeededRandom(seed: 0x3a7e)
    let (fixture, channels) = try Self.fixture(&random)
    for _ in 0..<30 {
      let from = random.integer(0...19_000)
      let to = random.integer((from + 1)...22_000)
      let columns = random.integer(1...900)
      let places = [[0], [2, 1], [0, 1, 2]][random.integer(0...2)]
      let answer = fixture.get(
        "/api/v1/runs/one/waves?pattern=tap&take=1&columns=\(columns)"
          + "&channels=\(places.map(String.init).joined(separator: ","))"
          + "&from=\(Double(from) / Self.rate)&to=\(Double(to) / Self.rate)")
      let (header, values) = try Self.waves(answer.body)
      let place = "\(from)..<\(to), \(columns), \(places), \(random)"
      #expect(header["from"]?.integer == from && header["to"]?.integer == to, "\(place)")
      let width = try #require(header["framesPerBin"]?.integer)
      let bins = (to - from + width - 1) / width
      #expect(bins <= columns && values.count == 2 * bins * places.count, "\(place)")
      var wanted: [Float] = []
      for channel in places {
        for bin in 0..<bins {
          let start = from + bin * width
          let samples = channels[channel].prefix(min(start + width, to)).dropFirst(start)
          wanted.append(samples.min() ?? .nan)
          wanted.append(samples.max() ?? .nan)
        }
      }
      #expect(
        zip(values, wanted).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }, "\(place)")
    }
  }

  @Test func `a packed channel is shown in its unit, and a silent one as zeros`() throws {
    var random = SeededRandom(seed: 4)
    let (fixture, channels) = try Self.fixture(&random)
    let rate = SampleRate(hertz: Self.rate)
    // A quarter of the scale of the channel that is kept, the other is left out of the file.
    try SoundFile.write(
      path: fixture.folder.file("reports/one/response.flac"),
      signals: [Signal(samples: channels[0].map { $0 / 2 }, rate: rate, unit: .one)],
      format: .flac24)
    let record = String(
      decoding: try fixture.folder.bytes(of: "reports/one/record.json"), as: UTF8.self)
    let packed = record.replacing("response.wav", with: "response.flac")
      .replacing("\"name\": \"z\",", with: "\"name\": \"z\", \"scale\": 0,")
      .replacing("\"name\": \"reference\",", with: "\"name\": \"reference\", \"scale\": 8,")
    try #require(packed.contains("\"scale\": 0") && packed.contains("\"scale\": 8"))
    try fixture.folder.write(packed, to: "reports/one/record.json")
    let answer = fixture.get(
      "/api/v1/runs/one/waves?pattern=tap&take=1&columns=400&channels=1,2&from=0&to=0.05")
    let (header, values) = try Self.waves(answer.body)
    #expect(header["framesPerBin"]?.integer == 1 && values.count == 2 * 2 * 400)
    #expect(values[..<800].allSatisfy { $0 == 0 })
    for (frame, sample) in channels[0].prefix(400).enumerated() {
      #expect(abs(values[800 + 2 * frame] - 4 * sample) <= 4 * 0x1p-23, "\(frame)")
    }
    let sound = fixture.get("/api/v1/runs/one/sound?pattern=tap&take=1&channel=1")
    let silence = try SoundFile.read(bytes: sound.body, name: "sound").channels[0].samples
    #expect(silence.count == 20_011 && silence.allSatisfy { $0 == 0 })
  }

  @Test func `a sound has no gravity in it, its peak is 3 dB below full scale`() throws {
    var random = SeededRandom(seed: 2)
    let (fixture, channels) = try Self.fixture(&random)
    let answer = fixture.get("/api/v1/runs/one/sound?pattern=tap&take=1&channel=1")
    #expect(answer.status == 200 && answer.fields["content-type"] == "audio/wav")
    let sound = try SoundFile.read(bytes: answer.body, name: "sound")
    let samples = sound.channels[0].samples
    #expect(samples.count == 20_011 && sound.info.rate.hertz == 8000)
    let peak = samples.map(abs).max() ?? 0
    #expect(abs(20 * Decibels.of(amplitude: Double(peak)) / 20 + 3) < 0.01)
    let gain = try #require(answer.fields["x-gain-db"].flatMap(Double.init))
    let mean = Float(channels[1].reduce(0) { $0 + Double($1) } / Double(channels[1].count))
    let moved = channels[1].map { $0 - mean }
    let largest = moved.map(abs).max() ?? 0
    #expect(abs(gain - Decibels.of(amplitude: 0.7079457843841379 / Double(largest))) < 0.01)
    let factor = peak / largest
    #expect(zip(samples, moved).allSatisfy { abs($0 - $1 * factor) < 1e-4 })
  }

  @Test(arguments: [
    ("waves?take=2", 404), ("waves?pattern=none", 404), ("waves?channels=3", 400),
    ("waves?channels=-1", 400), ("waves?channels=x", 400), ("waves?columns=0", 400),
    ("waves?columns=4097", 400), ("waves?from=2&to=1", 400), ("waves?from=-1", 400),
    ("waves?to=1e300", 400), ("waves?from=1e18&to=1.000000001e18", 400), ("waves?from=nan", 400),
    ("sound?channel=3", 400),
  ])
  func `what a take has not is refused`(_ query: String, _ status: Int) throws {
    var random = SeededRandom(seed: 3)
    let (fixture, _) = try Self.fixture(&random)
    #expect(fixture.get("/api/v1/runs/one/\(query)").status == status)
  }
}
