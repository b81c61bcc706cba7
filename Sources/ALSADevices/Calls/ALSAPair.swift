// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices
import Glibc

// The calls of the render thread. `_unsafePerformance` is the word of this file that what stands in it
// neither allocates nor locks for long: the calls below are libasound's own fast path, poll, read,
// clock_gettime and nanosleep. Handles are copied to constants first, as a closure may not borrow.

struct ALSAPair: ~Copyable {
  private let playback: PCM
  private let capture: PCM
  private let playbackStage: ByteBlock
  private let captureStage: ByteBlock
  private let playbackIsMapped: Bool
  private let captureIsMapped: Bool
  private let isLinked: Bool
  private let hasStamps: Bool
  /// The wake-up, the request to stop, then the playback's descriptors, then the capture's.
  private let descriptors: UnsafeMutablePointer<pollfd>
  private let playbackDescriptors: UnsafeMutablePointer<pollfd>
  private let captureDescriptors: UnsafeMutablePointer<pollfd>
  private let playbackCount: Int
  private let captureCount: Int
  private let status: OpaquePointer
  /// Where the stretch that was begun lies in the shared memory.
  private var playbackOffset: snd_pcm_uframes_t = 0
  private var captureOffset: snd_pcm_uframes_t = 0

  /// Takes over two PCMs that are set up; `nil` where there is no memory for a status.
  init?(
    playback: consuming PCM, capture: consuming PCM, wakeUp: Int32, stop: Int32,
    stageBytes: Int, playbackIsMapped: Bool, captureIsMapped: Bool, isLinked: Bool, hasStamps: Bool
  ) {
    var status: OpaquePointer?
    guard snd_pcm_status_malloc(&status) >= 0, let status else { return nil }
    playbackCount = max(0, Int(snd_pcm_poll_descriptors_count(playback.handle)))
    captureCount = max(0, Int(snd_pcm_poll_descriptors_count(capture.handle)))
    let count = 2 + playbackCount + captureCount
    descriptors = .allocate(capacity: count)
    descriptors.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0), count: count)
    descriptors[0] = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
    descriptors[1] = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
    playbackDescriptors = descriptors + 2
    captureDescriptors = playbackDescriptors + playbackCount
    snd_pcm_poll_descriptors(playback.handle, playbackDescriptors, UInt32(playbackCount))
    snd_pcm_poll_descriptors(capture.handle, captureDescriptors, UInt32(captureCount))
    playbackStage = ByteBlock(byteCount: stageBytes)
    captureStage = ByteBlock(byteCount: stageBytes)
    self.status = status
    self.playback = playback
    self.capture = capture
    self.playbackIsMapped = playbackIsMapped
    self.captureIsMapped = captureIsMapped
    self.isLinked = isLinked
    self.hasStamps = hasStamps
  }

  deinit {
    snd_pcm_status_free(status)
    descriptors.deallocate()
  }

  @_noAllocation @_noLocks
  private func handle(_ direction: Direction) -> OpaquePointer {
    direction == .playback ? playback.handle : capture.handle
  }

  @_noAllocation @_noLocks
  mutating func prepare() -> Int32 {
    let (first, second, isLinked) = (playback.handle, capture.handle, isLinked)
    return _unsafePerformance {
      _ = snd_pcm_drop(first)
      if !isLinked { _ = snd_pcm_drop(second) }
      let code = snd_pcm_prepare(first)
      guard code >= 0 else { return code }
      // A link prepares both; where it does not, the other one is asked for itself.
      if isLinked, snd_pcm_state(second) == SND_PCM_STATE_PREPARED { return 0 }
      return snd_pcm_prepare(second)
    }
  }

  @_noAllocation @_noLocks
  mutating func start() -> PCMStart {
    let (first, second) = (playback.handle, capture.handle)
    let before = now()
    if isLinked {
      let code = _unsafePerformance { snd_pcm_start(first) }
      let after = now()
      return PCMStart(
        code: code, captureFrom: before, captureTo: after, playbackFrom: before, playbackTo: after)
    }
    let captureCode = _unsafePerformance { snd_pcm_start(second) }
    let between = now()
    guard captureCode >= 0 else { return PCMStart(code: captureCode) }
    let code = _unsafePerformance { snd_pcm_start(first) }
    return PCMStart(
      code: code, captureFrom: before, captureTo: between, playbackFrom: between,
      playbackTo: now())
  }

  @_noAllocation @_noLocks
  mutating func drop() {
    let (first, second) = (playback.handle, capture.handle)
    _unsafePerformance {
      _ = snd_pcm_drop(first)
      _ = snd_pcm_drop(second)
    }
  }

  @_noAllocation @_noLocks
  mutating func wait(milliseconds: Int32) -> Int32 {
    let (descriptors, count) = (descriptors, 2 + playbackCount + captureCount)
    let news = _unsafePerformance {
      let news = poll(descriptors, nfds_t(count), milliseconds)
      return news < 0 ? -errno : news
    }
    guard news > 0 else { return news }
    if descriptors[0].revents != 0 {
      let file = descriptors[0].fd
      _unsafePerformance {
        var byte: UInt64 = 0
        while Glibc.read(file, &byte, 8) == 8 {}
      }
    }
    // It stays readable: one look is enough, and `poll` passes over what is below zero.
    if descriptors[1].revents != 0 { descriptors[1].fd = -1 }
    let troubles =
      revents(playback.handle, playbackDescriptors, playbackCount)
      | revents(capture.handle, captureDescriptors, captureCount)
    guard troubles & (POLLERR | POLLHUP | POLLNVAL) != 0 else { return news }
    let (first, second) = (state(playback.handle), state(capture.handle))
    if first == .gone || second == .gone { return -ENODEV }
    if first == .suspended || second == .suspended { return -ESTRPIPE }
    if first == .broken || second == .broken { return -EPIPE }
    return news
  }

  /// What `poll` saw, as the PCM means it; corresponds to `snd_pcm_poll_descriptors_revents`.
  @_noAllocation @_noLocks
  private func revents(
    _ handle: OpaquePointer, _ descriptors: UnsafeMutablePointer<pollfd>, _ count: Int
  ) -> Int32 {
    _unsafePerformance {
      var seen: UInt16 = 0
      let code = snd_pcm_poll_descriptors_revents(handle, descriptors, UInt32(count), &seen)
      return code < 0 ? POLLERR : Int32(seen)
    }
  }

  @_noAllocation @_noLocks
  mutating func pause(nanoseconds: Int64) {
    _unsafePerformance {
      var time = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      _ = nanosleep(&time, nil)
    }
  }

  @_noAllocation @_noLocks
  mutating func look(_ direction: Direction) -> PCMLook {
    let (handle, hasStamps) = (handle(direction), hasStamps)
    return _unsafePerformance {
      let available = snd_pcm_avail(handle)
      guard available >= 0, hasStamps else { return PCMLook(available: available) }
      var frames = snd_pcm_uframes_t(0)
      var stamp = timespec()
      guard snd_pcm_htimestamp(handle, &frames, &stamp) >= 0 else {
        return PCMLook(available: available)
      }
      return PCMLook(
        available: Int(bitPattern: frames),
        time: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec))
    }
  }

  /// Corresponds to `snd_pcm_delay`.
  @_noAllocation @_noLocks
  mutating func captureDelay() -> Int {
    let handle = capture.handle
    return _unsafePerformance {
      var delay = snd_pcm_sframes_t(0)
      let code = snd_pcm_delay(handle, &delay)
      return code < 0 ? Int(code) : delay
    }
  }

  @_noAllocation @_noLocks
  mutating func status(_ direction: Direction) -> PCMStatus {
    let (handle, status) = (handle(direction), status)
    let state = state(handle)
    return _unsafePerformance {
      guard snd_pcm_status(handle, status) >= 0 else {
        return PCMStatus(state: state, available: 0, triggerTime: 0)
      }
      var stamp = timespec()
      snd_pcm_status_get_trigger_htstamp(status, &stamp)
      return PCMStatus(
        state: state, available: Int(bitPattern: snd_pcm_status_get_avail(status)),
        triggerTime: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec))
    }
  }

  @_noAllocation @_noLocks
  private func state(_ handle: OpaquePointer) -> PCMState {
    let state = _unsafePerformance { snd_pcm_state(handle).rawValue }
    // The numbers of snd_pcm_state_t, which its constants would bring through a function each.
    switch state {
    case 3, 5: return .running
    case 4: return .broken
    case 7: return .suspended
    case 8: return .gone
    default: return .ready
    }
  }

  @_noAllocation @_noLocks
  mutating func resume(_ direction: Direction) -> Int32 {
    let handle = handle(direction)
    return _unsafePerformance { snd_pcm_resume(handle) }
  }

  @_noAllocation @_noLocks
  mutating func begin(_ direction: Direction, frames: Int) -> PCMArea {
    switch direction {
    case .playback:
      guard playbackIsMapped else { return PCMArea(bytes: playbackStage.bytes, frames: frames) }
      let (area, offset) = Self.map(playback.handle, frames)
      playbackOffset = offset
      return area
    case .capture:
      if captureIsMapped {
        let (area, offset) = Self.map(capture.handle, frames)
        captureOffset = offset
        return area
      }
      let (handle, bytes) = (capture.handle, captureStage.bytes)
      let count = _unsafePerformance {
        snd_pcm_readi(handle, bytes, snd_pcm_uframes_t(frames))
      }
      return PCMArea(bytes: bytes, frames: count)
    }
  }

  /// Corresponds to `snd_pcm_mmap_begin`.
  @_noAllocation @_noLocks
  private static func map(
    _ handle: OpaquePointer, _ frames: Int
  ) -> (area: PCMArea, offset: snd_pcm_uframes_t) {
    _unsafePerformance {
      var place = snd_pcm_uframes_t(0)
      var areas: UnsafePointer<snd_pcm_channel_area_t>?
      var count = snd_pcm_uframes_t(frames)
      let code = snd_pcm_mmap_begin(handle, &areas, &place, &count)
      guard code >= 0 else { return (PCMArea(bytes: nil, frames: Int(code)), 0) }
      // Interleaved: the first channel's area is the frames', its step one of them, in bits.
      guard let area = areas?.pointee, let base = area.addr else {
        return (PCMArea(bytes: nil, frames: -Int(EIO)), 0)
      }
      let bits = Int(area.first) + Int(place) * Int(area.step)
      return (PCMArea(bytes: base + bits / 8, frames: Int(count)), place)
    }
  }

  @_noAllocation @_noLocks
  mutating func commit(_ direction: Direction, frames: Int) -> Int {
    switch direction {
    case .playback:
      let (handle, offset) = (playback.handle, playbackOffset)
      let (bytes, isMapped) = (playbackStage.bytes, playbackIsMapped)
      return _unsafePerformance {
        isMapped
          ? snd_pcm_mmap_commit(handle, offset, snd_pcm_uframes_t(frames))
          : snd_pcm_writei(handle, bytes, snd_pcm_uframes_t(frames))
      }
    case .capture:
      guard captureIsMapped else { return frames }
      let (handle, offset) = (capture.handle, captureOffset)
      return _unsafePerformance {
        snd_pcm_mmap_commit(handle, offset, snd_pcm_uframes_t(frames))
      }
    }
  }

  @_noAllocation @_noLocks
  mutating func rewind(frames: Int) -> Int {
    let handle = playback.handle
    return _unsafePerformance {
      let most = snd_pcm_rewindable(handle)
      guard most > 0 else { return most }
      return snd_pcm_rewind(handle, snd_pcm_uframes_t(most < frames ? most : frames))
    }
  }

  @_noAllocation @_noLocks
  mutating func now() -> Int64 { clock(CLOCK_MONOTONIC_RAW) }

  @_noAllocation @_noLocks
  mutating func threadTime() -> Int64 { clock(CLOCK_THREAD_CPUTIME_ID) }

  @_noAllocation @_noLocks
  private func clock(_ id: clockid_t) -> Int64 {
    _unsafePerformance {
      var time = timespec()
      _ = clock_gettime(id, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  }
}

/// Couples two PCMs that are set up, so that one act starts and stops both.
///
/// Returns false where they cannot be, or where they can and then do not prepare. Corresponds to
/// `snd_pcm_link`.
func link(_ playback: borrowing PCM, _ capture: borrowing PCM) -> Bool {
  LibraryMessages.hear {
    let code = snd_pcm_link(playback.handle, capture.handle)
    guard code >= 0 else { return code }
    let prepared = snd_pcm_prepare(playback.handle)
    if prepared < 0 { _ = snd_pcm_unlink(playback.handle) }
    return prepared
  }.code >= 0
}
