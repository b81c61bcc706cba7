private import Glibc

/// A decaying cosine with a constant, as a least-squares problem over means of a few frames.
///
/// The mean over blocks of a decaying cosine is one too, of the same frequency and decay, and white noise
/// stays white: nothing is lost, and there are fewer values to fit.
struct DecayProblem {
  let values: [Double]
  /// How many frames a block has.
  let block: Int

  /// Takes the mean over whole blocks; 16 values are left at least.
  init(_ frames: [Double], block: Int) {
    let block = max(1, min(block, frames.count / 16))
    self.block = block
    values = (0..<(frames.count / block)).map { index in
      frames[(index * block)..<((index + 1) * block)].reduce(0, +) / Double(block)
    }
  }

  /// The factor that the mean over a block puts on the amplitude: |sum of z^m| / m, z = exp(j w - decay).
  func share(turns: Double, decay: Double) -> Double {
    let frames = Double(block)
    var sum = Complex(0)
    for frame in 0..<block {
      let time = Double(frame) / frames
      sum = sum + exp(-decay * time) * Complex(angle: 2 * .pi * turns * time)
    }
    return sum.magnitude / frames
  }

  /// The sum of squares around the mean.
  var variation: Double {
    let mean = values.reduce(0, +) / Double(values.count)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }

  /// Parameters near a frequency in turns a frame and a Q: the best cosine, sine and constant for them.
  func start(turns: Double, q: Double) -> [Double] {
    let decay = Double.pi * turns / q
    var products = [Double](repeating: 0, count: 9)
    var right = [0.0, 0, 0]
    for (frame, value) in values.enumerated() {
      let wave = exp(-decay * Double(frame)) * Complex(angle: 2 * .pi * turns * Double(frame))
      let columns = [wave.real, wave.imaginary, 1]
      for row in 0..<3 {
        right[row] += columns[row] * value
        for column in 0..<3 { products[3 * row + column] += columns[row] * columns[column] }
      }
    }
    let solution = SymmetricInverse(size: 3) { products[3 * $0 + $1] }.times(right)
    return [turns, decay] + solution
  }

  /// Residuals and derivatives over turns a frame, decay a frame, cosine, sine and constant.
  var leastSquares: LevenbergMarquardt {
    let count = values.count
    return LevenbergMarquardt(residualCount: count) { request in
      switch request {
      case .residuals(let p, let target):
        for frame in 0..<count {
          let wave = Self.wave(p, frame)
          target[frame] =
            values[frame] - p[2] * wave.real - p[3] * wave.imaginary - p[4]
        }
      case .jacobian(let p, let target):
        for frame in 0..<count {
          let wave = Self.wave(p, frame)
          let time = Double(frame)
          let value = p[2] * wave.real + p[3] * wave.imaginary
          let turned = p[3] * wave.real - p[2] * wave.imaginary
          target[frame] = -2 * .pi * time * turned
          target[count + frame] = time * value
          target[2 * count + frame] = -wave.real
          target[3 * count + frame] = -wave.imaginary
          target[4 * count + frame] = -1
        }
      }
    }
  }

  private static func wave(_ parameters: UnsafePointer<Double>, _ frame: Int) -> Complex {
    let time = Double(frame)
    return exp(max(-700, min(700, -parameters[1] * time)))
      * Complex(angle: 2 * .pi * parameters[0] * time)
  }
}
