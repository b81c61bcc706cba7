import ArgumentParser

/// The calibration that an actuator is driven by.
struct ProfileOptions: ParsableArguments {
  @Option(
    name: .long,
    help:
      "The actuator's profile (calibration/ID.json), a folder of profiles, or 'none' (the plan's, else none).",
    completion: .file(extensions: ["json"]))
  var profile: String?
}
