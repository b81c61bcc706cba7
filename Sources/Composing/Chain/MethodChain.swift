// SPDX-License-Identifier: Apache-2.0

/// The stages of one method: what it hears of each hop.
struct MethodChain {
  private var envelope: EnvelopeLayer?
  private var bands: BandLayer?
  private var pitch: PitchLayer?
  private var flux: SpectralFlux?
  private var octaveRise: OctaveRise?

  /// From a moment to its value of the layer, in seconds; nil where there is none.
  let layerDelay: Double?
  /// From an onset to its being known, in seconds; nil where none is looked for.
  let onsetDelay: Double?
  /// From a moment to the rise at it, in seconds.
  let riseDelay: Double

  /// Makes the stages of a method for sounds of a loudness in LUFS, and spectra that are known so many seconds after
  /// their middles.
  init(
    _ settings: ComposeSettings, timing: ComposeTiming = .whole, reference: Double,
    spectrumDelay: Double, hop: Double
  ) {
    switch settings.method {
    case .envelope: envelope = EnvelopeLayer(settings, reference: reference, hop: hop)
    case .bands: bands = BandLayer(settings, reference: reference, hop: hop)
    case .pitch:
      pitch = PitchLayer(
        settings, reference: reference, spectrumDelay: spectrumDelay, hop: hop)
    case .onsets: flux = SpectralFlux(settings, hop: hop, lookAhead: timing.lookAhead)
    }
    if envelope != nil || bands != nil {
      octaveRise = OctaveRise(settings, reference: reference, hop: hop)
    }
    layerDelay = envelope?.delay ?? bands?.delay ?? pitch?.delay
    onsetDelay = octaveRise?.delay ?? flux.map { spectrumDelay + $0.delay }
    riseDelay = octaveRise == nil ? spectrumDelay : hop
  }

  /// How much the sound rises, `riseDelay` ago, in dB.
  var rise: Double { octaveRise?.strength ?? flux?.strength ?? 0 }

  /// Whether the method reads spectra.
  var needsSpectrum: Bool { flux != nil || pitch != nil }

  /// Takes what is heard of a hop; tells whether there was an onset, `onsetDelay` ago.
  mutating func isOnset(_ heard: Heard) -> Bool {
    if let spectrum = heard.spectrum {
      pitch?.read(spectrum.octave)
      if flux?.isOnset(spectrum.rise) == true { return true }
    }
    return octaveRise?.isOnset(heard.hop) ?? false
  }

  /// Takes a hop and gives the value of the layer, `layerDelay` ago.
  mutating func value(for hop: Hop) -> LayerValue? {
    envelope?.value(for: hop) ?? bands?.value(for: hop) ?? pitch?.value(for: hop)
  }
}
