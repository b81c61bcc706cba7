// SPDX-License-Identifier: Apache-2.0

import Bench
import RigFiles
import RunArchive
import SoundFiles
import Workflows

/// Faults of the work that is asked for, by what a page can do about them.
enum WorkFault {
  static func fault(of error: any Error) -> HTTPFault? {
    switch error {
    case let error as ArchiveError: HTTPFault(422, "archive", error.message)
    case let error as InputError: HTTPFault(422, "input", "\(error)")
    case let error as RigFileError:
      HTTPFault(422, "file", "\(error.file):\(error.line):\(error.column): \(error.message)")
    case let error as SoundFileError: HTTPFault(422, "recording", "\(error)")
    case let error as WorkflowError: HTTPFault(500, "work", "\(error)")
    default: nil
    }
  }
}
