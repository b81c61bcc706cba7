// SPDX-License-Identifier: Apache-2.0

package import Bench
import JSONText
package import RigFiles
package import RunArchive

/// What people ask of a fleet: from its file and its book to what is done, and what is told.
package struct FleetOrders {
  package let fleet: FleetFile
  package let book: FleetBook

  package init(_ fleet: FleetFile) throws(ArchiveError) {
    self.fleet = fleet
    book = try FleetBook(server: fleet.archive.server)
  }

  /// The fleet that a file describes.
  package static func fleet(in file: String) throws -> FleetFile {
    try FleetFile(yaml: RegularFile(path: file).bytes(limit: FleetFile.largest), file: file)
  }

  /// Who asks, as the book is to know it, in letters that ids can carry: by a name that was said, else the user.
  package static func who(_ said: String?) throws(InputError) -> String {
    let name = said ?? Host.user
    let isPlain = name.utf8.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789-_.".utf8.contains(byte))
    }
    guard isPlain, (1...64).contains(name.count) else {
      throw InputError(
        "who asks has a name of 1 to 64 letters, digits, '-', '_' and '.', not '\(name.prefix(80))'"
      )
    }
    return name
  }

  /// What the fleet does now.
  package func status() throws(ArchiveError) -> FleetStatus { FleetStatus(fleet, try book.page()) }

  /// Which rigs are meant.
  package enum Choice: Sendable, Equatable {
    case plan
    case rig(String)
    case model(String)
  }

  /// Makes jobs of a plan, due now; gives their ids.
  ///
  /// `stamp` tells apart what one person orders, such as a moment in UTC.
  package func order(
    _ name: String, on choice: Choice, by who: String, stamp: String
  ) throws -> [String] {
    let names = fleet.plans.map(\.name)
    guard let plan = fleet.plans.first(where: { $0.name == name }) else {
      throw InputError(
        "the fleet has no plan '\(name)'\(Nearest.hint(for: name, in: names)): "
          + "there are \(names.joined(separator: ", "))")
    }
    let task = plan.job.text(indent: nil)
    var made: [String] = []
    for rig in try rigs(choice, of: plan) {
      let id = "\(plan.name)/\(rig)/by-\(who)-\(stamp)"
      let isNew = try book.order(
        id, plan: plan.name, rig: rig, task: task, priority: plan.priority, why: "\(who) asked")
      guard isNew else { throw InputError("\(id): this job was made already") }
      made.append(id)
    }
    return made
  }

  private func rigs(_ choice: Choice, of plan: FleetFile.Plan) throws(InputError) -> [String] {
    switch choice {
    case .plan: return plan.rigs
    case .rig(let name): return [try rig(name).name]
    case .model(let model):
      let found = fleet.rigs.filter { $0.model == model }.map(\.name)
      guard !found.isEmpty else {
        let models = Set(fleet.rigs.compactMap(\.model)).sorted()
        throw InputError(
          "no rig of the fleet has the model '\(model)'\(Nearest.hint(for: model, in: models))")
      }
      return found
    }
  }

  /// Ends jobs; says of each whether it was not over already.
  package func cancel(_ ids: [String], by who: String) throws -> [Bool] {
    let known = Set(try book.jobs(ids).map(\.id))
    if let unknown = ids.first(where: { !known.contains($0) }) {
      throw InputError("the book knows no job '\(unknown.prefix(200))'")
    }
    return try ids.map { try book.cancel($0, by: who) }
  }

  /// Keeps a rig for a person, for a length such as '2 h'; where somebody has it already, gives the sentence that
  /// says who.
  package func reserve(
    _ name: String, by who: String, why: String, for length: String
  ) throws -> String? {
    let rig = try rig(name).name
    let seconds = try Self.seconds(length)
    guard try !book.reserve(rig, by: who, why: why, seconds: seconds) else { return nil }
    let hold = try book.page().holds.first { $0.rig == rig }
    let whose = hold.map { " by \($0.who) (\($0.why))" } ?? ""
    return "the rig \(rig) is reserved\(whose)"
  }

  /// The job that has a rig, reserved or not.
  package func job(on rig: String) throws(ArchiveError) -> FleetBook.Job? {
    try book.page().open.first { $0.rig == rig && $0.state != .waiting }
  }

  /// Gives a reserved rig back before its time.
  package func release(_ name: String) throws {
    guard try book.release(rig(name).name) else { throw InputError("\(name) is not reserved") }
  }

  /// Gives a machine no new jobs; false where that is so already.
  package func drain(_ name: String, by who: String, why: String) throws -> Bool {
    try book.drain(machine(name).name, by: who, why: why)
  }

  /// Gives a machine jobs again.
  package func undrain(_ name: String) throws {
    guard try book.undrain(machine(name).name) else { throw InputError("\(name) is not drained") }
  }

  private static let lengths = 60...(30 * 86_400.0)

  private static func seconds(_ text: String) throws(InputError) -> Double {
    let units = ["s": 1.0, "min": 60, "h": 3600, "d": 86_400]
    let digits = text.prefix { "0123456789.".contains($0) }
    let unit = text.dropFirst(digits.count).trimmingPrefix(while: { $0 == " " })
    guard let number = Double(digits), let factor = units[String(unit)] else {
      throw InputError(
        "a rig is reserved for a number of s, min, h or d, not for '\(text.prefix(40))'")
    }
    guard lengths.contains(number * factor) else {
      throw InputError("a rig is reserved for 1 min to 30 d, not for '\(text.prefix(40))'")
    }
    return number * factor
  }

  package func rig(_ name: String) throws(InputError) -> FleetFile.Rig {
    guard let rig = fleet.rigs.first(where: { $0.name == name }) else {
      let hint = Nearest.hint(for: name, in: fleet.rigs.map(\.name))
      throw InputError("the fleet has no rig '\(name)'\(hint)")
    }
    return rig
  }

  package func machine(_ name: String) throws(InputError) -> FleetFile.Machine {
    guard let machine = fleet.machines.first(where: { $0.name == name }) else {
      let hint = Nearest.hint(for: name, in: fleet.machines.map(\.name))
      throw InputError("the fleet has no machine '\(name)'\(hint)")
    }
    return machine
  }

  /// The worst of exit codes: a fault before a failure, whatever was interrupted or never begun among the faults.
  package static func worst(of codes: [Int]) -> Int {
    let ranks = [0, 1, 75, 2, 3]
    func rank(_ code: Int) -> Int { ranks.firstIndex(of: code) ?? ranks.count }
    return codes.max { rank($0) < rank($1) } ?? 0
  }
}
