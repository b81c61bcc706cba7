import Actuators
private import Glibc
import JSONText

/// The strongest steady vibration that an actuator holds at each frequency.
public struct ReachableCeiling: Sendable, Equatable {
  /// What keeps a vibration from being stronger; the raw value is what the file says.
  public enum Binding: String, Sendable, Hashable, CaseIterable {
    /// The peak voltage.
    case peak
    /// The effective voltage that may last.
    case continuous
    /// The thermal budget of the measurement itself.
    case thermal
    /// Harmonics.
    case thd
    /// The response sinks in the noise.
    case noise
    /// The end stop of the moving mass.
    case endstop
    /// A rotating mass has one force for each speed.
    case curve
  }

  /// The ceiling at one frequency.
  public struct Point: Sendable, Equatable {
    /// The frequency, in hertz.
    public var frequency: Double
    /// The highest peak acceleration, in m/s2, above 0.
    public var acceleration: Double
    /// The share of harmonics there, 0.1 for 10 %; nil where it was not measured.
    public var distortion: Double?
    /// What the ceiling comes from.
    public var binding: Binding

    /// Makes a point.
    public init(
      frequency: Double, acceleration: Double, distortion: Double? = nil, binding: Binding
    ) {
      self.frequency = frequency
      self.acceleration = acceleration
      self.distortion = distortion
      self.binding = binding
    }

    static let form = JSONForm(
      Self.init(frequency:acceleration:distortion:binding:), ("frequency", \.frequency, .frequency),
      ("acceleration", \.acceleration, .positive(upTo: 1e6, "m/s2")),
      ("distortion", \.distortion, .optional(.number(in: 0...10))), ("binding", \.binding, .word))
  }

  /// The ceiling by rising frequency.
  public var points: [Point]

  /// Makes a ceiling.
  public init(points: [Point]) { self.points = points }

  /// The highest peak acceleration in m/s2 at a frequency in hertz.
  ///
  /// Between points by a straight line on two logarithmic axes, outside held; 0 without points.
  public func acceleration(at frequency: Double) -> Double {
    guard !points.isEmpty else { return 0 }
    let place = Interpolation(of: frequency, in: points.map(\.frequency), logarithmic: true)
    let (a, b) = (points[place.lower].acceleration, points[place.upper].acceleration)
    return a * pow(b / a, place.share)
  }

  /// How far the mass moves where its end stop ends the ceiling, in metres as the acceleration tells it;
  /// nil where no end stop does.
  ///
  /// a / (2 pi f)^2 of the point of those that moves it furthest.
  public var travel: Double? {
    points.filter { $0.binding == .endstop }.map { point in
      let w = 2 * Double.pi * point.frequency
      return point.acceleration / (w * w)
    }.max()
  }

  /// What binds at the point nearest to a frequency; nil without points.
  public func binding(at frequency: Double) -> Binding? {
    points.min { abs(log($0.frequency / frequency)) < abs(log($1.frequency / frequency)) }?.binding
  }
}

extension ReachableCeiling {
  init(_ field: JSONField) throws(ProfileError) {
    var points: [Point] = []
    for element in try field.elements() {
      let point = try Point.form.value(of: element)
      try element["frequency"].check(
        point.frequency > points.last?.frequency ?? 0, "must be above the one before it")
      points.append(point)
    }
    self.init(points: points)
  }
}

/// What an eccentric rotating mass does on a steady voltage: the one curve that it can reach.
public struct MotorCurve: Sendable, Equatable {
  /// One steady state.
  public struct Point: Sendable, Equatable {
    /// The voltage, in volts.
    public var volts: Double
    /// The speed of rotation, in turns a second.
    public var frequency: Double
    /// The peak acceleration, in m/s2.
    public var acceleration: Double

    /// Makes a point.
    public init(volts: Double, frequency: Double, acceleration: Double) {
      self.volts = volts
      self.frequency = frequency
      self.acceleration = acceleration
    }

    fileprivate static let form = JSONForm(
      Self.init(volts:frequency:acceleration:),
      ("volts", \.volts, .positive(upTo: DriveLimits.highestVolts, "V")),
      ("frequency", \.frequency, .frequency),
      ("acceleration", \.acceleration, .positive(upTo: 1e6, "m/s2")))
  }

  /// Steady states by rising voltage; speed and acceleration rise with it.
  public var points: [Point]
  /// The voltage at which the motor starts from rest, in volts.
  public var startVolts: Double
  /// The time constant of the speed after a step of the voltage, in seconds.
  public var spinUpTime: MeasuredQuantity

  /// Makes a curve.
  public init(points: [Point], startVolts: Double, spinUpTime: MeasuredQuantity) {
    self.points = points
    self.startVolts = startVolts
    self.spinUpTime = spinUpTime
  }
}

extension MotorCurve {
  var json: JSONValue {
    [
      "startVolts": .finite(startVolts),
      "spinUpTime": spinUpTime.json,
      "points": JSONForm.list(Point.form).json(points),
    ]
  }

  init(_ field: JSONField) throws(ProfileError) {
    let field = try field.object("startVolts", "spinUpTime", "points")
    let list = try field["points"]
    var points: [Point] = []
    for element in try list.elements() {
      let point = try Point.form.value(of: element)
      if let last = points.last,
        point.volts <= last.volts || point.frequency <= last.frequency
          || point.acceleration <= last.acceleration
      {
        throw element.error(
          "\(element.path) does not rise in volts, frequency and acceleration over the one before "
            + "it: a motor that is driven harder turns faster")
      }
      points.append(point)
    }
    try list.check(points.count > 1, "has \(points.count) points, but a curve needs two or more")
    let highest = points[points.count - 1].volts
    self.init(
      points: points, startVolts: try field["startVolts"].number(in: 0...highest, "V"),
      spinUpTime: try JSONForm.positive(.second, upTo: 100).member("spinUpTime", of: field))
  }
}

/// What must be added to a target so that the actuator, inverse filter included, does what is asked.
///
/// A rectangular table over frequency and level; between its nodes bilinear in the logarithm of
/// frequency and in dB, outside held. Empty, it adds nothing.
public struct ResponseCorrection: Sendable, Equatable {
  /// The frequencies of the rows, in hertz, rising.
  public var frequencies: [Double]
  /// The levels of the columns, in dB above threshold of the target, rising.
  public var levels: [Double]
  /// The dB to add at each frequency (outer) and level (inner).
  public var decibels: [[Double]]

  /// Makes a table; a slope over level of -1 dB a dB or less would turn weak and strong around.
  public init(frequencies: [Double] = [], levels: [Double] = [], decibels: [[Double]] = []) {
    precondition(
      decibels.count == frequencies.count && decibels.allSatisfy { $0.count == levels.count },
      "a correction of \(frequencies.count) frequencies and \(levels.count) levels needs as many "
        + "rows and columns")
    self.frequencies = frequencies
    self.levels = levels
    self.decibels = decibels
  }

  /// The table that adds nothing.
  public static let none = ResponseCorrection()

  /// The dB to add at a frequency in hertz and a target level in dB above threshold.
  public func decibels(at frequency: Double, level: Double) -> Double {
    guard !frequencies.isEmpty, !levels.isEmpty else { return 0 }
    let row = Interpolation(of: frequency, in: frequencies, logarithmic: true)
    let column = Interpolation(of: level, in: levels)
    let lower = column.value(decibels[row.lower])
    let upper = column.value(decibels[row.upper])
    return lower + row.share * (upper - lower)
  }
}

extension ResponseCorrection {
  var json: JSONValue {
    [
      "frequencies": .numbers(frequencies),
      "levels": .numbers(levels),
      "decibels": .array(decibels.map(JSONValue.numbers)),
    ]
  }

  init(_ field: JSONField) throws(ProfileError) {
    let field = try field.object("frequencies", "levels", "decibels")
    let frequencies = try field["frequencies"].risingNumbers(in: 1...20_000, "Hz")
    let levels = try field["levels"].risingNumbers(in: -60...120, "dB")
    let table = try field["decibels"]
    var decibels: [[Double]] = []
    for row in try table.elements() {
      let numbers = try row.list { (element) throws(ProfileError) in
        try element.number(in: -Self.greatest...Self.greatest, "dB")
      }
      try row.check(
        numbers.count == levels.count,
        "has \(numbers.count) numbers, but there are \(levels.count) levels")
      for index in numbers.indices.dropLast()
      where numbers[index + 1] - numbers[index] <= levels[index] - levels[index + 1] {
        throw row.error(
          "\(row.path) falls by a dB a dB or faster from level \(levels[index]) dB, so that a "
            + "stronger target would get the weaker command")
      }
      for index in numbers.indices.dropLast()
      where numbers[index + 1] - numbers[index]
        > Self.steepest * (levels[index + 1] - levels[index]) + Self.step
      {
        throw row.error(
          "\(row.path) rises by more than \(Self.steepest) dB a dB from level \(levels[index]) dB on, "
            + "which no calibration writes")
      }
      decibels.append(numbers)
    }
    try table.check(
      decibels.count == frequencies.count,
      "has \(decibels.count) rows, but there are \(frequencies.count) frequencies")
    for row in decibels.indices.dropFirst().dropLast() {
      for column in levels.indices {
        let (before, after) = (decibels[row - 1][column], decibels[row + 1][column])
        let share =
          log(frequencies[row] / frequencies[row - 1])
          / log(frequencies[row + 1] / frequencies[row - 1])
        let straight = before + share * (after - before)
        // Not written as a check of the cell: to find it takes as long as to read the table.
        guard abs(decibels[row][column] - straight) <= Self.bend else {
          let cell = try table.elements()[row].elements()[column]
          throw cell.error(
            "\(cell.path) is \(decibels[row][column]) dB, but \(straight.rounded()) dB would lie on "
              + "the line between its neighbours: no response bends by more than \(Self.bend) dB there"
          )
        }
      }
    }
    self.init(frequencies: frequencies, levels: levels, decibels: decibels)
  }

  /// No correction is larger, in dB: a model that is further off is none.
  private static var greatest: Double { 40 }
  /// The steepest rise over level that a table has, in dB a dB.
  ///
  /// On the flank of a resonance that a hard or soft spring has moved away the voltage goes with the cube of
  /// the displacement, 2 dB a dB more than it should; a magnet that weakens adds to that, 2.6 in all. A mass
  /// near its stop asks for more than can be given: who makes a table holds it here.
  package static var steepest: Double { 3 }
  /// What noise may add to the rise from one level to the next, in dB.
  private static var step: Double { 0.5 }
  /// The furthest that a cell may stand off the line between its neighbours along frequency, in dB.
  private static var bend: Double { 3 }
}
