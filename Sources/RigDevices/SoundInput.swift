// SPDX-License-Identifier: Apache-2.0

import ALSADevices
package import Devices
package import Units

/// A sound of another device than the rig's, listened to until it is let go.
package final class SoundInput: Sendable {
  package let feed: SoundFeed
  private let listening: Listening

  /// Opens a PCM by ALSA's name, at the rate that the rig has.
  package init(
    pcm name: String, rate: SampleRate, periodFrames: Int,
    into samples: consuming sending RealtimeQueue<Float>.Producer
  ) throws(DeviceError) {
    let feed = SoundFeed()
    self.feed = feed
    listening = try Listening(
      name, rate: rate, periodFrames: periodFrames, into: samples, feed: feed)
  }

  /// The PCMs that can be listened to, each with what it is.
  package static func list() -> [(name: String, description: String)] {
    NamedInput.list().map { ($0.name, $0.description) }
  }

  /// Stops listening.
  package func stop() { listening.stop() }
}
