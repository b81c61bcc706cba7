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

  /// Makes the stages of a method for sounds of a loudness in LUFS.
  init(
    _ settings: ComposeSettings, timing: ComposeTiming, reference: Double,
    spectrum: borrowing LogSpectrum,
    rate: Double, hop: Double
  ) {
    let middle = Double(spectrum.length) / 2 / rate
    switch settings.method {
    case .envelope: envelope = EnvelopeLayer(settings, reference: reference, hop: hop)
    case .bands: bands = BandLayer(settings, reference: reference, hop: hop)
    case .pitch:
      pitch = PitchLayer(
        settings, reference: reference, spectrum: spectrum, rate: rate, hop: hop)
    case .onsets:
      flux = SpectralFlux(
        settings, reference: reference, bands: spectrum.centres.count, hop: hop,
        lookAhead: timing.lookAhead)
    }
    if envelope != nil || bands != nil {
      octaveRise = OctaveRise(settings, reference: reference, hop: hop)
    }
    layerDelay = envelope?.delay ?? bands?.delay ?? pitch?.delay
    onsetDelay = octaveRise?.delay ?? flux.map { middle + $0.delay }
    riseDelay = octaveRise == nil ? middle : hop
  }

  /// How much the sound rises, `riseDelay` ago, in dB.
  var rise: Double { octaveRise?.strength ?? flux?.strength ?? 0 }

  /// Whether the method reads spectra.
  var needsSpectrum: Bool { flux != nil || pitch != nil }

  /// Takes a new spectrum; tells whether there was an onset, `onsetDelay` ago.
  mutating func read(_ spectrum: borrowing LogSpectrum) -> Bool {
    pitch?.read(spectrum.magnitudes)
    return flux?.isOnset(spectrum.magnitudes) ?? false
  }

  /// Takes a hop; tells whether there was an onset, `onsetDelay` ago.
  mutating func isOnset(_ hop: Hop) -> Bool { octaveRise?.isOnset(hop) ?? false }

  /// Takes a hop and gives the value of the layer, `layerDelay` ago.
  mutating func value(for hop: Hop) -> LayerValue? {
    envelope?.value(for: hop) ?? bands?.value(for: hop) ?? pitch?.value(for: hop)
  }
}
