// SPDX-License-Identifier: Apache-2.0

import AHAP
package import HapticRendering
import Units

/// A sound that a stage follows.
extension RigStage {
  /// What can be asked while a sound is followed.
  package enum FollowChange: Sendable {
    case method(SoundMethod)
    case bypass(Bool)
    /// Passes the sound on so many seconds after it was taken; nil, not at all.
    case pass(delay: Double?)
  }

  /// Begins to follow the sound of the stage's line by a method; gives the player that is led.
  package func follow(
    _ method: SoundMethod, laws: RenderConfiguration
  ) throws(StageRefusal) -> Player {
    try change(.method(method))
    var event = HapticEvent(kind: .hapticContinuous, time: 0, duration: .infinity)
    event.parameters[.hapticIntensity] = 1
    event.parameters[.hapticSharpness] = FollowedPlayer.sharpness
    let program = PlayerProgram(
      HapticPattern(events: [event]), configuration: laws, isEndless: true)
    let (player, _) = try begin(
      program, tag: -1, [.control(ControlStep(.hapticIntensity, value: 0))])
    guard let slot = slot(of: player) else {
      throw StageRefusal(description: "the stage has no room for a sound to follow")
    }
    try ask(.follow(slot: slot))
    return player
  }

  /// Asks for a change of how the sound is followed.
  package func change(_ change: FollowChange) throws(StageRefusal) {
    switch change {
    case .method(let method): try ask(.hear(method))
    case .bypass(let isOn): try ask(.bypass(isOn))
    case .pass(let delay):
      try ask(.pass(delay: delay.map { Int(($0 * rate.hertz).rounded()) } ?? -1))
    }
  }
}
