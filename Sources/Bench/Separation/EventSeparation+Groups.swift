import SignalAnalysis
import Units

extension EventSeparation {
  /// A gain less sure than this is joined with a neighbour's, as a share: 1 dB.
  private static let vaguestGain = 0.12
  /// Events that do what is asked differ by less than this in strength, as a share.
  private static let largestScatter = 0.3

  /// Joins each group that is not sure of itself with the one that it is hardest to tell from.
  func join(_ groups: [[Int]], _ result: JointFit.Result) -> [[Int]] {
    let usual = usual(result)
    var pairs: [(Int, Int)] = []
    for (index, part) in result.parts.enumerated() {
      guard let partner = part.partner, part.energy > leastEnergy, isVague(part),
        !differs(part, from: usual), !differs(result.parts[partner], from: usual)
      else { continue }
      pairs.append((index, partner))
    }
    return EventGroups.joined(groups, by: pairs)
  }

  /// Whether an event surely does something else than the others: in a group that would be lost.
  private func differs(_ part: JointFit.Part, from usual: Usual) -> Bool {
    func isOff(_ value: Estimate, _ usual: Double, _ least: Double) -> Bool {
      abs(value.value - usual) > least + 3 * value.uncertainty
    }
    return SeparatedPart.isDropped(part.gain)
      || isOff(part.gain, usual.gain, Self.largestScatter * usual.gain)
      || isOff(part.delay, usual.delay, Self.vaguestDelay * grid.rate)
  }

  private func isVague(_ part: JointFit.Part) -> Bool {
    let gain = part.gain
    if SeparatedPart.isDropped(gain) { return false }
    return gain.uncertainty > Self.vaguestGain * max(gain.value, 0.5)
      || (gain.value > SeparatedPart.dropped
        && part.delay.uncertainty > Self.vaguestDelay * grid.rate)
  }

  /// What most events that are told from the noise do.
  func usual(_ result: JointFit.Result) -> Usual {
    Usual(result.parts.filter { $0.energy > leastEnergy })
  }

  /// What most events of a take do.
  struct Usual {
    let gain: Double
    let delay: Double

    init(_ parts: [JointFit.Part]) {
      gain = parts.isEmpty ? 1 : Statistics.median(parts.map(\.gain.value))
      delay = parts.isEmpty ? 0 : Statistics.median(parts.map(\.delay.value))
    }

    /// What is known of a member of a group by what the group does as a whole.
    ///
    /// What one member does differently shows in the group by its share of the energy; where the group differs from
    /// what is usual it may be this one or another.
    func member(_ found: JointFit.Part, share: Double) -> JointFit.Part {
      guard !SeparatedPart.isDropped(found.gain) else { return found }
      func wide(_ value: Estimate, _ usual: Double) -> Estimate {
        let (own, off) = (value.uncertainty / max(share, 1e-6), value.value - usual)
        return Estimate(value.value, uncertainty: (own * own + off * off).squareRoot())
      }
      var part = found
      part.gain = wide(found.gain, gain)
      part.delay = wide(found.delay, delay)
      return part
    }
  }

  /// An event's share of the energy of its group's drive.
  func energyShare(of event: Int, in group: [Int]) -> Double {
    func energy(_ event: Int) -> Double {
      shares[event]?.samples.reduce(0) { $0 + Double($1) * Double($1) } ?? 0
    }
    return energy(event) / max(group.reduce(0) { $0 + energy($1) }, 1e-300)
  }
}
