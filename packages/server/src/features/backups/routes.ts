import type { Handlers } from '../../http/implement.ts'
import type { BackupKeeper } from './service.ts'

export function backupHandlers(backups: BackupKeeper) {
  return {
    'backups.list': async () => await backups.list(),
    'backups.create': async ({ caller }) => await backups.create(caller),
    'backups.verify': async ({ input }) => await backups.verify(input.name),
    'backups.download': async ({ caller, input }) => await backups.download(caller, input.name),
    'backups.delete': async ({ caller, input }) => await backups.remove(caller, input.name),
  } satisfies Partial<Handlers>
}
