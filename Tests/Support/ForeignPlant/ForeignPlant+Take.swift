// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ForeignPlant {
  /// Plays a take without haprig, the same drive on haptic, audio and reference.
  ///
  /// The drive's frames are -1 to 1 of full scale, the captured channels any of x, y, z, audio,
  /// reference, voltage and current. Gives a column for each, as long as the drive, in SI units. The
  /// last block is filled with zeros.
  public func play(
    _ drive: [Double], capture: [String], rate: Int = 48_000, block: Int = 256
  ) throws -> [[Double]] {
    try play(
      haptic: drive, audio: drive, reference: drive, capture: capture, rate: rate, block: block)
  }

  /// Plays a take without haprig, each drive channel with its own frames.
  ///
  /// All three are as long as the first.
  public func play(
    haptic: [Double], audio: [Double], reference: [Double], capture: [String], rate: Int = 48_000,
    block: Int = 256
  ) throws -> [[Double]] {
    let names = capture.map { "\"\($0)\"" }.joined(separator: ",")
    let greeting =
      "{\"block\":\(block),\"capture\":[\(names)],\"drive\":[\"haptic\",\"audio\",\"reference\"],"
      + "\"haprig\":1,\"rate\":\(rate)}\n"
    var input = Data(greeting.utf8)
    let whole = (haptic.count + block - 1) / block * block
    var frames = [UInt32](repeating: 0, count: 3 * whole)
    for (place, channel) in [haptic, audio, reference].enumerated() {
      for frame in haptic.indices {
        frames[3 * frame + place] = Float(channel[frame]).bitPattern.littleEndian
      }
    }
    frames.withUnsafeBytes { input.append(contentsOf: $0) }
    let folder = try FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask,
      appropriateFor: FileManager.default.temporaryDirectory, create: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "drive")
    try input.write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let words = try command()
    let output = try Self.output(of: words[0], Array(words.dropFirst()), input: handle)
    guard let end = output.firstIndex(of: UInt8(ascii: "\n")) else {
      throw Failure("the plant did not answer")
    }
    let answer = output[(end + 1)...]
    guard answer.count == whole * capture.count * 4 else {
      throw Failure("the plant answered \(answer.count) bytes for \(whole) frames")
    }
    var samples = [UInt32](repeating: 0, count: answer.count / 4)
    samples.withUnsafeMutableBytes { _ = answer.copyBytes(to: $0) }
    return capture.indices.map { channel in
      haptic.indices.map { frame in
        Double(Float(bitPattern: UInt32(littleEndian: samples[frame * capture.count + channel])))
      }
    }
  }
}
