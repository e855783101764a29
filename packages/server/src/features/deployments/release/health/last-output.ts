import type { ContainerDetails } from '../../../../engine/container-state.ts'
import { createRedactor } from '../../../../lib/redact.ts'
import { createYieldTurn } from '../../../../lib/yield-turn.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import type { LogStream } from '../../log/log-lines.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'

type Deps = { containers: Pick<AppContainers, 'printedBy' | 'endTimes'>; keptOutput: Pick<KeptOutput, 'keep'> }
type Wanted = {
  readonly details: ContainerDetails
  /** The prefix of each line in the deployment log. */
  readonly prefix?: string
}

/** Each line is searched for secrets, and others must not wait for all of them. */
const TURN_MS = 5
const AGAIN = '--- The container was restarted ---'

/**
 * Saves the output of a container of a failed release, to the deployment log and for later, because the container will be removed.
 * Returns the lines.
 */
export function createLastOutput({ containers, keptOutput }: Deps) {
  return async function lastOutput(context: Context, { details, prefix = '' }: Wanted): Promise<string[]> {
    const printed = await containers.printedBy(details)
    // Here, while they are consecutive lines: a failure reason only has some of them, joined and cut.
    const shown = await createRedactor(Object.values(context.config.env)).linesInTurns(printed.map(({ line }) => line))
    const lines = printed.map(({ at, stream }, index) => ({ at, stream, line: shown[index] ?? '' }))
    const kept = withRestarts(lines, await containers.endTimes(details.id))
    const yieldTurn = createYieldTurn(TURN_MS)
    for (const { stream, line } of kept) {
      await yieldTurn()
      if (stream === 'berth') context.say(`${prefix}${line}`)
      else context.output(`${prefix}${line}`, stream)
    }
    await keptOutput.keep(context.deployment.id, kept)
    return shown
  }
}

type Line = { readonly at: string; readonly stream: LogStream; readonly line: string }

/** Adds a separator line between the output before and after each restart. */
export function withRestarts(lines: readonly Line[], ends: readonly string[]): Line[] {
  const coming = ends.toSorted()
  return lines.flatMap((line, index) => {
    const before = coming.filter((at) => at <= line.at)
    coming.splice(0, before.length)
    const at = before.at(-1)
    return at === undefined || index === 0 ? [line] : [{ at, stream: 'berth' as const, line: AGAIN }, line]
  })
}
