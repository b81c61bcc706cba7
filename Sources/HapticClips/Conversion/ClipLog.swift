import AHAP

/// What a clip does not hold as its patterns do, counted while it is made.
struct ClipLog {
  var hiddenTaps = 0
  var raisedTaps = 0
  var undoesDucking = false
  private let sounds: Int
  private let unknownNotes: [String]
  private let hasTwoLayers: Bool

  init(_ patterns: [HapticPattern]) {
    sounds = patterns.reduce(0) { sum, pattern in
      sum + pattern.events.count { $0.kind.domain == .audio }
    }
    var unknown: [String] = []
    for key in patterns.flatMap({ HapticClip.Metadata.unknownKeys(in: $0.metadata) })
    where !unknown.contains(key) {
      unknown.append(key)
    }
    unknownNotes = unknown
    let events = patterns.flatMap(\.events).filter { $0.kind == .hapticContinuous }
      .sorted { $0.time < $1.time }
    var end = -Double.infinity
    var overlaps = false
    for event in events {
      overlaps = overlaps || event.time < end - 1e-6
      end = max(end, event.end)
    }
    hasTwoLayers = overlaps
  }

  /// The changes as sentences for the user.
  var sentences: [String] {
    var list: [String] = []
    if sounds > 0 {
      list.append("Audio events were left out, for a clip holds no sound: \(sounds).")
    }
    if hasTwoLayers {
      list.append("Where continuous events play at once, the clip holds the strongest only.")
    }
    if hiddenTaps > 0 {
      list.append("Transients at one time became one emphasis, the strongest: \(hiddenTaps) less.")
    }
    if raisedTaps > 0 {
      list.append(
        "Emphases were raised to the amplitude beneath, below which a clip allows none: "
          + "\(raisedTaps).")
    }
    if undoesDucking {
      list.append(
        "The continuous signal was taken to be lowered to 80 % under each transient, as conversion "
          + "from a clip does, and raised again.")
    }
    if !unknownNotes.isEmpty {
      list.append(
        "Notes that a clip has no place for were left out: \(unknownNotes.joined(separator: ", "))."
      )
    }
    return list
  }
}
