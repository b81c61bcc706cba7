private import Glibc
import JSONText

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

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("frequencies", "levels", "decibels")
    let frequencies = try field["frequencies"].risingNumbers(in: 1...20_000, "Hz")
    let levels = try field["levels"].risingNumbers(in: -60...120, "dB")
    let table = try field["decibels"]
    var decibels: [[Double]] = []
    for row in try table.elements() {
      let numbers = try row.list { (element) throws(ProfileError) in
        try element.number(in: -Self.greatest...Self.greatest, "dB")
      }
      guard numbers.count == levels.count else {
        throw row.error(
          "\(row.path) has \(numbers.count) numbers, but there are \(levels.count) levels")
      }
      for index in numbers.indices.dropLast()
      where numbers[index + 1] - numbers[index] <= levels[index] - levels[index + 1] {
        throw row.error(
          "\(row.path) falls by a dB a dB or faster from level \(levels[index]) dB, so that a "
            + "stronger target would get the weaker command")
      }
      for index in numbers.indices.dropLast()
      where numbers[index + 1] - numbers[index] > levels[index + 1] - levels[index] + Self.step {
        throw row.error(
          "\(row.path) rises by more than a dB a dB from level \(levels[index]) dB on, which no "
            + "actuator asks for")
      }
      decibels.append(numbers)
    }
    guard decibels.count == frequencies.count else {
      throw table.error(
        "\(table.path) has \(decibels.count) rows, but there are \(frequencies.count) frequencies")
    }
    for row in decibels.indices.dropFirst().dropLast() {
      for column in levels.indices {
        let (before, after) = (decibels[row - 1][column], decibels[row + 1][column])
        let share =
          log(frequencies[row] / frequencies[row - 1])
          / log(frequencies[row + 1] / frequencies[row - 1])
        let straight = before + share * (after - before)
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
  /// What noise may add to the rise from one level to the next, in dB.
  private static var step: Double { 0.5 }
  /// The furthest that a cell may stand off the line between its neighbours along frequency, in dB.
  private static var bend: Double { 3 }
}
