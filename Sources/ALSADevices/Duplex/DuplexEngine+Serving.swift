// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import Synchronization

// The loop of the render thread. It is generic over its PCMs, and the compiler proves a generic loop free of
// allocation and locks only where it sees all of it at once: `serveCards` at the end is the proof, for
// the real ones, and the reason why everything that knows the PCMs' type stands in this one file.

extension DuplexEngine where PCMs: ~Copyable {
  /// Serves both sides until it is asked to end or something ends it; the output is at zero then.
  ///
  /// Returns 0 or the number of the fault.
  mutating func serve() -> Int32 {
    tally.thread(from: pcms.threadTime())
    var code: Int32 = 0
    var isAtWork = false
    while code == 0, !shared.isEnding.load(ordering: .acquiring) { code = round(&isAtWork) }
    pcms.drop()
    tally.ended(at: pcms.now(), threadTime: pcms.threadTime())
    return code
  }

  /// Waits for the cards once and serves them; 0, or the number of what ends the stream.
  mutating func round(_ isAtWork: inout Bool) -> Int32 {
    // A card may take long to begin; once frames moved, it is known to be at work.
    let period = setup.periodTime
    let first = 10 * period > StreamLimit.firstWait ? 10 * period : StreamLimit.firstWait
    let news = pcms.wait(milliseconds: Int32((isAtWork ? 3 * period : first) / 1_000_000) + 1)
    let now = pcms.now()
    tally.lastNow = now
    if news > 0 {
      tally.woke(at: now, due: due)
    } else if news == 0 {
      tally.timeouts += 1
    }
    let moved = news < 0 ? recover(news) : turn()
    if moved < 0 { return Int32(moved) }
    if moved > 0 {
      isAtWork = true
    } else if news > 0 {
      // News without anything to do: some cards cry wolf, and a loop at this priority must not spin.
      tally.spurious += 1
      pcms.pause(nanoseconds: period / 4)
    }
    return fault(at: pcms.now())
  }

  /// When the first of the two sides has a period to be moved, by where it stood at the latest look.
  private var due: Int64 {
    let period = setup.periodFrames
    let captured = capture.captured + period - seenCapture.frame
    let played = drive.written + period - setup.bufferFrames - seenPlayback.frame
    let first = seenCapture.time + setup.nanoseconds(captured)
    let second = seenPlayback.time + setup.nanoseconds(played)
    return first < second ? first : second
  }

  /// Moves what can be moved, both ways, and returns how many frames that were.
  ///
  /// A break of the stream is mended on the way; a negative number ends the stream.
  mutating func turn() -> Int {
    if shared.isQuiet, !shared.isHushed.load(ordering: .acquiring) {
      let code = hush()
      if code < 0 { return recover(code) }
      shared.isHushed.store(true, ordering: .releasing)
    }
    let captureLook = pcms.look(.capture)
    guard captureLook.available >= 0 else { return recover(Int32(captureLook.available)) }
    noteCapture(captureLook)
    let captured = take(captureLook.available)
    guard captured >= 0 else { return recover(Int32(captured)) }
    let driveLook = pcms.look(.playback)
    guard driveLook.available >= 0 else { return recover(Int32(driveLook.available)) }
    noteDrive(driveLook)
    if !setup.isLockStep { keepUp() }
    let driven = give(driveLook.available)
    guard driven >= 0 else { return recover(Int32(driven)) }
    if captured + driven > 0 {
      tally.vainStarts = 0
    } else if isGone {
      // A plug-in may stand still without an error when its card goes.
      return -Int(ENODEV)
    }
    if !setup.isLockStep {
      let now = pcms.now()
      if captured > 0 { tally.lastMove.capture = now }
      if driven > 0 { tally.lastMove.playback = now }
    }
    return captured + driven
  }

  /// Moves frames until the devices, which wait for them, want more from the other side.
  mutating func advance() -> Int {
    var total = 0
    while true {
      let isOver =
        shared.isDriveEnded.load(ordering: .acquiring)
        && capture.next >= shared.sent.load(ordering: .acquiring)
      if isOver { return total }
      let breaks = tally.xruns
      let moved = turn()
      // A stream that was mended has moved nothing yet, and may now.
      guard moved >= 0 else { return moved }
      guard moved > 0 || tally.xruns > breaks else { return total }
      total += moved
    }
  }

  /// Lets zeros stand for what the capture lost without a word, where it falls ever farther behind the drive.
  ///
  /// No clock explains that: some plug-in drops frames, and whoever reads would wait for them for ever.
  private mutating func keepUp() {
    let played = seenPlayback.frame - drive.lead
    let behind = played - (seenCapture.frame - capture.origin)
    guard played > 0,
      Double(behind) > StreamLimit.lag * setup.rate + StreamLimit.clocks * Double(played)
    else {
      return
    }
    capture.resume(at: capture.captured + behind)
    seenCapture.frame += behind
    tally.lostCapture()
  }

  private mutating func noteCapture(_ look: PCMLook) {
    let position = capture.captured + look.available
    guard !setup.isLockStep else { return }
    seenCapture = note(.capture, position: position, stamp: look.time)
    let frame = position - capture.origin
    if frame >= 0 {
      shared.captureClock.store(frame: frame, nanoseconds: UInt64(seenCapture.time))
    }
  }

  private mutating func noteDrive(_ look: PCMLook) {
    let inside = setup.bufferFrames - look.available
    let position = drive.written - (inside > 0 ? inside : 0)
    shared.played.store(position - drive.lead, ordering: .releasing)
    guard !setup.isLockStep else { return }
    seenPlayback = note(.playback, position: position, stamp: look.time)
    let frame = position - drive.lead
    if frame >= 0 {
      shared.driveClock.store(frame: frame, nanoseconds: UInt64(seenPlayback.time))
    }
  }

  private mutating func note(
    _ direction: Direction, position: Int, stamp: Int64
  ) -> SeenPosition {
    let now = pcms.now()
    let time = tally.note(direction, position: position, stamp: stamp, now: now)
    // The program's own time is that of the look.
    let doubt = time < now ? StreamLimit.stampDoubt : now - tally.lastNow
    tally.lastNow = now
    return SeenPosition(frame: position, time: time, doubt: doubt)
  }

  private mutating func take(_ available: Int) -> Int {
    capture.passZeros()
    var left = capture.wanted(of: available)
    var total = 0
    while left > 0 {
      let area = pcms.begin(
        .capture, frames: left < capture.blockFrames ? left : capture.blockFrames)
      guard area.frames > 0, let bytes = area.bytes else {
        return Self.ending(area.frames, after: total)
      }
      capture.decode(bytes, frames: area.frames)
      let done = pcms.commit(.capture, frames: area.frames)
      guard done > 0 else { return Self.ending(done, after: total) }
      capture.deliver(done)
      left -= done
      total += done
    }
    return total
  }

  private mutating func give(_ room: Int) -> Int {
    var left = room
    var total = 0
    while left > 0 {
      let ready = drive.fill(room: left)
      guard ready > 0 else { return total }
      let area = pcms.begin(.playback, frames: ready)
      guard area.frames > 0, let bytes = area.bytes else {
        return Self.ending(area.frames, after: total)
      }
      drive.encode(into: bytes, frames: area.frames)
      let done = pcms.commit(.playback, frames: area.frames)
      guard done > 0 else { return Self.ending(done, after: total) }
      drive.took(done)
      left -= done
      total += done
      if setup.isLockStep, shared.isDriveEnded.load(ordering: .acquiring) { return total }
    }
    return total
  }

  /// Fills the card with zeros before a start; how many frames, or a negative error.
  ///
  /// A card that waits needs none: its first frame is the drive's.
  mutating func prefill() -> Int {
    guard !setup.isLockStep else { return 0 }
    var total = 0
    while total < setup.bufferFrames {
      let left = setup.bufferFrames - total
      let area = pcms.begin(.playback, frames: left < drive.blockFrames ? left : drive.blockFrames)
      guard area.frames > 0, let bytes = area.bytes else {
        return Self.ending(area.frames, after: total)
      }
      let count = area.frames * drive.channels * drive.format.byteCount
      for place in 0..<count { bytes.storeBytes(of: 0, toByteOffset: place, as: UInt8.self) }
      let done = pcms.commit(.playback, frames: area.frames)
      guard done > 0 else { return Self.ending(done, after: total) }
      total += done
    }
    return total
  }

  /// Puts zeros in the place of what the card holds and has not played.
  ///
  /// The next quarter of a period, at most half a millisecond, is left: the card may be fetching it,
  /// and where it is faster than the zeros it runs dry, which is silence too. A card that gives
  /// nothing back is stopped and started with zeros.
  private mutating func hush() -> Int32 {
    // In lock-step the card holds a frame or so.
    guard !setup.isLockStep else { return 0 }
    let look = pcms.look(.playback)
    guard look.available >= 0 else { return Int32(look.available) }
    let (quarter, most) = (setup.periodFrames / 4, Int(setup.rate * 0.5e-3))
    let guarded = quarter < most ? quarter : most
    let wanted = setup.bufferFrames - look.available - guarded
    guard wanted > 0 else { return 0 }
    let back = pcms.rewind(frames: wanted)
    if back > 0 { drive.tookBack(back) }
    if back >= wanted - guarded { return 0 }
    return restart()
  }

  /// Mends the stream after an error number, and returns 0, or the number if that cannot be mended.
  private mutating func recover(_ code: Int32) -> Int {
    switch code {
    case -EINTR, -EAGAIN: return 0  // Nothing happened.
    case -ENODEV: return Int(code)  // Gone.
    default: break
    }
    let (playback, captured) = (pcms.status(.playback).state, pcms.status(.capture).state)
    if isGone { return -Int(ENODEV) }
    let isKnown = code == -EPIPE || code == -ESTRPIPE
    guard
      isKnown || playback == .broken || captured == .broken || playback == .suspended
        || captured == .suspended
    else { return Int(code) }
    if playback == .suspended || captured == .suspended || code == -ESTRPIPE {
      tally.suspensions += 1
      // Both sides of one card sleep together; asking the other one does no harm.
      resume(.playback)
      resume(.capture)
    } else {
      tally.xruns += 1
    }
    tally.vainStarts += 1
    guard tally.vainStarts <= StreamLimit.vainStarts else { return Int(StreamFault.breaking) }
    return Int(restart())
  }

  private var isGone: Bool {
    mutating get {
      pcms.status(.playback).state == .gone || pcms.status(.capture).state == .gone
    }
  }

  /// Asks a suspended side to go on: a card that cannot is prepared anew after this.
  private mutating func resume(_ direction: Direction) {
    var tries = 0
    while tries < StreamLimit.resumeTries, pcms.resume(direction) == -EAGAIN {
      pcms.pause(nanoseconds: StreamLimit.resumePause)
      tries += 1
    }
  }

  /// Starts both sides again, with what was lost marked where it belongs.
  ///
  /// Where each side stands at the new start follows from where and when it stopped: by the card's
  /// own stamps where they can be true, else by the line of its clock. In lock-step the card itself
  /// counts what was lost.
  private mutating func restart() -> Int32 {
    let stoppedPlayback = rest(.playback)
    let stoppedCapture = rest(.capture)
    pcms.drop()
    let prepared = pcms.prepare()
    guard prepared >= 0 else { return prepared }
    if setup.isLockStep { return goOn() }
    let silence = prefill()
    guard silence >= 0 else { return Int32(silence) }
    let start = pcms.start()
    guard start.code >= 0 else { return start.code }
    let playbackTime = startTime(.playback, start).time
    let captureTime = startTime(.capture, start).time
    var position =
      stoppedPlayback.frame + later(setup.frames(playbackTime - stoppedPlayback.time), 0)
    var captured =
      stoppedCapture.frame + later(setup.frames(captureTime - stoppedCapture.time), 0)
    if setup.isLinked {
      // One act started both, so one number says where both are: the later one loses nothing twice.
      let ahead = capture.origin - drive.lead
      position = later(position, captured - ahead)
      captured = position + ahead
    }
    drive.resume(from: stoppedPlayback.frame, at: position, silence: silence)
    capture.resume(at: captured)
    tally.broke(at: pcms.now())
    if !setup.isLinked {
      tally.restarted(
        doubt: stoppedPlayback.doubt + start.playbackTo - start.playbackFrom,
        and: stoppedCapture.doubt + start.captureTo - start.captureFrom)
    }
    seenPlayback = SeenPosition(frame: position, time: playbackTime)
    seenCapture = SeenPosition(frame: captured, time: captureTime)
    return 0
  }

  /// Starts both sides again in lock-step, where frame k of one is frame k of the other.
  ///
  /// What the capture's delay has grown by since the take's start was lost after the last frame read.
  private mutating func goOn() -> Int32 {
    let delay = pcms.captureDelay()
    let start = pcms.start()
    guard start.code >= 0 else { return start.code }
    let stopped = capture.captured
    let captured = stopped + later(delay - restingDelay, 0)
    let ahead = capture.origin - drive.lead
    drive.resume(from: stopped - ahead, at: captured - ahead, silence: 0)
    capture.resume(at: captured)
    tally.broke(at: pcms.now())
    return 0
  }

  private mutating func rest(_ direction: Direction) -> SeenPosition {
    let status = pcms.status(direction)
    let now = pcms.now()
    let seen = direction == .playback ? seenPlayback : seenCapture
    let inside = setup.bufferFrames - status.available
    var frame =
      direction == .playback
      ? drive.written - (inside > 0 ? inside : 0)
      : capture.captured + (status.available > 0 ? status.available : 0)
    frame = later(frame, seen.frame)
    if status.state == .running {
      return SeenPosition(frame: frame, time: now, doubt: now - seen.time)
    }
    // A stamp no later than the latest look is that of the start: the card did not say when it stopped.
    let isStamp =
      setup.hasStamps && status.triggerTime > seen.time && status.triggerTime <= now
    if isStamp {
      return SeenPosition(frame: frame, time: status.triggerTime, doubt: StreamLimit.stampDoubt)
    }
    // By its clock's line it came there at this time.
    let time = seen.time + setup.nanoseconds(frame - seen.frame)
    return SeenPosition(frame: frame, time: time < now ? time : now, doubt: seen.doubt)
  }

  /// When a side was started: by its own stamp where that can be true, else by the program's clock.
  mutating func startTime(
    _ direction: Direction, _ start: PCMStart
  ) -> (time: Int64, isStamp: Bool) {
    let (from, to) =
      direction == .playback
      ? (start.playbackFrom, start.playbackTo) : (start.captureFrom, start.captureTo)
    let stamp = setup.hasStamps ? pcms.status(direction).triggerTime : 0
    let isStamp = stamp >= from && stamp <= to
    return (isStamp ? stamp : from + (to - from) / 2, isStamp)
  }

  /// What a transfer comes to that a call with 0 or an error number ended.
  private static func ending(_ result: Int, after total: Int) -> Int {
    result < 0 && result != -Int(EAGAIN) ? result : total
  }

  /// What is wrong with a stream that shows no error: standing still, or running wild.
  private mutating func fault(at now: Int64) -> Int32 {
    let periods = 10 * setup.periodTime
    let patience = periods > StreamLimit.patience ? periods : StreamLimit.patience
    let last = tally.lastMove
    if now - last.playback > patience || now - last.capture > patience {
      return StreamFault.stalled
    }
    let due = Double(now - tally.startTime) * 1e-9 * setup.rate
    let most = 1.5 * due + 2 * setup.rate + 2 * Double(setup.bufferFrames)
    return Double(drive.written) > most ? StreamFault.unpaced : 0
  }
}

@_noAllocation @_noLocks @inline(__always)
private func later(_ first: Int, _ second: Int) -> Int { first > second ? first : second }

// The conformance stands where the loop does, so that the compiler sees through it.
extension ALSAPair: DuplexPCM {}

/// The render thread's loop over real PCMs: proven to allocate nothing and to take no lock.
@_noAllocation @_noLocks
func serveCards(_ engine: inout DuplexEngine<ALSAPair>) -> Int32 { engine.serve() }
