// SPDX-License-Identifier: Apache-2.0

package import Devices
private import Glibc
import VirtualDevices

/// The thermometer of a rig: asked again and again while it works, and never by an audio thread.
package struct Thermometer: Sendable {
  private let description: ThermometerDescription

  /// How long a program may take to answer.
  private static let patience = 2.0
  private static let longestFile = 256

  /// Makes a thermometer; nothing is opened yet.
  package init(_ description: ThermometerDescription) { self.description = description }

  /// Reads the temperature in degrees Celsius.
  ///
  /// Does I/O of up to two seconds.
  package func read() throws(ThermometerFault) -> Double {
    switch description.source {
    case .file(let path): try description.celsius(of: Self.text(of: path))
    case .command(let arguments):
      try description.celsius(of: ProgramAnswer.line(of: arguments, within: Self.patience))
    }
  }

  private static func text(of path: String) throws(ThermometerFault) -> [UInt8] {
    // A pipe or a device is refused below without waiting for it.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw fault(path, errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ThermometerFault("\(path) is no regular file")
    }
    var bytes = [UInt8](repeating: 0, count: longestFile)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw fault(path, errno) }
    return Array(bytes[..<count])
  }

  private static func fault(_ path: String, _ reason: Int32) -> ThermometerFault {
    ThermometerFault("\(path) cannot be read: \(String(cString: strerror(reason)))")
  }
}
