import JSONText

/// A pattern as it is felt: events by time with their strength.
struct Score {
  struct Tap {
    var event: HapticEvent
    /// Intensity with its control at the tap's start.
    var strength: Double
  }

  struct Vibration {
    var event: HapticEvent
    var intensity: Double
    var isSustained: Bool
  }

  let taps: [Tap]
  let vibrations: [Vibration]
  let sounds: [HapticEvent]
  let intensityControl: ControlLevel
  let duration: Double

  init(_ pattern: HapticPattern, defaults: EventDefaults) {
    let control = ControlLevel(.hapticIntensity, in: pattern)
    var taps: [Tap] = []
    var vibrations: [Vibration] = []
    var sounds: [HapticEvent] = []
    for event in pattern.eventsByTime {
      let values = event.resolved(defaults: defaults)
      switch event.kind {
      case .hapticTransient:
        let strength = values.intensity * control.value(at: event.time)
        if strength > 0 { taps.append(Tap(event: event, strength: strength)) }
      case .hapticContinuous:
        vibrations.append(
          Vibration(event: event, intensity: values.intensity, isSustained: values.isSustained))
      case .audioContinuous, .audioCustom:
        if values.audioVolume > 0 { sounds.append(event) }
      }
    }
    self.taps = taps
    self.vibrations = vibrations
    self.sounds = sounds
    intensityControl = control
    duration = pattern.duration
  }

  func finding(_ code: DiagnosticCode, at event: HapticEvent, _ message: String) -> Diagnostic {
    let place = event.source.position ?? JSONPosition(offset: 0, line: 1, column: 1)
    return Diagnostic(
      code: code, severity: code.defaultSeverity, position: place, message: message)
  }
}

extension Double {
  /// A time for a message, to a tenth of a millisecond.
  var briefSeconds: String { (((self * 1e4).rounded()) / 1e4).plain }

  /// A strength for a message, to two digits.
  var briefShare: String { ((self * 100).rounded() / 100).plain }
}
