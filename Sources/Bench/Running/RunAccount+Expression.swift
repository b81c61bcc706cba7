import Devices
import JSONText

extension RunAccount {
  /// What a drive can express, as records keep it.
  static func expressible(_ drive: ExpressibleDrive) -> JSONValue {
    let frequencies: JSONValue =
      switch drive.frequencies {
      case .fixed(let hertz): ["fixed": .number(hertz)]
      case .grid(let grid): ["grid": .array(grid.map { .number($0) })]
      case .range(let range):
        ["lowest": .number(range.lowerBound), "highest": .number(range.upperBound)]
      }
    return [
      "frequencies": frequencies, "amplitudes": .array(drive.amplitudes.map { .number($0) }),
      "updateInterval": .number(drive.updateInterval),
    ]
  }

  /// The drive that `expressible` wrote; `nil` where the account is none.
  static func expressible(_ value: JSONValue) -> ExpressibleDrive? {
    guard let frequencies = frequencies(value["frequencies"]),
      let amplitudes = numbers(value["amplitudes"]), amplitudes.first == 0, amplitudes.count > 1,
      rises(amplitudes), let interval = value["updateInterval"]?.number, interval > 0
    else { return nil }
    return ExpressibleDrive(
      frequencies: frequencies, amplitudes: amplitudes, updateInterval: interval)
  }

  private static func frequencies(_ value: JSONValue?) -> ExpressibleDrive.Frequencies? {
    if let fixed = value?["fixed"]?.number { return fixed > 0 ? .fixed(fixed) : nil }
    if let grid = numbers(value?["grid"]) {
      return (grid.first ?? 0) > 0 && rises(grid) ? .grid(grid) : nil
    }
    guard let lowest = value?["lowest"]?.number, let highest = value?["highest"]?.number,
      lowest > 0, lowest <= highest
    else { return nil }
    return .range(lowest...highest)
  }

  private static func numbers(_ value: JSONValue?) -> [Double]? {
    guard let elements = value?.elements else { return nil }
    let numbers = elements.compactMap(\.number)
    return numbers.count == elements.count ? numbers : nil
  }

  private static func rises(_ values: [Double]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
  }
}
