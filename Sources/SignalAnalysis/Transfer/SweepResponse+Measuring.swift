private import Glibc
public import Units

extension SweepResponse {
  /// Measures the answer to a sweep: deconvolution, gates around each order, noise from the rest.
  ///
  /// `input` is the reference as captured, or the drive; `output` the response on the same clock, of
  /// the same length. The record is taken as a circle, so both must be quiet at the beginning and have
  /// died away at the end. H = Y X* / (|X|^2 + e), e being 1e-6 of the median of |X|^2 over the band, is
  /// brought to an impulse response of a little more than twice the band. Around its largest value
  /// the linear response is cut out with soft edges, from 0.2 to `tail` seconds (by default 0.75 L ln 2,
  /// for a sweep up at least 0.4 s where the record has room); the harmonics likewise where the sweep
  /// puts them. What no order occupies is noise; it gives the uncertainty of every response.
  ///
  /// The ring must fit into the tail: at -60 dB of the beginning it is cut without loss. Costs two
  /// transforms of the record. Traps where the lengths differ.
  public static func measure(
    _ sweep: SynchronizedSweep, input: [Float], output: [Float], rate: SampleRate,
    harmonics: Int = 5, tail: Double? = nil
  ) throws(TransferError) -> SweepResponse {
    precondition(
      input.count == output.count, "\(input.count) frames in beside \(output.count) frames out")
    precondition(harmonics >= 1, "\(harmonics) harmonics")
    let needed = rate.wholeFrames(sweep.duration)
    guard input.count >= needed else {
      throw .tooShort(frames: input.count, needed: needed)
    }
    let division = try SpectralDivision(
      input: input, output: output, rate: rate, band: sweep.band, reach: sweep.guardedBand)
    let gates = SweepGates(sweep, division, harmonics: harmonics, tail: tail)
    let noise = gates.noise(of: division.impulse)
    var found: [Harmonic] = []
    for order in stride(from: 2, through: harmonics, by: 1) {
      let lowest = Double(order) * sweep.band.lowerBound
      guard lowest < sweep.band.upperBound,
        let transfer = gates.transfer(
          order: order, noise: noise, band: lowest...sweep.band.upperBound)
      else { continue }
      found.append(Harmonic(order: order, transfer: transfer))
    }
    guard let linear = gates.transfer(order: 1, noise: noise, band: sweep.band) else {
      throw .tooShort(frames: input.count, needed: 2 * needed)
    }
    return SweepResponse(
      sweep: sweep, linear: linear, harmonics: found, gates: gates)
  }

  /// The same with the linear response freed of what band edges and gate do to it.
  ///
  /// They blur the response near the ends of the band and cut off a ring that is longer than the gate. For
  /// a known system that is known exactly: it is taken off for the model, so that what is left is of
  /// the order of the model's own error times the blur. Costs three short transforms.
  public func corrected(by model: ModalModel) -> SweepResponse {
    let linear = gates.linear(band: sweep.band, known: model)
    return SweepResponse(
      sweep: sweep, linear: linear ?? self.linear, harmonics: harmonics, gates: gates)
  }
}
