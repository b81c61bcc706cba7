// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticClips

func hapticClips() throws {
  let clip = HapticClip(
    amplitude: [
      .init(time: 0, amplitude: 0.2),
      .init(time: 0.1, amplitude: 0.6, emphasis: .init(amplitude: 1, frequency: 0.8)),
      .init(time: 0.3, amplitude: 0),
    ],
    frequency: [.init(time: 0, frequency: 0.3), .init(time: 0.3, frequency: 0.5)])
  let made = PatternsFromClip(clip)
  for file in made.files {
    print(file.pattern.events.map(\.kind.rawValue), file.pattern.curves.map(\.id.rawValue))
  }

  let again = try ClipFromPatterns(made.files.map(\.pattern))
  print(HapticClipWriter.text(again.clip).count > 0, again.changes)
}
