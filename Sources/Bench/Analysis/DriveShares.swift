// SPDX-License-Identifier: Apache-2.0

import Devices
import HapticRendering

/// What each haptic event contributes to the drive as sent; the shares add up to it at every frame.
///
/// Each event is rendered alone, under the pattern's curves and through the profile's filter. Where that
/// does not add up to what was sent, since the mixing law, the inverse or a limit bends the sum, the difference goes
/// to the events in force by their power there, over a millisecond to either side.
struct DriveShares {
  struct Share {
    let event: Int
    /// The frame of the take that `samples` begin at.
    let first: Int
    var samples: [Float]

    var frames: Range<Int> { first..<(first + samples.count) }
  }

  private(set) var shares: [Share] = []

  init(_ take: TakeDrive) {
    let dropped = Set(take.droppedEvents)
    let events = take.intent.timeline.events.filter {
      $0.kind.isHaptic && !dropped.contains($0.index)
    }
    shares = events.compactMap { take.share(of: $0) }
    balance(with: take.channels[.haptic] ?? [], from: take.layout.pattern)
  }

  /// Below this share of the peak a difference is rounding.
  private static let rounding = 1e-5

  private static let blockLength = 1 << 14

  private mutating func balance(with sent: Samples, from first: Int) {
    var (peak, largest) = (Float(0), Float(0))
    forEachBlock(of: sent, from: first) { frames, places, sent in
      for sample in sent { peak = max(peak, abs(sample)) }
      for sample in rest(of: sent, frames, places) { largest = max(largest, abs(sample)) }
    }
    guard peak > 0, Double(largest / peak) > Self.rounding else { return }
    var bent = shares
    var powers: [Int: [Float]] = [:]
    forEachBlock(of: sent, from: first) { frames, places, sent in
      let rest = rest(of: sent, frames, places)
      powers = powers.filter { places.contains($0.key) }
      var power = [Float](repeating: 0, count: frames.count)
      for place in places {
        if powers[place] == nil { powers[place] = Self.power(of: shares[place].samples) }
        Self.add(powers[place] ?? [], from: shares[place].first - frames.lowerBound, to: &power)
      }
      for place in places {
        let own = powers[place] ?? []
        let start = shares[place].first
        for frame in shares[place].frames.clamped(to: frames) {
          let whole = power[frame - frames.lowerBound]
          guard whole > 0 else { continue }
          bent[place].samples[frame - start] +=
            rest[frame - frames.lowerBound] * own[frame - start] / whole
        }
      }
    }
    shares = bent
  }

  /// Goes over what was sent from a frame on in blocks, with the shares that reach into each, in their order.
  private func forEachBlock(
    of sent: Samples, from first: Int, _ body: (Range<Int>, [Int], [Float]) -> Void
  ) {
    let order = shares.indices.sorted { shares[$0].first < shares[$1].first }
    var (next, current) = (0, [Int]())
    for begin in stride(from: first, to: sent.count, by: Self.blockLength) {
      let frames = begin..<min(begin + Self.blockLength, sent.count)
      while next < order.count, shares[order[next]].first < frames.upperBound {
        current.append(order[next])
        next += 1
      }
      current.removeAll { shares[$0].frames.upperBound <= begin }
      body(frames, current.sorted(), sent[frames])
    }
  }

  private func rest(of sent: [Float], _ frames: Range<Int>, _ places: [Int]) -> [Float] {
    var rest = sent
    for place in places {
      Self.add(
        shares[place].samples, from: shares[place].first - frames.lowerBound, to: &rest, factor: -1)
    }
    return rest
  }

  private static func add(
    _ samples: [Float], from first: Int, to sum: inout [Float], factor: Float = 1
  ) {
    samples.withUnsafeBufferPointer { samples in
      sum.withUnsafeMutableBufferPointer { sum in
        for frame in (first..<first + samples.count).clamped(to: sum.indices) {
          sum[frame] += factor * samples[frame - first]
        }
      }
    }
  }

  /// Frames to either side that a power is averaged over: a millisecond at 48 kHz.
  private static let width = 48

  private static func power(of samples: [Float]) -> [Float] {
    Smoothing.mean(
      samples.lazy.map { Double($0) * Double($0) }, width: 2 * width + 1
    ).map { Float(max(0, $0)) }
  }
}

extension TakeDrive {
  /// The haptic drive of one event alone, without limits; `nil` where it drives nothing.
  fileprivate func share(of event: TimelineEvent) -> DriveShares.Share? {
    let timeline = Timeline(events: [event], controls: intent.timeline.controls, duration: 0)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    renderer.skipSilence()
    let first = renderer.position
    guard renderer.frameCount > first else { return nil }
    var samples = [Float](repeating: 0, count: renderer.frameCount - first)
    var span = samples.mutableSpan
    renderer.render(haptic: &span)
    guard samples.contains(where: { $0 != 0 }) else { return nil }
    return DriveShares.Share(event: event.index, first: layout.pattern + first, samples: samples)
  }
}
