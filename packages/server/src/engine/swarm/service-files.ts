import { hash } from 'node:crypto'
import { createSemaphore } from '../../lib/semaphore.ts'
import { EngineError, isConflict, isNotFound } from '../api/errors.ts'
import { field, filters, items, labelFilter, text, texts } from '../api/json.ts'
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
/** How long it is, which Swarm does not tell. */
const BYTES_LABEL = 'berth.bytes'
const MIB = 1024 * 1024
/** Managers keep them in memory, and every change of them on disk. */
const MOST_BYTES = { ofProject: 32 * MIB, ofAll: 128 * MIB }
/** What a small one counts as: there may not be too many either. */
const LEAST_COUNTED = 16 * 1024

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
    items(await call({ method: 'GET', path: '/secrets', query: { filters: filters({ label: labelFilter(labelsOf(owner)) }) } })).map(keptOf)
  /** So that two releases do not take the same room, and none is removed that was just found. */
  const oneAtATime = createSemaphore(1)
  /** Those that containers are about to have. */
  const wantedAt = new Map<string, number>()

  async function ensure({ labels, files = [] }: ContainerSpec, signal?: AbortSignal): Promise<ServiceFile[]> {
    if (files.length === 0) return []
    const owner = makerOf(labels)
    const wanted = files.map((file) => ({ ...file, name: nameOf(owner, file) }))
    return await oneAtATime.run(async () => {
      const known = await list({ instance: owner.instance, kind: 'file' })
      const idOf = new Map(known.map(({ name, id }) => [name, id]))
      const added = wanted.filter(({ name }) => !idOf.has(name))
      refuseTooMany(known, { projectId: owner.projectId, added: added.map(({ contents }) => contents.length) })
      for (const file of added) idOf.set(file.name, await create(owner, file, signal))
      return wanted.map(({ name, path, mode }) => {
        const id = idOf.get(name) ?? ''
        wantedAt.set(id, now().getTime())
        return { id, name, path, mode }
      })
    })
  }

  async function create(owner: Maker, { name, contents }: PlainFile & { name: string }, signal?: AbortSignal): Promise<string> {
    const Labels = { ...labelsOf(owner), [BYTES_LABEL]: String(contents.length) }
    const body = { Name: name, Labels, Data: contents.toString('base64') }
    try {
      return text(field(await call({ method: 'POST', path: '/secrets/create', body, signal }), 'ID'))
    } catch (cause) {
      if (!isConflict(cause)) throw cause
    }
    const known = (await list(owner)).find((secret) => secret.name === name) // of another control plane, at the same moment
    if (known === undefined)
      throw new EngineError(409, `Swarm has a secret with the name ${name} that does not belong to the app. Remove it.`)
    return known.id
  }

  /** Removes the secrets of containers that were removed. */
  async function removeUnused(instance: string): Promise<void> {
    await oneAtATime.run(async () => {
      const before = now().getTime() - UNUSED_MS
      for (const [id, at] of wantedAt) if (at < before) wantedAt.delete(id)
      const old = (await list({ instance, kind: 'file' })).filter(({ id, createdAt }) => createdAt < before && !wantedAt.has(id))
      if (old.length === 0) return
      const used = await usedSecrets(instance)
      for (const { id } of old.filter((secret) => !used.has(secret.id)))
        await call({ method: 'DELETE', path: `/secrets/${id}` }).catch((cause: unknown) => {
          if (!isNotFound(cause)) throw cause
        })
    })
  }

  return { ensure, removeUnused }
}

export type ServiceFiles = ReturnType<typeof createServiceFiles>

type Kept = {
  readonly id: string
  readonly name: string
  readonly projectId: number | null
  readonly bytes: number
  readonly createdAt: number
}

function keptOf(secret: unknown): Kept {
  const labels = texts(field(secret, 'Spec', 'Labels'))
  return {
    id: text(field(secret, 'ID')),
    name: text(field(secret, 'Spec', 'Name')),
    projectId: ownerOf(labels).projectId,
    bytes: Number(labels[BYTES_LABEL] ?? '0'), // an earlier Berth did not say
    createdAt: Date.parse(text(field(secret, 'CreatedAt'))),
  }
}

/** The same for each replica and each release of an app, and another one for each content. */
function nameOf(owner: Maker, { path, mode, contents }: PlainFile): string {
  const about = JSON.stringify([owner, path, mode, contents.toString('base64')])
  return `berth-file-${hash('sha256', about, 'hex').slice(0, 40)}`
}

function refuseTooMany(known: readonly Kept[], { projectId, added }: { projectId: number; added: readonly number[] }): void {
  if (added.length === 0) return // what is there already must start again
  const sum = (bytes: readonly number[]) => bytes.reduce((all, each) => all + Math.max(each, LEAST_COUNTED), 0)
  const [more, all] = [sum(added), sum(known.map(({ bytes }) => bytes))]
  const own = sum(known.filter((each) => each.projectId === projectId).map(({ bytes }) => bytes))
  const isOwn = own + more > MOST_BYTES.ofProject
  if (!isOwn && all + more <= MOST_BYTES.ofAll) return
  const most = (isOwn ? MOST_BYTES.ofProject : MOST_BYTES.ofAll) / MIB
  const toDo = 'Try again ten minutes after releases or apps with files were removed, or place the app on the first server.'
  throw new EngineError(
    413,
    `The files of ${isOwn ? 'the apps of a project' : 'all apps'} have at most ${most} MiB on other servers. ${toDo}`,
  )
}

/** The app that a file belongs to. */
function makerOf(labels: ContainerSpec['labels']): Maker & { readonly projectId: number } {
  const { instance, projectId, appId } = ownerOf(labels)
  if (instance === null || projectId === null || appId === null)
    throw new Error(`not the labels of an app: ${JSON.stringify(labels[LABEL.app])}`)
  return { instance, kind: 'file', projectId, appId }
}
