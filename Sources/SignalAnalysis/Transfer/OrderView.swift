private import Glibc

/// One order of a sweep's response through its gate, over the frequencies of a band.
struct OrderView: ~Copyable {
  let gate: Gate
  /// The frequencies in hertz.
  let frequencies: [Double]
  /// The distance of two frequencies in hertz.
  let spacing: Double
  /// The delay about which the response lies, in seconds.
  let delay: Double
  private let centre: Int
  private let moment: Double
  private let sign: Double
  private let bins: ClosedRange<Int>
  private var transform: FourierTransform
  /// What the gate makes of the band alone.
  private var window: [Complex]

  /// Looks at an order; nil where no frequency lies in the band.
  init?(_ gates: SweepGates, order: Int, band: ClosedRange<Double>) {
    let gate = gates.gate(order)
    let spacing = gates.rate / Double(gate.weights.count)
    let first = Int((band.lowerBound / spacing).rounded(.up))
    let last = min(gate.weights.count / 2, Int((band.upperBound / spacing).rounded(.down)))
    guard first <= last else { return nil }
    self.gate = gate
    self.spacing = spacing
    bins = first...last
    frequencies = bins.map { Double($0) * spacing }
    centre = gates.moment(order)
    // Back by the gate's moment, forth by the order's lead.
    moment = Double(centre) + gates.sweep.harmonicLead(order) * gates.rate
    delay = moment / gates.rate
    // Running down, the sweep is -sin of a phase p that grows; of its copy at 2p the sign is wrong.
    sign = gates.sweep.direction == .down && order.isMultiple(of: 2) ? -1 : 1
    transform = FourierTransform(length: gate.weights.count)
    window = gate.spectrum(
      of: gates.division.band, around: 0, moment: 0, bins: bins, &transform)
  }

  /// The response of an impulse response on the circle, its phase counted from zero delay.
  mutating func response(of impulse: ImpulseResponse) -> [Complex] {
    let found = gate.spectrum(
      of: impulse, around: centre, moment: moment, bins: bins, &transform)
    return found.indices.map { sign * (found[$0] / window[$0]) }
  }
}
