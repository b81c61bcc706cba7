// SPDX-License-Identifier: Apache-2.0

import Bench

/// What a rig file says that no sweep can find: names, voltages, certificates, limits.
///
/// Quantities are texts with units, as rig files write them: the reader of rig files checks them.
package struct RigFacts: Sendable {
  /// One fact, the option that gives it, and how a person is asked for it.
  package enum Fact: String, Sendable, CaseIterable {
    case actuator, model, kind, continuous, peak
    case fullScale = "full-scale"
    case sensitivity
    case inputFullScale = "input-full-scale"
    case lineFullScale = "line-full-scale"

    /// What is asked where nobody gave it.
    var question: String? {
      switch self {
      case .actuator: "A name for this one actuator, such as the number written on it"
      case .model: "Its type, as its data sheet calls it"
      case .kind: "Its kind: lra, vcm, erm or piezo"
      case .continuous:
        "The RMS voltage that it bears for long, from its data sheet, such as 2.0 Vrms"
      case .peak: "The highest voltage that it bears at all, such as 2.8 V"
      case .fullScale:
        "The peak voltage at the actuator when the card plays full scale, measured behind the amplifier, such as 3.6 V"
      case .sensitivity: "The accelerometer's sensitivity, from its certificate, such as 10.2 mV/g"
      case .inputFullScale:
        "The peak voltage at the card's inputs that reads as full scale, such as 5 V"
      case .lineFullScale: nil
      }
    }

    /// What an empty answer stands for.
    var fallback: String? {
      switch self {
      case .actuator: "actuator-1"
      case .model: "unknown"
      case .kind: "lra"
      case .continuous, .peak, .fullScale, .sensitivity, .inputFullScale, .lineFullScale: nil
      }
    }
  }

  /// The rig's name.
  package var name: String
  /// The sound card that plays, as ALSA names it.
  package var card: String
  /// The one that records, where it is another.
  package var captureCard: String?
  package var rate: String
  /// The direction that a single accelerometer feels.
  package var axis: String
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

  subscript(fact: Fact) -> String {
    // Sound and reference come in as the sensor does, where nobody says otherwise.
    known[fact] ?? (fact == .lineFullScale ? self[.inputFullScale] : fact.fallback ?? "")
  }

  /// Asks for what is not known, unless nobody is there; where nobody answers, the error names the options.
  mutating func ask(_ user: RigOperator, isUnattended: Bool) throws {
    for fact in Fact.allCases where known[fact] == nil {
      guard let question = fact.question else { continue }
      if isUnattended, fact.fallback != nil { continue }
      let fallback = fact.fallback.map { " [\($0)]" } ?? ""
      guard !isUnattended, let answer = user.answer(to: question + fallback + ":") else {
        try user.check(": nothing was played or written")
        throw lacking(because: isUnattended ? "--yes asks nothing" : "nobody answers")
      }
      let text = answer.trimmed
      guard let value = text.isEmpty ? fact.fallback : text else {
        throw lacking(because: "no answer was given")
      }
      known[fact] = value
    }
  }

  private func lacking(because reason: String) -> InputError {
    let missing = Fact.allCases.filter {
      known[$0] == nil && $0.fallback == nil && $0.question != nil
    }
    return InputError(
      "\(reason), and these facts are lacking: give "
        + missing.map { "--\($0.rawValue)" }.joined(separator: ", "))
  }
}

extension String {
  fileprivate var trimmed: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
