import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../../../..')
/** Nothing else in the bundles contains this text. */
export const FIRST_VERSION = '70.0.0'
const PLATFORM = `${process.platform}-${process.arch}`

type IndexFile = {
  makeKey: (file: string) => string
  addToIndex: (file: string, key: string, release: Record<string, unknown>) => void
}

/** What is wrong with a version, or new in it. */
export type Patch = {
  /** How many migrations it has beyond those of the first version. */
  migrations?: number
  /** The last of them fails. */
  isLastBad?: boolean
  /** Code at the beginning of the server, which runs before anything else. */
  first?: string
}

/** Only where people would notice: the rehearsal goes well. */
const LIVE = "process.env['BERTH_UPDATE_MODE'] !== 'rehearsal'"
export const ENDS_AT_START = `if (${LIVE}) process.exit(3);`
/** In a block: the names of the server are short, and may be any. */
export const FAILS_HEALTH = `{
  const { Server } = process.getBuiltinModule('node:http'), { emit } = Server.prototype;
  Server.prototype.emit = function (name, asked, answer) {
    if (name === 'request' && asked.url === '/health' && ${LIVE}) { answer.statusCode = 503; answer.end('{}'); return true }
    return emit.apply(this, arguments)
  }
}`

/** The archive of this checkout as a first version, a feed with later ones made from it, and the key they are signed with. */
export async function createTestReleases(directory: string) {
  const feed = path.join(directory, 'feed')
  const key = path.join(directory, 'signing.key')
  const tree = path.join(directory, 'tree')
  await mkdir(feed, { recursive: true })
  const release = ['--disable-warning=ExperimentalWarning', path.join(ROOT, 'scripts/release.mjs')]
  const out = path.join(directory, 'out')
  await run(process.execPath, [...release, '--quick', '--out', out, '--version', FIRST_VERSION], { cwd: ROOT })
  const archive = path.join(out, `berth-${FIRST_VERSION}-${PLATFORM}.tar.gz`)
  const { makeKey, addToIndex } = (await import(path.join(ROOT, 'scripts/lib/release/index-file.mjs'))) as IndexFile // plain JavaScript
  const publicKey = makeKey(key)
  await unpackArchive(archive, tree)

  /** A later version in the feed. Its Node.js is the one of the first version, because that one is most of an archive. */
  async function publish(version: string, patch: Patch = {}, change: Record<string, unknown> = {}): Promise<void> {
    const folder = path.join(directory, `berth-${version}`)
    await rm(folder, { recursive: true, force: true })
    await cp(tree, folder, { recursive: true, filter: (source) => source !== path.join(tree, 'bin/node') })
    await writeFile(path.join(folder, 'bin/node'), `#!/bin/sh\nexec ${path.join(tree, 'bin/node')} "$@"\n`)
    await chmod(path.join(folder, 'bin/node'), 0o755)
    await rename(folder, version)
    await patchServer(path.join(folder, 'packages/server/dist'), patch)
    const file = `berth-${version}-${PLATFORM}.tar.gz`
    await run('tar', ['-czf', path.join(feed, file), '-C', directory, `berth-${version}`])
    await rm(folder, { recursive: true })
    await announce(version, change)
  }

  /** In the index alone, over an archive that is there already. */
  async function announce(version: string, change: Record<string, unknown> = {}): Promise<void> {
    const file = `berth-${version}-${PLATFORM}.tar.gz`
    const bytes = await readFile(path.join(feed, file))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const archives = { [PLATFORM]: { file, bytes: bytes.length, unpackedBytes: 10 * bytes.length, sha256, ...change } }
    const known = { channel: 'stable', publishedAt: '2026-01-01T00:00:00.000Z', notes: `What is new in ${version}`, oldest: '70.0.0' }
    await rm(path.join(feed, 'index.json'), { force: true }) // of several versions the newest would be taken
    addToIndex(path.join(feed, 'index.json'), key, { version, ...known, engine: '20.10.0', archives })
  }

  return { feed, archive, publicKey, publish, announce, file: (version: string) => `berth-${version}-${PLATFORM}.tar.gz` }
}

export type TestReleases = Awaited<ReturnType<typeof createTestReleases>>

export async function unpackArchive(archive: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', archive, '-C', target, '--strip-components=1'])
}

async function rename(folder: string, version: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/^(packages\/(server|cli)|supervisor)\/.*\.js$/.test(name) && name !== 'release.json') continue
    const file = path.join(folder, name)
    const code = await readFile(file, 'utf8')
    if (code.includes(FIRST_VERSION)) await writeFile(file, code.replaceAll(FIRST_VERSION, version))
  }
}

async function patchServer(dist: string, { migrations = 1, isLastBad = false, first = '' }: Patch): Promise<void> {
  const main = path.join(dist, 'main.js')
  await writeFile(main, `${first}\n${await readFile(main, 'utf8')}`)
  const added = Array.from({ length: migrations }, (_, index) => migration(index, isLastBad && index === migrations - 1))
  for (const name of (await readdir(dist, { recursive: true })).filter((each) => each.endsWith('.js'))) {
    const code = await readFile(path.join(dist, name), 'utf8')
    const last = /\{version:\d+,name:[`"'][\w-]+[`"'],up(?::[\w$]+)?\}(?=\])/.exec(code)?.[0]
    if (last === undefined) continue
    await writeFile(
      path.join(dist, name),
      code.replace(last, () => last + added.join('')),
    )
    return
  }
  throw new Error('the list of migrations was not found in the bundle')
}

function migration(index: number, isBad: boolean): string {
  const good = `await db.schema.createTable('new_${index}').addColumn('id', 'integer').execute()`
  const up = isBad ? "throw new Error('this migration fails')" : good
  return `,{version:${9000 + index},name:'${9000 + index}-test',up:async(db)=>{${up}}}`
}
