import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { EngineAddress } from '../../src/engine/api/address.ts'
import { END_OF_ARCHIVE, headerOf, paddingFor } from '../../src/engine/build/tar.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { LABEL } from '../../src/engine/labels.ts'
import { engineSocketPath } from '../harness/engine-proxy.ts'

/** The real engine, and an instance name that nobody else has. Everything made under it is removed at the end. */
export function openTestEngine(options: { address?: EngineAddress; pullWindowMs?: number } = {}) {
  const instance = `t${randomBytes(5).toString('hex')}`
  const labels = { [LABEL.instance]: instance }
  const log = { info: () => undefined, warn: () => undefined }
  const engine = createEngine({ address: { socketPath: engineSocketPath() }, log, now: () => new Date(), ...options })
  return { engine, instance, [Symbol.asyncDispose]: () => removeEverything(engine, labels) }
}

export async function removeEverything(engine: Engine, labels: Record<string, string>): Promise<void> {
  for (const { id } of [...(await engine.containers.list({ labels })), ...(await engine.lentContainers.list({ labels }))])
    await engine.containers.remove(id)
  for (const { name } of await engine.networks.list({ labels })) await engine.networks.remove(name)
  for (const { name } of await engine.volumes.list({ labels })) await engine.volumes.remove(name)
  for (const { id } of await engine.images.list({ labels })) await engine.images.remove(id)
}

export const BUSYBOX_IMAGE = 'berth-test/busybox:1'

const BUSYBOX_DOCKERFILE = [
  'FROM scratch',
  'COPY busybox /bin/busybox',
  'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
  'RUN mkdir -p /tmp /var /root /www && chmod 1777 /tmp',
  'ENV PATH=/bin',
  'CMD ["/bin/sh"]',
  '',
].join('\n')

/** Makes the image that every other test image stands on, from the machine's own static busybox: no registry is needed. */
export async function ensureBusybox(engine: Pick<Engine, 'images' | 'build'>): Promise<string> {
  if (await engine.images.exists(BUSYBOX_IMAGE)) return BUSYBOX_IMAGE
  await buildTestImage(engine, BUSYBOX_IMAGE, { Dockerfile: BUSYBOX_DOCKERFILE, busybox: { bytes: await readBusybox(), mode: 0o755 } })
  return BUSYBOX_IMAGE
}

/** Builds an image for tests from these files alone; one of them is its Dockerfile. */
export async function buildTestImage(engine: Pick<Engine, 'build'>, tag: string, files: TarFiles): Promise<void> {
  await engine.build({
    contextTar: tarOf(files),
    dockerfile: 'Dockerfile',
    tag,
    labels: {},
    onLine: () => undefined,
    signal: AbortSignal.timeout(120_000),
  })
}

async function readBusybox(): Promise<Buffer> {
  for (const file of ['/bin/busybox', '/usr/bin/busybox']) {
    const found = await readFile(file).catch(() => null)
    if (found !== null) return found
  }
  throw new Error('No busybox on this machine: install the package busybox-static')
}

/** The files of a repository with a small web app that answers every path with `body`; it listens on $PORT. */
export function httpdApp(options: { body: string }): Record<string, string> {
  const dockerfile = [`FROM ${BUSYBOX_IMAGE}`, 'COPY index.html /www/index.html', 'CMD exec httpd -f -p "${PORT:-8080}" -h /www', '']
  return { Dockerfile: dockerfile.join('\n'), 'index.html': options.body }
}

export type TarFiles = Readonly<Record<string, string | { readonly bytes: Buffer; readonly mode: number }>>

export function tarOf(files: TarFiles): Readable {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const { bytes, mode } = typeof content === 'string' ? { bytes: Buffer.from(content), mode: 0o644 } : content
    return [headerOf({ path, kind: 'file', mode, size: bytes.length, mtimeSeconds: 0 }), bytes, paddingFor(bytes.length)]
  })
  return Readable.from(
    [...blocks, END_OF_ARCHIVE].filter((block) => block.length > 0),
    { objectMode: false },
  )
}
