import CALSA
private import Glibc

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
