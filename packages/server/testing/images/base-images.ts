import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Engine } from '../../src/engine/engine.ts'
import { librariesOf, packed } from '../harness/machine-files.ts'
import { ensureNpmImage, NPM_IMAGE } from './node-image.ts'
import { BUSYBOX_IMAGE, buildTestImage, ensureBusybox } from './test-images.ts'

type Builder = Pick<Engine, 'images' | 'build'>
const run = promisify(execFile)

/** What detected projects are built on, under the names that their Dockerfiles ask for. What was made here goes at the end. */
export async function ensureBaseImages(engine: Builder): Promise<AsyncDisposable> {
  return await ensureMade(engine, { 'node:24-slim': makeNode, 'nginx:1-alpine': makeNginx })
}

/** One of another version, for a suite that runs beside those that use the images above. */
export async function ensureNodeBase(engine: Builder, version: number): Promise<AsyncDisposable> {
  return await ensureMade(engine, { [`node:${version}-slim`]: makeNode })
}

/** Everything that the projects of the table that can be built here are built on, with the very versions. */
export async function ensureProjectBases(engine: Builder): Promise<AsyncDisposable> {
  const others = ['22', '20.11.1'].map((version) => [`node:${version}-slim`, makeNodeOf(version)] as const)
  return await ensureMade(engine, { 'node:24-slim': makeNode, 'nginx:1-alpine': makeNginx, ...Object.fromEntries(others) })
}

type Maker = (engine: Builder, name: string) => Promise<void>

async function ensureMade(engine: Builder, makers: Readonly<Record<string, Maker>>): Promise<AsyncDisposable> {
  const made: string[] = []
  for (const [name, make] of Object.entries(makers)) {
    if (await engine.images.exists(name)) continue
    await make(engine, name)
    made.push(name)
  }
  return {
    [Symbol.asyncDispose]: async () => {
      for (const name of made) await engine.images.remove(name)
    },
  }
}

/** Node.js and npm, and the user that the official image has. */
async function makeNode(engine: Builder, name: string): Promise<void> {
  await ensureNpmImage(engine)
  const Dockerfile = [
    `FROM ${NPM_IMAGE}`,
    'RUN mkdir -p /etc && echo root:x:0:0::/root:/bin/sh > /etc/passwd && echo node:x:1000:1000::/tmp:/bin/sh >> /etc/passwd',
    'RUN echo root:x:0: > /etc/group && echo node:x:1000: >> /etc/group',
    '',
  ].join('\n')
  await buildTestImage(engine, name, { Dockerfile })
}

/** The same with another Node.js, from its package on npm, and with Yarn, as the official image has it. */
function makeNodeOf(version: string): Maker {
  return async (engine, name) => {
    await ensureNpmImage(engine)
    const directory = await mkdtemp(path.join(tmpdir(), 'berth-node-'))
    try {
      const program = `node-${process.platform}-${process.arch}`
      await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', directory, `${program}@${version}`], { cwd: directory })
      await makeNode(engine, `${name}-base`)
      await buildTestImage(engine, name, {
        Dockerfile: `FROM ${name}-base\nCOPY node /bin/node\nRUN npm install -g yarn@1.22.22\n`,
        node: await packed(path.join(directory, 'node_modules', program, 'bin/node')),
      })
      await engine.images.remove(`${name}-base`)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
}

/** Debian's nginx under another name; it stays. */
export async function ensureNginxImage(engine: Builder, name: string): Promise<void> {
  if (!(await engine.images.exists(name))) await makeNginx(engine, name)
}

/** Debian's nginx, from its packages: it is not installed, because that would start a server on this machine. */
async function makeNginx(engine: Builder, name: string): Promise<void> {
  await ensureBusybox(engine)
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-nginx-'))
  try {
    await run('apt-get', ['download', '-q', 'nginx', 'nginx-common'], { cwd: directory })
    const packages = (await readdir(directory)).filter((file) => file.endsWith('.deb'))
    for (const file of packages) await run('dpkg-deb', ['-x', path.join(directory, file), directory])
    const program = path.join(directory, 'usr/sbin/nginx')
    const { files, folders } = await librariesOf([program])
    await buildTestImage(engine, name, {
      Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCOPY root/ /\nRUN mkdir -p /var/log/nginx /usr/share/nginx/html\nENV LD_LIBRARY_PATH=${folders}\n`,
      'root/bin/nginx': await packed(program),
      'root/etc/nginx/mime.types': await packed(path.join(directory, 'etc/nginx/mime.types')),
      ...files,
    })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
