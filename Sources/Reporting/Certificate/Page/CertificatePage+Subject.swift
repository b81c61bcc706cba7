import Acceptance
import Actuators
import Calibration
import Perception
import Profiles
import Units

extension CertificatePage {
  private typealias Facts = [(term: String, value: String)]

  /// Writes what was measured, how, and on what.
  func writeSubject(to main: inout Markup) {
    main.writeSection("subject", "What was measured, how and on what") { section in
      section.element("div", ["class": "columns"]) { columns in
        columns.writeFacts("What", what)
        columns.writeFacts("How", how)
        columns.writeFacts("Laws", laws)
        columns.writeFacts("On what", conditions)
      }
    }
  }

  private var what: Facts {
    let actuator = profile.actuator
    return [
      ("actuator", actuator.id), ("type", actuator.model), ("kind", actuator.kind.rawValue),
      ("rig", profile.rig),
      ("drive", "\(Shown.number(actuator.limits.continuousVolts)) Vrms that may last"),
      ("peak", "\(Shown.number(actuator.limits.peakVolts)) V at any moment"),
      (
        "slope",
        actuator.limits.slope.map { "\(Shown.number($0 / 1e3)) V/ms" } ?? "no limit"
      ),
      ("thermal time", "\(Shown.number(actuator.limits.thermalTime)) s"),
    ]
  }

  private var how: Facts {
    let figures = certificate.figures
    var facts: Facts = certificate.method.map { ($0.name, $0.value) }
    if !figures.responses.isEmpty {
      facts.append(("sweeps", figures.responses.map(\.label).joined(separator: ", ")))
      let places = figures.responses.flatMap(\.x).filter(\.isFinite)
      if let low = places.min(), let high = places.max() {
        facts.append(("swept band", "\(Shown.number(low)) to \(Shown.number(high)) Hz"))
      }
    }
    if !figures.motor.isEmpty {
      facts.append(("steady voltages", "\(profile.motorCurve?.points.count ?? 0)"))
    }
    let found = profile.verification?.grid ?? []
    let heldOut = found.count(where: \.isHeldOut)
    facts.append(
      (
        "verified tones",
        found.isEmpty ? "none" : "\(found.count - heldOut) of the grid, \(heldOut) held out"
      ))
    let taps = max(figures.taps.count, profile.verification?.taps.count ?? 0)
    facts.append(("verified taps", taps == 0 ? "none" : "\(taps)"))
    facts.append(("delay's scatter", delayScatter))
    facts.append(("capture's clock", clockOffset))
    if let sensor = profile.uncertainty.lines.first(where: { $0.name.hasPrefix("sensor") }) {
      facts.append(
        ("sensor's share", "\(Shown.percent(sensor.relative)) of acceleration, standard"))
    }
    return facts
  }

  private var delayScatter: String {
    certificate.figures.delayScatter.map {
      "\(Shown.number(1e6 * $0)) µs within a segment at most, one standard deviation"
    } ?? Shown.word(of: .notMeasured)
  }

  private var clockOffset: String {
    certificate.figures.clockOffset.map {
      "\(Shown.fixed(abs($0), 2, "ppm")) \($0 < 0 ? "behind" : "ahead of") the drive's, taken out"
    } ?? Shown.word(of: .notMeasured)
  }

  private var laws: Facts {
    let laws = profile.laws
    return [
      ("intensity", laws.intensity.name), ("sharpness", laws.sharpness.name),
      (
        "frequencies",
        "\(Shown.number(laws.sharpness.frequency(of: 0))) to "
          + "\(Shown.number(laws.sharpness.frequency(of: 1))) Hz"
      ),
      ("contour", laws.contour.name),
      ("reference level", "\(Shown.number(laws.referenceLevel)) dB above threshold"),
      (
        "weakest level",
        laws.intensity == .aosp
          ? "none under this law" : "\(Shown.number(laws.floorLevel)) dB above threshold"
      ),
    ]
  }

  private var conditions: Facts {
    let found = profile.conditions
    func given(_ text: String?) -> String { text ?? Shown.notGiven }
    return [
      ("mass", given(profile.actuator.mass.map { "\(Shown.number(1e3 * $0)) g" })),
      ("mount", given(found.mount)), ("axis", given(found.axis)),
      ("contact", given(profile.actuator.contact)),
      ("orientation", Shown.word(of: .notMeasured)), ("supply", Shown.word(of: .notMeasured)),
      ("temperature", given(profile.actuator.temperature.map { "\(Shown.number($0)) °C" })),
      ("driven from", given(found.source)),
      ("audio to haptic", "not measured here: 'haprig latency' and runs do"),
    ]
  }
}
