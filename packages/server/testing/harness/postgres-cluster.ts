import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chown, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const PROGRAMS = '/usr/lib/postgresql'
const MEMORY = '/dev/shm'
const ROOM_BYTES = 512 * 1024 * 1024
/** What is lost in a crash of the machine does not matter here. */
const FAST = ['fsync=off', 'full_page_writes=off', 'autovacuum=off']
const SETTINGS = ['max_connections=300', 'shared_buffers=64MB', 'listen_addresses=']

const run = promisify(execFile)

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** A PostgreSQL server of its own, reached by a socket in a temporary directory. `isDurable`: as people run it, on a disk. */
export async function startPostgres({ isDurable = false } = {}) {
  const memory = await statfs(MEMORY).catch(() => undefined)
  const parent = !isDurable && memory && memory.bavail * memory.bsize > ROOM_BYTES ? MEMORY : tmpdir()
  const directory = await mkdtemp(path.join(parent, 'berth-pg-'))
  const as = await unprivileged()
  if (as.uid !== undefined && as.gid !== undefined) await chown(directory, as.uid, as.gid)
  const [newest = ''] = (await readdir(PROGRAMS)).toSorted((a, b) => Number(b) - Number(a))
  const program = (name: string) => path.join(PROGRAMS, newest, 'bin', name)
  const data = path.join(directory, 'data')
  await run(program('initdb'), ['-D', data, '-U', 'berth', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'], as)
  const url = (database: string) => `postgres:///${database}?host=${directory}&user=berth`
  let server = begin()
  await answers()

  function begin() {
    const wanted = [...(isDurable ? [] : FAST), ...SETTINGS, `unix_socket_directories=${directory}`]
    const settings = wanted.flatMap((setting) => ['-c', setting])
    return spawn(program('postgres'), ['-D', data, ...settings], { ...as, stdio: 'ignore' })
  }

  async function answers(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await tell('select 1')
      } catch (cause) {
        if (tries > 200) throw cause
        await sleep(50)
      }
    }
  }

  async function tell(sql: string, database = 'postgres'): Promise<void> {
    const client = new pg.Client(url(database))
    client.on('error', () => undefined)
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }

  /** It keeps its connections and answers nothing, like a machine that hangs. */
  function freeze(isFrozen: boolean): void {
    const { pid } = server
    if (pid === undefined) return
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    for (const each of [pid, ...children]) if (each > 0) process.kill(each, isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  /** At once, as if it crashed. */
  async function stop(): Promise<void> {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    if (server.exitCode === null && server.kill('SIGQUIT')) await ended
  }

  return {
    url,
    tell,
    stop,
    freeze,
    async createDatabase(template = 'template1'): Promise<string> {
      const name = `t_${randomBytes(6).toString('hex')}`
      await tell(`create database ${name} template ${template}`)
      return url(name)
    },
    async startAgain(): Promise<void> {
      server = begin()
      await answers()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
