// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A windowed sinc that reads a sampled signal between its samples.
///
/// Kaiser window of 96 dB. With `reach` r lobes on either side and a cutoff of half the lower of two
/// rates, it is flat within 2e-5 up to (1 - 5.9 / (2 r)) of that half: 19.6 kHz at 48 kHz and r = 16.
/// Its delay is exact by symmetry; the table of phases is interpolated linearly, which costs less than
/// 1e-6 of a sample, and some 1e-5 where two clocks differ by hundreds of ppm.
struct InterpolationKernel: Sendable {
  let halfWidth: Int

  let decimation: Int
  /// Rows of the table to one sample; there is one more, for the end.
  let phases: Int
  /// By phase, every `decimation`-th tap from the first on, then from the second on, and so on.
  let table: [Float]

  var taps: Int { 2 * halfWidth }

  init(reach: Int, decimation: Int) {
    let halfWidth = reach * decimation
    let taps = 2 * halfWidth
    let phases = max(64, 512 / decimation)
    var table: [Float] = []
    table.reserveCapacity((phases + 1) * taps)
    for phase in 0...phases {
      let fraction = Double(phase) / Double(phases)
      let row = (0..<taps).map { tap in
        let distance = Double(tap - halfWidth + 1) - fraction
        return Self.sinc(distance / Double(decimation))
          * Self.kaiser(distance / Double(halfWidth))
      }
      let sum = row.reduce(0, +)
      for first in 0..<decimation {
        table += stride(from: first, to: taps, by: decimation).map { tap in
          // Where the sinc is zero but for rounding: a quiet signal times that would be slow.
          let weight = row[tap] / sum
          return abs(weight) < 1e-9 ? 0 : Float(weight)
        }
      }
    }
    self.halfWidth = halfWidth
    self.decimation = decimation
    self.phases = phases
    self.table = table
  }

  private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

  /// The Kaiser window at -1...1 for 96 dB: beta = 0.1102 (A - 8.7).
  private static func kaiser(_ x: Double) -> Double {
    let beta = 0.1102 * (96 - 8.7)
    return bessel(beta * max(0, 1 - x * x).squareRoot()) / bessel(beta)
  }

  /// The modified Bessel function of order zero, by its power series.
  private static func bessel(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var order = 1.0
    while term > sum * 1e-17 {
      term *= (x / (2 * order)) * (x / (2 * order))
      sum += term
      order += 1
    }
    return sum
  }
}

extension InterpolationKernel {
  /// Reads a signal at the positions that an axis gives to a range of indices, none negative.
  ///
  /// `signal` holds every sample from `halfWidth` before the first position to `halfWidth` after the
  /// last; the axis advances by this kernel's decimation. Fills `output` from its start. What an index
  /// gets does not depend on the range around it.
  ///
  /// - Complexity: O(n `halfWidth`), eight or sixteen positions side by side.
  func read(
    _ signal: SampleHistory, along axis: SampleAxis, _ indices: Range<Int>,
    into output: inout [Float]
  ) {
    guard let final = indices.last else { return }
    precondition(axis.advance == decimation, "a kernel for \(decimation) reads \(axis)")
    if axis.isWhole {
      signal.copy(axis.split(indices.lowerBound).whole, count: indices.count, into: &output)
      return
    }
    let needed =
      (axis.split(indices.lowerBound).whole
        - halfWidth + 1)..<(axis.split(final).whole + halfWidth + 1)
    output.withUnsafeMutableBufferPointer { output in
      guard let output = output.baseAddress else { return }
      for part in 0..<axis.stride {
        // This part's indices are turn * stride + part.
        let first = (indices.lowerBound - part + axis.stride - 1) / axis.stride
        let end = (final - part + axis.stride) / axis.stride
        guard first < end else { continue }
        let groups = IndexGroups(axis, part: part, phases: phases, turns: first..<end)
        let start = groups.place(of: groups.first).whole - halfWidth + 1
        let stop = groups.place(of: groups.last).whole + halfWidth + groups.length * decimation
        let length = (stop - start) / decimation + 1
        withUnsafeTemporaryAllocation(of: Float.self, capacity: length * decimation) { room in
          guard let rows = room.baseAddress else { return }
          signal.copy(
            from: start, needed: needed, into: rows, rowCount: decimation, rowLength: length)
          let window = SampleWindow(rows: rows, rowCount: decimation, rowLength: length)
          read(
            window, from: start + halfWidth - 1, groups,
            into: output + (first * axis.stride + part - indices.lowerBound))
        }
      }
    }
  }

  /// Reads groups from a window whose first sample is the first tap of position `origin`.
  private func read(
    _ window: SampleWindow, from origin: Int, _ groups: IndexGroups,
    into output: UnsafeMutablePointer<Float>
  ) {
    table.withUnsafeBufferPointer { table in
      // A kernel has taps.
      guard let table = table.baseAddress else { return }
      guard groups.isFixed else {
        for turn in stride(from: groups.first, through: groups.last, by: groups.length) {
          let place = groups.place(of: turn)
          let (row, blend) = groups.blend(of: place)
          let near = table + row * taps
          let (nearSum, farSum) = window.weigh(
            at: place.whole - origin, by: near, near + taps, taps: taps)
          groups.store(nearSum + (farSum - nearSum) * blend, turn, into: output)
        }
        return
      }
      withUnsafeTemporaryAllocation(of: Float.self, capacity: taps) { weights in
        guard let weights = weights.baseAddress else { return }
        let place = groups.place(of: groups.first)
        let (row, blend) = groups.blend(of: place)
        let near = table + row * taps
        for tap in 0..<taps {
          weights[tap] = near[tap] + (near[taps + tap] - near[tap]) * blend[0]
        }
        for turn in stride(from: groups.first, through: groups.last, by: groups.length) {
          let whole = place.whole + (turn - groups.first) * decimation
          groups.store(
            window.weigh(at: whole - origin, by: weights, taps: taps), turn, into: output)
        }
      }
    }
  }
}

/// Indices of one phase of an axis, in groups that are computed side by side.
///
/// Where the axis does not drift, a group has sixteen members. Where it does, a group begins at a multiple
/// of eight, and its eight members share a row of the kernel's table, beyond whose ends they are
/// extrapolated by at most a row. Where it drifts more than that, some 500 ppm, every group has one
/// member.
private struct IndexGroups {
  /// True where every member lies at the same place between two samples.
  let isFixed: Bool
  let length: Int
  /// The first turn of the first group, and of the last.
  let first: Int
  let last: Int

  private let axis: SampleAxis
  private let part: Int
  private let phases: Double
  private let drift: Double
  private let turns: Range<Int>

  /// Groups indices turn * stride + part of an axis.
  init(_ axis: SampleAxis, part: Int, phases: Int, turns: Range<Int>) {
    self.axis = axis
    self.part = part
    self.phases = Double(phases)
    self.turns = turns
    isFixed = axis.drift == 0
    length = isFixed ? 16 : abs(axis.drift) * 8 * Double(phases) <= 2 ? 8 : 1
    drift = length == 1 ? 0 : axis.drift
    first = isFixed ? turns.lowerBound : turns.lowerBound / length * length
    last = first + (turns.upperBound - 1 - first) / length * length
  }

  /// The sample before the first member of a group, and the way on from there.
  ///
  /// No member lies before the sample that its place in the group gives it.
  @inline(__always)
  func place(of turn: Int) -> (whole: Int, fraction: Double) {
    if isFixed {
      let place = axis.split(part)
      return (place.whole + turn * axis.advance, place.fraction)
    }
    let lowest = drift < 0 ? length - 1 : 0
    var place = axis.split((turn + lowest) * axis.stride + part)
    // Rounding must not put a member before its sample.
    if place.fraction < 0x1p-24 { place = (place.whole - 1, place.fraction + 1) }
    return (
      place.whole - lowest * axis.advance, place.fraction - Double(lowest) * drift
    )
  }

  /// The row of the table that fits a group best, and by how much of a row each member is beyond it.
  @inline(__always)
  func blend(of place: (whole: Int, fraction: Double)) -> (row: Int, blend: SIMD8<Float>) {
    let start = place.fraction * phases
    let slope = drift * phases
    let row = min(Int(start + 3.5 * slope), Int(phases) - 1)
    let steps: SIMD8<Float> = [0, 1, 2, 3, 4, 5, 6, 7]
    return (row, Float(start - Double(row)) + steps * Float(slope))
  }

  /// Stores a group's members that were asked for; `output` is the place of the first of all.
  @inline(__always)
  func store<Values: SIMD<Float>>(
    _ values: Values, _ turn: Int, into output: UnsafeMutablePointer<Float>
  ) {
    let place = output + (turn - turns.lowerBound) * axis.stride
    let isWhole = length > 1 && turn >= turns.lowerBound && turn + length <= turns.upperBound
    if isWhole, axis.stride == 1 {
      UnsafeMutableRawPointer(place).storeBytes(of: values, as: Values.self)
    } else {
      let lanes = max(0, turns.lowerBound - turn)..<min(length, turns.upperBound - turn)
      for lane in lanes { place[lane * axis.stride] = values[lane] }
    }
  }
}

/// A stretch of samples dealt out into rows: sample k is number k / rows of row k % rows.
private struct SampleWindow {
  let rows: UnsafePointer<Float>
  let rowCount: Int
  let rowLength: Int

  init(rows: UnsafeMutablePointer<Float>, rowCount: Int, rowLength: Int) {
    self.rows = UnsafePointer(rows)
    self.rowCount = rowCount
    self.rowLength = rowLength
  }

  @inline(__always)
  func weigh(at sample: Int, by weights: UnsafePointer<Float>, taps: Int) -> SIMD16<Float> {
    var sum = SIMD16<Float>.zero
    let perRow = taps / rowCount
    for row in 0..<rowCount {
      let samples = UnsafeRawPointer(samples(at: sample + row))
      let weights = weights + row * perRow
      for tap in 0..<perRow {
        sum += (samples + 4 * tap).loadUnaligned(as: SIMD16<Float>.self) * weights[tap]
      }
    }
    return sum
  }

  /// The same for eight positions by two rows of weights at once.
  @inline(__always)
  func weigh(
    at sample: Int, by near: UnsafePointer<Float>, _ far: UnsafePointer<Float>, taps: Int
  ) -> (near: SIMD8<Float>, far: SIMD8<Float>) {
    var (nearSum, farSum) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    let perRow = taps / rowCount
    for row in 0..<rowCount {
      let samples = samples(at: sample + row)
      let (near, far) = (near + row * perRow, far + row * perRow)
      for tap in 0..<perRow {
        let input = eight(samples + tap)
        nearSum += input * near[tap]
        farSum += input * far[tap]
      }
    }
    return (nearSum, farSum)
  }

  @inline(__always)
  private func samples(at sample: Int) -> UnsafePointer<Float> {
    rows + (sample % rowCount) * rowLength + sample / rowCount
  }

  @inline(__always)
  private func eight(_ place: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(place).loadUnaligned(as: SIMD8<Float>.self)
  }
}
