// SPDX-License-Identifier: Apache-2.0

package import JSONText
import Reporting

/// What one look at the machine found, and what to type about it.
package struct Diagnosis: Sendable, Equatable {
  package enum State: String, Sendable {
    /// As it should be.
    case fine
    /// haprig works; something is slower, rougher or missing.
    case attention
    /// What was asked for cannot work.
    case broken
  }

  package let subject: String
  package let state: State
  package let finding: String
  /// A command or a sentence; `nil` where there is nothing to do.
  package let remedy: String?

  package init(_ subject: String, _ state: State, _ finding: String, remedy: String? = nil) {
    self.subject = subject
    self.state = state
    self.finding = finding
    self.remedy = remedy
  }
}

extension Diagnosis: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "subject": subject, "state": state.rawValue, "finding": finding, "remedy": remedy,
    ])
  }
}

/// All that was found, as text for people and as `haprig.doctor/1` for programs.
package struct DoctorReport: Sendable {
  package let program: String
  package let diagnoses: [Diagnosis]

  package init(program: String, _ diagnoses: [Diagnosis]) {
    self.program = program
    self.diagnoses = diagnoses
  }

  package var isBroken: Bool { diagnoses.contains { $0.state == .broken } }

  package var text: String {
    let width = diagnoses.map(\.subject.count).max() ?? 0
    var lines = [program, ""]
    for each in diagnoses {
      let mark =
        switch each.state {
        case .fine: "ok     "
        case .attention: "look   "
        case .broken: "BROKEN "
        }
      lines.append("\(mark) \(each.subject.padded(to: width))  \(each.finding)")
      if let remedy = each.remedy {
        lines.append("        \("".padded(to: width))  -> \(remedy)")
      }
    }
    let counts = [Diagnosis.State.attention, .broken].map { state in
      diagnoses.count { $0.state == state }
    }
    lines += [
      "",
      "\(Count.of(diagnoses.count, "check")): \(counts[0]) to look at, \(counts[1]) broken",
    ]
    return lines.map { $0 + "\n" }.joined()
  }

  package var json: JSONValue {
    .object(of: ["schema": "haprig.doctor/1", "program": program, "diagnoses": diagnoses])
  }
}
