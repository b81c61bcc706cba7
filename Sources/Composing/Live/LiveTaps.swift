// SPDX-License-Identifier: Apache-2.0

/// Taps of a sound that is followed: as soon as octaves have risen together by the threshold.
///
/// As `OctaveRise`, which waits until the rise is over; here the first hop above the threshold counts, and
/// some more are listened to for how strong the onset is.
struct LiveTaps {
  private var levels: InlineArray<6, SIMD8<Float>>
  private var smoothed = SIMD8<Float>()
  private var recent = SIMD8<Float>()
  private var before = SIMD8<Float>()
  private var added = SIMD8<Float>()
  private var count = 0
  private var since: Int
  private var left = 0
  private var isArmed = true
  private let floor: Float
  private let threshold: Double
  private let spacing: Int
  private let full: Double
  private let dynamics: Double
  private let deepest: Double
  private let place: SpectralPlace
  private let weights: SIMD8<Float>

  /// How many hops are listened on for how strong a tap is: the first one may have caught only its beginning.
  static var listening: Int {
    @_noAllocation @_noLocks get { 2 }
  }

  /// What a rise has to be for a tap, in dB, as a mean of the octaves.
  private static let standardThreshold = 4.0

  init(
    _ settings: ComposeSettings, reference: Double, rate: Double, hop: Double
  ) {
    floor = Float(power(ofDecibels: reference - 40))
    levels = .init(repeating: SIMD8(repeating: Float(reference - 40)))
    // Composing counts the threshold of `onsets` in another unit: what was set is a share of the standard.
    threshold =
      Self.standardThreshold * settings.value(.threshold)
      / (ComposeParameter.threshold.standard(for: settings.method) ?? 1)
    spacing = max(6, Int((settings.value(.spacing) / hop).rounded()))
    since = spacing
    full = reference + settings.value(.tapHeadroom)
    dynamics = settings.value(.dynamics)
    deepest = settings.value(.gate)
    place = SpectralPlace(settings)
    weights = LoudnessWeighting.octaves(rate: rate)
  }

  /// Takes the octaves of a hop, and puts a tap that begins now into the cue.
  @_noAllocation @_noLocks
  mutating func hear(_ octaves: SIMD8<Float>, _ cue: inout LiveCue) {
    smoothed += 0.5 * (octaves - smoothed)
    var level = SIMD8<Float>()
    for band in 0..<8 {
      level[band] = Float(decibels(ofPower: Double(smoothed[band] + floor)))
    }
    var past = levels[(count + 1) % 6]
    past = pointwiseMax(past, levels[(count + 2) % 6])
    past = pointwiseMax(past, levels[(count + 3) % 6])
    levels[count % 6] = level
    count += 1
    since = since < 1 << 30 ? since + 1 : since
    let strength = Double(pointwiseMax(level - past, SIMD8<Float>()).sum()) / 8
    if strength < 0.5 * threshold { isArmed = true }
    if left > 0 {
      added = pointwiseMax(added, octaves)
      left -= 1
      if left == 0 { tap(&cue) }
    } else if isArmed, strength >= threshold, since >= spacing {
      isArmed = false
      since = 0
      before = recent
      // The hop before may have caught the beginning.
      added = octaves
      left = Self.listening
    }
    recent += 0.2 * (octaves - recent)
    recent.replace(with: 0, where: recent .< SIMD8(repeating: 1e-25))
  }

  @_noAllocation @_noLocks
  private func tap(_ cue: inout LiveCue) {
    let onset = pointwiseMax(added - before, SIMD8<Float>())
    let loudness = decibels(ofPower: Double((onset * weights).sum())) + LoudnessWeighting.offset
    let relative = loudness - full
    guard relative >= deepest else { return }
    let wanted = relative * dynamics
    cue.tapIntensity = Intensity.of(level: wanted < 0 ? wanted : 0)
    cue.tapSharpness = place.sharpness(of: onset) ?? 0.5
  }
}
