// SPDX-License-Identifier: Apache-2.0

import AHAP

/// A player that is led while it plays, as by a sound that is followed.
///
/// What is asked with a rank below 0, as here, is told to nobody: a leader asks some hundred times a second.
extension PlayerStage {
  /// Brings level and sharpness of a player to new values along straight lines, from a time on.
  ///
  /// The sharpness counts from that of the player's own events. *Render thread*.
  @_noAllocation @_noLocks
  public mutating func lead(
    _ slot: Int, intensity: Double, sharpness: Double, at time: Double, seconds: Double,
    order: Int
  ) {
    let level = ControlGlide(place: 0, value: intensity, seconds: seconds)
    ask(.glide(level), of: slot, at: time, order: order)
    let colour = ControlGlide(place: 1, value: sharpness, seconds: seconds)
    ask(.glide(colour), of: slot, at: time, order: order)
  }

  /// Begins a tap of a player that is none of its pattern, at a time.
  ///
  /// *Render thread*.
  @_noAllocation @_noLocks
  public mutating func tap(
    _ slot: Int, intensity: Float, sharpness: Float, at time: Double, order: Int
  ) {
    ask(.tap(intensity: intensity, sharpness: sharpness), of: slot, at: time, order: order)
  }

  /// Begins a tap of the strength that was asked, whatever the level that the player is led to.
  @_noAllocation @_noLocks
  mutating func beginTap(_ slot: Int, intensity: Float, sharpness: Float, at time: Double) {
    guard slots[slot].transport.isPlaying else { return }
    let event = LiveEvent(
      tapOf: intensity, sharpness: sharpness, turns: turns(ofSharpness: sharpness))
    begin(event, slot, -1, at: time, age: 0)
  }
}
