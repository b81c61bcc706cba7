// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
package import Bench
import Devices
package import JSONText
import LiveRuns
import Paths
import Reporting
import RigFiles
import RunArchive
import SignalAnalysis
import Units

/// From a card that nobody described to a rig file that was tried.
///
/// Asks, plays faint sweeps, writes the file, measures the loop and makes a first run. Before each step it stops and says what it is about to do.
package struct InitWorkflow: Sendable {
  /// The rig file to write.
  package var file: String
  package var facts: RigFacts
  /// The card's outputs and inputs to try, counted from 1.
  package var outputs: [Int]
  package var inputs: [Int]
  /// The highest peak that is played before there is a report, as a share of full scale.
  package var level: Double
  /// The rig file whose simulation is behind the virtual card.
  package var simulation: String?
  /// What the first run plays; `nil` for no first run.
  package var plan: String?
  package var archive: String
  /// Whether all steps were agreed to before, so that none stops.
  package var isAgreed: Bool
  /// Why no question is asked; `nil` where somebody answers.
  package var silence: String?

  private var truth: SimulatedWiring?

  package init(
    file: String, facts: RigFacts, outputs: [Int]?, inputs: [Int]?, level: Double,
    simulation: String?, plan: String?, archive: String, isAgreed: Bool, silence: String?
  ) throws {
    self.file = file
    self.facts = facts
    self.level = level
    self.simulation = simulation
    self.plan = plan
    self.archive = archive
    self.isAgreed = isAgreed
    self.silence = silence
    truth = try simulation.map(SimulatedWiring.init)
    if let truth { self.facts.proposals = RigFacts.proposals(of: truth.description) }
    self.outputs = outputs ?? truth.map { Array(1...$0.outputs) } ?? [1, 2]
    self.inputs = inputs ?? truth.map { Array(1...$0.inputs) } ?? [1, 2]
    guard self.outputs.count <= DriveRole.allCases.count else {
      throw InputError(
        "\(self.outputs.count) outputs are too many to try at once: name the ones that are wired, at most "
          + "\(DriveRole.allCases.count), with --outputs 1,2,3")
    }
  }

  package struct Outcome: Sendable {
    package let file: String
    let wiring: FoundWiring
    /// The actuator's output: found, or all that was left.
    let haptic: Int?
    let outputs: [Int]
    let inputs: [Int]
    let level: Double
    package let latency: LatencyMeasurement?
    package let run: RunWorkflow.Outcome?
  }

  package func execute(by user: RigOperator) async throws -> Outcome {
    var work = self
    try work.facts.complete(by: user, silence: silence) { facts in
      var trial = self
      trial.facts = facts
      _ = try trial.read(trial.draft)
    }
    if let silence, !isAgreed {
      throw InputError(
        "\(silence), so nobody can agree to a step: give --yes to go through all of them")
    }
    let described = try work.read(work.draft)
    try work.checkLevel(described)
    let opened = work.opened(described)
    let volts = EngineeringFormat.text(level * described.drive.fullScaleVolts, .volt)
    try work.step(
      "Step 1 of 4: \(work.facts.card), \(Count.of(outputs.count, "output")) and "
        + "\(Count.of(inputs.count, "input")). Sweeps of 40 to 1000 Hz are played on one output after another, at "
        + "most at \(EngineeringFormat.significant(100 * level)) % of full scale (\(volts) peak at the actuator).",
      user)
    user.tell(.work(LiveEvent.Work(rig: described.name, title: "init")))
    let search = WiringSearch(
      rig: opened, level: level, outputs: outputs.map { "output \($0)" },
      inputs: inputs.map { "input \($0)" })
    let found = try await search.find(by: user)
    user.notice(.done, search.table(found))
    for note in found.wiring.notes { user.notice(.note, note) }
    for input in found.clipped {
      user.notice(.warning, "\(search.inputs[input]) is clipped: turn its gain down")
    }
    let text = try work.text(of: found, by: user)
    let rig = try work.read(text)
    try work.step("Step 2 of 4: \(file) is written.", user)
    try work.write(text.text)
    let latency: LatencyMeasurement?
    do {
      latency = try await work.loop(rig, user)
    } catch let refusal as LatencyRefusal {
      throw WorkflowError.fault(
        "\(file) is written, but its loop cannot be measured: \(refusal). When that is mended, go on with "
          + "'haprig latency --rig \(file)'")
    }
    return Outcome(
      file: file, wiring: found.wiring, haptic: rig.drive.channels[.haptic], outputs: outputs,
      inputs: inputs, level: found.level,
      latency: latency, run: try await work.firstRun(rig, user))
  }

  // MARK: Steps

  private func step(_ sentence: String, _ user: RigOperator) throws {
    guard !isAgreed else { return user.notice(.done, sentence) }
    guard user.ask(sentence + " Enter to go on, Ctrl-C to stop.") else {
      try user.check(": \(sentence.prefix { $0 != ":" }) was not begun")
      throw InputError("nobody answers: give --yes to go through all steps without being asked")
    }
  }

  private func write(_ text: String) throws {
    try Folder.make(FilePath.folder(of: file))
    try AtomicFile.write(text, to: file)
  }

  private func loop(_ rig: RigDescription, _ user: RigOperator) async throws
    -> LatencyMeasurement?
  {
    guard rig.drive.channels[.reference] != nil, rig.capture.channel(.reference) != nil else {
      user.notice(
        .warning,
        "there is no reference wire, so latency and sync cannot be measured: wire an output straight into an "
          + "input, and run 'haprig init' again")
      return nil
    }
    try step("Step 3 of 4: the electrical loop is measured, on the reference wire alone.", user)
    let open = try OpenSession(rig, without: "the rig does not record", by: user)
    let measured = try await LatencyMeasurement.measure(
      LatencyPlan(restarts: 3, duration: 3), on: rig, session: open.session
    ) { user.tell(.step("loop", share: $0)) }
    user.tell(.idle)
    try open.finish()
    let time = EngineeringFormat.text(
      rig.drive.rate.seconds(measured.delay.value), .second,
      uncertainty: rig.drive.rate.seconds(measured.delay.uncertainty))
    user.notice(.done, "from the reference output to its input: \(time)")
    return measured
  }

  private func firstRun(_ rig: RigDescription, _ user: RigOperator) async throws
    -> RunWorkflow.Outcome?
  {
    guard let plan else { return nil }
    let limits = rig.actuators[0].limits
    try step(
      "Step 4 of 4: a first run (\(plan)), with taps and vibrations of full intensity, within the actuator's "
        + "limits (\(EngineeringFormat.text(limits.peakVolts, .volt)) peak).", user)
    let order = RunOrder([plan], on: RigChoice(file: file), folder: archive)
    return try await RunWorkflow(RunRequest(order, by: user), by: user).execute()
  }

  // MARK: The file

  /// The rig as told, with placeholders where the wires will be found: what was told is checked by the reader of rig
  /// files.
  private var draft: RigFileText {
    RigFileText(
      facts: facts, outputs: [(.haptic, outputs[0])],
      inputs: [.init(name: facts.axis, role: .acceleration, input: inputs[0], axis: facts.axis)],
      simulation: truth?.text)
  }

  private func read(_ text: RigFileText) throws -> RigDescription {
    try RigDescription(yaml: Array(text.text.utf8), file: file)
  }

  private func checkLevel(_ rig: RigDescription) throws {
    let (limits, volts) = (rig.actuators[0].limits, level * rig.drive.fullScaleVolts)
    guard volts <= limits.peakVolts, volts / 2.0.squareRoot() <= limits.continuousVolts else {
      throw InputError(
        "\(EngineeringFormat.significant(100 * level)) % of full scale is "
          + "\(EngineeringFormat.text(volts, .volt)) at the actuator, more than its limits: give a lower --level"
      )
    }
  }

  private func opened(_ rig: RigDescription) -> RigDescription {
    let volts = rig.capture.channels[0].fullScaleVolts ?? 1
    var opened = rig.opened(outputs: outputs, inputs: inputs, inputVolts: volts)
    // The virtual card reads its rig file itself: the new one is not there yet.
    if case .alsa(var card) = rig.drive.device, let simulation {
      card.rigFile = simulation
      opened.drive.device = .alsa(card)
      opened.capture.alsa = nil
    }
    return opened
  }

  private func text(
    of found: WiringSearch.Found, by user: RigOperator
  ) throws -> RigFileText {
    let wiring = found.wiring
    var text = draft
    var haptic = wiring.haptic
    let isAssumed = haptic == nil
    if isAssumed { haptic = try assumedHaptic(found, by: user) }
    guard let haptic else { throw notFound(found) }
    text.outputs = [(.haptic, outputs[haptic])]
    let sound = wiring.sound.prefix(2).map { outputs[$0] }
    switch sound.count {
    case 1: text.outputs.append((.audio, sound[0]))
    case 2: text.outputs += [(.audioLeft, sound[0]), (.audioRight, sound[1])]
    default: break
    }
    if let reference = wiring.reference { text.outputs.append((.reference, outputs[reference])) }
    text.inputs = names(wiring)
    if isAssumed,
      let input = inputs.indices.first(where: { index in
        !wiring.signals.contains { $0.input == index }
      })
    {
      text.inputs.insert(
        .init(
          name: facts.axis, role: .acceleration, input: inputs[input], axis: facts.axis,
          remark: "Taken by elimination: an ERM does not follow a faint sweep."), at: 0)
    }
    text.remarks = [
      "The wires were found by sweeps of at most "
        + "\(EngineeringFormat.significant(100 * found.level)) % of full scale. Voltages, sensitivity and limits are "
        + "as told."
    ]
    return text
  }

  private func names(_ wiring: FoundWiring) -> [RigFileText.Input] {
    let motions = wiring.signals.filter { $0.role == .acceleration }
      .sorted { $0.path.level > $1.path.level }
    // The direction of the actuator is felt the most; what the others feel along, nobody said.
    let axes = [facts.axis] + ["x", "y", "z"].filter { $0 != facts.axis }
    var counts: [CaptureRole: Int] = [:]
    return wiring.signals.compactMap { signal in
      let count = counts[signal.role, default: 0]
      counts[signal.role] = count + 1
      var input = RigFileText.Input(
        name: signal.role.rawValue + (count == 0 ? "" : "-\(count + 1)"), role: signal.role,
        input: inputs[signal.input])
      if signal.role == .acceleration {
        guard let place = motions.firstIndex(of: signal), place < axes.count else { return nil }
        input.axis = axes[place]
        input.name = axes[place]
      }
      if signal.isReversed == true { input.remark = Self.remark(signal) }
      return input
    }
  }

  private static func remark(_ signal: FoundWiring.Signal) -> String {
    signal.role == .acceleration
      ? "A positive drive moves it to its negative side: the actuator's two wires, or the sensor, are turned. "
        + "haprig measures either way."
      : "The two conductors of this wire are swapped. haprig measures either way."
  }

  /// The one output that is heard nowhere, with the one input that hears nothing: all that an ERM leaves to go by.
  private func assumedHaptic(_ found: WiringSearch.Found, by user: RigOperator) throws -> Int? {
    guard facts[.kind] == "erm" else { return nil }
    let silent = outputs.indices.filter { output in
      !found.wiring.signals.contains { $0.output == output }
    }
    let deaf = inputs.count - found.wiring.signals.count
    guard silent.count == 1, deaf == 1 else { return nil }
    user.notice(
      .note,
      "an ERM does not follow a faint sweep: \(outputs[silent[0]]) is taken as its output since it is the only one "
        + "left; the first run will tell")
    return silent[0]
  }

  private func notFound(_ found: WiringSearch.Found) -> WorkflowError {
    let loudest = "--level \(EngineeringFormat.significant(min(100, 400 * level))) %"
    return .fault(
      found.wiring.signals.isEmpty
        ? "no input hears any output at \(EngineeringFormat.significant(100 * level)) % of full scale: check the "
          + "amplifier, the wires and the gains, or allow more (\(loudest)). Nothing was written"
        : "no output moves a sensor: check amplifier, actuator and the sensor's supply, or allow more (\(loudest)). "
          + "Nothing was written")
  }
}

extension InitWorkflow.Outcome {
  package var text: String {
    var lines = ["rig file: \(file)"]
    if let run { lines.append("report: \(run.folder)/report.html") }
    lines.append("next: haprig calibrate --rig \(file)")
    return lines.map { $0 + "\n" }.joined()
  }

  package var json: JSONValue {
    .object(of: [
      "schema": "haprig.init/1", "file": file, "level": level,
      "haptic": haptic, "hapticIsAssumed": wiring.haptic == nil ? true : nil,
      "reference": wiring.reference.map { outputs[$0] },
      "sound": wiring.sound.map { outputs[$0] },
      "inputs": wiring.signals.map { signal in
        JSONValue.object(of: [
          "input": inputs[signal.input], "role": signal.role.rawValue,
          "output": outputs[signal.output], "reversed": signal.isReversed,
          "level": signal.path.level, "signalToNoise": signal.path.signalToNoise,
          "resonance": signal.path.resonance?.frequency.value,
        ])
      },
      "notes": wiring.notes, "latency": latency.map { $0.rate.seconds($0.delay.value) },
      "run": run?.folder, "verdict": run?.record.verdict.rawValue,
    ])
  }
}
