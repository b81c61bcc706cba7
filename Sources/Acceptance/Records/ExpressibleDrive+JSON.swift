import Devices
import JSONText

extension ExpressibleDrive {
  var json: JSONValue {
    [
      "frequencies": frequencies.json, "amplitudes": .array(amplitudes.map { .number($0) }),
      "updateInterval": .number(updateInterval),
    ]
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let (levels, interval) = (try field["amplitudes"], try field["updateInterval"])
    let amplitudes = try levels.numbers()
    guard amplitudes.first == 0, amplitudes.count > 1, amplitudes.rises else {
      throw levels.error("\(levels.path) must rise from 0, two at least")
    }
    self.init(
      frequencies: try Frequencies(field["frequencies"]), amplitudes: amplitudes,
      updateInterval: try interval.positive())
  }
}

extension ExpressibleDrive.Frequencies {
  fileprivate var json: JSONValue {
    switch self {
    case .fixed(let hertz): ["fixed": .number(hertz)]
    case .grid(let grid): ["grid": .array(grid.map { .number($0) })]
    case .range(let range):
      ["lowest": .number(range.lowerBound), "highest": .number(range.upperBound)]
    }
  }

  fileprivate init(_ field: RecordField) throws(RunRecordError) {
    if let fixed = try field.member("fixed") {
      self = .fixed(try fixed.positive())
    } else if let list = try field.member("grid") {
      let grid = try list.numbers()
      guard (grid.first ?? 0) > 0, grid.rises else {
        throw list.error("\(list.path) must rise from above 0 Hz, one at least")
      }
      self = .grid(grid)
    } else {
      let upper = try field["highest"]
      let (lowest, highest) = (try field["lowest"].positive(), try upper.number())
      guard lowest <= highest else {
        throw upper.error("\(upper.path) must be at least the lowest, \(lowest) Hz")
      }
      self = .range(lowest...highest)
    }
  }
}

extension RecordField {
  fileprivate func positive() throws(RunRecordError) -> Double {
    let number = try number()
    guard number > 0 else { throw error("\(path) is \(number), but must be above 0") }
    return number
  }
}

extension [Double] {
  fileprivate var rises: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
