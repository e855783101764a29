import { copyFile, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { databasePath } from '../store/sqlite/open.ts'
import { copyDatabase } from './backup/store.ts'
import type { Command } from './command.ts'

export const copyDataCommand: Command = {
  about:
    'Copies the database, as SQLite, and its keys into a new directory, also while Berth runs. An update tries the new version with such a copy.',
  takes: ['directory'],
  async run({ positionals: [given = ''] }) {
    const config = readConfig()
    const { dataDir } = config
    const directory = resolve(given)
    await mkdir(directory, { mode: 0o700 })
    await copyDatabase(config, databasePath(directory))
    for (const key of ['secrets.key', 'session.key']) await copyFile(join(dataDir, key), join(directory, key))
    return 0
  },
}
