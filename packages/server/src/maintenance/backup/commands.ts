import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sizeWords } from '@berth/contract'
import { readConfig } from '../../config.ts'
import { nameFor } from '../../features/backups/files.ts'
import type { Command, CommandInput } from '../command.ts'
import { createBackup } from './create.ts'
import { type Restored, restoreBackup, verifyBackup } from './restore.ts'

const PASSPHRASE = { 'passphrase-file': { type: 'string' } } as const

/** Never from the command line, which every user of the machine can read. */
async function passphrase({ flags }: CommandInput): Promise<string | undefined> {
  const file = flags['passphrase-file']
  const text = typeof file === 'string' ? (await readFile(file, 'utf8')).trim() : readConfig().backupPassphrase
  return text === '' ? undefined : text
}

function contentsOf({ manifest, database }: Restored): string {
  const { version, createdAt } = manifest
  return `made by Berth ${version} at ${createdAt}, with ${count(database.apps, 'app')} and ${count(database.people, 'user')}`
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** Copies of the database stay in the data directory, where nobody else can read them. */
function workingDirectory(): string {
  const { dataDir } = readConfig()
  return existsSync(dataDir) ? join(dataDir, 'backups') : tmpdir()
}

const backup: Command = {
  about: 'Writes a backup of Berth (not of the volumes of apps) into a file, also while it runs. BERTH_BACKUP_PASSPHRASE encrypts it.',
  takes: ['file'],
  isLastOptional: true,
  options: { logs: { type: 'boolean' }, ...PASSPHRASE },
  async run(input, { print }) {
    const config = readConfig()
    const { dataDir, database } = config
    const secret = await passphrase(input)
    const name = nameFor(new Date(), secret !== undefined)
    const target = resolve(input.positionals[0] ?? join(dataDir, 'backups', name))
    const withLogs = input.flags['logs'] === true
    const made = await createBackup({ dataDir, database, target, withLogs, passphrase: secret, now: () => new Date() })
    print(`Wrote ${made.path} (${sizeWords(made.bytes)}, ${count(made.manifest.files, 'file')}).`)
    if (secret === undefined) print('It is not encrypted and holds the keys to all secrets: keep it where only you can read it.')
    return 0
  },
}

const verify: Command = {
  about: 'Reads a backup to its end and checks every file in it.',
  takes: ['file'],
  options: { json: { type: 'boolean' }, ...PASSPHRASE },
  async run(input, { print }) {
    const [path = ''] = input.positionals
    const verified = await verifyBackup({ path, passphrase: await passphrase(input) }, workingDirectory())
    const { version, createdAt } = verified.manifest
    if (input.flags['json'] === true)
      print(JSON.stringify({ version, createdAt, apps: verified.database.apps, users: verified.database.people }))
    else print(`This backup is complete: ${contentsOf(verified)}.`)
    return 0
  },
}

const restore: Command = {
  about:
    'Restores a backup into an empty data directory, and with BERTH_DATABASE_URL into an empty PostgreSQL database. The backup may come from either database.',
  takes: ['file'],
  options: PASSPHRASE,
  async run(input, { print }) {
    const config = readConfig()
    const { dataDir } = config
    const [path = ''] = input.positionals
    const restored = await restoreBackup({ path, passphrase: await passphrase(input) }, config)
    const where = config.database.kind === 'postgres' ? `${dataDir} and the database of BERTH_DATABASE_URL` : dataDir
    print(`Restored into ${where}: ${contentsOf(restored)}. Everybody has to log in again.`)
    print('Start Berth, then run `berth-server doctor`: it names apps that must be deployed again and volumes that are missing.')
    return 0
  },
}

/** Backups of Berth itself. */
export const backupCommands = { backup, verify, restore } satisfies Record<string, Command>
