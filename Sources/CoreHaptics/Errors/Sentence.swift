import Foundation

/// What to tell of an error of any kind: haprig's own are sentences, Foundation's print their insides.
struct Sentence: CustomStringConvertible {
  let description: String

  /// Finds the words.
  init(of error: any Error) {
    guard let error = error as? CocoaError else {
      description = "\(error)"
      return
    }
    description =
      switch error.code {
      case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file: check the path"
      case .fileReadNoPermission, .fileWriteNoPermission:
        "the system does not permit it: check whose it is"
      default:
        (error.underlying as? POSIXError)?.localizedDescription ?? error.localizedDescription
      }
  }
}
