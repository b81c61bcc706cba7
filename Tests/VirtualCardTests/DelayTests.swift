// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import Testing

@Suite(.enabled(if: PluginLibrary.isThere, "\(PluginLibrary.missing)"))
struct DelayTests {
  @Test(arguments: [8, 16, 64, 256], [2, 4])
  func `a click comes back after exactly the delay of the rig file`(
    period: Int, periods: Int
  ) throws {
    // 10 ms at 48 kHz: 480 frames.
    let duplex = try CardDuplex(CardFolder(), period: period, periods: periods)
    try duplex.setUp()
    var drive = [Float](repeating: 0, count: 2 * 2048)
    drive[2 * 100 + 1] = 0.5
    let response = try duplex.run(drive, zero: 0).reference
    #expect(abs(response[580] - 0.5) < 1e-6)
    let others = response.indices.filter { $0 != 580 && abs(response[$0]) > 1e-6 }
    #expect(others.isEmpty, "frames \(others.prefix(5)) are not silent")
  }

  @Test(arguments: [0.0, 0.5, 7.3, 16.9, 123.456])
  func `a fractional delay is that of the rig file to a thousandth of a frame`(
    frames: Double
  ) throws {
    // Less than the simulation looks ahead, too: then the drive runs on before the capture does.
    let rig = WireRig(driveDelay: frames / 0.048, captureDelay: 0)
    let duplex = try CardDuplex(CardFolder(rig))
    try duplex.setUp()
    let turn = 2 * Double.pi * 1000 / 48_000
    let drive = (0..<4800).flatMap { [Float(0), Float(0.5 * sin(turn * Double($0)))] }
    let response = try duplex.run(drive, zero: 0).reference
    // The phase over 2400 frames, 50 whole cycles, after everything has settled.
    var (real, imaginary) = (0.0, 0.0)
    for frame in 2400..<4800 {
      real += Double(response[frame]) * cos(turn * Double(frame))
      imaginary += Double(response[frame]) * sin(turn * Double(frame))
    }
    let cycle = 48.0
    let delay = -atan2(real, imaginary) / turn
    let error = (delay - frames).remainder(dividingBy: cycle)
    #expect(abs(error) < 1e-3, "\(delay) frames instead of \(frames), modulo \(cycle)")
  }

  @Test func `each start of both sides begins with the same delay`() throws {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    for start in 0..<3 {
      var drive = [Float](repeating: 0, count: 2 * 1024)
      drive[2 * 300 + 1] = 0.5
      let response = try duplex.run(drive, zero: 0).reference
      #expect(abs(response[780] - 0.5) < 1e-6, "start \(start)")
      duplex.drop()
      try duplex.playback.prepare()
      try duplex.capture.prepare()
    }
  }

  @Test func `the order in which the sides are started makes no difference`() throws {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    var drive = [Float](repeating: 0, count: 2 * 256)
    drive[2 * 10 + 1] = 0.5
    try duplex.capture.start()
    // Time stands still: the playback has not been started.
    #expect(snd_pcm_avail(duplex.capture.handle) == 0)
    try duplex.playback.write(drive[...])
    try duplex.playback.start()
    var response: [Float] = []
    while response.count < 2 * 512 {
      response += try duplex.capture.read(64, of: 0)
      try duplex.playback.write(ArraySlice(repeating: Float(0), count: 2 * 64))
    }
    #expect(abs(response.reference[490] - 0.5) < 1e-6)
  }

  @Test func `a slower capture clock gives fewer frames for the same drive`() throws {
    // -1000 ppm: after 48,000 drive frames the capture is 48 frames behind.
    let duplex = try CardDuplex(CardFolder(WireRig(drift: -1000)))
    try duplex.setUp()
    var drive = [Float](repeating: 0, count: 2 * 49_152)
    drive[2 * 47_520 + 1] = 0.5
    let response = try duplex.run(drive, zero: 0).reference
    let peak = try #require(response.indices.max { response[$0] < response[$1] })
    // The click is heard at drive frame 48,000, in capture frame 47,952.
    #expect(peak == 47_952)
  }

  @Test(arguments: [-300, 0, 1000])
  func `a false delay is reported and changes nothing`(extra: Int) throws {
    let duplex = try CardDuplex(CardFolder(), "reported_delay \(extra)")
    try duplex.setUp()
    try duplex.playback.write(ArraySlice(repeating: Float(0), count: 2 * 256))
    #expect(try duplex.playback.delay() == 256 + extra)
    try duplex.playback.prepare()
    var drive = [Float](repeating: 0, count: 2 * 1024)
    drive[2 * 300 + 1] = 0.5
    let response = try duplex.run(drive, zero: 0).reference
    #expect(abs(response[780] - 0.5) < 1e-6)
  }
}
