import { hash } from 'node:crypto'
import { EngineError, isConflict, isNotFound } from '../api/errors.ts'
import { field, filters, items, labelFilter, text } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import type { PlainFile } from '../build/tar.ts'
import type { ContainerSpec } from '../container-spec.ts'
import { LABEL, labelsOf, type Maker, ownerOf } from '../labels.ts'
import { answered } from './swarm.ts'

/** A file of a container that Swarm has, and where it is in the container. */
export type ServiceFile = { readonly id: string; readonly name: string; readonly path: string; readonly mode: number }
type Deps = { transport: Transport; usedSecrets: (instance: string) => Promise<ReadonlySet<string>>; now: () => Date }

/** The most that Swarm takes: 500 KiB less one byte, and not nothing. */
export const MOST_SECRET_BYTES = 500 * 1024 - 1
/** Long, because the service that uses a secret is created after it. */
const UNUSED_MS = 10 * 60_000

/** The first file that Swarm would not take. */
export function tooLargeForSwarm(files: readonly PlainFile[]): PlainFile | undefined {
  return files.find(({ contents }) => contents.length === 0 || contents.length > MOST_SECRET_BYTES)
}

/**
 * Files of apps on other servers. They are secrets of Swarm, not configs: a server gets those of the containers that it runs, and keeps them
 * in memory. The replicas of a release share them.
 */
export function createServiceFiles({ transport, usedSecrets, now }: Deps) {
  const call = async (...args: Parameters<Transport['json']>) => await answered(transport.json(...args))
  const list = async (owner: Maker) =>
    items(await call({ method: 'GET', path: '/secrets', query: { filters: filters({ label: labelFilter(labelsOf(owner)) }) } }))

  async function ensure({ labels, files = [] }: ContainerSpec, signal?: AbortSignal): Promise<ServiceFile[]> {
    const made: ServiceFile[] = []
    for (const file of files) made.push(await ensureOne(makerOf(labels), file, signal))
    return made
  }

  async function ensureOne(owner: Maker, { path, mode, contents }: PlainFile, signal?: AbortSignal): Promise<ServiceFile> {
    const about = JSON.stringify([owner, path, mode, contents.toString('base64')])
    const name = `berth-file-${hash('sha256', about, 'hex').slice(0, 40)}` // the same for each replica, and another one for each content
    const body = { Name: name, Labels: labelsOf(owner), Data: contents.toString('base64') }
    try {
      return { id: text(field(await call({ method: 'POST', path: '/secrets/create', body, signal }), 'ID')), name, path, mode }
    } catch (cause) {
      if (!isConflict(cause)) throw cause
    }
    const known = (await list(owner)).find((secret) => text(field(secret, 'Spec', 'Name')) === name)
    if (known === undefined)
      throw new EngineError(409, `Swarm has a secret with the name ${name} that does not belong to the app. Remove it.`)
    return { id: text(field(known, 'ID')), name, path, mode }
  }

  /** Removes the secrets of containers that were removed. */
  async function removeUnused(instance: string): Promise<void> {
    const all = await list({ instance, kind: 'file' })
    const before = now().getTime() - UNUSED_MS
    const old = all.filter((secret) => Date.parse(text(field(secret, 'CreatedAt'))) < before)
    if (old.length === 0) return
    const used = await usedSecrets(instance)
    for (const id of old.map((secret) => text(field(secret, 'ID')))) {
      if (used.has(id)) continue
      await call({ method: 'DELETE', path: `/secrets/${id}` }).catch((cause: unknown) => {
        if (!isNotFound(cause)) throw cause
      })
    }
  }

  return { ensure, removeUnused }
}

export type ServiceFiles = ReturnType<typeof createServiceFiles>

/** The release that a container belongs to. */
function makerOf(labels: ContainerSpec['labels']): Maker {
  const { instance, projectId, appId, deploymentId } = ownerOf(labels)
  if (instance === null || projectId === null || appId === null || typeof deploymentId !== 'number')
    throw new Error(`not the labels of a release: ${JSON.stringify(labels[LABEL.app])}`)
  return { instance, kind: 'file', projectId, appId, deploymentId }
}
