// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Devices
private import Glibc
import RigDevices
import SoundFiles
import Synchronization
import Units

/// Where the sound comes from that an actuator follows.
package enum FollowInput: Sendable, Equatable {
  /// A PCM by ALSA's name.
  case pcm(String)
  case file(String)
  /// WAV or AU as bytes of standard input.
  case pipe
  /// The audio channel of the rig's own capture.
  case own

  /// As an option names it: `-`, the path of a file that is there, else a PCM; nil for the rig's own.
  package init(_ text: String?) {
    guard let text else {
      self = .own
      return
    }
    var status = stat()
    let isFile = stat(text, &status) == 0
    self = text == "-" ? .pipe : isFile ? .file(text) : .pcm(text)
  }

  /// As people and records read it.
  package var name: String {
    switch self {
    case .pcm(let name): "PCM \(name)"
    case .file(let path): path
    case .pipe: "standard input"
    case .own: "the rig's own capture"
    }
  }

  var pace: SoundPace {
    switch self {
    case .file: .drive
    case .pipe: .hurried
    case .pcm, .own: .arrival
    }
  }
}

/// A source of sound that runs on a thread of its own until it is let go.
final class FollowSource: Sendable {
  let feed: SoundFeed
  private let device: SoundInput?
  private let isStopping = StopSignal()

  /// How much of a sound waits at most, in seconds.
  static let queueSeconds = 1.0

  /// Opens a source; nil for the rig's own capture, which is no thread's.
  init?(
    _ input: FollowInput, rig: RigDescription,
    into samples: consuming sending RealtimeQueue<Float>.Producer
  ) throws {
    let rate = rig.drive.rate
    let stop = isStopping
    switch input {
    case .own: return nil
    case .pcm(let name):
      let device = try SoundInput(
        pcm: name, rate: rate, periodFrames: rig.drive.periodFrames, into: samples)
      self.device = device
      feed = device.feed
      return
    case .file, .pipe:
      device = nil
      let feed = SoundFeed()
      self.feed = feed
      let sink = Guarded(SampleSink(samples, feed: feed, stop: stop))
      try RealtimeThread.detach(name: "haprig-sound", priority: nil) {
        sink.withLock { sink in
          if case .file(let path) = input {
            Self.read(path, at: rate, &sink)
          } else {
            Self.hear(STDIN_FILENO, rate, &sink)
          }
        }
      }
    }
  }

  deinit { stop() }

  func stop() {
    isStopping.request(SIGTERM)
    device?.stop()
  }

  /// Waits until the first samples are there, or it is known that there are none; throws why.
  ///
  /// What cannot be read is told before anything is driven. A request to stop ends the waiting.
  func begin(until request: StopSignal) throws(DeviceError) {
    while feed.delivered.load(ordering: .acquiring) == 0, request.requested == nil {
      switch feed.end {
      case .failed(let error): throw error
      case .over: return
      case nil: usleep(2_000)
      }
    }
  }

  /// The largest file, in bytes of samples: some hours.
  private static let largest = 16 << 30

  private static func read(
    _ path: String, at rate: SampleRate, _ sink: inout SampleSink
  ) {
    do {
      // Of another rate the whole is kept: a converter that does not know the end has a delay of its own.
      var whole: [Float] = []
      let info = try SoundFile.scan(path: path, limit: .init(bytes: largest)) { block, shape in
        let samples = mixed(block, shape.channelCount)
        if shape.rate == rate { sink.take(samples) } else { whole += samples }
      }
      if info.rate != rate {
        let signal = Signal(samples: whole, rate: info.rate, unit: .one)
        sink.take(try Resampler.resample(signal, to: rate).samples)
      }
      sink.feed.finish(.over)
    } catch {
      sink.feed.finish(.failed(DeviceError(.ended, device: "the sound", message: "\(error)")))
    }
  }

  private static func mixed(_ block: Span<Float>, _ channels: Int) -> [Float] {
    (0..<(block.count / channels)).map { frame in
      var sum: Float = 0
      for channel in 0..<channels { sum += block[frame * channels + channel] }
      return sum / Float(channels)
    }
  }

  /// Reads a pipe until it ends or somebody asks to stop.
  private static func hear(_ descriptor: Int32, _ rate: SampleRate, _ sink: inout SampleSink) {
    var stream = SoundStream()
    var buffer = [UInt8](repeating: 0, count: 4096)
    func fail(_ message: String) {
      sink.feed.finish(
        .failed(DeviceError(.garbled, device: "standard input", message: message)))
    }
    while !sink.isStopping {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 100) > 0 else { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      do throws(SoundStream.Failure) {
        let samples = try stream.take(buffer[..<count])
        if let format = stream.format, Double(format.rate) != rate.hertz {
          return fail(
            "the sound has \(format.rate) Hz, and the rig \(rate): convert it on the way, say by "
              + "'sox - -r \(Int(rate.hertz)) -t wav -'")
        }
        sink.take(samples)
      } catch {
        return fail(error.description)
      }
    }
    guard stream.format != nil || sink.isStopping else {
      return fail("the input ended before a sound began")
    }
    sink.feed.finish(.over)
  }
}

/// The end of a queue that waits for room.
private struct SampleSink: ~Copyable {
  let feed: SoundFeed
  private var samples: RealtimeQueue<Float>.Producer
  private let stop: StopSignal

  init(
    _ samples: consuming RealtimeQueue<Float>.Producer, feed: SoundFeed, stop: StopSignal
  ) {
    self.samples = samples
    self.feed = feed
    self.stop = stop
  }

  var isStopping: Bool { stop.requested != nil }

  mutating func take(_ block: [Float]) {
    var done = 0
    while done < block.count, !isStopping {
      let count = samples.write(block.span.extracting(done..<block.count))
      done += count
      feed.delivered.add(count, ordering: .releasing)
      if done < block.count { usleep(5_000) }
    }
  }
}
