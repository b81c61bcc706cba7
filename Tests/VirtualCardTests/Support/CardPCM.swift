// SPDX-License-Identifier: Apache-2.0

import CALSA

/// One open PCM, by libasound's calls and nothing else.
final class CardPCM {
  /// What libasound answered where it should not have.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let code: Int

    var description: String { "\(call): \(code) (\(String(cString: snd_strerror(Int32(code)))))" }
  }

  let handle: OpaquePointer
  private let configuration: OpaquePointer
  private let folder: CardFolder

  /// Opens a PCM of a card by a configuration in memory, with more keys.
  init(
    _ stream: snd_pcm_stream_t, _ folder: CardFolder, _ keys: String = "", name: String = "card",
    nonblocking: Bool = false
  ) throws {
    self.folder = folder
    let text = folder.configuration(keys)
    var configuration: OpaquePointer?
    try Self.check("snd_config_top", snd_config_top(&configuration))
    guard let configuration else { throw Failure(call: "snd_config_top", code: 0) }
    var input: OpaquePointer?
    try Self.check("snd_input_buffer_open", snd_input_buffer_open(&input, text, text.utf8.count))
    defer { snd_input_close(input) }
    try Self.check("snd_config_load", snd_config_load(configuration, input))
    var handle: OpaquePointer?
    let mode = nonblocking ? SND_PCM_NONBLOCK : 0
    let code = snd_pcm_open_lconf(&handle, name, stream, Int32(mode), configuration)
    guard code >= 0, let handle else {
      snd_config_delete(configuration)
      throw Failure(call: "snd_pcm_open_lconf", code: Int(code))
    }
    self.handle = handle
    self.configuration = configuration
  }

  deinit {
    snd_pcm_close(handle)
    snd_config_delete(configuration)
  }

  /// Negotiates a format, and starts by command only.
  func setUp(
    format: snd_pcm_format_t = SND_PCM_FORMAT_FLOAT_LE, period: Int = 64, periods: UInt32 = 4,
    access: snd_pcm_access_t = SND_PCM_ACCESS_RW_INTERLEAVED, channels: UInt32 = 2,
    rate: UInt32 = 48_000, stopThreshold: UInt? = nil, wakeFrames: Int? = nil
  ) throws {
    var hardware: OpaquePointer?
    snd_pcm_hw_params_malloc(&hardware)
    defer { snd_pcm_hw_params_free(hardware) }
    try check("any", snd_pcm_hw_params_any(handle, hardware))
    try check("access", snd_pcm_hw_params_set_access(handle, hardware, access))
    try check("format", snd_pcm_hw_params_set_format(handle, hardware, format))
    try check("channels", snd_pcm_hw_params_set_channels(handle, hardware, channels))
    try check("rate", snd_pcm_hw_params_set_rate(handle, hardware, rate, 0))
    try check(
      "period", snd_pcm_hw_params_set_period_size(handle, hardware, UInt(period), 0))
    try check("periods", snd_pcm_hw_params_set_periods(handle, hardware, periods, 0))
    try check("hw_params", snd_pcm_hw_params(handle, hardware))
    var software: OpaquePointer?
    snd_pcm_sw_params_malloc(&software)
    defer { snd_pcm_sw_params_free(software) }
    try check("sw_params_current", snd_pcm_sw_params_current(handle, software))
    var boundary: UInt = 0
    snd_pcm_sw_params_get_boundary(software, &boundary)
    try check(
      "start_threshold", snd_pcm_sw_params_set_start_threshold(handle, software, boundary))
    if let stopThreshold {
      try check(
        "stop_threshold",
        snd_pcm_sw_params_set_stop_threshold(handle, software, min(stopThreshold, boundary)))
    }
    try check(
      "avail_min",
      snd_pcm_sw_params_set_avail_min(handle, software, UInt(wakeFrames ?? period)))
    try check("sw_params", snd_pcm_sw_params(handle, software))
  }

  /// Starts the stream.
  func start() throws { try check("start", snd_pcm_start(handle)) }

  /// Makes the stream ready again.
  func prepare() throws { try check("prepare", snd_pcm_prepare(handle)) }

  var state: snd_pcm_state_t { snd_pcm_state(handle) }

  /// The frames that libasound says are on their way.
  func delay() throws -> Int {
    var frames = 0
    try check("delay", snd_pcm_delay(handle, &frames))
    return frames
  }

  /// Writes interleaved samples of any type, all of them.
  func write<Sample>(_ samples: ArraySlice<Sample>, channels: Int = 2) throws {
    try samples.withUnsafeBytes { bytes in
      let size = MemoryLayout<Sample>.stride * channels
      var done = 0
      while done < bytes.count / size {
        let base = bytes.baseAddress.map { $0 + done * size }
        let code = snd_pcm_writei(handle, base, UInt(bytes.count / size - done))
        guard code > 0 else { throw Failure(call: "writei", code: code) }
        done += code
      }
    }
  }

  /// Reads so many interleaved frames.
  func read<Sample>(_ count: Int, of zero: Sample, channels: Int = 2) throws -> [Sample] {
    var samples = [Sample](repeating: zero, count: count * channels)
    try samples.withUnsafeMutableBytes { bytes in
      let size = MemoryLayout<Sample>.stride * channels
      var done = 0
      while done < count {
        let base = bytes.baseAddress.map { $0 + done * size }
        let code = snd_pcm_readi(handle, base, UInt(count - done))
        guard code > 0 else { throw Failure(call: "readi", code: code) }
        done += code
      }
    }
    return samples
  }

  /// What `snd_pcm_dump` prints.
  var dump: String {
    var output: OpaquePointer?
    guard snd_output_buffer_open(&output) >= 0 else { return "" }
    defer { snd_output_close(output) }
    snd_pcm_dump(handle, output)
    var text: UnsafeMutablePointer<CChar>?
    let count = snd_output_buffer_string(output, &text)
    guard let text else { return "" }
    let bytes = UnsafeRawBufferPointer(start: text, count: count)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A number in the dump.
  func dumped(_ name: String) -> Int? {
    dump.split(separator: "\n").first { $0.contains(name) }?
      .split(separator: ":").last.flatMap { Int($0.drop { $0 == " " }) }
  }

  func check(_ call: String, _ code: Int32) throws { try Self.check(call, code) }

  private static func check(_ call: String, _ code: Int32) throws {
    guard code >= 0 else { throw Failure(call: call, code: Int(code)) }
  }
}
