import { isStorageFailure } from '../store/storage-failure.ts'
import type { createApplier } from './applier.ts'
import type { RefusedCertificate } from './certificates/applier.ts'
import type { EdgeCertificate } from './edge.ts'
import type { createEdgeFiles } from './files.ts'
import type { createEdgeProcess } from './host/process.ts'
import { type EdgeMaps, type EdgeWanted, edgeMaps } from './maps.ts'

type Deps = {
  files: ReturnType<typeof createEdgeFiles>
  process: ReturnType<typeof createEdgeProcess>
  applier: ReturnType<typeof createApplier>
  log: { warn(fields: object, message: string): void }
}

/**
 * Writes the wanted state to disk, then applies it to HAProxy. On a full disk only the first fails: an app that stops or is restored must
 * be routed at once.
 */
export function createApplyWanted({ files, process, applier, log }: Deps) {
  /** Target sets in use until a moment ago: a request that has just read `apps` must still find them in `targets`. */
  let leaving: ReadonlyMap<string, string> = new Map()
  let serving: ReadonlyMap<string, string> = new Map()
  let refused: readonly RefusedCertificate[] = []

  /** Returns a message for everything that is not served. Rejected items are retried at the next full pass. */
  async function put(wanted: EdgeWanted, isFull: boolean): Promise<string[]> {
    return await putAccepted(wanted, { isFull, leftOut: isFull ? [] : refused })
  }

  /** A certificate that HAProxy rejects is left out, with everything that depends on it. Everything else is served. */
  async function putAccepted(wanted: EdgeWanted, options: { isFull: boolean; leftOut: readonly RefusedCertificate[] }): Promise<string[]> {
    const { isFull, leftOut } = options
    const certificates = wanted.certificates.filter((each) => !includes(leftOut, each))
    const made = edgeMaps({ ...wanted, certificates })
    const newlyRefused = await putMaps(made, { certificates, isFull })
    for (const { certificate, reason } of newlyRefused) log.warn({ host: certificate.host, reason }, 'Certificate rejected by HAProxy')
    if (newlyRefused.length > 0) return await putAccepted(wanted, { isFull, leftOut: [...leftOut, ...newlyRefused] })
    refused = leftOut
    return [...made.refused, ...refused.map(({ certificate, reason }) => `The certificate of ${certificate.host}: ${reason}`)]
  }

  async function putMaps(
    made: EdgeMaps,
    options: { certificates: readonly EdgeCertificate[]; isFull: boolean },
  ): Promise<RefusedCertificate[]> {
    const left = options.isFull ? serving : new Map([...leaving, ...serving])
    const maps = { ...made.maps, targets: new Map([...left, ...made.maps.targets]) }
    const unsaved = await files.write(maps, options.certificates).then(() => undefined, whenDiskRefuses)
    await process.ensure('ours')
    const newlyRefused = await applier.apply(maps, options)
    if (newlyRefused.length > 0) return newlyRefused
    leaving = left
    serving = made.maps.targets
    if (unsaved) throw unsaved // the loop retries until it is on disk as well
    return []
  }

  return { put, isRefused: (certificate: EdgeCertificate) => includes(refused, certificate) }
}

function whenDiskRefuses(cause: unknown): Error {
  if (cause instanceof Error && isStorageFailure(cause)) return cause
  throw cause
}

function includes(refused: readonly RefusedCertificate[], { fingerprint }: EdgeCertificate): boolean {
  return refused.some(({ certificate }) => certificate.fingerprint === fingerprint)
}
