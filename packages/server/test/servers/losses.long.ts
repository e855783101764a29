import { expect, it } from 'vitest'
import { until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { keepVisiting, openPlacedLab } from '../../testing/labs/placed-lab.ts'
import { LOST_WITHIN_MS, lose } from './losing.ts'

/** More or fewer with `ROUNDS=20`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 10)

type Lab = Awaited<ReturnType<typeof openPlacedLab>>
type Node = Lab['here']

/** An app with two replicas on the second and the third server, and edges on the first and the second. */
async function openLab() {
  const lab = await openPlacedLab({ nodes: 3 })
  const [second, third] = lab.others
  if (!second || !third) throw new Error('there are three servers')
  const site = await lab.createApp('site', webFiles('release 0'))
  await lab.owner.call('domains.create', { appId: site.id, domain: lab.host })
  await lab.owner.call('apps.update', { appId: site.id, replicas: 2 })
  const serversNow = async () => await lab.serversOf(site.id)
  const visitsAt = (node: Node) => async () => await lab.visit('/', node)
  const deploy = async () => expect(await lab.deploy(site.id)).toMatchObject({ status: 'success', error_message: '' })
  await deploy()
  const { id: secondId } = await lab.server('n2')
  await lab.owner.call('servers.update', { serverId: secondId, edge: true })

  /** Everything is where it belongs, and both edges reach both replicas. */
  async function isSteady(servers = 'n2,n3'): Promise<void> {
    await until(serversNow, (now) => now === servers)
    const edge = async () => (await lab.owner.call('servers.list').catch(() => undefined))?.servers.find(({ name }) => name === 'n2')?.edge
    await until(edge, (now) => now?.state === 'current')
    let good = 0
    const visit = async () => {
      const all = await Promise.all([lab.here, second].map(async (node) => await lab.visit('/', node, 1000)))
      good = all.every((answer) => answer.startsWith('200')) ? good + 1 : 0
      return good
    }
    await until(visit, (count) => count >= 20)
  }

  return { ...lab, second, third, site, serversNow, visitsAt, deployed: deploy, isSteady, close: lab[Symbol.asyncDispose] }
}

it('visitors lose nothing through releases, rollbacks and drains, and on a lost server only what was on its way there', async () => {
  const lab = await openLab()
  await using stack = new AsyncDisposableStack()
  stack.defer(lab.close)
  const { owner, site, second, third, here, visitsAt, isSteady } = lab
  await isSteady()

  const stops = [here, second].map((node) => keepVisiting(visitsAt(node)))
  const { id: thirdId } = await lab.server('n3')
  for (let round = 1; round <= ROUNDS; round += 1) {
    await site.repository.commit({ files: { 'index.html': `release ${round}` } })
    await lab.deployed()
    const [, previous] = (await owner.call('deployments.list', { appId: site.id })).filter(({ status }) => status === 'success')
    const rollback = await owner.call('deployments.rollback', { deploymentId: previous?.id ?? 0 })
    await until(
      async () => await owner.call('deployments.get', { id: rollback.id }),
      ({ status }) => status === 'success',
    )
    await until(lab.serversNow, (now) => now === 'n2,n3')
    await owner.call('servers.update', { serverId: thirdId, availability: 'drain' })
    await until(lab.serversNow, (now) => now === 'n2,n2')
    await owner.call('servers.update', { serverId: thirdId, availability: 'active' })
    await until(lab.serversNow, (now) => now === 'n2,n3')
  }
  const visited = await Promise.all(stops.map(async (stop) => await stop()))
  console.log(`${ROUNDS} rounds of a release, a rollback and a drain:`, visited)
  expect(visited.map(({ bad }) => bad)).toEqual([[], []])

  const told = (what: string, last: readonly number[]) => {
    console.log(`${what} was lost: the last visitor who had to wait came ${last.join(' and ')} ms later`)
    for (const ms of last) expect(ms).toBeLessThan(LOST_WITHIN_MS)
  }
  const back = async (node: Node) => {
    await node.start()
    await isSteady()
  }
  await isSteady()
  told('a worker', await lose(third.kill, [here, second].map(visitsAt)))
  await back(third)

  await owner.call('servers.setManagers', { serverIds: (await owner.call('servers.list')).servers.map(({ id }) => id) })
  await leadFrom(lab, third)
  await isSteady()
  told('the leader', await lose(third.kill, [here, second].map(visitsAt)))
  await back(third)

  const alone = async () => {
    await Promise.all([lab.berth.kill9(), here.kill()])
  }
  told('the server with the control plane and an edge', await lose(alone, [visitsAt(second)]))
  await here.start()
  await lab.berth.startAgain()
  await isSteady()
  await lab.deployed()
})

/** Berth keeps its own server a manager: it and the second one stop being managers until this one leads. */
async function leadFrom({ owner, here, second }: Pick<Awaited<ReturnType<typeof openLab>>, 'owner' | 'here' | 'second'>, node: Node) {
  const change = async (how: 'promote' | 'demote', { name }: Node) =>
    await until(
      async () => await node.run('docker', 'node', how, name).catch(() => ''),
      (said) => said.includes(`${how}d`),
      60_000,
      500,
    )
  for (const other of [second, here]) await change('demote', other)
  const leads = async () =>
    (await node.run('docker', 'node', 'ls', '--filter', 'role=manager', '--format', '{{.Hostname}} {{.ManagerStatus}}')).trim()
  await until(leads, (managers) => managers === `${node.name} Leader`, 60_000, 500)
  for (const other of [second, here]) await change('promote', other)
  const seen = async () =>
    (await owner.call('servers.list').catch(() => undefined))?.servers.filter(({ role }) => role === 'manager').length
  await until(seen, (count) => count === 3)
}
