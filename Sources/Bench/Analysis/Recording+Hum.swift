// SPDX-License-Identifier: Apache-2.0

import Devices
import SignalAnalysis
import Units

/// Where nothing is driven before and after what a recording was made for, in capture frames.
struct QuietEnds {
  let start: Range<Int>
  let end: Range<Int>

  /// How long after the last drive an actuator is left to come to rest, in seconds; one that takes
  /// longer is louder than the start, and the end is cut shorter.
  static let settling = 0.1
}

extension TakeDrive {
  /// Before the first drive, and from the longest delay after the pattern's end on: that holds its
  /// ringing, too.
  func quietEnds(of recording: Recording) -> QuietEnds {
    let after = layout.pattern + layout.patternLength + rate.wholeFrames(TakeLayout.longestDelay)
    return QuietEnds(
      start: 0..<max(0, quietFrames), end: min(after, recording.frameCount)..<recording.frameCount)
  }
}

extension Recording {
  /// The recording with the hum of the mains taken off its acceleration channels, and what was
  /// found of it by channel.
  ///
  /// A channel in which none is found stays what it is, sample by sample, and so does one whose hum
  /// is not steady.
  func withoutHum(
    _ ends: QuietEnds, except untouched: Set<String> = []
  ) -> (recording: Recording, found: [String: MainsHum]) {
    var found: [String: MainsHum] = [:]
    let cleaned = channels.map { channel in
      guard channel.description.role == .acceleration, !channel.isConstant,
        !untouched.contains(channel.description.name),
        let hum = hum(in: channel.samples, ends)
      else { return channel }
      found[channel.description.name] = hum
      return hum.isTakenOff ? without(hum, channel) : channel
    }
    return (with(channels: cleaned), found)
  }

  /// Looks in what of both ends holds true samples.
  private func hum(in samples: Samples, _ ends: QuietEnds) -> MainsHum? {
    var (start, end) = (
      ends.start.clamped(to: samples.indices), ends.end.clamped(to: samples.indices)
    )
    for gap in gaps {
      if gap.overlaps(start) { start = start.lowerBound..<max(start.lowerBound, gap.lowerBound) }
      if gap.overlaps(end) { end = min(end.upperBound, gap.upperBound)..<end.upperBound }
    }
    guard !start.isEmpty else { return nil }
    func stretch(_ frames: Range<Int>) -> MainsHum.Stretch {
      MainsHum.Stretch(first: frames.lowerBound, samples: samples[frames])
    }
    return MainsHum.find(
      start: stretch(start), end: end.isEmpty ? nil : stretch(end), rate: rate)
  }

  /// Frames that were lost keep what stands for them.
  private func without(_ hum: MainsHum, _ channel: Channel) -> Channel {
    let writer = SampleWriter(expected: channel.samples.count)
    for first in stride(from: 0, to: channel.samples.count, by: Self.blockFrames) {
      let frames = first..<min(channel.samples.count, first + Self.blockFrames)
      let raw = channel.samples[frames]
      var block = raw
      hum.remove(from: &block, first: first)
      for gap in gaps where gap.overlaps(frames) {
        for frame in gap.clamped(to: frames) { block[frame - first] = raw[frame - first] }
      }
      writer.append(block)
    }
    return Channel(description: channel.description, samples: writer.finish())
  }

  private static var blockFrames: Int { 1 << 14 }
}

extension NoiseFloor {
  /// The floor with what may be left of a hum that was taken off, as an rms.
  func with(leftOf hum: MainsHum?) -> NoiseFloor {
    guard let hum, hum.isTakenOff else { return self }
    let whole = (sigma.value * sigma.value + hum.left * hum.left).squareRoot()
    // It may be left, or not.
    let widened = sigma.widened(by: whole - sigma.value)
    return NoiseFloor(
      offset: offset, sigma: Estimate(whole, uncertainty: widened.uncertainty), count: count)
  }
}
