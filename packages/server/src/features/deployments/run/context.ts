import type { StepName } from '@berth/contract'
import { progressIn } from '../../../domain/lifecycle.ts'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Step } from '../../../lib/step.ts'
import type { Tuning } from '../../../lib/tuning.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { DeploymentRecord } from './deployment-writes.ts'
import { createEffects } from './effects.ts'
import type { Context, StageName } from './stage.ts'
import { createStageLimits, createSteps, createStopwatch } from './stage-times.ts'

type Parts = {
  app: AppRow
  /** As it is now. */
  findApp: () => Promise<AppRow | undefined>
  row: DeploymentRow
  config: ReleaseConfig
  buildSecrets: Readonly<Record<string, string>>
  workspace: string
  writer: Pick<LogWriter, 'append' | 'flush'>
  record: Pick<DeploymentRecord, 'stage' | 'commit' | 'image' | 'port'>
  signal: AbortSignal
  step: Step
  log: Pick<Logger, 'debug'>
  tuning: Tuning
  now: () => Date
  /** The live release that it replaces; null if there is none. */
  replaces: number | null
}

const WORDS = {
  cloning_repo: 'Cloning the repository',
  building_image: 'Building the image',
  stopping_old: 'Preparing to replace the live release',
  starting_new: 'Starting the release',
} as const satisfies Record<StageName, string>

const STEP_OF = {
  cloning_repo: 'source',
  building_image: 'build',
  stopping_old: 'start',
  starting_new: 'start',
} as const satisfies Record<StageName, StepName>

export type LiveContext = Context & {
  /** A step that changes the row. Later steps see the returned row. */
  write(name: string, change: (row: DeploymentRow) => Promise<DeploymentRow>): Promise<void>
  /** The volumes and replicas of the app may have changed during the build. */
  readAppAgain(): Promise<void>
  /** Ends the current step and returns all steps so far, as stored text. */
  endedSteps(): string
  /** Resolves when all lines so far are in the file. */
  flush(): Promise<void>
  /** Notes to add to the reason of a failure. */
  notes(): readonly string[]
  seconds(): number
  deadlineReason(): Error | undefined
  /** Ends the limits of this stage: what comes now has its own. The next stage begins new ones. */
  untimed(): void
  close(): void
}

/** What the stages share: the current row, the log, the progress and the deadlines. */
export function createContext(parts: Parts): LiveContext {
  const { writer, record, step, tuning } = parts
  const deadline = new AbortController()
  const signal = AbortSignal.any([parts.signal, deadline.signal])
  const steps = createSteps(parts.row.steps, { now: parts.now, monotonicMs: () => performance.now() })
  const limits = createStageLimits({ tuning, end: (why) => deadline.abort(why) })
  let { row, app, config } = parts
  let stage: StageName = 'cloning_repo'
  const progress = createProgress(row.progress, {
    signal,
    log: parts.log,
    write: async (percent) => await record.stage(row, row.status, { progress: percent, steps: steps.text() }),
  })

  async function write(name: string, change: (row: DeploymentRow) => Promise<DeploymentRow>): Promise<void> {
    await progress.written()
    row = await step(name, () => change(row))
  }

  async function enter(next: StageName, words: string = WORDS[next]): Promise<void> {
    stage = next
    limits.enter(next, words)
    const shown = progress.enter(next)
    steps.begin(STEP_OF[next])
    await write(`db.${next}`, (current) => record.stage(current, current.status, { stage: next, progress: shown, steps: steps.text() }))
    if (next !== 'stopping_old' || parts.replaces !== null) writer.append(words, 'berth')
  }

  const lines = createLines(writer, { onActivity: limits.active, isOver: () => row.status === 'success' })

  return {
    ...createEffects({ step, signal, say: lines.say }),
    ...lines,
    ...givenBy(parts),
    get app() {
      return app
    },
    get deployment() {
      return row
    },
    get config() {
      return config
    },
    readAppAgain: async () => void (app = (await parts.findApp()) ?? app),
    signal,
    enter,
    begin: (step, fraction) => {
      steps.begin(step)
      progress.to(progressIn(stage, fraction))
    },
    noteCommit: async (commit) => void (row = await record.commit(row, commit)),
    noteImage: async (ref) => void (row = await record.image(row, ref)),
    notePort: async (port) => {
      config = { ...config, port }
      row = await record.port(row, config)
    },
    progress: (fraction) => progress.to(progressIn(stage, fraction)),
    write,
    endedSteps: steps.ended,
    ...timesOf(limits, deadline.signal),
  }
}

type ProgressDeps = { signal: AbortSignal; log: Pick<Logger, 'debug'>; write: (percent: number) => Promise<unknown> }

/** Progress is only informative: it is written when the percentage changes, and a failed write does not matter. */
function createProgress(from: number, { signal, log, write }: ProgressDeps) {
  let shown = from
  let writing: Promise<void> = Promise.resolve()

  function to(percent: number): void {
    if (percent <= shown || signal.aborted) return
    shown = percent
    writing = writing
      .then(async () => void (await write(percent)))
      .catch((err: unknown) => log.debug({ err }, 'the progress of a deployment was not written'))
  }

  /** The percentage at the beginning of a stage. */
  function enter(stage: StageName): number {
    shown = Math.max(shown, progressIn(stage, 0))
    return shown
  }

  return { to, enter, written: () => writing }
}

function timesOf(limits: Pick<ReturnType<typeof createStageLimits>, 'active' | 'stop'>, deadline: AbortSignal) {
  return {
    active: limits.active,
    seconds: createStopwatch(),
    deadlineReason: () => (deadline.aborted && deadline.reason instanceof Error ? deadline.reason : undefined),
    untimed: limits.stop,
    close: limits.stop,
  }
}

function givenBy({ buildSecrets, workspace, step, replaces }: Parts) {
  return { buildSecrets, workspace, step, replaces }
}

type Lines = Pick<LiveContext, 'say' | 'note' | 'notes' | 'output' | 'flush'>

/** Writes to the log of the deployment. Every line counts as activity. After a success, nothing follows the last line: the old release is removed then. */
function createLines(writer: Parts['writer'], { onActivity, isOver }: { onActivity: () => void; isOver: () => boolean }): Lines {
  const notes: string[] = []
  const append: LogWriter['append'] = (line, stream) => {
    onActivity()
    if (!isOver()) writer.append(line, stream)
  }
  const say = (line: string) => append(line, 'berth')
  return {
    say,
    note: (sentence) => {
      notes.push(sentence)
      say(sentence)
    },
    notes: () => notes,
    output: append,
    flush: () => writer.flush(),
  }
}
