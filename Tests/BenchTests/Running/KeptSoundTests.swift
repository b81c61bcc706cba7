// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Foundation
import ScratchFolder
import SeededRandom
import SoundFiles
import Testing
import Units

@testable import Bench

/// What is measured is what the file of a recording gives back.
struct KeptSoundTests {
  private static let rate = SampleRate(hertz: 48_000)

  private static func channels(_ count: Int) -> [RunRecord.FileChannel] {
    (0..<count).map { RunRecord.FileChannel(name: "c\($0)", unit: .metrePerSecondSquared) }
  }

  private static func noise(_ deviation: Float, _ count: Int, seed: UInt64) -> [Float] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      // Twelve uniform numbers make a normal one, near enough.
      deviation * ((0..<12).reduce(Float(0)) { sum, _ in sum + Float(random.uniform(0...1)) } - 6)
    }
  }

  /// Keeps channels, reads them again and compares every bit.
  private static func kept(
    _ signals: [[Float]], _ form: Plan.Recordings = .packed, rate: SampleRate = rate,
    at location: SourceLocation = #_sourceLocation
  ) throws -> KeptSound {
    let folder = try ScratchFolder()
    let kept = try KeptSound(
      signals.map { Samples($0) }, as: channels(signals.count), form, stem: "a", in: folder.path,
      rate: rate)
    #expect(folder.names == [kept.file], sourceLocation: location)
    let file = try RegularFile(path: folder.file(kept.file))
    let read = try RecordedSound(
      descriptor: file.descriptor, name: kept.file, channels: kept.channels)
    #expect(read.info.rate == rate, sourceLocation: location)
    for (one, other) in zip(read.channels, kept.samples) {
      #expect(one.count == other.count, sourceLocation: location)
      #expect(
        zip(one, other).allSatisfy { $0.bitPattern == $1.bitPattern }, sourceLocation: location)
    }
    return kept
  }

  @Test func `every channel has the scale of its peak, and zeros are told and not written`() throws
  {
    let noise = Self.noise(1, 5_000, seed: 1)
    let signals: [[Float]] = [
      noise.map { $0 * 0.37 / 6 }, [Float](repeating: 0, count: 5_000),
      noise.map { 9.81 + $0 * 1e-3 }, noise.map { $0 < 0 ? -1 : 1 }, noise.map { $0 * 1e-30 },
      [-0.0] + [Float](repeating: 0, count: 4_999), noise.map { $0 * 1e20 },
    ]
    let kept = try Self.kept(signals)
    #expect(kept.file == "a.flac")
    for (signal, channel) in zip(signals, kept.channels) {
      let peak = Double(signal.map(abs).max() ?? 0)
      let scale = try #require(channel.scale)
      if peak == 0 {
        #expect(scale == 0)
      } else {
        #expect(peak < scale && scale <= 2 * peak, "\(peak), \(scale)")
        #expect(scale.significand == 1)
      }
    }
    // A peak of a power of two takes the next, or it would be clipped.
    #expect(kept.channels[3].scale == 2 && kept.channels[1].isSilent && kept.channels[5].isSilent)
    // What was kept is kept unchanged another time.
    #expect(try Self.kept(kept.samples.map(Array.init)).samples == kept.samples)
  }

  @Test func `a scale holds its peak after it is rounded`() {
    let scales: [(peak: Float, scale: Float)] = [
      (1, 2), (Float(1).nextDown, 2), (1 - 0x1p-22, 1), (0.75, 1), (0, 1), (3, 4),
      (.leastNonzeroMagnitude, 0x1p-100),
    ]
    for (peak, scale) in scales { #expect(KeptSound.scale(ofPeak: peak) == scale, "\(peak)") }
  }

  /// A step of 2^-23 of the scale is an error that is even within half a step: step / sqrt(12).
  @Test func `the noise of rounding is a step over the root of twelve, far below a sensor's`()
    throws
  {
    // A quiet accelerometer, 25 ug/rtHz up to 24 kHz, with a tap in it whose peak asks for 64 m/s2.
    let sensor = 25e-6 * 9.80665 * 24_000.0.squareRoot()
    var signal = Self.noise(Float(sensor), 200_000, seed: 12)
    for frame in 0..<500 {
      signal[1_000 + frame] += 50 * Float(sin(2 * Double.pi * 170 * Double(frame) / 48_000))
    }
    let kept = try Self.kept([signal])
    #expect(kept.channels[0].scale == 64)
    let errors = zip(signal, kept.samples[0]).map { Double($0 - $1) }
    let noise = (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    let step = 64 * 0x1p-23
    #expect(errors.allSatisfy { abs($0) <= step / 2 })
    // 200,000 errors tell their root mean square to 0.1 %.
    #expect(abs(noise / (step / 12.0.squareRoot()) - 1) < 0.01, "\(noise)")
    #expect(noise < sensor / 10_000)
  }

  @Test func `what FLAC does not take is kept as floats, every bit of it`() throws {
    let signals = (0..<9).map { Self.noise(1, 300, seed: UInt64($0)) }
    let kept = try Self.kept(signals)
    #expect(kept.file == "a.wav" && kept.channels.allSatisfy { $0.scale == nil })
    #expect(zip(kept.samples, signals).allSatisfy { $0 == $1 })
    // Zeros are left out of that, too, and eight are few enough.
    var eight = signals
    eight[4] = [Float](repeating: 0, count: 300)
    #expect(try Self.kept(eight).file == "a.flac")
    eight[0][7] = 0x1p126
    let wide = try Self.kept(eight)
    #expect(wide.file == "a.wav" && wide.channels[4].isSilent && wide.channels[0].scale == nil)
  }

  @Test func `who asks for floats gets them`() throws {
    let signals = [Self.noise(1, 300, seed: 1), [Float](repeating: 0, count: 300)]
    let kept = try Self.kept(signals, .float)
    #expect(kept.file == "a.wav" && kept.channels.map(\.scale) == [nil, 0])
    #expect(kept.samples[0] == signals[0])
  }

  @Test func `a recording of zeros still says how long it is`() throws {
    let zeros = [Float](repeating: 0, count: 20_000)
    let kept = try Self.kept([zeros, zeros])
    #expect(kept.channels.map(\.isSilent) == [false, true])
    #expect(kept.samples.allSatisfy { $0 == zeros })
  }

  @Test(arguments: [3_332.0, 6_664, 25_600, 192_000, 655_350])
  func `a sensor's own rate is kept`(hertz: Double) throws {
    let kept = try Self.kept([Self.noise(1, 1_000, seed: 3)], rate: SampleRate(hertz: hertz))
    #expect(kept.file == "a.flac")
  }

  @Test func `a long take, whose samples are in a file, is kept and read like a short one`() throws
  {
    let count = Samples.mostInMemory + 12_345
    let signal = Self.noise(1, count, seed: 5)
    let kept = try Self.kept([signal, [Float](repeating: 0, count: count)])
    let writer = SampleWriter(expected: count)
    writer.append(signal)
    let folder = try ScratchFolder()
    let filed = try KeptSound(
      [writer.finish()], as: Self.channels(1), .packed, stem: "a", in: folder.path, rate: Self.rate)
    #expect(filed.samples[0] == kept.samples[0])
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func `a sample that is no number is refused, and leaves no file`(bad: Float) throws {
    let folder = try ScratchFolder()
    let error = #expect(throws: SoundFileError.self) {
      _ = try KeptSound(
        [[0.5, bad, 0.25]], as: Self.channels(1), .packed, stem: "a", in: folder.path,
        rate: Self.rate)
    }
    #expect(error?.code == .damaged && error?.description.contains("frame 1 of channel 1") == true)
    #expect(folder.names.isEmpty)
  }

  @Test func `a file of other channels than the record names is refused`() throws {
    let folder = try ScratchFolder()
    let kept = try KeptSound(
      [[1, 2], [0, 0]], as: Self.channels(2), .packed, stem: "a", in: folder.path, rate: Self.rate)
    let file = try RegularFile(path: folder.file(kept.file))
    for named in [[], Self.channels(2), [kept.channels[1]]] {
      let error = #expect(throws: InputError.self) {
        _ = try RecordedSound(descriptor: file.descriptor, name: "x", channels: named)
      }
      #expect(error?.description.contains("and the file holds 1: was it replaced?") == true)
    }
  }
}
