// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring

func authoring() throws {
  let file = #"{"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient"}}], "Mine": 7}"#
  var history = EditHistory(Array(file.utf8))

  let text = PatternText(history.bytes, fileName: "tap.ahap")
  let later = Operation.set(entry: 0, EntryChange(.time, .number(0.5)))
  let edits = try text.edits(for: [later])
  _ = try history.take(.edit(label: "Move 1 event", edits.edits))
  print(String(decoding: history.bytes, as: UTF8.self))

  print("undo:", history.undoLabel ?? "nothing")
  _ = try history.take(.undo)
  print(history.isSaved)
}
