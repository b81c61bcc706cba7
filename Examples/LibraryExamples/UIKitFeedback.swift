// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import UIKitFeedback

@MainActor
func uiKitFeedback() async throws {
  let engine = CHHapticEngine(bench: EngineBench(clock: .stepped))
  try await engine.start()
  let generator = UIImpactFeedbackGenerator(style: .rigid, engine: engine)
  generator.prepare()
  generator.impactOccurred(intensity: 0.7)
  _ = engine.advance(by: 0.2)
  try await engine.stop()

  for kind in FeedbackKind.allCases {
    let seconds = try kind.pattern(intensity: 1).duration
    let length = seconds == 0 ? "one tap" : "\(Int((seconds * 1_000).rounded())) ms"
    print("\(kind.rawValue): \(length)")
  }
}
