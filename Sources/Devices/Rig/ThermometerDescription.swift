// SPDX-License-Identifier: Apache-2.0

/// How the temperature of a rig is read while it works.
public struct ThermometerDescription: Sendable, Equatable {
  /// What tells it.
  public enum Source: Sendable, Equatable {
    /// A file that is read anew each time, as the kernel has them below `/sys/class/hwmon`.
    case file(String)
    /// A program that prints it, started without a shell.
    case command([String])
  }

  /// What tells it.
  public var source: Source
  /// Degrees Celsius for each 1 that the source says: 0.001 for the kernel's.
  public var scale: Double
  /// One standard uncertainty in degrees Celsius; `nil` where nobody gave one.
  public var uncertainty: Double?
  /// Seconds from one reading to the next.
  public var interval: Double

  /// Makes a description.
  public init(
    _ source: Source, scale: Double = 1, uncertainty: Double? = nil, interval: Double = 1
  ) {
    self.source = source
    self.scale = scale
    self.uncertainty = uncertainty
    self.interval = interval
  }

  /// What messages call it.
  public var name: String {
    switch source {
    case .file(let path): path
    case .command(let arguments): arguments.first ?? "the program"
    }
  }

  /// Nothing that a bench measures is colder or warmer: a number beyond is a sensor's fault, or the wrong scale.
  public static let plausible = -40.0...150.0

  /// Reads what the source said: a number at the beginning of the text, times the scale.
  public func celsius(of text: [UInt8]) throws(ThermometerFault) -> Double {
    let word = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      .prefix { !([0x20, 0x09, 0x0A, 0x0D] as [UInt8]).contains($0) }
    let digits = Array("0123456789+-.eE".utf8)
    guard !word.isEmpty, word.count <= 40, word.allSatisfy(digits.contains),
      let number = Double(String(decoding: word, as: UTF8.self)), number.isFinite
    else {
      let shown = String(decoding: word.prefix(20), as: UTF8.self).printable
      throw ThermometerFault("\(name) says '\(shown)', which is no number")
    }
    let celsius = number * scale
    guard Self.plausible.contains(celsius) else {
      throw ThermometerFault(
        "\(name) says \(number), which is \(celsius) degC: a sensor's fault, or another 'scale'")
    }
    return celsius
  }
}

/// Why a temperature was not read, in a sentence.
public struct ThermometerFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sentence, without a full stop.
  public let description: String

  /// Makes a fault of its sentence.
  public init(_ description: String) { self.description = description }
}
