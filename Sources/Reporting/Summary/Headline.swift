import Acceptance
import Units

/// One quantity of one pattern in the summary: several readings drawn together to one number.
struct Headline {
  /// The number, or `nil` where there is a reading but none was measured.
  var value: Double?
  var uncertainty: Double?
  /// How many measured readings it rests on.
  var count: Int
  /// The heaviest verdict of the readings.
  var verdict: Verdict?
  var unit: MeasurementUnit
  /// What a reader must know of what was measured, such as what the number was drawn together without.
  var note: String?

  enum Rule {
    /// The mean, as unsure as the readings state or as they scatter, whichever is more.
    case mean
    case rms
    /// The value that is farthest from zero.
    case extreme
    case sum
  }

  /// The number and its uncertainty as a person reads them; `nil` where nothing was measured.
  var text: String? {
    value.map { EngineeringFormat.text($0, unit, uncertainty: uncertainty) }
  }

  /// A number that follows from the drive and has no uncertainty.
  init(_ value: Double, _ unit: MeasurementUnit) {
    (self.value, self.unit, count) = (value, unit, 1)
  }

  /// Draws readings of one kind together; `nil` of none.
  ///
  /// With the scatter over the run no number is surer than what was seen of it in other takes.
  init?(_ readings: [Reading], _ rule: Rule, scatter: ReadingScatter? = nil) {
    guard let first = readings.first else { return nil }
    unit = first.unit
    let measured = readings.filter { $0.value != nil }
    count = measured.count
    let verdicts = readings.compactMap(\.verdict)
    verdict = verdicts.isEmpty ? nil : Verdict.worst(verdicts)
    let values = measured.compactMap(\.value)
    guard !values.isEmpty else { return }
    note = measured.notes
    let uncertainties = measured.map { scatter?.uncertainty(of: $0) ?? $0.uncertainty }
    switch rule {
    case .mean: (value, uncertainty) = Self.mean(values, uncertainties)
    case .rms: (value, uncertainty) = Self.rms(values, uncertainties)
    case .sum: value = values.reduce(0, +)
    case .extreme:
      let farthest = measured.indices.max { abs(values[$0]) < abs(values[$1]) }
      (value, uncertainty) = (farthest.map { values[$0] }, farthest.flatMap { uncertainties[$0] })
    }
  }

  private static func mean(
    _ values: [Double], _ uncertainties: [Double?]
  ) -> (Double?, Double?) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let known = uncertainties.compactMap(\.self)
    let stated =
      known.count == values.count
      ? (known.reduce(0) { $0 + $1 * $1 }).squareRoot() / count : nil
    guard values.count > 1 else { return (mean, stated) }
    let spread = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    return (mean, max(stated ?? 0, (spread / count).squareRoot()))
  }

  /// The uncertainty is that of the readings carried through the root of the mean square:
  /// u(r) = sqrt(sum (x u(x))^2) / (n r).
  private static func rms(
    _ values: [Double], _ uncertainties: [Double?]
  ) -> (Double?, Double?) {
    let count = Double(values.count)
    let rms = (values.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
    let known = uncertainties.compactMap(\.self)
    guard known.count == values.count, rms > 0 else { return (rms, nil) }
    let carried = zip(values, known).reduce(0) { $0 + ($1.0 * $1.1) * ($1.0 * $1.1) }
    return (rms, carried.squareRoot() / (count * rms))
  }
}
