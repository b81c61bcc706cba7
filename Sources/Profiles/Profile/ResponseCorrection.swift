// SPDX-License-Identifier: Apache-2.0

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
    decibels(at: row(at: frequency), level: level)
  }

  /// Where a frequency in hertz lies between the rows.
  func row(at frequency: Double) -> Interpolation {
    Interpolation(of: frequency, in: frequencies, logarithmic: true)
  }

  /// The same for a place between the rows.
  func decibels(at row: Interpolation, level: Double) -> Double {
    guard !frequencies.isEmpty, !levels.isEmpty else { return 0 }
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
    self.init(frequencies: frequencies, levels: levels, decibels: decibels)
    if let bent = bentCells.first {
      let cell = try table.elements()[bent.row].elements()[bent.column]
      throw cell.error(
        "\(cell.path) is \(decibels[bent.row][bent.column]) dB, but \(bent.straight.rounded()) dB would lie "
          + "on the line between its neighbours: no response bends by more than \(Self.bend) dB there"
      )
    }
  }

  /// The cells that stand too far off the line between their neighbours along frequency, with what that line
  /// says in dB.
  private var bentCells: [(row: Int, column: Int, straight: Double)] {
    decibels.indices.dropFirst().dropLast().flatMap { row in
      let share =
        log(frequencies[row] / frequencies[row - 1])
        / log(frequencies[row + 1] / frequencies[row - 1])
      return levels.indices.compactMap { column in
        let (before, after) = (decibels[row - 1][column], decibels[row + 1][column])
        let straight = before + share * (after - before)
        let isBent = !(abs(decibels[row][column] - straight) <= Self.bend)
        return isBent ? (row, column, straight) : nil
      }
    }
  }

  /// Brings every cell to where a reader takes it.
  ///
  /// A fit may ask for more than the bounds that tell damaged tables allow. Holding a cell moves the lines of
  /// its neighbours, so that it is done a few times over: of a table that is rough all over some may be left.
  /// - Returns: The frequency in hertz at which a cell was moved furthest, and by how many dB; nil where
  ///   nothing was.
  package mutating func hold() -> (frequency: Double, decibels: Double)? {
    let asked = decibels
    decibels = decibels.map { row in
      row.map { max(-Self.greatest, min(Self.greatest, $0)) }
    }
    holdRises()
    for _ in 0..<Self.holds {
      let bent = bentCells
      if bent.isEmpty { break }
      for (row, column, straight) in bent {
        let room = Self.bend * (1 - Self.margin)
        decibels[row][column] = max(
          straight - room, min(straight + room, decibels[row][column]))
      }
      holdRises()
    }
    let moved = decibels.indices.flatMap { row in
      levels.indices.map { (frequencies[row], decibels[row][$0] - asked[row][$0]) }
    }
    return moved.max { abs($0.1) < abs($1.1) }.flatMap { $0.1 == 0 ? nil : $0 }
  }

  /// Holds how each row rises over level, from its lowest on: above -0.8 dB a dB, so that more stays more,
  /// and no steeper than the steepest.
  package mutating func holdRises() {
    for row in decibels.indices {
      for column in levels.indices.dropFirst() {
        let (last, rise) = (decibels[row][column - 1], levels[column] - levels[column - 1])
        decibels[row][column] = max(
          last - Self.falling * rise, min(decibels[row][column], last + Self.steepest * rise))
      }
    }
  }

  /// No correction is larger, in dB: a model that is further off is none.
  private static var greatest: Double { 40 }
  /// The steepest rise over level that a table has, in dB a dB.
  ///
  /// On the flank of a resonance that a hard or soft spring has moved away the voltage goes with the cube of
  /// the displacement, 2 dB a dB more than it should; a magnet that weakens adds to that, 2.6 in all. A mass
  /// near its stop asks for more than can be given: who makes a table holds it here.
  private static var steepest: Double { 3 }
  /// How steeply a table that is made falls over level at most, in dB a dB.
  private static var falling: Double { 0.8 }
  /// What noise may add to the rise from one level to the next, in dB.
  private static var step: Double { 0.5 }
  /// The furthest that a cell may stand off the line between its neighbours along frequency, in dB.
  private static var bend: Double { 3 }
  /// What a cell that is held keeps from the bound, so that rounding does not cross it, and how often cells
  /// are held.
  private static var margin: Double { 1e-6 }
  private static var holds: Int { 30 }
}
