// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
import Synchronization
package import Units

/// A PCM that is only listened to: a card's input, or what a player gives through a loopback or a sound server.
///
/// One thread, `haprig-listen`, waits for frames, mixes them to one channel and puts them into a queue. What ends it
/// is told by its feed. It goes on until `stop`, or the end of the last reference.
package final class Listening: Sendable {
  /// How the PCM was set up, read back from it.
  package let negotiation: Negotiation
  package let feed: SoundFeed
  private let isStopping = StopSignal()

  /// Opens a PCM and starts to listen; plugins may convert on the way.
  package init(
    _ name: String, rate: SampleRate, periodFrames: Int,
    into samples: consuming sending RealtimeQueue<Float>.Producer, feed: SoundFeed,
    files: SystemFiles = SystemFiles()
  ) throws(DeviceError) {
    let pcm: PCM
    do throws(OpeningFault) {
      pcm = try PCM(name, .capture)
    } catch {
      let refusal = OpeningRefusal(error, pcm: name, direction: .capture, files: files)
      throw DeviceError(
        refusal.code, device: name, message: refusal.sentence, errno: refusal.number)
    }
    let negotiator = Negotiator(
      description: ALSADescription(pcm: name, access: .rw, isResamplingAllowed: true), rate: rate,
      channels: 1, periodFrames: periodFrames, rig: name)
    let agreed = try negotiator.agree(pcm).negotiation
    negotiation = agreed
    self.feed = feed
    let loop = Guarded(
      ListenLoop(
        CapturePCM(pcm, agreed), name: name, rate: rate, periodFrames: agreed.periodFrames,
        samples: samples))
    let stop = isStopping
    try RealtimeThread.detach(name: "haprig-listen", priority: 72) {
      LibraryMessages.silenceThisThread()
      loop.withLock { $0.run(feed, until: stop) { MonotonicClock.seconds } }
    }
  }

  deinit { stop() }

  /// Asks the thread to end; it does within a tenth of a second.
  package func stop() { isStopping.request(SIGTERM) }
}

/// What the thread that listens does.
struct ListenLoop<Source: HeardPCM & ~Copyable>: ~Copyable {
  private var source: Source
  private let name: String
  private let rate: SampleRate
  private let block: SampleBlock
  private var samples: RealtimeQueue<Float>.Producer
  private var watch: ArrivalWatch
  /// How often it broke without a frame in between.
  private var breaks = 0
  private var heard = 0.0

  /// How long nothing may come, in seconds.
  static var patience: Double { 0.5 }
  private static var mostBreaks: Int { 8 }

  init(
    _ source: consuming Source, name: String, rate: SampleRate, periodFrames: Int,
    samples: consuming RealtimeQueue<Float>.Producer
  ) {
    self.source = source
    self.name = name
    self.rate = rate
    block = SampleBlock(capacity: max(64, 4 * periodFrames))
    self.samples = samples
    watch = ArrivalWatch(rate: rate.hertz)
  }

  /// Listens until the source ends or somebody asks to stop; `now` gives seconds.
  mutating func run(_ feed: SoundFeed, until stop: StopSignal, _ now: () -> Double) {
    heard = now()
    let code = source.begin()
    if code < 0, let end = fault(code) { return feed.finish(.failed(end)) }
    while stop.requested == nil {
      if let end = step(feed, now) { return feed.finish(.failed(end)) }
    }
    feed.finish(.over)
  }

  /// Waits once and passes on what came; gives what ended it.
  mutating func step(_ feed: SoundFeed, _ now: () -> Double) -> DeviceError? {
    let news = source.wait(milliseconds: 100)
    guard news >= 0 else { return fault(news) }
    let count = news == 0 ? 0 : source.read(into: block.samples, frames: block.capacity)
    guard count >= 0 else { return fault(Int32(truncatingIfNeeded: count)) }
    let time = now()
    guard count > 0 else {
      return time - heard > Self.patience
        ? DeviceError(
          .stalled, device: name,
          message: "the input gave no frame for \(Self.patience) s: does anything play into it?")
        : nil
    }
    heard = time
    breaks = 0
    let written = samples.write(UnsafeBufferPointer(start: block.samples, count: count).span)
    feed.delivered.add(written, ordering: .releasing)
    if written < count { feed.dropped.add(count - written, ordering: .relaxed) }
    let held = rate.seconds(Double(count) / 2 + Double(source.delay()))
    feed.held.store(Int(held * 1e9), ordering: .relaxed)
    guard let measured = watch.take(count, at: time) else { return nil }
    return DeviceError(
      .garbled, device: name,
      message:
        "the input gives about \(Int((measured / 100).rounded()) * 100) frames a second, and "
        + "\(rate) were agreed: its rate was changed, or it has no clock")
  }

  /// What an error number means; nil where the source was started again.
  private mutating func fault(_ code: Int32) -> DeviceError? {
    if code == -EINTR || code == -EAGAIN { return nil }
    if code == -EPIPE || code == -ESTRPIPE {
      breaks += 1
      watch.interrupt()
      let again = source.begin()
      if again >= 0, breaks < Self.mostBreaks { return nil }
      guard again == -EIO else {
        return DeviceError(
          .stalled, device: name,
          message:
            "the input broke \(breaks) times in a row without a frame: was the rate of its player "
            + "changed?", errno: -code)
      }
      return end(of: again)
    }
    return end(of: code)
  }

  /// A loopback whose player begins at another rate breaks, each time that it is started again or for good; a
  /// sound server that is stopped takes its inputs with it.
  private func end(of code: Int32) -> DeviceError {
    if code == -EIO {
      return DeviceError(
        .ended, device: name,
        message: "the input ended: was its server stopped, or the rate of its player changed?",
        errno: EIO)
    }
    let isGone = code == -ENODEV || code == -EBADFD
    return DeviceError(
      isGone ? .unplugged : .ended, device: name,
      message: isGone
        ? "the input went away: was its card pulled out?"
        : "the input failed: \(LibraryMessages.sentence(code))", errno: -code)
  }
}
