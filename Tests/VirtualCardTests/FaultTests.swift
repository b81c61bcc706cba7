// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import Testing

@Suite(.enabled(if: PluginLibrary.isThere, "\(PluginLibrary.missing)"))
struct FaultTests {
  /// Moves periods until a side fails, and says after how many captured frames and with what.
  private func runUntilFailure(_ duplex: CardDuplex) throws -> (frames: Int, code: Int) {
    try duplex.playback.write(ArraySlice(repeating: Float(0), count: 2 * 256))
    try duplex.playback.start()
    try duplex.capture.start()
    var frames = 0
    do {
      while frames < 96_000 {
        frames += try duplex.capture.read(64, of: Float(0)).count / 2
        try duplex.playback.write(ArraySlice(repeating: Float(0), count: 2 * 64))
      }
    } catch let failure as CardPCM.Failure {
      return (frames, failure.code)
    }
    return (frames, 0)
  }

  @Test func `an xrun of the script breaks both sides in mid-stream`() throws {
    let rig = WireRig(faults: "[{kind: xrun, at: 0.5 s, for: 10 ms}]")
    let duplex = try CardDuplex(CardFolder(rig))
    try duplex.setUp()
    let end = try runUntilFailure(duplex)
    #expect(end.code == Int(-EPIPE))
    // What was captured and not read is lost with the stream: at most a buffer.
    #expect((23_744...24_000).contains(end.frames), "after \(end.frames) frames")
    for pcm in [duplex.playback, duplex.capture] {
      snd_pcm_avail(pcm.handle)
      #expect(pcm.state == SND_PCM_STATE_XRUN)
    }
  }

  @Test func `after an xrun both sides go on in step, later by what the xrun lasted`() throws {
    let rig = WireRig(faults: "[{kind: xrun, at: 0.5 s, for: 10 ms}]")
    let duplex = try CardDuplex(CardFolder(rig))
    try duplex.setUp()
    _ = try runUntilFailure(duplex)
    try duplex.playback.prepare()
    try duplex.capture.prepare()
    var drive = [Float](repeating: 0, count: 2 * 1024)
    drive[2 * 20 + 1] = 0.5
    let response = try duplex.run(drive, zero: 0).reference
    #expect(abs(response[500] - 0.5) < 1e-6)
    // 0.5 s and 10 ms.
    #expect(duplex.playback.dumped("start frame") == 24_480)
    #expect(duplex.capture.dumped("start frame") == 24_480)
  }

  @Test func `an actuator goes on ringing through an xrun`() throws {
    let rig = WireRig(driveDelay: 0, captureDelay: 0, faults: "[{kind: xrun, at: 20 ms}]")
    let duplex = try CardDuplex(CardFolder(rig))
    try duplex.setUp()
    let push = (0..<256).flatMap { _ in [Float(0.5), Float(0)] }
    try duplex.playback.write(push[...])
    try duplex.playback.start()
    try duplex.capture.start()
    #expect(throws: CardPCM.Failure.self) {
      while true {
        _ = try duplex.capture.read(64, of: Float(0))
        try duplex.playback.write(push[..<128])
      }
    }
    try duplex.playback.prepare()
    try duplex.capture.prepare()
    let response = try duplex.run([Float](repeating: 0, count: 2 * 512), zero: 0)
    let motion = stride(from: 0, to: 2 * 200, by: 2).map { response[$0] - 0.017 }
    let strongest = motion.map(abs).max() ?? 0
    // The noise of one at rest is below 1e-4.
    #expect(strongest > 5e-4)
  }

  @Test func `fifty xruns of the script are fifty broken streams and no more`() throws {
    let script = (1...50).map { "{kind: xrun, at: \($0 * 60) ms}" }
    let rig = WireRig(faults: "[\(script.joined(separator: ", "))]")
    let duplex = try CardDuplex(CardFolder(rig))
    try duplex.setUp()
    var breaks = 0
    while try runUntilFailure(duplex).code == Int(-EPIPE) {
      breaks += 1
      for pcm in [duplex.playback, duplex.capture] {
        #expect(snd_pcm_recover(pcm.handle, -EPIPE, 1) == 0)
      }
    }
    #expect(breaks == 50)
  }

  @Test func `an unplugged card is gone for both sides`() throws {
    let duplex = try CardDuplex(CardFolder(WireRig(faults: "[{kind: unplug, at: 0.25 s}]")))
    try duplex.setUp()
    #expect(try runUntilFailure(duplex).code == Int(-ENODEV))
    for pcm in [duplex.playback, duplex.capture] {
      snd_pcm_avail(pcm.handle)
      #expect(pcm.state == SND_PCM_STATE_DISCONNECTED)
      var descriptor = pollfd()
      #expect(snd_pcm_poll_descriptors(pcm.handle, &descriptor, 1) == 1)
      #expect(poll(&descriptor, 1, 1000) == 1)
      var events: UInt16 = 0
      snd_pcm_poll_descriptors_revents(pcm.handle, &descriptor, 1, &events)
      #expect(events == UInt16(POLLERR | POLLNVAL))
      #expect(snd_pcm_prepare(pcm.handle) < 0)
    }
  }

  @Test func `an unplugged card stays gone for the program that lost it`() throws {
    let folder = try CardFolder(WireRig(faults: "[{kind: unplug, at: 0.25 s}]"))
    do {
      let duplex = try CardDuplex(folder)
      try duplex.setUp()
      #expect(try runUntilFailure(duplex).code == Int(-ENODEV))
    }
    let failure = #expect(throws: CardPCM.Failure.self) { try CardDuplex(folder) }
    #expect(failure?.code == Int(-ENODEV))
  }

  @Test func `lost packets come from the simulation as zeros`() throws {
    let rig = WireRig(faults: "[{kind: drop, at: 10 ms, for: 5 ms}]")
    let duplex = try CardDuplex(CardFolder(rig))
    try duplex.setUp()
    let response = try duplex.run([Float](repeating: 0, count: 2 * 1024), zero: 0)
    let zeros = (0..<1024).filter { response[2 * $0] == 0 }
    #expect(zeros == Array(480..<720))
  }

  @Test func `a playback that runs dry on the real clock breaks`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_PLAYBACK, CardFolder(), "clock real")
    try pcm.setUp()
    try pcm.write(ArraySlice(repeating: Float(0), count: 2 * 256))
    try pcm.start()
    while snd_pcm_wait(pcm.handle, 1000) > 0, snd_pcm_avail(pcm.handle) >= 0 {}
    #expect(pcm.state == SND_PCM_STATE_XRUN)
    try pcm.prepare()
    #expect(snd_pcm_avail(pcm.handle) == 256)
  }

  @Test func `a playback that shall not stop plays silence on the real clock`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_PLAYBACK, CardFolder(), "clock real")
    try pcm.setUp(stopThreshold: .max)
    try pcm.write(ArraySlice(repeating: Float(0), count: 2 * 256))
    try pcm.start()
    var available = 0
    while available < 256 { available = snd_pcm_avail(pcm.handle) }
    #expect(available == 256)
    #expect(pcm.state == SND_PCM_STATE_RUNNING)
  }
}
