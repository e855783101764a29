import type { Config } from '../config.ts'
import { addressText } from '../engine/api/address.ts'

/** What a command of ours needs of the configuration when it runs in a process of its own: above all the same data. */
export function commandEnvironment(config: Config): Readonly<Record<string, string>> {
  const { dataDir, database, backupPassphrase, engine, port, path } = config
  return {
    PATH: path,
    BERTH_DATA_DIR: dataDir,
    DOCKER_HOST: addressText(engine),
    PORT: String(port),
    ...(database.kind === 'postgres' && { BERTH_DATABASE_URL: database.url }),
    ...(backupPassphrase !== undefined && { BERTH_BACKUP_PASSPHRASE: backupPassphrase }),
  }
}
