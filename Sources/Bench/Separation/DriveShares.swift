import Devices
import HapticRendering

/// What each haptic event contributes to the drive as sent; the shares add up to it at every frame.
///
/// Each event is rendered alone, under the pattern's curves and through the profile's filter. Where that
/// does not add up to what was sent, since the mixing law, the inverse or a limit bends the sum, the difference goes
/// to the events in force by their power there, over a millisecond to either side.
struct DriveShares {
  /// One event's share.
  struct Share {
    /// The event's place in the timeline.
    let event: Int
    /// The frame of the take that `samples` begin at.
    let first: Int
    /// The share, of the device's full scale.
    var samples: [Float]
  }

  /// The shares of all events that drive, by the order of time.
  private(set) var shares: [Share] = []
  /// The largest difference between the plain sum and what was sent, over the drive's peak.
  private(set) var bend = 0.0

  /// Renders the shares of a take's events.
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

  private mutating func balance(with sent: [Float], from first: Int) {
    guard first < sent.count else { return }
    var rest = sent
    for share in shares { Self.add(share.samples, from: share.first, to: &rest, factor: -1) }
    let peak = sent[first...].reduce(0) { max($0, abs($1)) }
    let largest = rest[first...].reduce(0) { max($0, abs($1)) }
    guard peak > 0 else { return }
    bend = Double(largest / peak)
    guard bend > Self.rounding else { return }
    var power = [Float](repeating: 0, count: sent.count)
    for share in shares { Self.add(Self.power(of: share.samples), from: share.first, to: &power) }
    for place in shares.indices {
      let own = Self.power(of: shares[place].samples)
      let start = shares[place].first
      for index in own.indices where start + index < rest.count {
        let whole = power[start + index]
        if whole > 0 { shares[place].samples[index] += rest[start + index] * own[index] / whole }
      }
    }
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

  /// The mean power around each sample.
  private static func power(of samples: [Float]) -> [Float] {
    var sums = [Double](repeating: 0, count: samples.count + 1)
    for (index, sample) in samples.enumerated() {
      sums[index + 1] = sums[index] + Double(sample) * Double(sample)
    }
    return samples.indices.map { index in
      let (from, to) = (max(0, index - width), min(samples.count, index + width + 1))
      return Float(max(0, sums[to] - sums[from]) / Double(to - from))
    }
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
