// SPDX-License-Identifier: Apache-2.0

import Glibc
import ScratchFolder
import SoundFiles
import Testing
import Units

struct SoundFileReadTests {
  private func code(_ body: () throws -> Void) -> SoundFileError.Code? {
    #expect(throws: SoundFileError.self, performing: body)?.code
  }

  @Test func `sixteen-bit samples become shares of full scale`() throws {
    let sound = try SoundFile.read(
      bytes: wav(samples: [0, 16_384, -32_768, 32_767]), name: "a.wav")
    #expect(sound.channels[0].samples == [0, 0.5, -1, 32_767.0 / 32_768])
    #expect(sound.info.rate == SampleRate(hertz: 8_000))
    #expect(sound.info.frameCount == 4 && sound.info.channelCount == 1)
    #expect(sound.info.formatName.contains("WAV"))
  }

  @Test func `the unit is the one asked for`() throws {
    let sound = try SoundFile.read(bytes: wav(samples: [1, 2]), name: "a.wav", unit: .volt)
    #expect(sound.channels[0].unit == .volt)
  }

  @Test func `a descriptor is read from its beginning and stays open`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(wav(samples: [1, 2, 3]), to: "a.wav")
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW)
    defer { close(descriptor) }
    for _ in 0..<2 {
      let sound = try SoundFile.read(descriptor: descriptor, name: "bundle/a.wav")
      #expect(sound.info.frameCount == 3)
    }
    #expect(fcntl(descriptor, F_GETFD) >= 0)
  }

  @Test func `path, descriptor and bytes give the same`() throws {
    let folder = try ScratchFolder()
    let bytes = wav(samples: (0..<20_000).map { Int16($0) })
    let path = try folder.write(bytes, to: "a.wav")
    #expect(try SoundFile.read(path: path) == SoundFile.read(bytes: bytes, name: "b"))
  }

  @Test(arguments: [1, 2, 100, 399])
  func `a cut file is an error, not a shorter sound`(missing: Int) throws {
    let folder = try ScratchFolder()
    let bytes = Array(wav(samples: [Int16](repeating: 9, count: 200)).dropLast(missing))
    let path = try folder.write(bytes, to: "cut.wav")
    let error = #expect(throws: SoundFileError.self) { try SoundFile.read(path: path) }
    #expect(error?.code == .truncated)
    #expect(error?.description.hasPrefix("\(path): the file was cut") == true)
    #expect(code { _ = try SoundFile.read(bytes: bytes, name: "cut.wav") } == .truncated)
  }

  @Test func `a header whose data size lies is an error`() {
    let samples: [Int16] = [1, 2, 3]
    #expect(
      code { _ = try SoundFile.read(bytes: wav(samples: samples, dataSize: 8), name: "a") }
        == .truncated)
    #expect(
      code {
        _ = try SoundFile.read(bytes: wav(samples: samples, dataSize: 0xFFFF_FFFF), name: "a")
      } == .truncated)
  }

  @Test func `a header whose whole size lies is an error`() {
    #expect(
      code { _ = try SoundFile.read(bytes: wav(samples: [1, 2], riffSize: 60), name: "a") }
        == .truncated)
  }

  @Test func `a cut FLAC file is an error`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.flac")
    try SoundFile.write(path: path, signals: tones([440], count: 40_000), format: .flac16)
    let whole = try folder.bytes(of: "a.flac")
    for count in [whole.count / 4, whole.count / 2, whole.count - 100] {
      let cut = Array(whole.prefix(count))
      let found = code { _ = try SoundFile.read(bytes: cut, name: "a.flac") }
      #expect(found == .truncated || found == .damaged, "\(count) of \(whole.count) bytes")
    }
  }

  @Test func `bytes after the sound do no harm`() throws {
    let bytes = wav(samples: [1, 2, 3], after: Array("LISTjunk that is no chunk".utf8))
    #expect(try SoundFile.read(bytes: bytes, name: "a").info.frameCount == 3)
  }

  @Test func `a missing file, a folder and an empty file say so`() throws {
    let folder = try ScratchFolder()
    let empty = try folder.write([], to: "empty.wav")
    let gone = folder.file("gone.wav")
    let place = folder.path
    #expect(code { _ = try SoundFile.read(path: gone) } == .missing)
    #expect(code { _ = try SoundFile.read(path: place) } == .notAFile)
    #expect(code { _ = try SoundFile.read(path: empty) } == .empty)
    #expect(code { _ = try SoundFile.read(bytes: wav(samples: []), name: "a") } == .empty)
  }

  @Test func `a pipe is not waited for`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(code { _ = try SoundFile.read(path: path) } == .notAFile)
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func `a file without permission says so`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(wav(samples: [1]), to: "a.wav")
    chmod(path, 0)
    #expect(code { _ = try SoundFile.read(path: path) } == .notPermitted)
  }

  @Test func `text is not a sound`() {
    let error = #expect(throws: SoundFileError.self) {
      try SoundFile.read(bytes: Array("{\"Version\": 1.0}".utf8), name: "a.ahap")
    }
    #expect(error?.code == .notSound)
  }

  @Test(arguments: [
    Array("\0\0\0\u{20}ftypM4A \0\0\0\0M4A mp42isom".utf8), [0xFF, 0xF1, 0x50, 0x80, 2, 3, 4, 5],
    Array("ADIF\0\0\0\0\0\0\0\0".utf8),
  ])
  func `AAC in memory is named`(bytes: [UInt8]) {
    let error = #expect(throws: SoundFileError.self) {
      try SoundFile.read(bytes: bytes, name: "a.m4a")
    }
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains("AAC") == true)
  }

  @Test func `what passes a limit is not read`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.wav")
    try SoundFile.write(path: path, signals: tones([100, 200, 300], count: 1_000))
    #expect(throws: Never.self) {
      try SoundFile.read(path: path, limit: .init(bytes: 12_000))
    }
    for limit in [
      SoundFile.Limit(bytes: 11_999), .init(channels: 2), .init(rate: 47_999),
    ] {
      #expect(code { _ = try SoundFile.read(path: path, limit: limit) } == .tooLarge)
    }
  }

  @Test func `a sample that is not a number is an error with its place`() throws {
    let folder = try ScratchFolder()
    try SoundFile.write(path: folder.file("a.wav"), signals: tones([100, 200], count: 50))
    var bytes = try folder.bytes(of: "a.wav")
    // The last sample: frame 49 of channel 2.
    bytes.replaceSubrange((bytes.count - 4)..., with: [0, 0, 0xC0, 0x7F])
    let broken = bytes
    let error = #expect(throws: SoundFileError.self) {
      try SoundFile.read(bytes: broken, name: "a.wav")
    }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("frame 49 of channel 2") == true)
  }

  @Test func `no prefix and no changed byte of a file traps`() throws {
    let folder = try ScratchFolder()
    try SoundFile.write(path: folder.file("a.wav"), signals: tones([100], count: 20))
    let bytes = try folder.bytes(of: "a.wav")
    for count in bytes.indices {
      #expect(throws: SoundFileError.self) {
        try SoundFile.read(bytes: Array(bytes.prefix(count)), name: "a")
      }
    }
    for index in 0..<min(64, bytes.count) {
      for value in [UInt8(0), 1, 0x7F, 0x80, 0xFF] {
        var changed = bytes
        changed[index] = value
        _ = try? SoundFile.read(bytes: changed, name: "a")
      }
    }
  }
}
