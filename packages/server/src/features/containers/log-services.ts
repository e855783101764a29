import type { LogLine } from '../../engine/api/log-frames.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ServiceLine } from './log-cursor.ts'

type Which = { containerId?: string | undefined; service?: string | undefined }

/** The containers of a release whose logs are asked for: all, one, or those of a service. */
export function withLogs(containers: readonly ContainerSummary[], { containerId, service }: Which): ContainerSummary[] {
  const wanted = containers.filter(
    ({ id, owner }) => (containerId === undefined || id === containerId) && (service === undefined || owner.service === service),
  )
  if (wanted.length === 0 && (containerId !== undefined || service !== undefined)) throw new AppError('container_not_found')
  return wanted
}

/** Which service printed a line, where all logs of an app are shown as one text. */
export function linePrefix(service: string): string {
  return service === '' ? '' : `${service} | `
}

export async function* ofService(service: string, log: AsyncIterable<readonly LogLine[]>): AsyncGenerator<readonly ServiceLine[]> {
  for await (const lines of log) yield lines.map(({ at, stream, line }) => ({ at, stream, line, service }))
}
