import type { Reader, Tx } from '../../store/database.ts'
import { livingNodes } from '../../store/presence.ts'

export type Challenge = { readonly id: number; readonly token: string; readonly answer: string }

export async function insertChallenge(tx: Tx, { token, answer, at }: { token: string; answer: string; at: Date }): Promise<number> {
  const row = { token, answer, created_at: at.toISOString() }
  const { id } = await tx.insertInto('acme_challenge').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function deleteChallenge(tx: Tx, token: string): Promise<void> {
  await tx.deleteFrom('acme_challenge').where('token', '=', token).execute()
}

/** Those that a lost node left behind. */
export async function forgetChallenges(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('acme_challenge').where('created_at', '<', before.toISOString()).execute()
}

export async function listChallenges(db: Reader): Promise<Challenge[]> {
  return await db.selectFrom('acme_challenge').select(['id', 'token', 'answer']).orderBy('id').execute()
}

export async function noteSeen(tx: Tx, bootId: string, id: number): Promise<void> {
  await tx.updateTable('control_plane').set({ challenge_seen: id }).where('boot_id', '=', bootId).execute()
}

/** The other living nodes whose edges do not answer this challenge yet. */
export async function nodesWithout(db: Reader, bootId: string, id: number): Promise<string[]> {
  const others = (await livingNodes(db)).filter((node) => node.boot_id !== bootId && node.challenge_seen < id)
  return others.map(({ name }) => name)
}
