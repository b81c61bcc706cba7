import CPNG

/// A picture of few colours as PNG, through libpng.
struct IndexedPicture {
  /// How many pixels a row has.
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
