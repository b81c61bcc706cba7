import AHAP
import ArgumentParser
import Bench
import RunArchive
import Workflows

/// Writes a pattern or a run for use elsewhere.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a pattern for Apple's devices, or a run's recordings for other programs.",
    discussion: """
      --apple writes curves of at most 16 points and ramps of at least 1 ms, splits continuous \
      events at 30 s, and limits values to their ranges; what is felt and heard stays. What was \
      changed is listed.

      --format writes the recordings of a run's folder, a file for each take with the drive as \
      sent beside what was captured, and readings.csv: wav (float32), mat (MATLAB 4, what Octave \
      and SciPy read too: wavedata with a row for each channel, samplerate), uff58 (universal \
      file), csv (with the time of the pattern in seconds).

      EXAMPLES
        haprig export --apple long.ahap --out phone.ahap
        haprig export --format mat reports/20260314-092653-lab-nightly --out lab
      """)

  @Argument(help: "The pattern, or the run's folder.", completion: .file(extensions: ["ahap"]))
  var file: String

  @Flag(name: .long, help: "Within the limits that are known to be safe on Apple's devices.")
  var apple = false

  @Option(name: .long, help: "What a run's recordings are written as: wav, mat, uff58 or csv.")
  var format: RunExport.Format?

  @Option(
    name: .long, help: "The AHAP file to write, or the folder for a run's files.",
    completion: .file(extensions: ["ahap"]))
  var out: String

  @Flag(
    name: .long,
    help: "Cut events longer than 30 s off, as Core Haptics does, instead of splitting them.")
  var cutLongEvents = false

  func validate() throws {
    guard apple != (format != nil) else {
      throw ValidationError(
        "Say for what to export: --apple for a pattern, --format wav|mat|uff58|csv for a run")
    }
  }

  func run() throws {
    if let format {
      let names = try ExitStatus.of {
        try RunExport(folder: file, out: out, format: format).write()
      }
      Console.out(names.map { "\(out)/\($0)\n" }.joined())
      return
    }
    try ExitStatus.of {
      let bytes = try RegularFile(path: file).bytes(limit: LintedFile.byteLimit)
      let document = try AHAPReader.read(
        bytes, fileName: file, options: AHAPOptions(limitsDurations: cutLongEvents))
      let export = AppleExport(document.pattern)
      for change in export.changes { Console.error("\(file): \(change)") }
      try AtomicFile.write(AHAPWriter.text(export.pattern), to: out)
      let count = export.changes.count
      Console.out("\(out): \(count) kind\(count == 1 ? "" : "s") of change\n")
    }
  }
}

extension RunExport.Format: ExpressibleByArgument {}
