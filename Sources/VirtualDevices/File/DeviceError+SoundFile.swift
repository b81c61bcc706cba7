import Devices
import SoundFiles

extension DeviceError {
  /// The device's error for one of its sound file.
  static func of(_ error: SoundFileError, device: String) -> DeviceError {
    let code: Code =
      switch error.code {
      case .missing: .notFound
      case .notPermitted: .denied
      case .truncated, .damaged, .notSound, .empty: .garbled
      default: .refused
      }
    return DeviceError(code, device: device, message: error.description)
  }
}
