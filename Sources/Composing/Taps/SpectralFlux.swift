// SPDX-License-Identifier: Apache-2.0

/// Finds the beginnings of notes and hits: the peaks of `SpectralRise`.
struct SpectralFlux {
  private var flux = [Double](repeating: 0, count: 64)
  private var count = 0
  private let threshold: Double
  private let lookAhead: Int
  private var last = Int.min / 2
  private let spacing: Int
  private let frame: Double

  /// How many hops there are to a frame: 5 ms.
  static let hops = 2
  /// The stretches before a frame in which none may be larger, and which it must stand out of, in frames.
  private static let (before, around) = (6, 20)

  /// How long after a frame it is known to be an onset, in seconds.
  var delay: Double { Double(lookAhead) * frame }

  /// Makes a detector; after a frame `lookAhead` others are waited for, to know that it is the largest.
  init(_ settings: ComposeSettings, hop: Double, lookAhead: Int) {
    frame = Double(Self.hops) * hop
    threshold = settings.value(.threshold)
    spacing = max(1, Int((settings.value(.spacing) / frame).rounded()))
    self.lookAhead = lookAhead
  }

  /// The rise of the newest frame, in dB.
  var strength: Double { count > 0 ? value(count - 1) : 0 }

  /// Takes the rise of the newest frame and tells whether the one `delay` before it was an onset.
  mutating func isOnset(_ rise: Double) -> Bool {
    flux[count % flux.count] = rise
    count += 1
    return isPeak(count - 1 - lookAhead)
  }

  private func value(_ place: Int) -> Double { place < 0 ? 0 : flux[place % flux.count] }

  private mutating func isPeak(_ place: Int) -> Bool {
    guard place >= 0, place - last >= spacing else { return false }
    let own = value(place)
    for other in (place - Self.before)..<(place + lookAhead + 1) where other != place {
      guard value(other) < own || (other > place && value(other) == own) else { return false }
    }
    // The median, not the mean: in a run of notes the mean is that of their own peaks.
    let around = ((place - Self.around)...(place + lookAhead)).map(value).sorted()
    guard own >= around[around.count / 2] + threshold else { return false }
    last = place
    return true
  }
}
