/// How much of an audio-haptic offset people notice, from none to all of it.
public enum SyncBand: String, Sendable, Hashable, CaseIterable {
  /// To 1 ms.
  case green
  /// To 10 ms.
  case amber
  /// To 24 ms.
  case orange
  /// Beyond.
  case red

  /// The band of an offset in seconds, haptic minus audio.
  ///
  /// Where the audio leads, a positive offset, people notice sooner: the bounds are half of that.
  public init(offset: Double) {
    let size = abs(offset) * (offset > 0 ? 2 : 1)
    // Not a number is in no band that passes.
    self = size <= 1e-3 ? .green : size <= 10e-3 ? .amber : size <= 24e-3 ? .orange : .red
  }

  /// How an offset in the band is judged.
  public var verdict: Verdict {
    switch self {
    case .green, .amber: .pass
    case .orange: .marginal
    case .red: .fail
    }
  }
}
