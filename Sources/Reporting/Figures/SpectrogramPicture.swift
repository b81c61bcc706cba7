import Acceptance
import CPNG
import Units

/// A spectrogram as a picture whose left and right edge are the ends of the time axis.
struct SpectrogramPicture {
  let spectrogram: TakeFigure.Spectrogram

  /// How far below the strongest the palette goes, in dB.
  static let depth = 60.0

  /// The colours from silence to the strongest: dark to light, so that order shows without hue.
  static let palette: [[UInt8]] = {
    let stops: [[Double]] = [
      [11, 11, 24], [52, 24, 102], [140, 41, 129], [222, 73, 104], [254, 159, 109],
      [252, 247, 191],
    ]
    return (0..<32).map { index in
      let place = Double(index) / 31 * Double(stops.count - 1)
      let from = min(stops.count - 2, Int(place))
      let share = place - Double(from)
      return (0..<3).map { part in
        UInt8((stops[from][part] * (1 - share) + stops[from + 1][part] * share).rounded())
      }
    }
  }()

  /// What light and dark stand for.
  var key: String {
    let unit = Shown.typeset(spectrogram.unit.rawValue)
    return "light \(EngineeringFormat.fixed(spectrogram.top, 0)) dB re 1 \(unit), dark "
      + "\(EngineeringFormat.fixed(Self.depth, 0)) dB less"
  }

  /// What it shows, for those who cannot see it: the row that holds the most of it.
  var description: String {
    let strongest = (0..<spectrogram.rows).max { sum(of: $0) < sum(of: $1) } ?? 0
    let length = spectrogram.frequencies.upperBound - spectrogram.frequencies.lowerBound
    let middle =
      spectrogram.frequencies.lowerBound
      + (Double(strongest) + 0.5) * length / Double(max(1, spectrogram.rows))
    return "Spectrogram of the \(spectrogram.name), strongest about "
      + "\(EngineeringFormat.fixed(middle, 0)) Hz."
  }

  private func sum(of row: Int) -> Int {
    let first = row * spectrogram.columns
    return spectrogram.cells[first..<(first + spectrogram.columns)].reduce(0) { $0 + Int($1) }
  }

  /// The picture as an address that holds it; nil where there is none.
  var dataAddress: String? {
    picture.png.map { "data:image/png;base64," + Base64.text(of: $0) }
  }

  /// A pixel a cell, the highest frequency on top.
  var picture: IndexedPicture {
    let last = Self.palette.count - 1
    var pixels: [UInt8] = []
    pixels.reserveCapacity(spectrogram.cells.count)
    for row in (0..<spectrogram.rows).reversed() {
      let first = row * spectrogram.columns
      for cell in spectrogram.cells[first..<(first + spectrogram.columns)] {
        let below = spectrogram.step * Double(255 - cell)
        let place = (1 - below / Self.depth) * Double(last)
        pixels.append(UInt8(max(0, min(Double(last), place.rounded()))))
      }
    }
    return IndexedPicture(
      width: spectrogram.columns, pixels: pixels, palette: Self.palette)
  }
}

/// A picture of few colours as PNG, through libpng.
struct IndexedPicture {
  let width: Int
  /// The rows from the top, a place in the palette a pixel.
  let pixels: [UInt8]
  /// Red, green and blue of each colour, at most 256 of them.
  let palette: [[UInt8]]

  /// The bytes of the file; nil where libpng cannot make it, as of a picture without pixels.
  ///
  /// Equal pictures give equal bytes with the same libpng and zlib. Corresponds to
  /// `png_image_write_to_memory`.
  var png: [UInt8]? {
    guard width > 0, !pixels.isEmpty, pixels.count.isMultiple(of: width), !palette.isEmpty,
      pixels.allSatisfy({ Int($0) < palette.count })
    else { return nil }
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(width)
    image.height = UInt32(pixels.count / width)
    // PNG_FORMAT_RGB_COLORMAP, an expression that is not imported.
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_COLORMAP)
    image.colormap_entries = UInt32(palette.count)
    defer { png_image_free(&image) }
    let colours = palette.flatMap { $0.prefix(3) }
    // More than any picture takes: what does not shrink is stored, with a byte a row and some a block.
    var size = 4096 + 2 * pixels.count + colours.count
    var file = [UInt8](repeating: 0, count: size)
    let isDone = png_image_write_to_memory(
      &image, &file, &size, 0, pixels, Int32(width), colours)
    return isDone != 0 ? Array(file.prefix(size)) : nil
  }
}
