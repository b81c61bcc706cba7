// SPDX-License-Identifier: Apache-2.0

package import Acceptance

/// What a piece of work tells of itself while it goes on: the one list of events, for the terminal and for whoever
/// watches from outside.
///
/// docs/decisions/043-a-run-tells-what-it-does.md has the members of each, docs/FILE-FORMATS.md the lines.
package enum LiveEvent: Sendable, Equatable {
  /// The name and number of the form that events are written in.
  package static let schema = "haprig.live/1"

  case start(Start)
  case work(Work)
  case channels(Channels)
  case take(Take)
  case segment(Segment)
  case progress(Progress)
  case measured(Measured)
  case reading(Reading)
  case again(Again)
  case loss(Loss)
  case notice(NoticeLevel, String)
  /// Something without parts of its own got on: what it is, and the share 0...1 that is done.
  case step(String, share: Double)
  /// What a person is asked to do by hand: answered at the terminal of the work alone.
  case ask(String)
  /// Between two pieces of work.
  case idle
  case end(End)

  /// Who works, and since when.
  package struct Start: Sendable, Equatable {
    package var id: String
    package var program: String
    package var process: Int
    package var host: String
    /// UTC, as records write it.
    package var started: String
    package var command: String
    package var arguments: [String]

    package init(
      id: String, program: String, process: Int, host: String, started: String, command: String,
      arguments: [String]
    ) {
      self.id = id
      self.program = program
      self.process = process
      self.host = host
      self.started = started
      self.command = command
      self.arguments = arguments
    }
  }

  /// What is worked at.
  package struct Work: Sendable, Equatable {
    package var rig: String
    package var plan: String?
    package var title: String
    package var actuators: [String]
    package var patterns: [String]
    /// How many takes it will be; `nil` where nobody knows.
    package var takes: Int?
    /// The folder in which the run will appear, from the root.
    package var archive: String?

    package init(
      rig: String, plan: String? = nil, title: String, actuators: [String] = [],
      patterns: [String] = [], takes: Int? = nil, archive: String? = nil
    ) {
      self.rig = rig
      self.plan = plan
      self.title = title
      self.actuators = actuators
      self.patterns = patterns
      self.takes = takes
      self.archive = archive
    }
  }

  /// The order of the waves: the drive's channels, then the capture's.
  package struct Channels: Sendable, Equatable {
    package var rate: Double
    package var channels: [Channel]

    package init(rate: Double, channels: [Channel]) {
      self.rate = rate
      self.channels = channels
    }
  }

  package struct Channel: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
      case drive
      case response
      case sound
      case reference
      case other
    }

    package enum Side: String, Sendable, CaseIterable {
      case drive
      case capture
    }

    package var name: String
    package var kind: Kind
    package var side: Side
    /// The unit of the samples: `1` for what is a share of the device's full scale.
    package var unit: String
    /// The largest sample that the channel carries, where it is known.
    package var fullScale: Double?
    /// Volts at the actuator for a sample of 1, of a channel that drives one.
    package var volts: Double?
    /// The actuator that the channel drives.
    package var actuator: String?

    package init(
      name: String, kind: Kind, side: Side, unit: String, fullScale: Double? = nil,
      volts: Double? = nil, actuator: String? = nil
    ) {
      self.name = name
      self.kind = kind
      self.side = side
      self.unit = unit
      self.fullScale = fullScale
      self.volts = volts
      self.actuator = actuator
    }
  }

  /// A take begins.
  package struct Take: Sendable, Equatable {
    package var pattern: String
    /// The repeat of the pattern, from 1.
    package var take: Int
    /// The take's place in the work, from 1.
    package var number: Int
    package var total: Int
    /// Where it begins in the waves.
    package var frame: Int
    package var seconds: Double

    package init(
      pattern: String, take: Int, number: Int, total: Int, frame: Int, seconds: Double
    ) {
      self.pattern = pattern
      self.take = take
      self.number = number
      self.total = total
      self.frame = frame
      self.seconds = seconds
    }
  }

  /// A segment of a calibration or a check begins.
  package struct Segment: Sendable, Equatable {
    package var title: String
    /// The drive's peak in volts.
    package var level: Double
    package var number: Int
    package var total: Int
    /// Where it begins in the waves.
    package var frame: Int
    /// Seconds of rig time still to come.
    package var remaining: Double

    package init(
      title: String, level: Double, number: Int, total: Int, frame: Int, remaining: Double
    ) {
      self.title = title
      self.level = level
      self.number = number
      self.total = total
      self.frame = frame
      self.remaining = remaining
    }
  }

  /// The take or segment under way got on.
  package struct Progress: Sendable, Equatable {
    /// Of the take or segment, 0...1.
    package var share: Double
    /// Of the work, 0...1.
    package var overall: Double
    /// Seconds still to come; `nil` where nobody knows yet.
    package var remaining: Double?

    package init(share: Double, overall: Double, remaining: Double? = nil) {
      self.share = share
      self.overall = overall
      self.remaining = remaining
    }
  }

  /// A take was measured, or a segment accepted.
  package struct Measured: Sendable, Equatable {
    package var pattern: String?
    package var take: Int?
    package var segment: String?
    /// Whether a segment was kept from before a stop, and not played again.
    package var isKept: Bool

    package init(
      pattern: String? = nil, take: Int? = nil, segment: String? = nil, isKept: Bool = false
    ) {
      self.pattern = pattern
      self.take = take
      self.segment = segment
      self.isKept = isKept
    }
  }

  /// A segment has to be played again.
  package struct Again: Sendable, Equatable {
    package var segment: String
    package var reason: String

    package init(segment: String, reason: String) {
      self.segment = segment
      self.reason = reason
    }
  }

  /// Frames were lost or clipped.
  package struct Loss: Sendable, Equatable {
    package enum What: String, Sendable, CaseIterable {
      /// The drive ran dry, or the capture ran over.
      case xrun
      /// Frames were lost on the way.
      case dropped
      /// A sensor or its converter was at its end.
      case overload
      /// The drive was asked for more than full scale.
      case clipped
    }

    package enum Device: String, Sendable, CaseIterable {
      case drive
      case capture
    }

    package var what: What
    /// Where it begins in the waves.
    package var frame: Int
    /// How many frames so far: what goes on is told once.
    package var count: Int
    package var device: Device

    package init(what: What, frame: Int, count: Int, device: Device) {
      self.what = what
      self.frame = frame
      self.count = count
      self.device = device
    }
  }

  package enum NoticeLevel: String, Sendable, CaseIterable {
    /// A device, or the program that stands for one, says so.
    case device
    /// Something is not as it should be, and the work goes on.
    case warning
    /// Worth knowing, and nothing that went wrong.
    case note
    /// A step by hand is done.
    case done
    /// A step by hand or a recording is to be repeated.
    case again
    /// A drive is not what its pattern asks for.
    case drive
  }

  /// How the work ended; the last event.
  package struct End: Sendable, Equatable {
    package enum Outcome: String, Sendable, CaseIterable {
      case done
      case failed
      case interrupted
    }

    package var outcome: Outcome
    /// The exit code of the program.
    package var status: Int
    /// What a person is told of it, where anything is.
    package var sentence: String?
    /// The folder of the run, from the root.
    package var folder: String?
    /// Verdicts by what they are on: `run`, `rig`, `timing`, `feel`.
    package var verdicts: [String: String]

    package init(
      outcome: Outcome, status: Int, sentence: String? = nil, folder: String? = nil,
      verdicts: [String: String] = [:]
    ) {
      self.outcome = outcome
      self.status = status
      self.sentence = sentence
      self.folder = folder
      self.verdicts = verdicts
    }

    /// The end of a program that exits with a code, as shells count them.
    package init(
      status: Int32, sentence: String?, folder: String?, verdicts: [String: String]
    ) {
      self.init(
        outcome: status == 0 ? .done : status > 128 ? .interrupted : .failed, status: Int(status),
        sentence: sentence, folder: folder, verdicts: verdicts)
    }
  }
}
