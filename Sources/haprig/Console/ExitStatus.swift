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
///
/// Commands throw whatever went wrong; its code is found here and nowhere else.
struct ExitStatus: Error {
  enum Code: Int32 {
    case failed = 1
    case wrongInput
    case deviceFault
  }

  /// What was asked about does not hold, and everything was said of it.
  static let failed = ExitStatus(.failed)

  let code: Int32
  let message: String?

  init(code: Int32, _ sentence: String? = nil) {
    self.code = code
    message = sentence.map { "haprig: \($0)" }
  }

  init(_ code: Code, _ sentence: String? = nil) { self.init(code: code.rawValue, sentence) }

  /// The status of a signal that asked to stop, as shells count it.
  static func stopped(by signal: Int32, _ sentence: String) -> ExitStatus {
    ExitStatus(code: 128 + signal, sentence)
  }

  /// The status of an error by its kind; nil for what the argument parser has words for.
  init?(of error: any Error) {
    switch error {
    case let status as ExitStatus: self = status
    case let error as DeviceError:
      if error.code == .interrupted, let signal = error.errno {
        self = .stopped(by: signal, "\(error)")
      } else {
        self.init(.deviceFault, "\(error)")
      }
    case let error as WorkflowError:
      switch error {
      case .stopped(let signal, _): self = .stopped(by: signal, "\(error)")
      case .fault: self.init(.deviceFault, "\(error)")
      case .ended(let fault, _):
        self.init(code: ExitStatus(of: fault)?.code ?? Code.deviceFault.rawValue, "\(error)")
      }
    case let error as CalibrationRefusal:
      self.init(
        error.code.isOfTheRigFile ? .wrongInput : .deviceFault,
        "\(error) (\(error.code.rawValue))")
    case is AHAPError, is HapticClipError, is InputError, is RigFileError, is ArchiveError,
      is SoundFileError:
      self.init(.wrongInput, "\(error)")
    default: return nil
    }
  }
}
