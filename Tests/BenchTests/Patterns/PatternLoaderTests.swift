// SPDX-License-Identifier: Apache-2.0

import AHAP
import Bench
import Glibc
import HapticRendering
import ScratchFolder
import SoundFiles
import Testing
import Units

struct PatternLoaderTests {
  private func failure(_ loader: PatternLoader, _ path: String) throws -> String {
    try #require(throws: InputError.self) { try loader.load(.at(path)) }.description
  }

  private func tone(_ path: String, rate: Double = 48_000, channels: Int = 1) throws {
    let rate = SampleRate(hertz: rate)
    let samples = (0..<Int(rate.hertz / 10)).map { Float(sin(Double($0) * 0.1)) * 0.5 }
    try SoundFile.write(
      path: path,
      signals: (0..<channels).map { _ in Signal(samples: samples, rate: rate, unit: .one) })
  }

  @Test func `a pattern is loaded with the sounds it names at the rate of rendering`() throws {
    let scratch = try ScratchFolder()
    try tone(scratch.path + "/low.wav", rate: 24_000, channels: 2)
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.tap(at: 0), AHAPText.sound("low.wav", at: 0.1)]),
      to: "both.ahap")
    let pattern = try PatternLoader(rate: .standard).load(.at(path))
    #expect(pattern.name == "both")
    #expect(pattern.file == path)
    #expect(pattern.document.pattern.events.count == 2)
    let channels = try #require(pattern.sounds.sounds["low.wav"])
    #expect(channels.count == 2)
    #expect(channels.allSatisfy { $0.rate == .standard })
    #expect(abs(channels[0].duration - 0.1) < 0.005)
    #expect(pattern.missingSounds.isEmpty)
    #expect(pattern.findings.isEmpty)
  }

  @Test func `sounds are taken from the bundle that is named`() throws {
    let scratch = try ScratchFolder()
    _ = try scratch.folder("bundle")
    _ = try scratch.folder("patterns")
    try tone(scratch.path + "/bundle/hit.wav")
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.sound("hit.wav", at: 0)]), to: "patterns/hit.ahap")
    var loader = PatternLoader(rate: .standard)
    #expect(try loader.load(.at(path)).missingSounds.keys.sorted() == ["hit.wav"])
    loader.reading.bundle = scratch.path + "/bundle"
    #expect(try loader.load(.at(path)).missingSounds.isEmpty)
  }

  @Test func `a missing sound is a finding, and an error when strict`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.tap(at: 0), AHAPText.sound("gone.wav", at: 0)]),
      to: "gone.ahap")
    var loader = PatternLoader(rate: .standard)
    let pattern = try loader.load(.at(path))
    #expect(pattern.missingSounds["gone.wav"]?.contains("gone.wav") == true)
    #expect(pattern.findings.contains { $0.hasPrefix(path) && $0.contains("warning") })
    loader.reading.isStrict = true
    #expect(try failure(loader, path).contains("gone.wav"))
  }

  @Test func `a sound outside is an error that names the pattern and the sound`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.sound("../../etc/passwd", at: 0)]), to: "sly.ahap")
    let message = try failure(PatternLoader(rate: .standard), path)
    #expect(message.hasPrefix(path))
    #expect(message.contains("../../etc/passwd"))
    #expect(message.contains("--allow-path"))
  }

  @Test func `a folder that is allowed by name is read`() throws {
    let scratch = try ScratchFolder()
    for folder in ["patterns", "sounds"] { _ = try scratch.folder(folder) }
    try tone(scratch.path + "/sounds/hit.wav")
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.sound("../sounds/hit.wav", at: 0)]), to: "patterns/hit.ahap")
    var loader = PatternLoader(rate: .standard)
    loader.reading.allowedFolders = [scratch.path + "/sounds"]
    #expect(try loader.load(.at(path)).sounds.duration(of: "../sounds/hit.wav") != nil)
  }

  @Test func `a sound that ends before its header says is an error`() throws {
    let scratch = try ScratchFolder()
    try tone(scratch.path + "/cut.wav")
    #expect(truncate(scratch.path + "/cut.wav", 5_000) == 0)
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.sound("cut.wav", at: 0)]), to: "cut.ahap")
    let message = try failure(PatternLoader(rate: .standard), path)
    #expect(message.hasPrefix(path))
    #expect(message.contains("cut.wav"))
  }

  @Test func `a pipe as a pattern is refused at once`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/pipe.ahap"
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try failure(PatternLoader(rate: .standard), path).hasPrefix(path))
  }

  @Test func `a file over the limit is refused before it is read`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write(AHAPText.pattern([AHAPText.tap(at: 0)]), to: "large.ahap")
    // A hole: 200 MB that take no room and would take long to read as JSON.
    #expect(truncate(path, 200 << 20) == 0)
    let message = try failure(PatternLoader(rate: .standard), path)
    #expect(message.hasPrefix(path))
    #expect(message.contains("\(200 << 20) bytes"))
    var loader = PatternLoader(rate: .standard)
    let small = try scratch.write(AHAPText.pattern([AHAPText.tap(at: 0)]), to: "small.ahap")
    loader.byteLimit = 10
    #expect(try failure(loader, small).contains("at most 10"))
  }

  @Test(arguments: [(899.0, true), (901.0, false), (60_000, false)])
  func `a pattern of up to fifteen minutes is taken`(end: Double, isTaken: Bool) throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.tap(at: 0), AHAPText.buzz(at: end - 1, duration: 1)]),
      to: "long.ahap")
    let loader = PatternLoader(rate: .standard)
    if isTaken {
      #expect(try loader.load(.at(path)).document.pattern.duration == end)
    } else {
      let message = try failure(loader, path)
      #expect(message.contains("900 s"))
      #expect(message.contains("milliseconds"))
    }
  }

  @Test func `broken JSON is named with its place`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("{\"Version\": 1.0,\n  \"Pattern\": [}", to: "broken.ahap")
    #expect(try failure(PatternLoader(rate: .standard), path).hasPrefix("\(path):2:"))
  }

  @Test func `a finding carries file, line and column, and is an error when strict`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write(
      AHAPText.pattern([AHAPText.tap(at: 0, intensity: 7)]), to: "loud.ahap")
    var loader = PatternLoader(rate: .standard)
    let findings = try loader.load(.at(path)).findings
    #expect(findings.contains { $0.hasPrefix(path + ":") && $0.hasSuffix("]") })
    loader.reading.isStrict = true
    #expect(try failure(loader, path).hasPrefix(path + ":"))
  }
}
