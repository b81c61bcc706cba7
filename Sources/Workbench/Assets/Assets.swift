private import Glibc

/// The pages' files: those that were built in, or those of a folder while one works on them.
struct Assets: Sendable {
  private let folder: String?

  /// What was built in, by name: the files of `Pages`, each once.
  static let embedded: [String: [UInt8]] = [
    "api.js": PackageResources.api_js,
    "bench_page.js": PackageResources.bench_page_js,
    "calibrations_page.js": PackageResources.calibrations_page_js,
    "chart.js": PackageResources.chart_js,
    "compare_page.js": PackageResources.compare_page_js,
    "dom.js": PackageResources.dom_js,
    "format.js": PackageResources.format_js,
    "history_page.js": PackageResources.history_page_js,
    "icon.svg": PackageResources.icon_svg,
    "index.html": PackageResources.index_html,
    "keys.js": PackageResources.keys_js,
    "live_page.js": PackageResources.live_page_js,
    "main.js": PackageResources.main_js,
    "palette.css": PackageResources.palette_css,
    "palette_inputs.js": PackageResources.palette_inputs_js,
    "palette_laws.js": PackageResources.palette_laws_js,
    "palette_outputs.js": PackageResources.palette_outputs_js,
    "palette_pad.js": PackageResources.palette_pad_js,
    "palette_page.js": PackageResources.palette_page_js,
    "palette_play.js": PackageResources.palette_play_js,
    "palette_record.js": PackageResources.palette_record_js,
    "palette_stage.js": PackageResources.palette_stage_js,
    "run_model.js": PackageResources.run_model_js,
    "runs_page.js": PackageResources.runs_page_js,
    "scope.js": PackageResources.scope_js,
    "socket.js": PackageResources.socket_js,
    "spectrum.js": PackageResources.spectrum_js,
    "store.js": PackageResources.store_js,
    "table.js": PackageResources.table_js,
    "waves.js": PackageResources.waves_js,
    "workbench.css": PackageResources.workbench_css,
  ]

  private static let largest = 8 << 20

  init(folder: String?) { self.folder = folder }

  /// The file at a path below the root: `assets/NAME` and `NAME` are one, the root is `index.html`.
  func response(_ path: [String]) throws(HTTPFault) -> Response {
    let parts = path.first == "assets" ? Array(path.dropFirst()) : path
    let name = parts == [""] || parts.isEmpty ? "index.html" : parts.joined(separator: "/")
    guard !parts.dropLast().contains(""), !parts.contains(where: { $0.hasPrefix(".") }),
      let bytes = bytes(of: name)
    else { throw HTTPFault(404, "no-such-path", "there is nothing here") }
    return Response(200, bytes, type: FileType.ofPage(name))
  }

  private func bytes(of name: String) -> [UInt8]? {
    guard let folder else { return Self.embedded[name] }
    return Self.read(folder + "/" + name)
  }

  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= largest
    else {
      close(descriptor)
      return nil
    }
    let file = OpenedFile(descriptor: descriptor, size: Int(status.st_size))
    return file.bytes(from: 0, count: file.size)
  }
}
