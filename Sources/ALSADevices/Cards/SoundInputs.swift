// SPDX-License-Identifier: Apache-2.0

import CALSA
private import Glibc

/// A PCM that can be listened to, as ALSA's configuration lists it.
package struct NamedInput: Sendable, Equatable {
  package let name: String
  /// What the configuration says of it, in a line.
  package let description: String

  /// Lists the inputs of servers and loopbacks (`pipewire`, `jack`, `default`) and those of cards, whose formats ALSA
  /// converts.
  package static func list() -> [NamedInput] {
    LibraryMessages.silenceThisThread()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
    defer { snd_device_name_free_hint(hints) }
    var found: [NamedInput] = []
    var next = hints
    while let hint = next.pointee {
      next += 1
      // Nothing is said of what goes both ways.
      guard let name = text("NAME", of: hint), isOffered(name),
        text("IOID", of: hint) ?? "Input" == "Input"
      else { continue }
      let description = (text("DESC", of: hint) ?? "").split(separator: "\n").joined(
        separator: ", ")
      found.append(NamedInput(name: name, description: description))
    }
    return found
  }

  /// Of the many names of a card one is enough.
  private static func isOffered(_ name: String) -> Bool {
    name.hasPrefix("plughw:") || (!name.contains(":") && name != "null")
  }

  private static func text(_ key: String, of hint: UnsafeMutableRawPointer) -> String? {
    guard let text = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
