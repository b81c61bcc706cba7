// SPDX-License-Identifier: Apache-2.0

public import CALSA
import CVirtualCard
import Devices
import Glibc

extension snd_pcm_ioplug_callback_t {
  /// The callbacks of a stream: each finds its object and asks it.
  ///
  /// No pause is offered, and no resume: a card that is only simulated never sleeps. A drain is
  /// done by libasound, which polls until the position has come to the end.
  static var ofStreams: Self {
    var callbacks = Self()
    callbacks.start = { plug in PluginStream.of(plug)?.start() ?? -EBADFD }
    callbacks.stop = { plug in PluginStream.of(plug)?.stop() ?? -EBADFD }
    callbacks.pointer = { plug in PluginStream.of(plug)?.pointer() ?? Int(-EBADFD) }
    callbacks.transfer = { plug, areas, offset, frames in
      PluginStream.of(plug)?.transfer(areas, Int(offset), Int(frames)) ?? Int(-EBADFD)
    }
    callbacks.close = { plug in
      if let owner = plug?.pointee.private_data {
        plug?.pointee.private_data = nil
        Unmanaged<PluginStream>.fromOpaque(owner).release()
      }
      return 0
    }
    callbacks.hw_params = { plug, _ in PluginStream.of(plug)?.adopt() ?? -EBADFD }
    callbacks.sw_params = { plug, parameters in
      PluginStream.of(plug)?.configure(parameters) ?? -EBADFD
    }
    callbacks.prepare = { plug in PluginStream.of(plug)?.prepare() ?? -EBADFD }
    callbacks.poll_revents = { plug, _, _, events in
      PluginStream.of(plug)?.pollEvents(events) ?? -EBADFD
    }
    callbacks.delay = { plug, delay in PluginStream.of(plug)?.delay(delay) ?? -EBADFD }
    callbacks.dump = { plug, output in PluginStream.of(plug)?.dump(output) }
    callbacks.query_chmaps = { plug in PluginStream.of(plug)?.channelMaps() }
    callbacks.get_chmap = { plug in PluginStream.of(plug)?.channelMap() }
    return callbacks
  }
}

extension PluginStream {
  func prepare() -> Int32 {
    code { (state) throws(StreamFailure) in
      try state.prepare(side, bufferFrames: bufferFrames)
    }
  }

  func start() -> Int32 {
    code { (state) throws(StreamFailure) in try state.start(side) }
  }

  func stop() -> Int32 {
    card.with { $0.stop(side) }
    return 0
  }

  func configure(_ parameters: OpaquePointer?) -> Int32 {
    var (wake, stop): (snd_pcm_uframes_t, snd_pcm_uframes_t) = (1, 0)
    snd_pcm_sw_params_get_avail_min(parameters, &wake)
    snd_pcm_sw_params_get_stop_threshold(parameters, &stop)
    let buffer = bufferFrames
    card.with {
      $0.configure(
        side, wakeFrames: max(1, Int(clamping: wake)), stopsAtXrun: Int(clamping: stop) <= buffer)
    }
    return 0
  }

  /// The position in the buffer, which libasound takes the stream's position from.
  func pointer() -> Int {
    do throws(StreamFailure) {
      let (moved, isDraining) = (moved, isDraining)
      let position = try card.with { (state) throws(StreamFailure) in
        try state.report(side, moved: moved, isDraining: isDraining)
      }
      return position % bufferFrames
    } catch {
      let code = fail(error)
      // A negative answer would be taken for an xrun: one that is gone stands still instead.
      guard case .unplugged = error else { return Int(code) }
      return card.with { $0[side]?.reported ?? 0 } % bufferFrames
    }
  }

  func delay(_ delay: UnsafeMutablePointer<snd_pcm_sframes_t>?) -> Int32 {
    let (moved, isDraining) = (moved, isDraining)
    return code { (state) throws(StreamFailure) in
      delay?.pointee =
        try state.delay(side, moved: moved, isDraining: isDraining) + reportedDelay
    }
  }

  func pollEvents(_ events: UnsafeMutablePointer<UInt16>?) -> Int32 {
    let (moved, isDraining) = (moved, isDraining)
    let ready = UInt16(side == .playback ? POLLOUT : POLLIN)
    do throws(StreamFailure) {
      let isReady = try card.with { (state) throws(StreamFailure) in
        _ = try state.position(side, moved: moved, isDraining: isDraining)
        return state.look(side)
      }
      events?.pointee = isReady ? ready : 0
    } catch {
      _ = fail(error)
      card.with { $0.wake(side) }
      var failed = UInt16(POLLERR)
      if case .unplugged = error { failed |= UInt16(POLLNVAL) }
      events?.pointee = failed
    }
    return 0
  }

  func transfer(
    _ areas: UnsafePointer<snd_pcm_channel_area_t>?, _ offset: Int, _ frames: Int
  ) -> Int {
    guard let areas else { return Int(-EINVAL) }
    let moved = moved
    let code = code { (state) throws(StreamFailure) in
      switch side {
      case .playback: try decode(areas, offset, moved: moved, count: frames, &state)
      case .capture: try encode(areas, offset, moved: moved, count: frames, &state)
      }
    }
    return code < 0 ? Int(code) : frames
  }

  /// What `snd_pcm_dump` prints: the setup, and where the stream is in card time.
  func dump(_ output: OpaquePointer?) {
    snd_output_puts(output, "haprig virtual card: \(card.setup.rig.name), \(side)\n")
    let (now, start) = card.with { state in
      (state.memory?.pointee.frame ?? 0, state.memory?.pointee[side].startFrame ?? 0)
    }
    snd_output_puts(output, "  clock        : \(card.setup.clock.rawValue)\n")
    snd_output_puts(output, "  card frame   : \(now)\n")
    snd_output_puts(output, "  start frame  : \(start)\n")
    if isSetUp { snd_pcm_dump_setup(handle, output) }
  }

  private func code(
    _ body: (inout CardState) throws(StreamFailure) -> Void
  ) -> Int32 {
    do throws(StreamFailure) {
      try card.with(body)
      return 0
    } catch {
      return fail(error)
    }
  }
}

/// Opens a PCM of type `haprig` for libasound.
///
/// libasound finds the function by its C name in the dynamic library. What is wrong with the
/// configuration or the rig file is handed to libasound's error handler as one sentence.
@c(_snd_pcm_haprig_open)
public func openVirtualCard(
  _ pcm: UnsafeMutablePointer<OpaquePointer?>?, _ name: UnsafePointer<CChar>?,
  _ root: OpaquePointer?, _ node: OpaquePointer?, _ stream: snd_pcm_stream_t, _ mode: Int32
) -> Int32 {
  do throws(CardError) {
    let configuration = try CardConfiguration(node)
    let card = try CardRegistry.card(configuration)
    let side: CardDirection = stream == SND_PCM_STREAM_PLAYBACK ? .playback : .capture
    try card.open(side)
    let plugin = PluginStream(card, side, reportedDelay: configuration.reportedDelay)
    // The PCM owns the stream from here on, and lets go of it in its `close`.
    let code = plugin.create(name, stream, mode)
    guard code >= 0 else { return code }
    pcm?.pointee = plugin.handle
    return 0
  } catch {
    haprig_card_error("virtual card: " + error.message)
    return -error.number
  }
}
