// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices
private import Glibc

/// The space of set-ups that a PCM still allows; each choice narrows it.
///
/// Wraps `snd_pcm_hw_params_t` and the calls of its name. A choice returns false where the PCM cannot have it.
struct HardwareParameters: ~Copyable {
  private let parameters: OpaquePointer
  private let handle: OpaquePointer

  /// Everything that a PCM can do; `nil` where it tells nothing.
  init?(_ pcm: borrowing PCM) {
    var parameters: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&parameters) >= 0, let parameters else { return nil }
    guard snd_pcm_hw_params_any(pcm.handle, parameters) >= 0 else {
      snd_pcm_hw_params_free(parameters)
      return nil
    }
    self.parameters = parameters
    handle = pcm.handle
  }

  deinit { snd_pcm_hw_params_free(parameters) }

  func allowResampling(_ isAllowed: Bool) {
    _ = snd_pcm_hw_params_set_rate_resample(handle, parameters, isAllowed ? 1 : 0)
  }

  func chooseAccess(mmap: Bool) -> Bool {
    snd_pcm_hw_params_set_access(handle, parameters, Self.access(mmap: mmap)) >= 0
  }

  func offersAccess(mmap: Bool) -> Bool {
    snd_pcm_hw_params_test_access(handle, parameters, Self.access(mmap: mmap)) >= 0
  }

  func choose(_ format: SampleFormat) -> Bool {
    snd_pcm_hw_params_set_format(handle, parameters, format.code) >= 0
  }

  var formats: [SampleFormat] {
    SampleFormat.allCases.filter {
      snd_pcm_hw_params_test_format(handle, parameters, $0.code) >= 0
    }
  }

  func chooseChannels(atLeast wanted: Int) -> Int? {
    for count in wanted...max(wanted, 64)
    where snd_pcm_hw_params_set_channels(handle, parameters, UInt32(count)) >= 0 {
      return count
    }
    return nil
  }

  var channels: ClosedRange<Int> {
    range(snd_pcm_hw_params_get_channels_min, snd_pcm_hw_params_get_channels_max)
  }

  func choose(rate: Int) -> Bool {
    snd_pcm_hw_params_set_rate(handle, parameters, UInt32(rate), 0) >= 0
  }

  var rates: [Int] {
    [
      8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
      176_400, 192_000,
    ].filter { snd_pcm_hw_params_test_rate(handle, parameters, UInt32($0), 0) >= 0 }
  }

  var rateRange: ClosedRange<Int> {
    range(snd_pcm_hw_params_get_rate_min, snd_pcm_hw_params_get_rate_max)
  }

  func choosePeriod(near wanted: Int) -> Int? {
    var frames = snd_pcm_uframes_t(wanted)
    var direction: Int32 = 0
    let code = snd_pcm_hw_params_set_period_size_near(handle, parameters, &frames, &direction)
    return code >= 0 ? Int(frames) : nil
  }

  var periods: ClosedRange<Int> {
    range(snd_pcm_hw_params_get_period_size_min, snd_pcm_hw_params_get_period_size_max)
  }

  func chooseBuffer(near wanted: Int) -> Int? {
    var frames = snd_pcm_uframes_t(wanted)
    let code = snd_pcm_hw_params_set_buffer_size_near(handle, parameters, &frames)
    return code >= 0 ? Int(frames) : nil
  }

  var buffers: ClosedRange<Int> {
    range(snd_pcm_hw_params_get_buffer_size_min, snd_pcm_hw_params_get_buffer_size_max)
  }

  /// Gives the choices to the card; corresponds to `snd_pcm_hw_params`.
  func install() -> (code: Int32, text: String) {
    LibraryMessages.hear { snd_pcm_hw_params(handle, parameters) }
  }

  var installed: (channels: Int, rate: Double, period: Int, buffer: Int) {
    var (channels, rate) = (UInt32(0), UInt32(0))
    var (period, buffer) = (snd_pcm_uframes_t(0), snd_pcm_uframes_t(0))
    var direction: Int32 = 0
    _ = snd_pcm_hw_params_get_channels(parameters, &channels)
    _ = snd_pcm_hw_params_get_rate(parameters, &rate, &direction)
    _ = snd_pcm_hw_params_get_period_size(parameters, &period, &direction)
    _ = snd_pcm_hw_params_get_buffer_size(parameters, &buffer)
    return (Int(channels), Double(rate), Int(clamping: period), Int(clamping: buffer))
  }

  private static func access(mmap: Bool) -> snd_pcm_access_t {
    mmap ? SND_PCM_ACCESS_MMAP_INTERLEAVED : SND_PCM_ACCESS_RW_INTERLEAVED
  }

  /// The ends of what is still possible, by the two calls that ask for them.
  private func range<Number: FixedWidthInteger>(
    _ least: (OpaquePointer?, UnsafeMutablePointer<Number>?) -> Int32,
    _ most: (OpaquePointer?, UnsafeMutablePointer<Number>?) -> Int32
  ) -> ClosedRange<Int> {
    var (low, high) = (Number.zero, Number.zero)
    _ = least(parameters, &low)
    _ = most(parameters, &high)
    return Int(clamping: low)...max(Int(clamping: low), Int(clamping: high))
  }

  /// The same of calls that also say on which side of a whole number an end lies.
  private func range<Number: FixedWidthInteger>(
    _ least: (OpaquePointer?, UnsafeMutablePointer<Number>?, UnsafeMutablePointer<Int32>?) -> Int32,
    _ most: (OpaquePointer?, UnsafeMutablePointer<Number>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) -> ClosedRange<Int> {
    var side: Int32 = 0
    return withUnsafeMutablePointer(to: &side) { side in
      range({ least($0, $1, side) }, { most($0, $1, side) })
    }
  }
}

extension SampleFormat {
  fileprivate var code: snd_pcm_format_t {
    switch self {
    case .float: SND_PCM_FORMAT_FLOAT_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s24in3: SND_PCM_FORMAT_S24_3LE
    case .s16: SND_PCM_FORMAT_S16_LE
    }
  }
}

/// How a PCM behaves between the calls: when it wakes, starts, stops and stamps.
enum SoftwareParameters {
  /// Sets a PCM to start only when told, to stop when its buffer runs out, and to wake every period.
  ///
  /// Returns whether it stamps by the raw monotonic clock. Corresponds to `snd_pcm_sw_params`.
  static func install(
    _ pcm: borrowing PCM, periodFrames: Int, bufferFrames: Int
  ) -> (code: Int32, text: String, stampsRaw: Bool) {
    var parameters: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&parameters) >= 0, let parameters else {
      return (-ENOMEM, "", false)
    }
    defer { snd_pcm_sw_params_free(parameters) }
    let handle = pcm.handle
    var stampsRaw = false
    let (code, text) = LibraryMessages.hear {
      var code = snd_pcm_sw_params_current(handle, parameters)
      guard code >= 0 else { return code }
      var boundary = snd_pcm_uframes_t(0)
      _ = snd_pcm_sw_params_get_boundary(parameters, &boundary)
      // Above every fill that there can be: nothing starts by itself.
      _ = snd_pcm_sw_params_set_start_threshold(handle, parameters, boundary)
      _ = snd_pcm_sw_params_set_stop_threshold(
        handle, parameters, snd_pcm_uframes_t(bufferFrames))
      _ = snd_pcm_sw_params_set_avail_min(handle, parameters, snd_pcm_uframes_t(periodFrames))
      _ = snd_pcm_sw_params_set_tstamp_mode(handle, parameters, SND_PCM_TSTAMP_ENABLE)
      stampsRaw =
        snd_pcm_sw_params_set_tstamp_type(
          handle, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC_RAW) >= 0
      code = snd_pcm_sw_params(handle, parameters)
      // Some drivers and plug-ins know one clock only: the set-up goes without stamps then.
      if code < 0, stampsRaw {
        stampsRaw = false
        _ = snd_pcm_sw_params_set_tstamp_type(
          handle, parameters, SND_PCM_TSTAMP_TYPE_GETTIMEOFDAY)
        code = snd_pcm_sw_params(handle, parameters)
      }
      return code
    }
    return (code, text, stampsRaw)
  }
}
