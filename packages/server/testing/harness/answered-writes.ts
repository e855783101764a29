import type { Call } from '@berth/contract'
import type { DeployLab } from '../labs/deploy-lab.ts'

type Asked = { operation: string; input: Record<string, unknown>; answer?: { id?: number } }

/** LIST of what must be in the database after these responses; the value is the id to look up. */
const KEPT: Readonly<Record<string, { sql: string; isThere: boolean; id: (asked: Asked) => unknown }>> = {
  'deployments.add': { sql: 'select id from deployment where id = ?', isThere: true, id: ({ answer }) => answer?.id },
  'deployments.rollback': { sql: 'select id from deployment where id = ?', isThere: true, id: ({ answer }) => answer?.id },
  'deployments.stop': {
    sql: "select id from deployment where id = ? and status = 'stopped'",
    isThere: true,
    id: ({ input }) => input['deploymentId'],
  },
  'containers.stop': { sql: "select id from app where id = ? and wanted = 'stopped'", isThere: true, id: ({ input }) => input['appId'] },
  'containers.start': { sql: "select id from app where id = ? and wanted = 'running'", isThere: true, id: ({ input }) => input['appId'] },
  'apps.delete': { sql: 'select id from app where id = ?', isThere: false, id: ({ input }) => input['appId'] },
  'projects.delete': { sql: 'select id from project where id = ?', isThere: false, id: ({ input }) => input['id'] },
}

/** Records the owner's requests, and afterwards reports what was confirmed but is missing (I7). */
export function listenToWrites(lab: DeployLab) {
  const original = lab.owner.call
  const asked: Asked[] = []
  const listening = async (operation: string, input: Record<string, unknown> = {}) => {
    const entry: Asked = { operation, input }
    if (operation in KEPT) asked.push(entry)
    const answer = await (original as (name: string, given: unknown) => Promise<{ id?: number }>)(operation, input) // typed by the name, which varies here
    entry.answer = answer ?? {}
    return answer
  }
  lab.owner.call = listening as unknown as Call // as above

  function lost(): string[] {
    return asked.flatMap((entry, index) => {
      const kept = KEPT[entry.operation]
      const isOvertaken = entry.operation.startsWith('containers.') && index < asked.length - 1 // the later verb decides
      if (!kept || !entry.answer || isOvertaken) return []
      const found = lab.rows(kept.sql, Number(kept.id(entry))).length > 0
      return found === kept.isThere ? [] : [`I7: ${entry.operation} ${JSON.stringify(entry.input)} was answered and is lost`]
    })
  }

  return { lost, count: () => asked.filter(({ answer }) => answer).length, stop: () => void (lab.owner.call = original) }
}
