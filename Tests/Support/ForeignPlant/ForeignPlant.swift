// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A rig that shares no code with haprig: a program in C behind the command device.
///
/// Its physics, its parameters and what is true of it are described in `Tests/ForeignPlant/plant.c`;
/// `plant --parameters` lists every parameter with its unit. Each call starts the program anew.
public struct ForeignPlant: Sendable {
  /// What went wrong while the program was made or run.
  public struct Failure: Error, CustomStringConvertible {
    /// One sentence.
    public let description: String

    /// Makes a failure from its sentence.
    public init(_ description: String) { self.description = description }
  }

  /// The plants of the catalogue, the names of `Tests/ForeignPlant/parameters.c`.
  public static let catalogue = [
    "coinZ-170", "linX-170", "linX-145", "linX-150hiQ", "lin-230", "slim-240", "vcm-65", "vcm-pad",
    "dual-160/320", "piezo-7G", "erm-200", "erm-150",
  ]

  /// Why the program cannot be made on this machine; `nil` where it can.
  ///
  /// The first use compiles it. A test says
  /// `.disabled(if: ForeignPlant.obstacle != nil, Comment(rawValue: ForeignPlant.obstacle ?? ""))`.
  public static var obstacle: String? {
    guard case .failure(let failure) = ForeignPlantProgram.compiled else { return nil }
    return failure.description
  }

  /// The name in the catalogue.
  public var name: String
  /// Parameters beside the name, `key=value` each; of two with one key the last counts.
  public var parameters: [String]

  /// Makes a plant of the catalogue with some parameters changed.
  public init(_ name: String, _ parameters: String...) {
    self.name = name
    self.parameters = parameters
  }

  /// The same plant with more parameters.
  public func with(_ more: String...) -> ForeignPlant {
    var plant = self
    plant.parameters += more
    return plant
  }

  /// Parameters that take every noise, gravity and the other axes away.
  public static let quiet = [
    "noise=0", "reference-noise=0", "voltage-noise=0", "current-noise=0", "audio-noise=0",
    "gravity=0", "cross-axis=0",
  ]

  /// The program's path.
  public static func program() throws(Failure) -> String { try ForeignPlantProgram.compiled.get() }

  /// The program and its arguments, as a rig file names them.
  public func command() throws(Failure) -> [String] {
    try [Self.program(), "plant=\(name)"] + parameters
  }

  func asked(_ task: String...) throws(Failure) -> Data {
    try Self.output(of: Self.program(), task + ["plant=\(name)"] + parameters)
  }

  /// What a program prints, with a file as its input.
  static func output(
    of program: String, _ arguments: [String], input: FileHandle = .nullDevice
  ) throws(Failure) -> Data {
    let process = Process()
    let (printed, errors) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = printed
    process.standardError = errors
    var data = Data()
    do {
      try process.run()
      data = try printed.fileHandleForReading.readToEnd() ?? Data()
    } catch {
      throw Failure("'\(program)' cannot be run: \(error)")
    }
    let said = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        "'\(program)' ended with \(process.terminationStatus): "
          + String(decoding: said, as: UTF8.self))
    }
    return data
  }
}
