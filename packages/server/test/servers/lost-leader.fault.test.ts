import { ApiError } from '@berth/contract'
import { expect, it } from 'vitest'
import { openServersLab } from '../../testing/labs/servers-lab.ts'

const LONGEST_ANSWER_MS = 12_000

it('while a lost leader is replaced, every answer says so soon, and then the servers are back', { tags: 'long' }, async () => {
  await using lab = await openServersLab({ nodes: 3 })
  const { owner, others } = lab
  for (const node of others) {
    await lab.join(node)
    await lab.server(node.name, ({ checkedAt }) => checkedAt !== null)
  }
  const ids = (await owner.call('servers.list')).servers.map(({ id }) => id)
  await owner.call('servers.setManagers', { serverIds: ids })
  // not through Berth, which keeps its own server a manager: that another one leads
  const [second] = others
  await second?.run('docker', 'node', 'demote', 'n1')
  await expect
    .poll(async () => await second?.run('docker', 'node', 'promote', 'n1').catch(() => ''), { timeout: 30_000 })
    .toContain('promoted')
  const leader = await expect
    .poll(async () => (await owner.call('servers.list').catch(() => undefined))?.servers.find(({ isLeader }) => isLeader)?.name, {
      timeout: 60_000,
    })
    .toMatch(/^n[23]$/)
    .then(async () => (await owner.call('servers.list')).servers.find(({ isLeader }) => isLeader)?.name)

  await others.find(({ name }) => name === leader)?.kill()
  const seen: { answer: string; ms: number }[] = []
  const look = async (): Promise<string> => {
    const begun = performance.now()
    const answer = await owner.call('servers.list').then(
      ({ servers }) => servers.find(({ name }) => name === leader)?.state ?? 'gone',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    )
    seen.push({ answer, ms: performance.now() - begun })
    return answer
  }
  await expect.poll(look, { timeout: 120_000, interval: 500 }).toBe('down')
  expect([...new Set(seen.map(({ answer }) => answer))].toSorted()).toEqual(expect.arrayContaining(['down', 'swarm_unavailable']))
  expect(seen.filter(({ answer }) => !['ready', 'down', 'swarm_unavailable'].includes(answer))).toEqual([])
  expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(LONGEST_ANSWER_MS)
})
