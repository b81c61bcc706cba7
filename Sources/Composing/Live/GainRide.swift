// SPDX-License-Identifier: Apache-2.0

/// Brings sounds of any loudness to the same: a gain that rides slowly between bounds.
///
/// It learns only from what is louder than the gate, so that a pause leaves it where it was.
struct GainRide {
  /// The loudness that the gain leads to, in LUFS; methods are made for it.
  static var target: Double {
    @_noAllocation @_noLocks get { -23 }
  }
  /// The bounds of the gain, and how fast it moves at most, in dB and dB a second.
  private static var lowest: Double {
    @_noAllocation @_noLocks get { -20 }
  }
  private static var highest: Double {
    @_noAllocation @_noLocks get { 20 }
  }
  private static var pace: Double {
    @_noAllocation @_noLocks get { 3 }
  }
  /// Over how many seconds of sound the loudness is averaged.
  private static var memory: Double {
    @_noAllocation @_noLocks get { 3 }
  }

  /// The gain in dB that was set; NaN where it rides.
  private var fixed = Double.nan
  private(set) var gain = 0.0
  private var mean = 0.0
  private var heard = 0.0
  private let hop: Double

  init(hop: Double) { self.hop = hop }

  /// Holds the gain at a value in dB; NaN lets it ride.
  @_noAllocation @_noLocks
  mutating func set(_ gain: Double) { fixed = gain }

  /// Takes the K-weighted mean square of a hop that is louder than the gate.
  @_noAllocation @_noLocks
  mutating func learn(_ loudness: Double) {
    heard = heard + hop < Self.memory ? heard + hop : Self.memory
    mean += hop / heard * (loudness - mean)
    guard mean > 0 else { return }
    let wanted = Self.target - (decibels(ofPower: mean) + LoudnessWeighting.offset)
    let bounded = wanted < Self.lowest ? Self.lowest : wanted > Self.highest ? Self.highest : wanted
    let (step, way) = (Self.pace * hop, bounded - gain)
    gain += way > step ? step : way < -step ? -step : way
  }

  /// The gain in force, in dB.
  var inForce: Double {
    @_noAllocation @_noLocks get { fixed.isNaN ? gain : fixed }
  }
}

/// What lets sound through: a level with a margin, so that what is near it does not chatter.
struct SoundGate {
  /// The level in dB of full scale above which a sound counts.
  var level = LiveMethod.standardGate
  private(set) var isOpen = false
  private var held = 0
  private let holdHops: Int

  /// How much below the level the gate closes, in dB, and after how many seconds.
  private static var margin: Double {
    @_noAllocation @_noLocks get { 6 }
  }
  private static let hold = 0.05

  init(hop: Double) { holdHops = Int((Self.hold / hop).rounded()) }

  /// Takes the mean square of a hop.
  @_noAllocation @_noLocks
  mutating func hear(_ power: Double) {
    let present = decibels(ofPower: power)
    if present >= (isOpen ? level - Self.margin : level) {
      isOpen = true
      held = 0
    } else if held < holdHops {
      held += 1
    } else {
      isOpen = false
    }
  }
}
