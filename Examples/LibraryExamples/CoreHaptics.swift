// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

func coreHaptics() async throws {
  let engine = CHHapticEngine(bench: EngineBench(clock: .stepped))
  try await engine.start()

  let tap = CHHapticEvent(
    eventType: .hapticTransient,
    parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 1)],
    relativeTime: 0)
  let player = try engine.makePlayer(with: CHHapticPattern(events: [tap], parameters: []))
  try player.start(atTime: 0.1)

  _ = engine.advance(by: 0.5)
  print("the engine's time is \(engine.currentTime) s")
  try await engine.stop()
}
