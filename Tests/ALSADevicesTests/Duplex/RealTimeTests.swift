// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Devices
import Synchronization
import Testing
import Units

@testable import ALSADevices

/// The loop over real PCMs of ALSA: its `null`, which needs no card and has no clock.
@Suite(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
struct RealTimeTests {
  @Test(arguments: [ALSADescription.Access.mmap, .rw])
  func `serving cards asks for no memory`(access: ALSADescription.Access) throws {
    let rig = Rigs.null(access: access)
    guard case .alsa(let description) = rig.drive.device else { return }
    let cards = try CardOpening(
      rig, driving: description, capturing: description, SystemFiles())
    let wakeUp = WakePipe()
    let opened = try cards.open(wakeUp: wakeUp, stop: StopSignal())
    let agreed = opened.negotiations
    let driveQueue = DriveQueue(frames: 1 << 16, channels: 1)
    let captureQueue = CaptureQueue(frames: 1 << 12, channels: 1)
    let shared = DuplexShared(
      drive: driveQueue.writer, capture: captureQueue.reader, wakeUp: wakeUp)
    var engine = opened.engine(
      drive: DriveSide(
        shared: shared, queue: driveQueue.reader, format: .s16, width: 1,
        channels: agreed[0].channelCount, blockFrames: 1024, isLockStep: false),
      capture: CaptureSide(
        shared: shared, queue: captureQueue.writer, format: .s16, inputs: [0],
        channels: agreed[1].channelCount, blockFrames: 1024, isLockStep: false))
    shared.isCaptureWanted.store(true, ordering: .releasing)
    #expect(engine.rest() == 0)
    #expect(engine.begin() == 0)
    LibraryMessages.silenceThisThread()
    allocationCounterStart()
    let code = serveCards(&engine)
    let counts = allocationCounterStop()
    // It runs until it finds out that this PCM has no clock: thousands of turns.
    #expect(code == StreamFault.unpaced)
    #expect(engine.drive.written > 90_000)
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
  }
}
