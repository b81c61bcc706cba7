// SPDX-License-Identifier: Apache-2.0

import CQRencode

/// A text as a QR code: all calls of libqrencode.
enum QRCodePicture {
  static let mostBytes = 2048
  /// The quiet zone around it, in modules (ISO/IEC 18004).
  private static let quiet = 4

  /// The code as SVG, a module a unit; `nil` where there is no memory for it.
  ///
  /// At the level M, which 2,331 bytes fit, 15 % of it may be hidden.
  static func svg(of text: String) -> String? {
    let bytes = Array(text.utf8)
    precondition((1...mostBytes).contains(bytes.count), "\(bytes.count) bytes")
    guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
      return nil
    }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard let modules = code.pointee.data else { return nil }
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        // The lowest bit of a module says that it is dark.
        var end = column
        while end < width, modules[row * width + end] & 1 == 1 { end += 1 }
        if end > column {
          path += "M\(column + quiet) \(row + quiet)h\(end - column)v1h\(column - end)z"
        }
        column = end + 1
      }
    }
    let side = width + 2 * quiet
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
      <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>

      """
  }

  static func response(_ request: Request) throws -> Response {
    guard let text = try request.value("text"), text.utf8.count <= mostBytes else {
      throw HTTPFault(400, "bad-value", "'text' has 1 to \(mostBytes) bytes")
    }
    guard let svg = svg(of: text) else {
      throw HTTPFault(500, "memory", "there is no memory for a picture")
    }
    return Response(200, Array(svg.utf8), type: "image/svg+xml")
  }
}
