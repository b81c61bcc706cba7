// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import Devices
private import Glibc
import Synchronization

/// A rig's temperature over a run, read by a thread of its own on a clock of its own.
///
/// What cannot be read is a fault that is kept; a run goes on without.
package final class TemperatureLog: Sendable {
  package typealias Reader = @Sendable () throws(ThermometerFault) -> Double

  private struct Course {
    var samples: [(time: Double, celsius: Double)] = []
    var fault: String?
    var hasEnded = false
  }

  private final class Book: Sendable {
    private let course = Mutex(Course())
    private let wake = WakePipe()
    private let read: Reader

    init(_ read: @escaping Reader) { self.read = read }

    func take() {
      // When a slow program answers, it tells of the middle of its time.
      let before = MonotonicClock.seconds
      do throws(ThermometerFault) {
        let celsius = try read()
        let time = 0.5 * (before + MonotonicClock.seconds)
        course.withLock { course in
          // The last reading may overtake one that is on its way.
          let place = course.samples.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
          course.samples.insert((time, celsius), at: place)
        }
      } catch {
        course.withLock { $0.fault = $0.fault ?? error.description }
      }
    }

    /// Waits for the next reading; `false` where there is none to come.
    func wait(_ seconds: Double) -> Bool {
      var waiting = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, Int32(seconds * 1000))
      return !course.withLock(\.hasEnded)
    }

    func end() {
      course.withLock { $0.hasEnded = true }
      wake.signal()
    }

    var kept: (samples: [(time: Double, celsius: Double)], fault: String?) {
      course.withLock { ($0.samples, $0.fault) }
    }
  }

  private let book: Book
  private let thread: RealtimeThread
  private let uncertainty: Double?
  /// How far from a take a reading may lie to be of it, in seconds: the interval, and what two slow programs take.
  private let reach: Double

  /// Reads once before it returns, then every `interval` seconds until `finish`.
  package init(
    every interval: Double, uncertainty: Double?, _ read: @escaping Reader
  ) throws(DeviceError) {
    let book = Book(read)
    book.take()
    self.book = book
    self.uncertainty = uncertainty
    reach = interval + 5
    thread = try RealtimeThread(name: "temperature", priority: nil) {
      while book.wait(interval) { book.take() }
    }
  }

  deinit { book.end() }

  /// Reads once more and ends.
  func finish() {
    book.end()
    book.take()
  }

  /// What was read from shortly before a span of the clock until shortly after it: of a thermometer that told
  /// nothing any more none.
  func during(_ span: ClosedRange<Double>) -> TakeTemperature {
    let (samples, fault) = book.kept
    let first = samples.lastIndex { $0.time <= span.lowerBound } ?? 0
    let last = samples.firstIndex { $0.time >= span.upperBound } ?? samples.count - 1
    let near = (span.lowerBound - reach)...(span.upperBound + reach)
    let own = first <= last ? samples[first...last].filter { near.contains($0.time) } : []
    let round = { (value: Double) in (value * 1000).rounded() / 1000 }
    return TakeTemperature(
      times: own.map { round($0.time - span.lowerBound) }, celsius: own.map { round($0.celsius) },
      uncertainty: uncertainty, fault: fault)
  }
}
