// SPDX-License-Identifier: Apache-2.0

/// The method `envelope`: the level as intensity, the place of the energy in the spectrum as sharpness.
package struct EnvelopeLayer: Sendable {
  private var follower: LevelFollower
  private var map: LevelMap
  private let place: SpectralPlace
  private var octaves = SIMD8<Float>()
  private var sharpness = 0.5

  /// From a sound to the value that it has a part in: a hop and the attack, in seconds.
  package let delay: Double

  /// Takes the loudness of the whole sound in LUFS.
  package init(_ settings: ComposeSettings, reference: Double, hop: Double) {
    follower = LevelFollower(settings, hop: hop)
    map = LevelMap(settings, reference: reference)
    place = SpectralPlace(settings)
    delay = hop + settings.value(.attack)
  }

  @_noAllocation @_noLocks
  package mutating func value(for hop: Hop) -> LayerValue {
    let level = map.map(follower.follow(hop.power))
    octaves.smooth(towards: hop.octaves)
    if let present = place.sharpness(of: octaves) { sharpness = present }
    return LayerValue(level: level, sharpness: sharpness)
  }
}

extension SIMD8<Float> {
  /// Moves energies a fifth of the way in each hop: 11 ms to 63 %, so that the place of the lowest octaves
  /// does not swing with their waves.
  @_noAllocation @_noLocks
  mutating func smooth(towards energies: Self) {
    self += 0.2 * (energies - self)
    let tiny = Self(repeating: 1e-25)
    replace(with: 0, where: self .< tiny)
  }
}

extension LevelFollower {
  init(_ settings: ComposeSettings, hop: Double) {
    self.init(
      attack: settings.value(.attack), hold: settings.value(.hold),
      release: settings.value(.release), hop: hop)
  }
}

extension LevelMap {
  init(_ settings: ComposeSettings, reference: Double) {
    self.init(
      full: reference + settings.value(.headroom), dynamics: settings.value(.dynamics),
      gate: settings.value(.gate))
  }
}

extension SpectralPlace {
  init(_ settings: ComposeSettings) {
    self.init(lowest: settings.value(.lowest), highest: settings.value(.highest))
  }
}
