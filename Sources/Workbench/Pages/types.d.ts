/** What the API and the socket say, for the type check alone (docs/decisions/043 and 044). */
declare namespace API {
  type Verdict = "pass" | "marginal" | "not measured" | "fail" | "not judged";

  interface Failure { error: { code: string; message: string } }

  interface Actuator {
    id: string;
    type?: string;
    model?: string;
    profile?: { created: string; ageDays: number; level?: number | string } | null;
  }
  interface Sensor {
    name: string; kind: string; unit: string; fullScale?: number; sensitivity?: number; uncertainty?: number;
    date?: string;
  }
  interface Sound { device?: string; rate?: number; channels?: number | string[] }
  interface Rig {
    name: string; file?: string; description?: string; simulated?: boolean;
    actuators: Actuator[]; sensors: Sensor[]; drive?: Sound | null; capture?: Sound | null;
    state: "idle" | "held" | "missing";
    holder?: { process: number; live?: string | null; command?: string; title?: string; since?: string } | null;
    lastRun?: RunRow | null; lastNight?: RunRow | null;
    lastCheck?: { date: string; sigmas?: number; drifted?: boolean } | null;
    problem?: string | null;
  }
  interface Plan { name: string; file?: string; patterns: number | string[]; takes?: number; seconds?: number }
  interface Pattern { name: string; file?: string; seconds?: number }
  interface LiveRow {
    id: string; state: "working" | "ended" | "dead"; command: string; rig?: string; plan?: string; title?: string;
    process: number; started: string; job?: string | null; overall?: number; remaining?: number | null;
    events: number;
  }
  interface Bench {
    program: string; host: string; time: string; archive: string; rigs: Rig[]; plans: Plan[];
    patterns: Pattern[]; live: LiveRow[];
    fleet?: { file: string; by: string };
  }

  interface Job {
    id: string; kind: string; arguments: string[]; process?: number; started: string;
    state: "running" | "done" | "failed" | "stopped"; status?: number | null; live?: string | null;
    run?: string | null; said?: string | string[];
  }
  type JobKind = "run" | "play" | "calibrate" | "check" | "latency" | "score" | "verify" | "measure";
  interface JobRequest {
    kind: JobKind; rig?: string; plan?: string; patterns?: string[]; repeats?: number; actuator?: string; run?: string;
    pattern?: string;
  }

  interface RunRow {
    id: string; started: string; rig: string; plan: string; actuators?: string[]; outcome: string;
    verdict?: string; verdicts?: { rig?: string | null; timing?: string | null; feel?: string | null }; takes?: number; seconds?: number;
    note?: string | null; job?: string; hasRecordings?: boolean;
  }
  interface Facet { value: string; count: number }
  interface Runs {
    total: number; offset: number; runs: RunRow[];
    facets?: { rig?: Facet[]; plan?: Facet[]; actuator?: Facet[]; verdict?: Facet[] };
  }
  interface Channel {
    name: string; kind: string; unit: string; side?: "drive" | "capture"; fullScale?: number | null;
    volts?: number | null; actuator?: string | null;
  }
  interface Take {
    pattern: string; take: number; seconds: number; rate: number; channels: Channel[];
    patternStart?: number; delay?: number;
  }
  interface RunFile { name: string; bytes?: number; size?: number }

  interface Reading {
    name: string; pattern?: string; repeat?: number; take?: number; event?: number; channel?: string; value?: number;
    uncertainty?: number; unit: string; n?: number; limit?: string; verdict?: string; note?: string;
  }
  interface RecordTake { repeat: number; place?: number; patternFrame?: number }
  interface Imported { from: { file: string }[]; when: string; by: string; }
  interface ImportedRecord {
    schema: string; imported: Imported; date: string; folder: string; environment: Record<string, string>;
    rig: string; plan: string; actuator: string; software: string; readings: Reading[];
  }
  interface RunRecord {
    schema: string; verdict?: string;
    verdicts?: Record<string, { verdict: string; reason?: string }>;
    header: { date: string; duration?: number; folder?: string; host?: string;
      environment?: Record<string, string>; files?: { name: string; bytes: number }[] };
    rig?: { name: string; device?: string; rate?: number; fullScaleVolts?: number };
    actuator?: { id: string; kind?: string; model?: string };
    plan?: { name: string };
    run?: { calibration?: string; status?: string; software?: string };
    /** Where it was not measured here. */
    imported?: Imported;
    patterns?: { name: string; duration?: number; verdict?: string; events?: number; takes: RecordTake[];
      input?: { file?: string } }[];
    readings: Reading[];
  }

  /** An event of a live folder; which members it has depends on its kind. */
  interface Event {
    n: number; t: number; kind: string;
    id?: string; program?: string; process?: number; host?: string; started?: string; command?: string;
    arguments?: string[]; rig?: string; plan?: string; title?: string; actuators?: string[];
    patterns?: number | string[]; takes?: number; archive?: string; rate?: number; channels?: Channel[];
    pattern?: string; take?: number; number?: number; total?: number; frame?: number; seconds?: number;
    level?: number | string; remaining?: number | null; share?: number; overall?: number; reading?: Reading;
    event?: number; verdict?: string; limit?: string; segment?: number | string; reason?: string; what?: string;
    count?: number; device?: string; text?: string; outcome?: string; status?: number; sentence?: string;
    folder?: string; verdicts?: Record<string, any>;
  }

  interface Message {
    topic?: string; events?: Event[]; state?: string; beat?: number; error?: Failure["error"] | string;
  }

  interface WaveHeader {
    rate: number; from: number; to: number; framesPerBin: number; channels: (number | string | Channel)[];
    unit?: string[]; topic?: string;
  }
  /** Waves as they came: for each channel pairs of minimum and maximum. */
  interface Waves { header: WaveHeader; bins: number; data: Float32Array[] }

  interface Repeated { mean: number; n: number; scatter?: number; uncertainty?: number; values?: number[] }
  interface Difference {
    reading: string; pattern?: string; event?: number; channel?: string; unit: string; first: Repeated; second: Repeated;
    difference: number; uncertainty?: number; finding: "more than chance" | "within chance" | "cannot be told";
    course?: "worse" | "better" | "changed"; forTheWorse?: boolean; note?: string; chance?: number; rate?: number;
  }
  interface DiffSide {
    label: string; baseline?: boolean; pattern?: string; take?: number;
    runs: { id: string; began?: string; rig?: string; plan?: string; actuator?: string; verdict?: string; software?: string }[];
  }
  interface Diff {
    sentence: string; worse?: boolean; sides: DiffSide[];
    pairs: {
      first: string; second: string; notes?: string[]; readings: Difference[];
      environment?: { key: string; first?: string; second?: string }[];
      counts?: { compared: number; beyond: number; worse: number; better: number; changed: number; within: number;
        untold: number };
    }[];
    overlays?: { pattern: string; withoutTransport?: boolean;
      takes: { side: string; run: string; take: number; electrical?: number; transport?: number; drift?: number }[];
      residuals?: { side: string; response?: number; noise?: number; equal?: boolean }[] }[];
    absences?: string[];
  }
  interface Night { day: string; value: number; uncertainty?: number; count?: number; run?: string }
  interface Decision {
    kind: string; from: string; run?: string; actuator?: string; pattern?: string; reading?: string; who?: string;
    when?: string; why?: string;
  }
  interface Change {
    actuator?: string; pattern?: string; reading: string; unit: string; day: string; lastDayBefore?: string;
    before: number; after: number; effect?: number; relativeEffect?: number; uncertainty?: number;
    significance?: number; state?: string; standing: string; reason?: string; runBefore?: string; runAfter?: string;
    environment?: { key: string; separation?: number; good?: string; bad?: string }[];
  }
  interface Series {
    actuator?: string; pattern?: string; reading: string; unit: string; nights: Night[];
    baseline?: { level: number; spread: number; from?: string; to?: string; nights: number; decision?: Decision };
    newest?: { state: string; nightsToJudge?: number; effect?: number; uncertainty?: number; day?: string;
      nightsToConfirm?: number };
    trend?: { perMonth: number; uncertainty: number; significance: number; nights: number };
    limit?: string; verdict?: string; changes?: Change[];
  }
  interface Incident {
    from: string; to: string; standing: string; reason?: string; whose?: string; nightsToConfirm?: number; lead: Change;
    others: (Change & { tie?: string; explained?: number })[];
  }
  interface Session { access: "all" | "look" }
  interface Words { readings: Record<string, { title: string; meaning: string }> }
  interface DriftLine {
    actuator?: string; pattern?: string; reading: string; unit: string; from: string; to: string; nights: number;
    perMonth: number; uncertainty?: number; significance?: number; level?: number; course?: string;
  }
  interface HistoryDrift { whose?: string; lead: DriftLine; others: DriftLine[] }
  interface History {
    rig: string; plan: string; from?: string; to?: string; nights: number; outcome: string; sentences: string[];
    incidents: Incident[]; drifts: HistoryDrift[]; series: Series[]; changes: Change[];
    violations: { run: string; reading: string; pattern?: string; value?: number; uncertainty?: number;
      limit?: string }[];
    runs: { id: string; began: string; day: string; status: string; verdict: string; reruns?: number;
      imported?: boolean }[];
    decisions: Decision[]; notes: string[];
  }

  interface Quantity { value: number; unit: string; uncertainty?: number }
  interface ProfileRow {
    id: string; actuator: string; model?: string; kind?: string; rig?: string; created?: string; ageDays?: number;
    level?: number | string; certificate?: boolean;
    check?: { date: string; sigmas?: number; drifted?: boolean } | null;
  }
  interface Drift {
    actuator: string; date?: string; reading: string; unit?: string; before?: number; after?: number;
    uncertainty?: number; sigmas?: number; drifted?: boolean;
  }
  interface Fleet {
    model?: string; name?: string; members: string[]; goal?: number; verdict?: string;
    pairs: { a: string; b: string; greatest?: number; rms?: number; without?: number; verdict?: string;
      points?: number }[];
  }
  interface Calibrations { profiles: ProfileRow[]; drift?: Drift[]; fleets?: Fleet[] }
  interface Profile {
    actuator: { id: string; model?: string; kind?: string; rig?: string };
    model: { kind: string; f0?: Quantity; q?: Quantity; gain?: Quantity; delay?: Quantity; misfit?: number;
      levels?: { drive: number; f0?: Quantity; q?: Quantity; gain?: Quantity }[] };
    ceiling?: { frequency: number; acceleration: number; distortion?: number; binding?: string }[];
    limits?: { continuousVolts?: number; peakVolts?: number; thermalTime?: number };
    conditions?: Record<string, string | number>;
    verification?: Record<string, any>;
    uncertainty?: { lines: { name: string; relative: number; type: string }[]; combined: number; expanded: number };
    source?: { run?: string; program?: string; date?: string };
  }

  /** An entry of a pattern (docs/decisions/048); what is not written is absent. */
  interface Entry {
    kind: "transient" | "continuous" | "audio" | "parameter" | "curve" | "other";
    time?: number; duration?: number; intensity?: number; sharpness?: number; attack?: number; decay?: number;
    release?: number; sustained?: boolean; volume?: number; pan?: number; pitch?: number; brightness?: number;
    path?: string; parameter?: string; value?: number; points?: [number, number][]; envelope?: boolean;
    loop?: boolean; offset?: number; end?: number;
  }
  interface TextEdit { from: number; to: number; insert: string }
  /** One operation; which members it has depends on what it is. */
  interface Operation {
    set?: number | Record<string, unknown>; key?: string; value?: number | boolean | string | object | null; insert?: number;
    metadata?: string;
    entry?: Partial<Entry>; copy?: number; to?: number; remove?: number[]; point?: number; at?: number | number[];
    time?: number; addPoint?: number; removePoint?: number; text?: TextEdit[];
  }
  interface Finding {
    code?: string; severity: "error" | "warning" | "note"; message: string; line?: number; column?: number;
    offset?: number; entry?: number; fixes?: { label: string; edits: TextEdit[] }[];
  }
  interface PatternRow {
    name: string; title: string; about: string; seconds: number; events: number; perSecond: number; edited?: boolean;
    changed?: string;
  }
  interface Library { patterns: PatternRow[]; templates: PatternRow[]; canWrite: boolean }
  interface Document {
    name: string; version: number; text: string; entries: Entry[]; seconds: number; broken?: string;
    diagnostics: Finding[]; saved: boolean; undo?: string; redo?: string; notice?: string; canSave?: boolean;
    canEdit?: boolean;
    conflict?: { mine: { changed: number }; theirs: { changed: number } };
    composed?: Origin;
  }
  interface Edited {
    version: number; splices: { at: number; remove: number; entries: Entry[] }[]; text: TextEdit[]; seconds: number;
    broken?: string; diagnostics: Finding[]; saved: boolean; undo?: string; redo?: string; notice?: string;
    composed?: Origin;
  }
  type ComposeSettings = { method: string } & Record<string, number | string>;
  /** What a pattern says of the sound that it was composed of. */
  interface Origin {
    Sound?: string; Digest?: string; Settings?: ComposeSettings;
    Parts?: { From: number; To: number; Settings: ComposeSettings }[];
  }
  interface Composition {
    entries: Entry[]; composed: Origin; onsets: number[]; beats?: { bpm: number; times: number[] }; seconds: number;
    loudness?: number; faults?: number;
    trace: { step: number; level: number[]; rise: number[]; intensity: number[]; sharpness: number[] };
  }
  interface ComposeParameter { name: string; unit: string; low: number; high: number; standard: number; about: string }
  interface ComposeMethods {
    methods: { method: string; about: string; parameters: ComposeParameter[] }[];
    presets: { name: string; settings: ComposeSettings }[];
  }
  interface AdviceOf {
    advice: Finding[]; limits: { entry: number; kind: string; message: string }[];
    gamut?: { sharpness: number[]; intensity: number[] };
  }
  interface Measurement { run: string; started: string; textIs: "now" | "other"; outcome: string }
  /** A fleet (docs/FLEET.md); times are in seconds since 1970. */
  interface FleetJob {
    job: string; plan: string; rig: string; state: "waiting" | "given" | "done" | "cancelled"; attempts: number; code?: number; said: string;
    due: number; began?: number; ended?: number;
  }
  interface FleetRig {
    rig: string; machine: string; model?: string; state: "free" | "running" | "waiting" | "reserved" | "drained";
    running?: FleetJob; waiting: number; reserved?: { who: string; why: string; until: number }; last?: FleetJob; overdue?: string;
  }
  interface FleetState {
    now: number; hasClerk: boolean; rigs: FleetRig[]; open: FleetJob[]; drained: { machine: string; who: string; why: string }[];
  }
  interface FleetPlan {
    name: string; do: string; file?: string; rigs: string[]; at: string[]; days: string[]; limit: number;
  }
  interface FleetFile { name: string; machines: { name: string }[]; rigs: { name: string }[]; plans: FleetPlan[] }
  /** A sound that an actuator can follow (docs/FOLLOW.md). */
  interface FollowInput { kind: "pcm" | "sound"; name: string; description?: string }
  interface FollowLevel { heard: number | null; gain: number; open: boolean; intensity: number; sharpness: number }
  interface FollowDelay { seconds: number; uncertainty: number | null; correlation: number }
  interface FollowWindow {
    at: number; buffers: number; heardToDrive?: FollowDelay; driveToMotion?: FollowDelay; heardToMotion?: FollowDelay;
    soundToMotion?: FollowDelay;
  }
  interface FollowAligned {
    before?: { seconds: number; uncertainty: number }; after?: { seconds: number; uncertainty: number }; delay?: number;
  }
  interface FollowMessage extends StageMessage {
    rig?: string; actuator?: string; rate?: number; input?: string; method?: string; lead?: number;
    stated?: { typical: number; longest: number }; level?: FollowLevel; latency?: FollowWindow; aligned?: FollowAligned;
  }
  interface StageMessage {
    did?: { do: string; pattern?: string; id?: number }; fault?: string; of?: { do?: string }; ended?: number | null; delay?: number; head?: number; state?: "open" | "ended"; said?: string;
    version?: number; notice?: string; seconds?: number;
  }
}
