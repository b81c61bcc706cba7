// SPDX-License-Identifier: Apache-2.0

import Fuzzing
import HapticRendering

/// The first frames of a pattern's three channels, as rendered in blocks of one size.
struct Rendering: Equatable {
  /// At most this many frames are rendered, so that a pattern of hours costs no more than a short one.
  static let longest = 2048

  private let haptic: [Float]
  private let left: [Float]
  private let right: [Float]

  init(
    _ timeline: Timeline, _ configuration: RenderConfiguration, _ sounds: SoundBank, block: Int
  ) {
    var renderer = HapticRenderer(
      timeline: timeline, configuration: configuration, sounds: sounds)
    require(renderer.frameCount >= 0, "\(renderer.frameCount) frames")
    var (haptic, left, right): ([Float], [Float], [Float]) = ([], [], [])
    while haptic.count < min(renderer.frameCount, Self.longest) {
      let count = min(min(renderer.frameCount, Self.longest) - haptic.count, block)
      // Rendering replaces what was there before.
      var drive = [Float](repeating: .nan, count: count)
      var (first, second) = (drive, drive)
      var driveSpan = drive.mutableSpan
      var firstSpan = first.mutableSpan
      var secondSpan = second.mutableSpan
      renderer.render(haptic: &driveSpan, left: &firstSpan, right: &secondSpan)
      haptic += drive
      left += first
      right += second
    }
    (self.haptic, self.left, self.right) = (haptic, left, right)
  }

  /// Requires finite samples within the drive's and the sounds' bounds.
  func check(drive: Float, sound: Float) {
    for (channel, samples, bound) in [
      ("drive", haptic, drive), ("left", left, sound), ("right", right, sound),
    ] {
      for (frame, sample) in samples.enumerated() where !(sample.magnitude <= bound) {
        fatalError("violated: \(channel) is \(sample) at frame \(frame), at most \(bound)")
      }
    }
  }
}
