// SPDX-License-Identifier: Apache-2.0

import Glibc
import ScratchFolder
import SoundFiles
import Testing
import Units

struct SoundFileWriterTests {
  @Test func `floating-point samples come back as they were, beyond full scale too`() throws {
    let folder = try ScratchFolder()
    let signals = tones([100, 333, 1_000], count: 20_001, amplitude: 3)
    try SoundFile.write(path: folder.file("a.wav"), signals: signals)
    let sound = try SoundFile.read(path: folder.file("a.wav"))
    #expect(sound.channels == signals)
    #expect(folder.names == ["a.wav"])
  }

  @Test(arguments: zip([SoundFileFormat.wav16, .wav24, .flac16, .flac24], [16.0, 24, 16, 24]))
  func `integer formats keep a sample to one step and clip beyond full scale`(
    format: SoundFileFormat, bits: Double
  ) throws {
    let step = exp2(1 - bits)
    let folder = try ScratchFolder()
    let signals = tones([100, 333], count: 5_000, amplitude: 1.3)
    try SoundFile.write(path: folder.file("a"), signals: signals, format: format)
    let sound = try SoundFile.read(path: folder.file("a"))
    #expect(sound.info.frameCount == 5_000)
    for (written, read) in zip(signals, sound.channels) {
      for (a, b) in zip(written.samples, read.samples) {
        let clipped = max(-1, min(1, Double(a)))
        #expect(abs(Double(b) - clipped) <= 1.01 * step)
      }
    }
  }

  @Test func `blocks of any size give the bytes of one block`() throws {
    let folder = try ScratchFolder()
    let samples = (0..<4_000).map { Float($0) / 4_000 }
    for (name, size) in [("one", 4_000), ("many", 14)] {
      var writer = try SoundFileWriter(path: folder.file(name), channels: 2, rate: .standard)
      for start in stride(from: 0, to: samples.count, by: size) {
        try writer.write(Array(samples[start..<min(start + size, samples.count)]))
      }
      #expect(writer.frameCount == 2_000)
      try writer.close()
    }
    #expect(try folder.bytes(of: "one") == folder.bytes(of: "many"))
  }

  @Test(arguments: SoundFileFormat.allCases)
  func `the same samples give the same bytes in another second`(format: SoundFileFormat) throws {
    // What a PEAK chunk would hold is the time, as a number near that of the clock.
    let folder = try ScratchFolder()
    try SoundFile.write(
      path: folder.file("a"), signals: tones([440], count: 300), format: format)
    let bytes = try folder.bytes(of: "a")
    #expect(!String(decoding: bytes.prefix(200), as: UTF8.self).contains("PEAK"))
    let now = time(nil)
    for offset in 0..<min(96, bytes.count - 4) {
      let number = bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(abs(number - now) > 1_000, "bytes \(offset) hold the time")
    }
  }

  @Test func `until it is closed the name does not exist, and dropped it leaves nothing`() throws {
    let folder = try ScratchFolder()
    do {
      var writer = try SoundFileWriter(path: folder.file("a.wav"), channels: 1, rate: .standard)
      try writer.write([1, 2, 3])
      #expect(folder.names == ["a.wav.partial"])
    }
    #expect(folder.names.isEmpty)
  }

  @Test func `an existing file is replaced only by a whole one`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.wav")
    try SoundFile.write(path: path, signals: tones([100], count: 10))
    do {
      var writer = try SoundFileWriter(path: path, channels: 1, rate: .standard)
      try writer.write([0, 0])
    }
    #expect(try SoundFile.read(path: path).info.frameCount == 10)
    try SoundFile.write(path: path, signals: tones([100], count: 20))
    #expect(try SoundFile.read(path: path).info.frameCount == 20)
  }

  @Test func `a full disk is an error`() throws {
    let descriptor = open("/dev/full", O_RDWR)
    defer { close(descriptor) }
    let error = #expect(throws: SoundFileError.self) {
      var writer = try SoundFileWriter(
        descriptor: descriptor, name: "run/a.wav", channels: 1, rate: .standard)
      for _ in 0..<100 { try writer.write([Float](repeating: 0.1, count: 4_096)) }
      try writer.close()
    }
    #expect(error?.code == .noRoom)
    #expect(error?.description.hasPrefix("run/a.wav: ") == true)
  }

  @Test func `a file that lost frames is not closed as whole`() throws {
    let descriptor = open("/dev/full", O_RDWR)
    defer { close(descriptor) }
    var writer = try SoundFileWriter(
      descriptor: descriptor, name: "a.flac", format: .flac16, channels: 1, rate: .standard)
    var failures = 0
    for _ in 0..<10 {
      do { try writer.write([Float](repeating: 0.1, count: 50_000)) } catch { failures += 1 }
    }
    #expect(failures > 0)
    do {
      try writer.close()
      Issue.record("it was closed as whole")
    } catch { #expect(error.code == .noRoom) }
  }

  @Test func `FLAC whose last frames are lost is not closed as whole`() throws {
    let folder = try ScratchFolder()
    let descriptor = open(folder.file("a.flac"), O_RDWR | O_CREAT, 0o644)
    defer { close(descriptor) }
    var writer = try SoundFileWriter(
      descriptor: descriptor, name: "a.flac", format: .flac24, channels: 1, rate: .standard)
    // More than a block: the rest of the frames is written when the file is closed.
    try writer.write((0..<5_000).map { 0.1 * Float($0 % 7) })
    // From here on the file takes nothing, like one on a disk that has just become full.
    let closed = open(folder.file("a.flac"), O_RDONLY)
    defer { close(closed) }
    #expect(dup2(closed, descriptor) == descriptor)
    do throws(SoundFileError) {
      try writer.close()
      Issue.record("it was closed as whole")
    } catch { #expect(error.path == "a.flac" && error.code != .damaged) }
  }

  @Test func `FLAC of 24 bits holds every multiple of a step, at any rate`() throws {
    let folder = try ScratchFolder()
    let samples = [-0x1p23, 0x1p23 - 1, 1, 0, -1, 0x1p22 + 3, -4_711].map { Float($0) / 0x1p23 }
    for hertz in [1.0, 3_332, 6_664, 25_600, 48_000, 192_000, 655_350] {
      let path = folder.file("\(hertz).flac")
      let signal = Signal(samples: samples, rate: SampleRate(hertz: hertz), unit: .one)
      try SoundFile.write(path: path, signals: Array(repeating: signal, count: 8), format: .flac24)
      let sound = try SoundFile.read(path: path, limit: .wholeRecording)
      #expect(sound.channels == Array(repeating: signal, count: 8), "\(hertz)")
    }
  }

  @Test func `a descriptor that takes no bytes is an error`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write([], to: "a.wav")
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(throws: SoundFileError.self) {
      var writer = try SoundFileWriter(
        descriptor: descriptor, name: "a.wav", channels: 1, rate: .standard)
      try writer.write([0.5, 0.5])
      try writer.close()
    }
  }

  @Test func `a missing folder, odd rates and too many channels are errors`() throws {
    let folder = try ScratchFolder()
    let inside = folder.file("none/a.wav")
    let path = folder.file("a.wav")
    let cases: [(String, SoundFileFormat, Int, Double, SoundFileError.Code)] = [
      (inside, .wavFloat, 1, 48_000, .missing), (path, .wavFloat, 1, 44_100.5, .unsupported),
      (path, .flac16, 9, 48_000, .unsupported), (path, .wavFloat, 0, 48_000, .unsupported),
    ]
    for (path, format, channels, hertz, code) in cases {
      let error = #expect(throws: SoundFileError.self) {
        let writer = try SoundFileWriter(
          path: path, format: format, channels: channels, rate: SampleRate(hertz: hertz))
        try writer.close()
      }
      #expect(error?.code == code)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func `a sample that is not a number is not written`() throws {
    let folder = try ScratchFolder()
    var writer = try SoundFileWriter(path: folder.file("a.wav"), channels: 2, rate: .standard)
    try writer.write([0, 0, 1, 1])
    do {
      try writer.write([0, .nan])
      Issue.record("it was written")
    } catch {
      #expect(error.code == .damaged)
      #expect(error.description.contains("frame 2 of channel 2"))
    }
  }
}
