// SPDX-License-Identifier: Apache-2.0

import JSONText

/// The temperature during a take, as the rig's thermometer told it.
public struct TakeTemperature: Sendable, Hashable {
  /// When each was read, in seconds from when the take began to play; what is negative was before.
  public var times: [Double]
  /// The temperatures in degrees Celsius, one a time.
  public var celsius: [Double]
  /// One standard uncertainty of the thermometer in degrees Celsius; `nil` where nobody gave one.
  public var uncertainty: Double?
  /// Why there is none, or why some are missing; `nil` where every reading came.
  public var fault: String?

  /// Makes an account of a take's temperature.
  public init(
    times: [Double], celsius: [Double], uncertainty: Double? = nil, fault: String? = nil
  ) {
    precondition(
      times.count == celsius.count, "\(times.count) times of \(celsius.count) temperatures")
    self.times = times
    self.celsius = celsius
    self.uncertainty = uncertainty
    self.fault = fault
  }

  /// The mean; `nil` where there is none.
  public var mean: Double? {
    celsius.isEmpty ? nil : celsius.reduce(0, +) / Double(celsius.count)
  }

  /// The lowest; `nil` where there is none.
  public var lowest: Double? { celsius.min() }

  /// The highest; `nil` where there is none.
  public var highest: Double? { celsius.max() }

  static let form = JSONForm<TakeTemperature>(
    { times, celsius, mean, lowest, highest, uncertainty, fault in
      TakeTemperature(
        times: Array(times.prefix(celsius.count)), celsius: Array(celsius.prefix(times.count)),
        uncertainty: uncertainty, fault: fault)
    },
    ("times", \.times, .list(.number).or([])), ("celsius", \.celsius, .list(.number).or([])),
    ("mean", \.mean, .derived(.number)), ("lowest", \.lowest, .derived(.number)),
    ("highest", \.highest, .derived(.number)),
    ("uncertainty", \.uncertainty, .optional(.size)), ("fault", \.fault, .optional(.string)))
}
