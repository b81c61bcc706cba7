// SPDX-License-Identifier: Apache-2.0

package import Devices
private import Glibc

/// A program that is asked one thing: it is started without a shell, prints an answer, and is ended.
package enum ProgramAnswer {
  /// Gives the first line that a program prints, of 4096 bytes at most, within some seconds.
  ///
  /// Throws a sentence that goes on from the program's name.
  package static func line(
    of arguments: [String], within seconds: Double
  ) throws(ThermometerFault) -> [UInt8] {
    let name = arguments.first ?? ""
    do throws(ChildProcess.Fault) {
      var program = try ChildProcess(arguments, folder: "/", log: ProgramLog { _ in })
      program.endInput()
      do throws(ChildProcess.Fault) {
        try program.converse(sending: [], asking: 0, timeout: seconds) {
          $0.contains(0x0A) || $0.count >= longest
        }
      } catch {
        guard error.isEnd, !program.received.isEmpty else { throw error }
      }
      return Array(program.received.prefix(longest).prefix { $0 != 0x0A })
    } catch {
      switch error {
      case .timedOut: throw ThermometerFault("\(name) did not answer within \(seconds) s")
      case .ended: throw ThermometerFault("\(name) ended and printed nothing")
      case .flooded: throw ThermometerFault("\(name) prints without end")
      case .system(let number):
        throw ThermometerFault("\(name) cannot be started: \(String(cString: strerror(number)))")
      }
    }
  }

  private static let longest = 4096
}
