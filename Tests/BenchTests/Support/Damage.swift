// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom

/// What happens to the recording of a take before it is measured.
struct Damage: Sendable {
  /// Capture frames that are lost.
  var gap: Range<Int>?
  /// Capture frames that are clipped.
  var overload: Range<Int>?
  /// Drive frames that were not played.
  var underrun: Range<Int>?
  /// Channels that nothing reaches.
  var dead: [CaptureRole] = []
  /// How many frames there are; all where `nil`.
  var frameCount: Int?

  /// The recording as the damage leaves it.
  func applied(to whole: Recording, of plant: SyntheticPlant) -> Recording {
    let count = min(whole.frameCount, frameCount ?? whole.frameCount)
    var random = SeededRandom(seed: plant.seed &+ 1)
    let channels = whole.channels.map { channel in
      var samples = Array(channel.samples.prefix(count))
      if dead.contains(channel.description.role) {
        let rest = plant.rest(of: channel.description.role)
        samples = samples.map { _ in Float(rest.offset + rest.sigma * random.gaussian()) }
      }
      for frame in gap ?? 0..<0 { samples[frame] = 0 }
      return Recording.Channel(description: channel.description, samples: samples)
    }
    return Recording(
      channels: channels, rate: whole.rate, frameCount: count,
      driveFrameCount: whole.driveFrameCount,
      captureEvents: events(.drop, gap) + events(.overload, overload),
      driveEvents: events(.underrun, underrun), expressible: whole.expressible)
  }

  private func events(_ kind: StreamEvent.Kind, _ frames: Range<Int>?) -> [StreamEvent] {
    frames.map { [StreamEvent(kind: kind, frame: $0.lowerBound, length: $0.count)] } ?? []
  }
}
