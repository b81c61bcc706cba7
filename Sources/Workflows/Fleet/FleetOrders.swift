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
