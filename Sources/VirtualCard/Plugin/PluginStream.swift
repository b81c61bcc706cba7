// SPDX-License-Identifier: Apache-2.0

import CALSA
import CVirtualCard
import Devices
import Glibc

final class PluginStream {
  let card: Card
  let side: CardDirection
  let reportedDelay: Int
  private(set) var format = SampleFormat.s16

  private let plug: UnsafeMutablePointer<snd_pcm_ioplug_t>
  private let callbacks: UnsafeMutablePointer<snd_pcm_ioplug_callback_t>

  init(_ card: Card, _ side: CardDirection, reportedDelay: Int) {
    self.card = card
    self.side = side
    self.reportedDelay = reportedDelay
    plug = .allocate(capacity: 1)
    plug.initialize(to: snd_pcm_ioplug_t())
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(to: .ofStreams)
  }

  deinit {
    card.close(side)
    plug.deallocate()
    callbacks.deallocate()
  }

  var handle: OpaquePointer? { plug.pointee.pcm }

  static func of(_ plug: UnsafeMutablePointer<snd_pcm_ioplug_t>?) -> PluginStream? {
    plug?.pointee.private_data.map { Unmanaged<PluginStream>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Makes libasound's PCM, which keeps this object until it is closed.
  func create(_ name: UnsafePointer<CChar>?, _ stream: snd_pcm_stream_t, _ mode: Int32) -> Int32 {
    // The three parts of the protocol's version, which the header has as a macro.
    plug.pointee.version =
      UInt32(SND_PCM_IOPLUG_VERSION_MAJOR) << 16 | UInt32(SND_PCM_IOPLUG_VERSION_MINOR) << 8
      | UInt32(SND_PCM_IOPLUG_VERSION_TINY)
    plug.pointee.name = Self.title
    plug.pointee.flags = UInt32(SND_PCM_IOPLUG_FLAG_MONOTONIC)
    plug.pointee.callback = UnsafePointer(callbacks)
    plug.pointee.poll_fd = card.with { $0[side]?.timer.descriptor ?? -1 }
    plug.pointee.poll_events = UInt32(POLLIN)
    plug.pointee.private_data = Unmanaged.passRetained(self).toOpaque()
    let created = snd_pcm_ioplug_create(plug, name, stream, mode)
    guard created >= 0 else {
      Unmanaged.passUnretained(self).release()
      return created
    }
    let constrained = constrain()
    // Closing the PCM lets go of this object.
    if constrained < 0 { snd_pcm_ioplug_delete(plug) }
    return constrained
  }

  /// The name that `snd_pcm_dump` shows; lives as long as the library.
  private static var title: UnsafePointer<CChar>? {
    let title: StaticString = "haprig virtual card"
    return UnsafeRawPointer(title.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  var channels: Int { side == .playback ? card.setup.driveChannels : card.setup.captureChannels }

  var mostFrames: Int {
    StateFile.mostFrames(channels: max(channels, card.setup.driveChannels)) / 2
  }

  private func constrain() -> Int32 {
    let access = [
      SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_MMAP_NONINTERLEAVED,
      SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_RW_NONINTERLEAVED,
    ].map(\.rawValue)
    let formats = SampleFormat.allCases.map { UInt32($0.alsa.rawValue) }
    let (count, rate) = (UInt32(channels), UInt32(card.setup.rate))
    // In bytes, which is all that can be limited: of two a sample at least, of four at most.
    let period = (8 * 2 * count, 8192 * 4 * count)
    let buffer = (2 * period.0, min(64 * period.1, UInt32(mostFrames) * 2 * count))
    let codes = [
      snd_pcm_ioplug_set_param_list(
        plug, Int32(SND_PCM_IOPLUG_HW_ACCESS), UInt32(access.count), access),
      snd_pcm_ioplug_set_param_list(
        plug, Int32(SND_PCM_IOPLUG_HW_FORMAT), UInt32(formats.count), formats),
      range(SND_PCM_IOPLUG_HW_CHANNELS, (count, count)),
      range(SND_PCM_IOPLUG_HW_RATE, (rate, rate)),
      range(SND_PCM_IOPLUG_HW_PERIOD_BYTES, period),
      range(SND_PCM_IOPLUG_HW_BUFFER_BYTES, buffer),
      range(SND_PCM_IOPLUG_HW_PERIODS, (2, 64)),
    ]
    return codes.first { $0 < 0 } ?? 0
  }

  private func range(_ parameter: Int, _ range: (UInt32, UInt32)) -> Int32 {
    snd_pcm_ioplug_set_param_minmax(plug, Int32(parameter), range.0, range.1)
  }

  var moved: Int { Int(truncatingIfNeeded: plug.pointee.appl_ptr) }

  var isDraining: Bool { plug.pointee.state == SND_PCM_STATE_DRAINING }

  func adopt() -> Int32 {
    guard let format = SampleFormat(plug.pointee.format),
      Int(plug.pointee.buffer_size) <= mostFrames
    else { return -EINVAL }
    self.format = format
    return 0
  }

  var bufferFrames: Int { max(1, Int(truncatingIfNeeded: plug.pointee.buffer_size)) }

  var isSetUp: Bool {
    plug.pointee.state != SND_PCM_STATE_OPEN && plug.pointee.buffer_size > 0
  }

  func fail(_ failure: StreamFailure) -> Int32 {
    switch failure {
    case .broken: plug.pointee.state = SND_PCM_STATE_XRUN
    case .unplugged: plug.pointee.state = SND_PCM_STATE_DISCONNECTED
    case .refused, .outOfMemory: break
    }
    return failure.code
  }
}

extension PluginStream {
  /// The positions of the channels: sound has one, an actuator or a wire has none that ALSA knows.
  private var positions: [UInt32] {
    var positions = [UInt32](repeating: UInt32(SND_CHMAP_UNKNOWN.rawValue), count: channels)
    switch side {
    case .playback:
      for (role, channel) in card.setup.rig.drive.channels
      where positions.indices.contains(channel - 1) {
        positions[channel - 1] = Self.position(role)
      }
    case .capture:
      let sound = card.setup.rig.capture.channels.filter { $0.role == .audio }
      let sides = [SND_CHMAP_FL, SND_CHMAP_FR]
      for (index, channel) in sound.enumerated()
      where positions.indices.contains(channel.input - 1) {
        let place = sound.count == 2 ? sides[index] : SND_CHMAP_MONO
        positions[channel.input - 1] = UInt32(place.rawValue)
      }
    }
    return positions
  }

  private static func position(_ role: DriveRole) -> UInt32 {
    switch role {
    case .audio: UInt32(SND_CHMAP_MONO.rawValue)
    case .audioLeft: UInt32(SND_CHMAP_FL.rawValue)
    case .audioRight: UInt32(SND_CHMAP_FR.rawValue)
    case .haptic, .reference: UInt32(SND_CHMAP_UNKNOWN.rawValue)
    }
  }

  /// The one map there is, as libasound frees it.
  func channelMap() -> UnsafeMutablePointer<snd_pcm_chmap_t>? {
    Self.words([UInt32(channels)] + positions)?.assumingMemoryBound(to: snd_pcm_chmap_t.self)
  }

  /// The list of one map, as libasound frees it.
  func channelMaps() -> UnsafeMutablePointer<UnsafeMutablePointer<snd_pcm_chmap_query_t>?>? {
    let size = 2 * MemoryLayout<UnsafeMutableRawPointer?>.stride
    guard let list = malloc(size) else { return nil }
    let maps = list.bindMemory(
      to: UnsafeMutablePointer<snd_pcm_chmap_query_t>?.self, capacity: 2)
    maps[0] = Self.words([UInt32(SND_CHMAP_TYPE_FIXED.rawValue), UInt32(channels)] + positions)?
      .assumingMemoryBound(to: snd_pcm_chmap_query_t.self)
    maps[1] = nil
    return maps
  }

  /// Both kinds of map are words in a row: the type, the count, the positions.
  private static func words(_ words: [UInt32]) -> UnsafeMutableRawPointer? {
    guard let memory = malloc(words.count * 4) else { return nil }
    for (place, word) in words.enumerated() {
      memory.storeBytes(of: word, toByteOffset: 4 * place, as: UInt32.self)
    }
    return memory
  }

  func decode(
    _ areas: UnsafePointer<snd_pcm_channel_area_t>, _ offset: Int, moved: Int, count: Int,
    _ state: inout CardState
  ) throws(StreamFailure) {
    let channels = channels
    try state.store(moved: moved, count: count) { done, room, count in
      for channel in 0..<channels {
        let (place, stride) = Self.place(areas[channel], offset + done)
        guard let place else { continue }
        format.decode(place, stride: stride, into: room + channel, step: channels, count: count)
      }
    }
  }

  /// Moves captured frames to the program.
  ///
  /// The same frames may be asked for again: libasound does so for every look at shared memory.
  func encode(
    _ areas: UnsafePointer<snd_pcm_channel_area_t>, _ offset: Int, moved: Int, count: Int,
    _ state: inout CardState
  ) throws(StreamFailure) {
    guard state.memory?.pointee.isUnplugged == false else { throw .unplugged }
    guard let physics = state.physics else { throw .refused }
    let channels = channels
    let end = min(moved + count, physics.captured)
    guard moved < end else { return }
    physics.forEachStretch(of: moved..<end) { done, samples, count in
      for channel in 0..<channels {
        let (place, stride) = Self.place(areas[channel], offset + done)
        guard let place else { continue }
        format.encode(
          samples + channel, step: channels, into: place, stride: stride, count: count)
      }
    }
  }

  /// Where a channel's sample of a frame lies, and how many bytes on the next one does.
  private static func place(
    _ area: snd_pcm_channel_area_t, _ frame: Int
  ) -> (UnsafeMutableRawPointer?, stride: Int) {
    let bits = Int(area.first) + frame * Int(area.step)
    return (area.addr.map { $0 + bits / 8 }, Int(area.step) / 8)
  }
}
