// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ScratchFolder
import Testing
import Units

@testable import SoundFiles

/// Sounds by another program: scripts that behave well and badly, and the real one where it is installed.
struct ForeignDecoderTests {
  /// Reads a file by a shell script in the place of the program.
  private static func scan(
    _ script: String, limit: SoundFile.Limit = SoundFile.Limit(), patience: Double = 10
  ) throws -> (samples: [Float], info: SoundFile.Info) {
    let folder = try ScratchFolder()
    let program = try folder.write("#!/bin/sh\n\(script)\n", to: "program")
    chmod(program, 0o755)
    let file = open(
      try folder.write("what the program is given", to: "a.m4a"), O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var samples: [Float] = []
    let decoder = ForeignDecoder(
      coding: "an MP4 file", name: "a.m4a", program: program, patience: patience)
    let info = try decoder.scan(descriptor: file, limit: limit) { block, _ in
      for index in block.indices { samples.append(block[index]) }
    }
    return (samples, info)
  }

  /// The head of an AU stream: 2 channels at 8 kHz, floats.
  private static let head =
    #"printf '.snd\000\000\000\030\377\377\377\377\000\000\000\006"#
    + #"\000\000\037\100\000\000\000\002'"#

  @Test func `samples come as they are written, and the file is the program's input`() throws {
    // 1, -2, 0.5, not a number.
    let samples = #"printf '\077\200\000\000\300\000\000\000\077\000\000\000\177\300\000\000'"#
    let sound = try Self.scan(
      "[ \"$(cat /dev/stdin)\" = 'what the program is given' ] || exit 9\n\(Self.head); \(samples)")
    #expect(sound.samples == [1, -2, 0.5, 0])
    #expect(sound.info.rate.hertz == 8_000 && sound.info.channelCount == 2)
    #expect(sound.info.frameCount == 2)
  }

  @Test(arguments: [
    ("exit 3", SoundFileError.Code.damaged, "cannot decode"),
    ("echo 'no such thing' >&2; exit 1", .damaged, "(no such thing)"),
    ("echo \"Stream map '0:a:0' matches no streams.\" >&2; exit 1", .empty, "without a sound"),
    ("echo hello", .damaged, "no sound that"), ("HEAD", .empty, "no frames"),
    ("HEAD; printf '1234567'; exit 1", .damaged, "cannot decode"),
    ("HEAD; kill -SEGV $$", .damaged, "cannot decode"),
    ("HEAD; sleep 60", .damaged, "said nothing for"), ("sleep 60", .damaged, "said nothing for"),
    ("HEAD; exec >&-; sleep 60", .damaged, "does not end"),
    ("HEAD; while echo 1234567; do :; done", .tooLarge, "cut it"),
  ])
  func `a program that fails, says too much or nothing is told of, and ended`(
    script: String, code: SoundFileError.Code, words: String
  ) throws {
    let error = #expect(throws: SoundFileError.self) {
      try Self.scan(
        script.replacing("HEAD", with: Self.head),
        limit: .init(bytes: 1 << 20), patience: 1)
    }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
  }

  @Test func `a program that is not there is named, with what to do`() throws {
    let decoder = ForeignDecoder(coding: "AAC", name: "a.aac", program: "haprig-no-such-decoder")
    let error = #expect(throws: SoundFileError.self) {
      try decoder.scan(descriptor: 0, limit: .init()) { _, _ in }
    }
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains("not installed") == true)
  }

  private static var ffmpeg: String? {
    ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].first { access($0, X_OK) == 0 }
  }

  @Test(
    .enabled(if: ffmpeg != nil, "the program ffmpeg is not installed"),
    arguments: ["m4a", "aac", "mkv", "ts", "mov"])
  func `a tone in AAC has its pitch and its level`(ending: String) throws {
    let folder = try ScratchFolder()
    let path = folder.file("tone.\(ending)")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.ffmpeg))
    // The source has an amplitude of an eighth.
    process.arguments = [
      "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "sine=440:d=1:r=48000", "-c:a", "aac",
      "-b:a", "192k", path,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let sound = try SoundFile.read(path: path)
    #expect(sound.info.rate.hertz == 48_000 && sound.info.channelCount == 1)
    #expect((48_000...51_000).contains(sound.info.frameCount))
    // The tone itself, by correlation over whole periods in its middle.
    let middle = sound.channels[0].samples[12_000..<36_000]
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in middle.enumerated() {
      let angle = 2 * Double.pi * 440 * Double(index) / 48_000
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    let amplitude = 2 * (real * real + imaginary * imaginary).squareRoot() / 24_000
    #expect(abs(20 * log10(amplitude / 0.125)) < 0.5, "\(amplitude)")
  }
}
