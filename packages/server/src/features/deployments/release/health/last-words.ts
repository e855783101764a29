import type { ContainerDetails } from '../../../../engine/container-state.ts'
import { createRedactor } from '../../../../lib/redact.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import type { LogStream } from '../../log/log-lines.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'

type Deps = { containers: Pick<AppContainers, 'printedBy'>; keptOutput: Pick<KeptOutput, 'keep'> }
type Wanted = {
  readonly details: ContainerDetails
  /** When the container was started, as far as that was seen. */
  readonly starts?: Iterable<string>
  /** What each line begins with in the log of the deployment. */
  readonly prefix?: string
}

const AGAIN = '--- The container was started again ---'

/** What a container of a failed release printed, for the log of the deployment and for later: the container goes. Gives the lines. */
export function createLastWords({ containers, keptOutput }: Deps) {
  return async function lastWords(context: Context, { details, starts = [], prefix = '' }: Wanted): Promise<string[]> {
    const printed = await containers.printedBy(details)
    // Here, while they are lines one behind the other: a reason holds some of them, side by side and cut.
    const shown = createRedactor(Object.values(context.config.env)).lines(printed.map(({ line }) => line))
    const lines = printed.map(({ at, stream }, index) => ({ at, stream, line: shown[index] ?? '' }))
    const kept = withRestarts(lines, starts)
    for (const { stream, line } of kept) {
      if (stream === 'berth') context.say(`${prefix}${line}`)
      else context.output(`${prefix}${line}`, stream)
    }
    await keptOutput.keep(context.deployment.id, kept)
    return shown
  }
}

type Line = { readonly at: string; readonly stream: LogStream; readonly line: string }

/** One start apart from the next: a line of ours between what was printed before a start and after it. */
export function withRestarts(lines: readonly Line[], starts: Iterable<string>): Line[] {
  const coming = [...starts].toSorted()
  return lines.flatMap((line, index) => {
    const begun = coming.filter((at) => at <= line.at)
    coming.splice(0, begun.length)
    const at = begun.at(-1)
    return at === undefined || index === 0 ? [line] : [{ at, stream: 'berth' as const, line: AGAIN }, line]
  })
}
