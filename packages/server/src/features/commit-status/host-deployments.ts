import { HostError } from '../../git-hosts/errors.ts'
import type { GitHost } from '../../git-hosts/host.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Db } from '../../store/database.ts'
import { type DueStatus, setHostDeployment } from './store.ts'

type Status = Parameters<NonNullable<GitHost['deployments']>['setStatus']>[2]
type Shown = { accountId: number; repository: string; due: DueStatus; status: Status }

const ASK_AGAIN_MS = 3600_000

/** Shows deployments by themselves at hosts that know such a thing. Where the account may not, the status of the commit has to do. */
export function createHostDeployments({ db, log, now }: { db: Db; log: Pick<Logger, 'info'>; now: () => Date }) {
  const refusedAt = new Map<string, number>()

  return async function show(host: GitHost, { accountId, repository, due, status }: Shown): Promise<void> {
    const key = `${accountId}/${repository}`
    const last = refusedAt.get(key)
    if (!host.deployments || (last !== undefined && now().getTime() - last < ASK_AGAIN_MS)) return
    const isKnown = due.host_deployment !== ''
    if (due.is_overtaken && !isKnown) return
    try {
      const id = isKnown ? due.host_deployment : await host.deployments.create(repository, { commit: due.commit_hash, ...status })
      // before anything else: one that is created twice would be shown twice
      if (!isKnown) await db.transaction(async (tx) => await setHostDeployment(tx, due.deployment_id, id))
      await host.deployments.setStatus(repository, id, status)
    } catch (cause) {
      if (!(cause instanceof HostError) || !['forbidden', 'missing'].includes(cause.failure)) throw cause
      if (isKnown && cause.failure === 'missing') return // somebody deleted it there
      if (last === undefined)
        log.info({ accountId, repository, reason: cause.message }, 'the git host is told of commits, not of deployments')
      refusedAt.set(key, now().getTime())
    }
  }
}
