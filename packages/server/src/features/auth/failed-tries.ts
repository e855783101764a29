import { type Actor, recordAudit } from '../../domain/audit.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Db } from '../../store/database.ts'

const MOST_ADDRESSES = 10

/** Names the account if it exists. Other input is not recorded, because it may be a password typed into the wrong field. */
type Try = { action: 'session.login_failed' | 'user.password_failed'; account: { id: number; email: string } | undefined; actor: Actor }
type Counted = Try & { tries: number; addresses: Set<string> }
type Deps = { db: Db; log: Pick<Logger, 'warn'>; now: () => Date }

/**
 * Records wrong passwords in the audit log. The first one of an account is written at once; the following ones are counted, and become
 * one line at the next `writeCounted`. Unknown emails share one counter, so that a flood cannot fill the log.
 */
export function createFailedTries({ db, log, now }: Deps) {
  const counts = new Map<string, Counted>()
  const writing = new Set<Promise<void>>()

  async function write(lines: readonly Counted[]): Promise<void> {
    const at = now()
    await db.transaction(async (tx) => {
      for (const { action, account, actor, tries, addresses } of lines) {
        const after = { email: account?.email ?? null, tries, addresses: [...addresses] }
        const subject = account ? { subject: 'user', subjectId: account.id } : { subject: 'user' }
        await recordAudit(tx, at, actor, { action, ...subject, after })
      }
    })
  }

  /** After the response, so that its timing does not reveal whether the account exists. */
  function writeSoon(line: Counted): void {
    const written = new Promise<void>((resolve) => setImmediate(resolve))
      .then(async () => await write([line]))
      .catch((err: unknown) => log.warn({ err, action: line.action }, 'a failed login was not recorded'))
    writing.add(written)
    void written.then(() => writing.delete(written))
  }

  function record(failed: Try): void {
    const key = `${failed.action} ${failed.account?.id}`
    const { address } = failed.actor.origin
    const known = counts.get(key)
    if (!known) {
      counts.set(key, { ...failed, tries: 0, addresses: new Set() })
      return writeSoon({ ...failed, tries: 1, addresses: new Set([address]) })
    }
    known.actor = failed.actor
    known.tries += 1
    if (known.addresses.size < MOST_ADDRESSES) known.addresses.add(address)
  }

  /** An account without failures since the last run starts over with its next failure. */
  async function writeCounted(): Promise<void> {
    const lines = [...counts.values()].filter(({ tries }) => tries > 0)
    for (const [key, line] of counts)
      if (line.tries === 0) counts.delete(key)
      else counts.set(key, { ...line, tries: 0, addresses: new Set() })
    if (lines.length > 0) await write(lines)
  }

  async function stop(): Promise<void> {
    await Promise.all(writing)
    await writeCounted().catch((err: unknown) => log.warn({ err }, 'failed logins were not recorded'))
  }

  return { record, writeCounted, stop }
}

export type FailedTries = ReturnType<typeof createFailedTries>
