import { findAppData, HERE } from '../../domain/app-data.ts'
import { kindOf } from '../../domain/app-kinds.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { serversOf } from '../../domain/placement.ts'
import type { AppRow } from '../../domain/rows.ts'
import { fieldError } from '../../lib/app-error.ts'
import type { Reader } from '../../store/database.ts'

/** A new placement must not leave the data of an app behind: a release would begin with empty volumes elsewhere. */
export async function refuseLeavingData(db: Reader, { before, after }: { before: AppRow; after: AppRow }): Promise<void> {
  if (after.placement === before.placement) return
  if (!kindOf(after).keepsData && volumesOf(after).length === 0) return
  const data = await findAppData(db, after.id)
  if (data === undefined || fits(after.placement, data.server)) return
  const where = data.server === HERE ? 'the server that Berth runs on' : `the server ${data.server_name || data.server}`
  throw fieldError(
    'invalid_request',
    'placement',
    `must stay as it is: the data of the app is on ${where}. Move the app with its data: "Move…" on its page, or berth apps move ${after.slug} <server>`,
  )
}

function fits(placement: string, server: string): boolean {
  const servers = serversOf(placement)
  if (servers === 'this' || placement === '') return server === HERE
  return servers.serverId === server
}
