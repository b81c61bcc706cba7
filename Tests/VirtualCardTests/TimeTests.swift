// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import Testing

@Suite(.enabled(if: PluginLibrary.isThere, "\(PluginLibrary.missing)"))
struct TimeTests {
  /// A minute; without optimization the simulation itself takes about as long as that.
  private var longRun: Int {
    #if DEBUG
    5
    #else
    60
    #endif
  }

  @Test func `a long run at 64 frames has no xrun`() throws {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    let seconds = longRun
    let silence = [Float](repeating: 0, count: 2 * 64)
    try duplex.playback.write([Float](repeating: 0, count: 2 * 256)[...])
    try duplex.playback.start()
    try duplex.capture.start()
    let clock = ContinuousClock()
    let time = try clock.measure {
      for _ in 0..<(seconds * 48_000 / 64) {
        _ = try duplex.capture.read(64, of: Float(0))
        try duplex.playback.write(silence[...])
      }
    }
    #expect(duplex.playback.state == SND_PCM_STATE_RUNNING)
    #expect(duplex.capture.state == SND_PCM_STATE_RUNNING)
    // All were read, and what the drive has been sent by now is at most a buffer more.
    let frame = try #require(duplex.capture.dumped("card frame"))
    #expect((seconds * 48_000...seconds * 48_000 + 512).contains(frame))
    print("virtual card: \(seconds) s of frames in \(time), at 64 frames a period")
  }

  @Test func `a capture that is faster than the card goes on after it broke`() throws {
    var rig = WireRig()
    rig.drift = 10_000
    let pcm = try CardPCM(SND_PCM_STREAM_CAPTURE, CardFolder(rig), "clock real")
    try pcm.setUp()
    try pcm.start()
    var (frames, breaks) = (0, 0)
    func listen(_ wanted: Int) throws {
      let goal = frames + wanted
      let end = ContinuousClock.now + .seconds(120)
      var block = [Float](repeating: 0, count: 2 * 64)
      while frames < goal, ContinuousClock.now < end {
        let count = snd_pcm_readi(pcm.handle, &block, 64)
        if count == -Int(EPIPE) {
          breaks += 1
          try pcm.prepare()
          try pcm.start()
        } else {
          try #require(count >= 0)
          frames += count
        }
      }
    }
    // The clocks are 400 frames apart by then, and the buffer holds 256.
    try listen(40_000)
    let before = breaks
    usleep(30_000)
    try listen(20_000)
    #expect(frames >= 60_000 && breaks > before)
  }

  @Test func `playback alone takes every frame, and drains at once`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_PLAYBACK, CardFolder())
    try pcm.setUp()
    try pcm.write(ArraySlice(repeating: Float(0), count: 2 * 256))
    try pcm.start()
    try pcm.write(ArraySlice(repeating: Float(0), count: 2 * 48_000))
    #expect(snd_pcm_drain(pcm.handle) == 0)
    #expect(pcm.state == SND_PCM_STATE_SETUP)
    #expect(pcm.dumped("card frame") == 48_256)
  }

  @Test func `a short sound plays by its drain alone`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_PLAYBACK, CardFolder())
    try pcm.setUp()
    try pcm.write(ArraySlice(repeating: Float(0), count: 2 * 10))
    #expect(snd_pcm_drain(pcm.handle) == 0)
    #expect(pcm.dumped("card frame") == 10)
  }

  @Test func `capture alone hears silence`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_CAPTURE, CardFolder())
    try pcm.setUp()
    try pcm.start()
    let response = try pcm.read(48_000, of: Float(0))
    #expect(response.reference.allSatisfy { $0 == 0 })
  }

  @Test func `a drain ends although nobody reads the capture, which hears all of it later`() throws
  {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    var drive = [Float](repeating: 0, count: 2 * 256)
    drive[2 * 255 + 1] = 0.5
    try duplex.playback.write(drive[...])
    try duplex.playback.start()
    try duplex.capture.start()
    #expect(snd_pcm_drain(duplex.playback.handle) == 0)
    let response = try duplex.capture.read(1024, of: Float(0)).reference
    #expect(abs(response[255 + 480] - 0.5) < 1e-6)
  }

  @Test func `a drop lets go of what was not played`() throws {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    let drive = (0..<256).flatMap { _ in [Float(0), Float(0.5)] }
    try duplex.playback.write(drive[...])
    try duplex.playback.start()
    #expect(snd_pcm_drop(duplex.playback.handle) == 0)
    try duplex.capture.start()
    let response = try duplex.capture.read(1024, of: Float(0)).reference
    #expect(response.allSatisfy { abs($0) < 1e-6 })
  }

  @Test func `frames that were taken back are played as they were written the second time`() throws
  {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    try duplex.playback.write([Float](repeating: 0.5, count: 2 * 256)[...])
    #expect(snd_pcm_rewind(duplex.playback.handle, 156) == 156)
    try duplex.playback.write([Float](repeating: 0.25, count: 2 * 156)[...])
    try duplex.playback.start()
    try duplex.capture.start()
    #expect(snd_pcm_drain(duplex.playback.handle) == 0)
    let response = try duplex.capture.read(1024, of: Float(0)).reference
    #expect(abs(response[480 + 60] - 0.5) < 1e-3)
    #expect(abs(response[480 + 200] - 0.25) < 1e-3)
  }

  @Test func `a program is woken by poll when frames can be moved, and not before`() throws {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    #expect(snd_pcm_wait(duplex.playback.handle, 0) == 1)
    try duplex.playback.write([Float](repeating: 0, count: 2 * 256)[...])
    // Nothing moves before both are started.
    #expect(snd_pcm_wait(duplex.playback.handle, 2) == 0)
    try duplex.playback.start()
    #expect(snd_pcm_wait(duplex.playback.handle, 2) == 0)
    try duplex.capture.start()
    #expect(snd_pcm_wait(duplex.capture.handle, 1000) == 1)
    #expect(snd_pcm_wait(duplex.playback.handle, 1000) == 1)
  }

  @Test func `a wake-up for the whole buffer comes too`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_CAPTURE, CardFolder())
    try pcm.setUp(wakeFrames: 256)
    try pcm.start()
    #expect(snd_pcm_wait(pcm.handle, 1000) == 1)
    #expect(snd_pcm_avail(pcm.handle) == 256)
  }

  @Test func `the two sides of one card meet by the name of its state`() throws {
    let (one, other) = (try CardFolder(), try CardFolder())
    // Two copies of a rig file are one card under one name.
    let name = "test-\(getpid())-meet"
    let playback = try CardPCM(SND_PCM_STREAM_PLAYBACK, one, "state \"\(name)\"")
    let capture = try CardPCM(SND_PCM_STREAM_CAPTURE, other, "state \"\(name)\"")
    try playback.setUp()
    try capture.setUp()
    try playback.write([Float](repeating: 0.5, count: 2 * 256)[...])
    try playback.start()
    try capture.start()
    #expect(snd_pcm_drain(playback.handle) == 0)
    let response = try capture.read(1024, of: Float(0)).reference
    #expect(abs(response[600] - 0.5) < 1e-3)
  }
}
