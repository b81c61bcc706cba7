// SPDX-License-Identifier: Apache-2.0

// The palette: one long vibration whose strength and character follow a finger.
//
// Lesson: a player is made once; while it plays, dynamic parameters are sent to it. Intensity is
// multiplied with the event's own, sharpness is added to it.
//
//     swift run Palette            on the simulated rig
//     HAPRIG_RIG=my-rig.yaml swift run Palette
import CoreHaptics
import Foundation

@main
struct Palette {
  static func main() async {
    do {
      try await play()
    } catch {
      // The error says in its own words what to do.
      FileHandle.standardError.write(Data("Palette: \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func play() async throws {
    guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else {
      print("there is no rig to play on")
      exit(1)
    }
    let engine = try CHHapticEngine()
    try await engine.start()

    let touch = CHHapticEvent(
      eventType: .hapticContinuous,
      parameters: [
        CHHapticEventParameter(parameterID: .hapticIntensity, value: 1),
        CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.5),
      ], relativeTime: 0, duration: 30)
    let player = try engine.makeAdvancedPlayer(
      with: CHHapticPattern(events: [touch], parameters: []))

    // The finger draws a circle on a square of side 1, a hundred positions a second.
    try player.start(atTime: CHHapticTimeImmediate)
    for step in 0..<100 {
      let angle = 2 * Double.pi * Double(step) / 100
      try drag(player, x: 0.5 + 0.4 * cos(angle), y: 0.5 + 0.4 * sin(angle))
      try await Task.sleep(for: .milliseconds(10))
    }
    try player.stop(atTime: CHHapticTimeImmediate)
    try await engine.stop()
    print("a circle was drawn: strength follows the height, character the width")
  }

  /// The finger is at a place of the palette, 0...1 both ways.
  private static func drag(
    _ player: any CHHapticAdvancedPatternPlayer, x: Double, y: Double
  ) throws {
    try player.sendParameters(
      [
        CHHapticDynamicParameter(
          parameterID: .hapticIntensityControl, value: Float(y), relativeTime: 0),
        CHHapticDynamicParameter(
          parameterID: .hapticSharpnessControl, value: Float(x - 0.5), relativeTime: 0),
      ], atTime: CHHapticTimeImmediate)
  }
}
