import AHAP
import Bench
import Calibration
import Devices
import HapticClips
import RigFiles
import RunArchive
import SoundFiles
import Workflows

/// How the program ends when it does not end well: a code and a sentence.
struct ExitStatus: Error {
  static let failed: Int32 = 1
  static let wrongInput: Int32 = 2
  static let deviceFault: Int32 = 3

  let code: Int32
  let message: String?

  init(_ code: Int32, _ message: String? = nil) {
    self.code = code
    self.message = message
  }

  /// Runs a step and gives its error the exit code of its kind.
  static func of<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw status(of: error)
    }
  }

  /// The same of a step that waits.
  static func awaited<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw status(of: error)
    }
  }

  /// The status of an error by its kind.
  static func status(of error: any Error) -> any Error {
    switch error {
    case let error as DeviceError:
      if error.code == .interrupted, let number = error.errno {
        return ExitStatus(128 + number, "haprig: \(error)")
      }
      return ExitStatus(deviceFault, "haprig: \(error)")
    case let error as WorkflowError:
      switch error {
      case .stopped(let number, _): return ExitStatus(128 + number, "haprig: \(error)")
      case .fault: return ExitStatus(deviceFault, "haprig: \(error)")
      case .ended(let fault, _):
        let code = (status(of: fault) as? ExitStatus)?.code ?? deviceFault
        return ExitStatus(code, "haprig: \(error)")
      }
    case let error as CalibrationRefusal:
      return ExitStatus(
        error.code.isOfTheRigFile ? wrongInput : deviceFault,
        "haprig: \(error) (\(error.code.rawValue))")
    case let error as AHAPError: return ExitStatus(wrongInput, "haprig: \(error)")
    case let error as HapticClipError: return ExitStatus(wrongInput, "haprig: \(error)")
    case let error as InputError: return ExitStatus(wrongInput, "haprig: \(error)")
    case let error as RigFileError: return ExitStatus(wrongInput, "haprig: \(error)")
    case let error as ArchiveError: return ExitStatus(wrongInput, "haprig: \(error)")
    case let error as SoundFileError: return ExitStatus(wrongInput, "haprig: \(error)")
    default: return error
    }
  }
}
