import type { LogLine } from '../../engine/api/log-frames.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Printer, ServiceLine } from './log-cursor.ts'

type Which = { containerId?: string | undefined; service?: string | undefined }

/** The containers of a release whose logs are asked for: all, one, or those of a service or process. `main` names the main process. */
export function withLogs(containers: readonly ContainerSummary[], { containerId, service }: Which, main: string): ContainerSummary[] {
  const wanted = containers.filter(
    ({ id, owner }) => (containerId === undefined || id === containerId) && (service === undefined || (owner.service ?? main) === service),
  )
  if (wanted.length === 0 && (containerId !== undefined || service !== undefined)) throw new AppError('container_not_found')
  return wanted
}

/** Says which container printed a line, where the logs of several are shown as one text. */
export function createLinePrefix(shown: readonly Pick<ContainerSummary, 'owner'>[], main: string) {
  const printers = shown.map(({ owner }) => printerOf(owner))
  const hasReplicas = (service: string) => printers.filter((each) => each.service === service).length > 1
  const hasServices = new Set(printers.map(({ service }) => service)).size > 1 || printers.some(({ service }) => service !== '')
  return ({ service, replica }: Printer): string => {
    const words = [...(hasServices ? [service || main] : []), ...(hasReplicas(service) ? [`replica ${replica}`] : [])]
    return words.length === 0 ? '' : `${words.join(' ')} | `
  }
}

export function printerOf({ service, replica }: ContainerSummary['owner']): Printer {
  return { service: service ?? '', replica }
}

export async function* printedBy(by: Printer, log: AsyncIterable<readonly LogLine[]>): AsyncGenerator<readonly ServiceLine[]> {
  for await (const lines of log) yield lines.map(({ at, stream, line }) => ({ at, stream, line, service: by.service, replica: by.replica }))
}
