import { expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { commandEnvironment } from './command-environment.ts'

it.each([
  { BERTH_DATA_DIR: '/data', BERTH_BACKUP_PASSPHRASE: 'a secret' },
  { BERTH_DATA_DIR: '/data', BERTH_DATABASE_URL: 'postgres://berth@localhost/berth' },
])('a command works on the same data as the server: %j', (env) => {
  const config = readConfig({ PATH: '/usr/bin', PORT: '4000', DOCKER_HOST: 'unix:///engine.sock', ...env })
  const { dataDir, database, backupPassphrase, engine, port } = config
  expect(readConfig(commandEnvironment(config))).toMatchObject({ dataDir, database, backupPassphrase, engine, port })
})
