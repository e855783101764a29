import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { rolldown } from 'rolldown'

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts')
const CACHE = path.resolve(import.meta.dirname, '../../../../node_modules/.cache/berth/test-server')
const KEPT_MS = 24 * 3600 * 1000
/** The same packages as in the build: they load native code or files beside them. */
const EXTERNAL = ['better-sqlite3', '@node-rs/argon2', 'pino', 'acme-client']

/** The variable that says where the bundle is. */
const MADE_BEFORE = 'BERTH_TEST_BUNDLE'
let bundle: Promise<string> | undefined

/** The current sources bundled into one file: it starts four times faster. */
export async function bundledMain(): Promise<string> {
  bundle ??= Promise.resolve(process.env[MADE_BEFORE] ?? build())
  return await bundle
}

/** For all processes that are started from now on. */
export async function bundleForAll(): Promise<void> {
  process.env[MADE_BEFORE] = await bundledMain()
}

async function build(): Promise<string> {
  const external = (id: string) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`))
  const made = await rolldown({ input: MAIN, platform: 'node', external, logLevel: 'warn' })
  const { output } = await made.generate({ format: 'esm', codeSplitting: false })
  await made.close()
  if (output.length !== 1) throw new Error(`the server is ${output.length} files, and was expected to be one`)
  const { code } = output[0]
  const file = path.join(CACHE, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`)
  await mkdir(CACHE, { recursive: true })
  await removeOld()
  if (existsSync(file)) return file
  const temporary = `${file}.${process.pid}` // another process of the tests may be at it too
  await writeFile(temporary, code)
  await rename(temporary, file)
  return file
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const file = path.join(CACHE, name)
    const found = await stat(file).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > KEPT_MS) await rm(file, { force: true })
  }
}
