// SPDX-License-Identifier: Apache-2.0

import RunArchive

extension WorkLock {
  /// Takes the lock of a piece of work; where another process has it, that is thrown in a sentence that names the holder.
  static func take(
    _ work: String, in folder: String, else sentence: (_ holder: String) -> String
  ) throws -> WorkLock {
    do {
      return try WorkLock(work, in: folder)
    } catch let error as WorkInProgress {
      throw WorkflowError.held(sentence(error.holder))
    }
  }
}
