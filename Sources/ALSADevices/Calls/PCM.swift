// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices
import Glibc

struct PCM: ~Copyable {
  let handle: OpaquePointer
  /// ALSA's name, as it was opened.
  let name: String
  let direction: Direction

  /// Opens a PCM without waiting for it; corresponds to `snd_pcm_open`.
  ///
  /// With a configuration, which stands in the place of the machine's, the name is only the rig file's.
  init(
    _ name: String, _ direction: Direction, configuration: PCMConfiguration? = nil
  ) throws(OpeningFault) {
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    var handle: OpaquePointer?
    let (code, text) = LibraryMessages.hear {
      guard let configuration else { return snd_pcm_open(&handle, name, stream, SND_PCM_NONBLOCK) }
      return openConfigured(&handle, stream, configuration)
    }
    guard code >= 0, let handle else { throw OpeningFault(code: code, text: text) }
    self.handle = handle
    self.name = name
    self.direction = direction
  }

  deinit { snd_pcm_close(handle) }

  /// What kind of PCM it is; corresponds to `snd_pcm_type`.
  var kind: String {
    snd_pcm_type_name(snd_pcm_type(handle)).map { String(cString: $0) } ?? "unknown"
  }

  /// Whether ALSA's own code converts, mixes or shares between the program and the card.
  var isConverting: Bool {
    ["PLUG", "RATE", "ROUTE", "LINEAR", "DMIX", "DSNOOP", "DSHARE", "SOFTVOL"].contains(kind)
  }

  /// Whether a program stands in the card's place: a sound server, or the virtual card.
  ///
  /// Its time stamps say when they were asked for, not when a frame moved.
  var isProgram: Bool { ["IOPLUG", "EXTPLUG"].contains(kind) }

  /// The card's number and the names of card and device; corresponds to `snd_pcm_info`.
  var identity: (card: Int, name: String) {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return (-1, "") }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(handle, info) >= 0 else { return (-1, "") }
    let name = snd_pcm_info_get_name(info).map { String(cString: $0) } ?? ""
    let id = snd_pcm_info_get_id(info).map { String(cString: $0) } ?? ""
    return (Int(snd_pcm_info_get_card(info)), name.isEmpty ? id : name)
  }

  /// ALSA's account of the set-up; corresponds to `snd_pcm_dump`.
  var dump: String {
    var output: OpaquePointer?
    guard snd_output_buffer_open(&output) >= 0, let output else { return "" }
    defer { snd_output_close(output) }
    guard snd_pcm_dump(handle, output) >= 0 else { return "" }
    var text: UnsafeMutablePointer<CChar>?
    let count = snd_output_buffer_string(output, &text)
    guard count > 0, let text else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// The orders of channels that it offers, such as `FL FR`; corresponds to `snd_pcm_query_chmaps`.
  var channelMaps: [String] {
    guard let maps = snd_pcm_query_chmaps(handle) else { return [] }
    defer { snd_pcm_free_chmaps(maps) }
    var names: [String] = []
    var place = 0
    while let map = maps[place] {
      var text = [CChar](repeating: 0, count: 256)
      // The map stands behind its kind, which is one number.
      let positions = UnsafeMutableRawPointer(map)
        .advanced(by: MemoryLayout<snd_pcm_chmap_query_t>.offset(of: \.map) ?? 4)
        .assumingMemoryBound(to: snd_pcm_chmap_t.self)
      if snd_pcm_chmap_print(positions, text.count, &text) > 0 {
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        names.append(String(decoding: bytes, as: UTF8.self))
      }
      place += 1
    }
    return names
  }
}

/// A configuration of ALSA as a file would say it, and the PCM that is meant in it.
struct PCMConfiguration {
  let text: String
  let pcm: String
}

struct OpeningFault: Error {
  /// A negative error number.
  let code: Int32
  let text: String
}

/// Opens a PCM of a configuration of its own: no file is read.
private func openConfigured(
  _ handle: inout OpaquePointer?, _ stream: snd_pcm_stream_t, _ configuration: PCMConfiguration
) -> Int32 {
  let text = configuration.text
  var top: OpaquePointer?
  var code = snd_config_top(&top)
  guard code >= 0, let top else { return code }
  defer { snd_config_delete(top) }
  var input: OpaquePointer?
  code = text.withCString { snd_input_buffer_open(&input, $0, text.utf8.count) }
  guard code >= 0, let input else { return code }
  defer { snd_input_close(input) }
  code = snd_config_load(top, input)
  guard code >= 0 else { return code }
  return snd_pcm_open_lconf(&handle, configuration.pcm, stream, SND_PCM_NONBLOCK, top)
}

/// What libasound says beside its error numbers, kept instead of printed.
enum LibraryMessages {
  /// Runs a call into libasound and returns its number with what the library said about it.
  static func hear(_ call: () -> Int32) -> (code: Int32, text: String) {
    let thread = UInt(pthread_self())
    messages.withLock { $0[thread] = "" }
    let before = snd_lib_error_set_local(hearMessage)
    let code = call()
    _ = snd_lib_error_set_local(before)
    return (code, messages.withLock { $0.removeValue(forKey: thread) } ?? "")
  }

  /// Makes the library say nothing on the calling thread: a loop has no time to listen.
  static func silenceThisThread() { _ = snd_lib_error_set_local(ignoreMessage) }

  /// The library's sentence for an error number; corresponds to `snd_strerror`.
  static func sentence(_ code: Int32) -> String {
    snd_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

// The library calls back on the thread that called it, without a context: one text for each thread.
private let messages = Guarded<[UInt: String]>([:])

private func hearMessage(
  _ file: UnsafePointer<CChar>?, _ line: Int32, _ function: UnsafePointer<CChar>?,
  _ error: Int32, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {
  guard let format, let arguments else { return }
  var text = [CChar](repeating: 0, count: 512)
  vsnprintf(&text, text.count, format, arguments)
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  let sentence = String(decoding: bytes, as: UTF8.self)
  let thread = UInt(pthread_self())
  messages.withLock {
    guard let said = $0[thread] else { return }
    $0[thread] = said.isEmpty ? sentence : "\(said); \(sentence)"
  }
}

private func ignoreMessage(
  _ file: UnsafePointer<CChar>?, _ line: Int32, _ function: UnsafePointer<CChar>?,
  _ error: Int32, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {}
