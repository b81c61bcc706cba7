// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: PluginLibrary.isThere, "\(PluginLibrary.missing)"))
struct RefusalTests {
  /// Opens a card that must be refused, and gives the error number and what libasound was told.
  private func refusal(
    _ folder: CardFolder, _ keys: String = "",
    _ stream: snd_pcm_stream_t = SND_PCM_STREAM_PLAYBACK
  ) -> (code: Int, text: String) {
    ErrorText.shared.withLock { $0 = "" }
    let former = snd_lib_error_set_local { _, _, _, _, format, arguments in
      guard let format, let arguments else { return }
      var line = [CChar](repeating: 0, count: 4096)
      vsnprintf(&line, line.count, format, arguments)
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      ErrorText.shared.withLock { $0 += text }
    }
    defer { snd_lib_error_set_local(former) }
    do {
      _ = try CardPCM(stream, folder, keys)
      return (0, "")
    } catch {
      return ((error as? CardPCM.Failure)?.code ?? 0, ErrorText.shared.withLock { $0 })
    }
  }

  @Test func `a rig file that is not there is refused by its name`() throws {
    let folder = try CardFolder()
    unlink(folder.rig)
    let (code, text) = refusal(folder)
    #expect(code == Int(-ENOENT))
    #expect(text.contains("cannot open the rig file \(folder.rig)"))
  }

  @Test func `a wrong rig file is refused with its line and column`() throws {
    let text = WireRig().text.replacing("rate: 48 kHz", with: "rate: 48 kV")
    let folder = try CardFolder(text: text)
    let (code, message) = refusal(folder)
    #expect(code == Int(-EINVAL))
    #expect(message.contains("\(folder.rig):4:9: "), "\(message)")
  }

  @Test func `a rig that is not simulated is refused`() throws {
    let text = """
      name: outside
      drive:
        {device: command, rate: 48 kHz, channels: {haptic: 1}, full-scale: 4 V, run: [cat]}
      capture: {channels: {z: {role: acceleration, unit: m/s2}}}
      actuator: {id: a, model: b, limits: {continuous: 2 Vrms, peak: 4 V}}

      """
    let (code, message) = try refusal(CardFolder(text: text))
    #expect(code == Int(-EINVAL))
    #expect(message.contains("'outside' is not simulated"), "\(message)")
  }

  @Test(arguments: [
    ("clock soon", "write virtual or real"), ("speed 2", "has no 'speed'"),
    ("ppm fast", "'ppm' has to be parts per million"), ("ppm 1e9", "'ppm' has to be"),
    ("meet maybe", "'meet' has to be yes or no"), ("state \"../x\"", "a card's name has"),
    ("reported_delay long", "a number of frames"),
  ])
  func `a wrong key is refused in words`(keys: String, words: String) throws {
    let (code, message) = try refusal(CardFolder(), keys)
    #expect(code == Int(-EINVAL))
    #expect(message.contains(words), "\(message)")
  }

  @Test func `a side that is open already is busy, in this process and in another`() throws {
    let folder = try CardFolder()
    let first = try CardPCM(SND_PCM_STREAM_PLAYBACK, folder)
    let (code, message) = refusal(folder)
    #expect(code == Int(-EBUSY))
    #expect(message.contains("open in this program already"), "\(message)")
    withExtendedLifetime(first) {}
    // Free again as soon as it is closed.
  }

  @Test func `a card in use is not opened with another clock`() throws {
    let folder = try CardFolder()
    let first = try CardPCM(SND_PCM_STREAM_PLAYBACK, folder)
    let (code, message) = refusal(folder, "clock real", SND_PCM_STREAM_CAPTURE)
    #expect(code == Int(-EBUSY))
    #expect(message.contains("another rig file or clock"), "\(message)")
    withExtendedLifetime(first) {}
  }
}

/// What libasound's error handler was told; the handler is a C function and catches nothing.
private enum ErrorText {
  static let shared = Mutex("")
}
