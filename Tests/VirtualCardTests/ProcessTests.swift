// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import ScratchFolder
import Testing

@Suite(
  .serialized, .enabled(if: PluginLibrary.isThere, "\(PluginLibrary.missing)"),
  .enabled(
    if: PluginLibrary.hasProgram("aplay") && PluginLibrary.hasProgram("arecord"),
    "aplay and arecord are not installed: apt-get install alsa-utils"))
struct ProcessTests {
  private let raw = ["-q", "-D", "card", "-t", "raw", "-f", "FLOAT_LE", "-c", "2", "-r", "48000"]

  private func floats(_ folder: CardFolder, _ name: String) throws -> [Float] {
    let bytes = try folder.folder.bytes(of: name)
    return bytes.withUnsafeBytes { bytes in
      (0..<(bytes.count / 4)).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
  }

  /// Writes frames whose reference channel counts up in steps of 2^-17, to be told apart.
  private func writeRamp(_ folder: CardFolder, frames: Int) throws {
    let samples = (0..<frames).flatMap { [Float(0), Float($0 + 1) * 0x1p-17] }
    let bytes = samples.withUnsafeBytes { Array($0) }
    try folder.folder.write(bytes, to: "drive.raw")
  }

  private func expectRamp(_ response: [Float], frames: Int) {
    let reference = response.reference
    for frame in 0..<frames where abs(reference[frame + 480] - Float(frame + 1) * 0x1p-17) > 1e-6 {
      Issue.record("frame \(frame) came back as \(reference[frame + 480])")
      return
    }
  }

  @Test func `aplay alone plays to its end`() throws {
    let folder = try CardFolder()
    try writeRamp(folder, frames: 48_000)
    let play = try OutsideProgram(
      ["aplay"] + raw + [folder.folder.file("drive.raw")], folder: folder)
    #expect(play.wait() == 0)
  }

  @Test func `arecord alone records what it was asked for`() throws {
    let folder = try CardFolder()
    let record = try OutsideProgram(
      ["arecord"] + raw + ["-d", "1", folder.folder.file("response.raw")], folder: folder)
    #expect(record.wait() == 0)
    #expect(try floats(folder, "response.raw").count == 2 * 48_000)
  }

  @Test func `aplay and arecord in two processes lose no frame and are in step`() throws {
    let folder = try CardFolder()
    try writeRamp(folder, frames: 48_000)
    let record = try OutsideProgram(
      ["arecord"] + raw + ["-d", "2", folder.folder.file("response.raw")], folder: folder,
      keys: "meet yes")
    let play = try OutsideProgram(
      ["aplay"] + raw + [folder.folder.file("drive.raw")], folder: folder, keys: "meet yes")
    #expect(play.wait() == 0)
    #expect(record.wait() == 0)
    expectRamp(try floats(folder, "response.raw"), frames: 48_000)
  }

  @Test func `a program with another sample format plays through ALSA's own conversion`() throws {
    let folder = try CardFolder()
    try folder.folder.write([UInt8](repeating: 0x80, count: 44_100), to: "drive.raw")
    let play = try OutsideProgram(
      [
        "aplay", "-q", "-D", "converted", "-t", "raw", "-f", "U8", "-c", "1", "-r", "44100",
        folder.folder.file("drive.raw"),
      ], folder: folder)
    #expect(play.wait() == 0)
  }

  @Test func `the capture goes on when the process that plays dies`() throws {
    let folder = try CardFolder()
    let play = try OutsideProgram(
      ["aplay"] + raw + ["/dev/zero"], folder: folder, keys: "meet yes")
    let capture = try CardPCM(SND_PCM_STREAM_CAPTURE, folder, "meet yes")
    try capture.setUp()
    try capture.start()
    _ = try capture.read(4800, of: Float(0))
    play.end()
    #expect(try capture.read(48_000, of: Float(0)).count == 96_000)
  }

  @Test func `the playback goes on when the process that captures dies, and its side is free`()
    throws
  {
    let folder = try CardFolder()
    let record = try OutsideProgram(
      ["arecord"] + raw + ["/dev/null"], folder: folder, keys: "meet yes")
    let playback = try CardPCM(SND_PCM_STREAM_PLAYBACK, folder, "meet yes")
    try playback.setUp()
    try playback.write([Float](repeating: 0, count: 2 * 256)[...])
    try playback.start()
    try playback.write([Float](repeating: 0, count: 2 * 4800)[...])
    record.end()
    try playback.write([Float](repeating: 0, count: 2 * 48_000)[...])
    let capture = try CardPCM(SND_PCM_STREAM_CAPTURE, folder, "meet yes")
    try capture.setUp()
  }

  @Test func `what dead processes left behind is begun anew, and removed at the end`() throws {
    let folder = try CardFolder()
    let name = "test-\(getpid())-stale"
    let state = "/dev/shm/haprig-\(getuid())-\(name)"
    let file = try #require(fopen(state, "w"))
    let garbage = [UInt8](repeating: 0xFF, count: 10_000)
    fwrite(garbage, 1, garbage.count, file)
    fclose(file)
    do {
      let duplex = try CardDuplex(folder, "state \"\(name)\"")
      try duplex.setUp()
      var drive = [Float](repeating: 0, count: 2 * 1024)
      drive[2 * 300 + 1] = 0.5
      let response = try duplex.run(drive, zero: 0).reference
      #expect(abs(response[780] - 0.5) < 1e-6)
    }
    #expect(access(state, F_OK) != 0)
  }
}
