// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Devices
import LiveRuns
import RigFiles
import Units

/// What a rig file says that no sweep can find: names, voltages, certificates, limits.
///
/// Quantities are texts with units, as rig files write them: the reader of rig files checks them.
package struct RigFacts: Sendable {
  /// One fact: the option that gives it is called by the raw value, and help and questions say its meaning.
  package enum Fact: String, Sendable, CaseIterable {
    case actuator, model, kind, continuous, peak, mass
    case fullScale = "full-scale"
    case sensitivity, uncertainty, bandwidth
    case inputFullScale = "input-full-scale"
    case lineFullScale = "line-full-scale"

    /// What it is, with an example: `The mass that moves with the actuator's case, such as 100 g`.
    package var meaning: String {
      switch self {
      case .actuator:
        "A name for this one actuator, such as the number written on it"
      case .model: "The actuator's type, as its data sheet calls it"
      case .kind: "The actuator's kind: lra, vcm, erm or piezo"
      case .continuous:
        "The RMS voltage that the actuator bears for long, from its data sheet, such as 2.0 Vrms"
      case .peak: "The highest voltage that the actuator bears at all, such as 2.8 V"
      case .mass: "The mass that moves with the actuator's case, such as 100 g"
      case .fullScale:
        "The peak voltage at the actuator for a full-scale drive, measured behind the amplifier, such as 3.6 V"
      case .sensitivity: "The accelerometer's sensitivity, from its certificate, such as 10.2 mV/g"
      case .uncertainty: "The standard uncertainty of the sensitivity, such as 1 %"
      case .bandwidth: "The frequency at which the accelerometer is 3 dB down, such as 10 kHz"
      case .inputFullScale: "The peak voltage at the inputs that reads as full scale, such as 5 V"
      case .lineFullScale: "The same of the inputs for sound and reference, such as 5 V"
      }
    }

    /// Whether a rig file may be without it.
    package var isOptional: Bool { [.mass, .uncertainty, .bandwidth].contains(self) }

    /// What is taken where nobody says anything; `nil` for what somebody has to know.
    fileprivate var usual: String? {
      switch self {
      case .actuator: "actuator-1"
      case .model: "unknown"
      case .kind: "lra"
      default: isOptional ? RigFacts.none : nil
      }
    }

    /// What stands for it while it is not known, so that what is known can be checked: no other fact is wrong beside
    /// it.
    fileprivate var standIn: String {
      switch self {
      case .continuous: "0.001 Vrms"
      case .peak: "1000 V"
      case .sensitivity: "10 mV/g"
      default: "1 V"
      }
    }
  }

  /// What stands for a fact that a rig file can be without, and is.
  private static let none = "none"

  /// The rig's name.
  package var name: String
  /// The sound card that plays, as ALSA names it.
  package var card: String
  /// The one that records, where it is another.
  package var captureCard: String?
  package var rate: String
  /// The direction that a single accelerometer feels.
  package var axis: String
  /// What is proposed to whoever is asked, and taken where nobody is.
  var proposals: [Fact: String] = [:]
  private var known: [Fact: String]

  package init(
    name: String, card: String, captureCard: String?, rate: String, axis: String,
    known: [Fact: String]
  ) {
    self.name = name
    self.card = card
    self.captureCard = captureCard
    self.rate = rate
    self.axis = axis
    self.known = known
  }

  /// The text that a rig file has of it; `nil` for what it is without.
  subscript(fact: Fact) -> String? {
    // One limit that is proposed may not go with the other one that is known.
    let isLimit = [.continuous, .peak].contains(fact)
    let text = known[fact] ?? (isLimit ? nil : proposal(of: fact)) ?? fact.standIn
    return text == Self.none && fact.isOptional ? nil : text
  }

  /// What an empty answer stands for; `nil` where there has to be one.
  private func proposal(of fact: Fact) -> String? {
    // Sound and reference come in as the sensor does, where nobody says otherwise.
    proposals[fact] ?? (fact == .lineFullScale ? known[.inputFullScale] : nil) ?? fact.usual
  }

  /// Makes all facts known: those that nobody gave are asked for, until the answer can be read.
  ///
  /// Where nobody is asked, `silence` says why, proposals are taken, and what is lacking is an error that names the
  /// options. `check` reads the rig file that the facts would make.
  mutating func complete(
    by user: RigOperator, silence: String?, check: (RigFacts) throws -> Void
  ) throws {
    try checkGiven(check)
    var lacking: [Fact] = []
    for fact in Fact.allCases where known[fact] == nil {
      guard silence == nil else {
        known[fact] = proposal(of: fact)
        if known[fact] == nil { lacking.append(fact) }
        continue
      }
      known[fact] = try answer(fact, by: user, check)
    }
    if let silence, !lacking.isEmpty { throw Self.error(silence, lacking) }
    // Proposals, too, may go with a given fact or not.
    try check(self)
  }

  /// Refuses what options say by the option's name; all that is told of a rig file is about this one.
  private func checkGiven(_ check: (RigFacts) throws -> Void) throws {
    var growing = self
    growing.known = [:]
    try check(growing)
    for fact in Fact.allCases {
      guard let text = known[fact] else { continue }
      growing.known[fact] = text
      do {
        try check(growing)
      } catch let error as RigFileError {
        throw InputError("--\(fact.rawValue): \(error.message)")
      }
    }
  }

  private func answer(
    _ fact: Fact, by user: RigOperator, _ check: (RigFacts) throws -> Void
  ) throws -> String {
    let proposal = proposal(of: fact)
    while let answer = user.answer(
      to: fact.meaning + (proposal.map { " [\($0)]" } ?? "") + ":")
    {
      let text = answer.trimmed
      guard let value = text.isEmpty ? proposal : text else {
        user.notice(.warning, "this has to be known: nothing was answered")
        continue
      }
      var trial = self
      trial.known[fact] = value
      do {
        try check(trial)
        return value
      } catch let error as RigFileError {
        user.notice(.warning, error.message)
      }
    }
    try user.check(": nothing was played or written")
    throw Self.error(
      "nobody answers",
      Fact.allCases.filter { known[$0] == nil && self.proposal(of: $0) == nil })
  }

  private static func error(_ reason: String, _ lacking: [Fact]) -> InputError {
    // Sound and reference follow the other inputs.
    let lacking = lacking.filter { $0 != .lineFullScale }
    let facts = lacking.count == 1 ? "this fact is" : "these facts are"
    return InputError(
      reason
        + (lacking.isEmpty
          ? ": give all facts as options"
          : ", and \(facts) lacking: give "
            + lacking.map { "--\($0.rawValue)" }.joined(separator: ", ")))
  }
}

extension RigFacts {
  /// What a rig's own description says, as proposals for another file of the same rig.
  static func proposals(of rig: RigDescription) -> [Fact: String] {
    let actuator = rig.actuators[0]
    let sensor = rig.capture.channel(.acceleration)
    let certificate = sensor?.sensor
    let gravity = MeasurementUnit.millivoltPerGravity.factor
    let lines = rig.capture.channels.filter { $0.role != .acceleration }
    func volts(_ value: Double?) -> String? { value.map { EngineeringFormat.text($0, .volt) } }
    func number(_ value: Double, _ unit: String) -> String {
      "\(EngineeringFormat.significant(value)) \(unit)"
    }
    let all: [(Fact, String?)] = [
      (.actuator, actuator.id), (.model, actuator.model), (.kind, actuator.kind.rawValue),
      (.continuous, EngineeringFormat.text(actuator.limits.continuousVolts, .voltRMS)),
      (.peak, volts(actuator.limits.peakVolts)),
      (.mass, actuator.mass.map { number(1000 * $0, "g") }),
      (.fullScale, volts(rig.drive.fullScaleVolts)),
      (.sensitivity, certificate.map { number($0.sensitivity / gravity, "mV/g") }),
      (.uncertainty, certificate?.relativeUncertainty.map { number(100 * $0, "%") }),
      (.bandwidth, certificate?.bandwidth.map { EngineeringFormat.text($0, .hertz) }),
      (.inputFullScale, volts(sensor?.fullScaleVolts)),
      (.lineFullScale, volts(lines.compactMap(\.fullScaleVolts).max())),
    ]
    return Dictionary(
      uniqueKeysWithValues: all.compactMap { fact, text in text.map { (fact, $0) } })
  }
}

extension String {
  fileprivate var trimmed: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
