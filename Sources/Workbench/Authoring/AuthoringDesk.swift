// SPDX-License-Identifier: Apache-2.0

/// What lets a pattern that is edited be seen, heard, felt and measured (decision 048).
struct AuthoringDesk: Sendable {
  let waves: WaveDesk
  let advice: AdviceDesk
  let export: ExportDesk
  let measure: MeasureDesk
  let stages: StageDesk
  let compose: ComposeDesk
  let inputs: FollowInputs

  init(texts: any DocumentTexts, folder: PatternFolder?, bench: BenchDesk, jobs: JobDesk) {
    let documents = DocumentShelf(texts: texts)
    let actuators = ActuatorShelf(bench: bench)
    let drawings = DrawingShelf()
    waves = WaveDesk(documents: documents, drawings: drawings, actuators: actuators)
    advice = AdviceDesk(documents: documents, drawings: drawings, actuators: actuators)
    export = ExportDesk(documents: documents, actuators: actuators, jobs: jobs)
    measure = MeasureDesk(bench: bench, jobs: jobs, documents: documents, actuators: actuators)
    compose = ComposeDesk(texts: texts)
    inputs = FollowInputs(folder: folder)
    stages = StageDesk(
      bench: bench, jobs: jobs, texts: texts, actuators: actuators, inputs: inputs)
  }
}
