import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { PLATFORM, recordAudit } from '../../domain/audit.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { secretFile } from '../../lib/secret-file.ts'
import { createStep } from '../../lib/step.ts'
import { writeDurably } from '../../lib/write-durably.ts'
import { finishKeyRotation, keyHash, nextKeyPath } from '../../store/key-rotation.ts'
import type { Command } from '../command.ts'
import { openData } from '../open-data.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'
import { sealAnew } from './store.ts'

const KEY_BYTES = 32

export const rotateKeysCommand: Command = {
  about:
    'Makes new keys: all secrets are encrypted again and everybody is logged out. Berth must be stopped. Old backups keep their old key.',
  takes: [],
  async run(_, { print }) {
    const config = readConfig()
    const { dataDir, fault } = config
    const step = createStep(fault)
    const database = await openData(config)
    try {
      await finishKeyRotation(database.db, dataDir)
      const from = createSecretBox(secretFile(join(dataDir, 'secrets.key'), { mayCreate: false }))
      const key = randomBytes(KEY_BYTES)
      await step('next key', async () => await writeDurably(nextKeyPath(dataDir), key))
      const boxes = { from, to: createSecretBox(key), keyHash: keyHash(key) }
      const sealed = await step('seal', async () => await sealAnew(database.db, SEALED_COLUMNS, boxes))
      await step('take', async () => await finishKeyRotation(database.db, dataDir))
      await step('session key', async () => await writeDurably(join(dataDir, 'session.key'), randomBytes(KEY_BYTES)))
      const change = { action: 'keys.rotate', subject: 'settings', after: { sealed } }
      await database.db.transaction(async (tx) => await recordAudit(tx, new Date(), PLATFORM, change))
      print(`New keys are in place: ${sealed} secrets were encrypted again, and everybody has to log in again.`)
      print('Make a backup now: older ones open with the old key that is in them.')
      return 0
    } finally {
      await database.close()
    }
  },
}
