import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { dockerfile, until } from '../../testing/labs/deploy-lab.ts'
import { keepVisiting } from '../../testing/labs/placed-lab.ts'
import { servicesByHand } from './filled-network.ts'
import { LOST_WITHIN_MS } from './losing.ts'
import { type Lab, lab } from './shared-lab.ts'

type Node = Lab['here']
let site: Awaited<ReturnType<Lab['createApp']>>

const MEGABYTE = 1024 * 1024
/** The leader is lost that long after a deployment begins to start its containers. */
const LOST_AFTER_MS = [0, 1000, 2000]

const SITE = dockerfile(
  ['COPY index.html /www/index.html', `RUN dd if=/dev/zero of=/www/megabyte bs=${MEGABYTE} count=1`],
  'exec httpd -f -p "$PORT" -h /www',
)

const [first, second, third] = [0, 1, 2].map((index) => (): Node => {
  const node = [lab.here, ...lab.others][index]
  if (!node) throw new Error(`there is no server ${index + 1}`)
  return node
}) as [() => Node, () => Node, () => Node]

const serversNow = async () => await lab.serversOf(site.id)
const answers = async (node: Node, body: string) =>
  await until(
    async () => await lab.visit('/', node),
    (answer) => answer === `200 ${body}`,
    60_000,
  )

it('whole answers come over a network with small packets', { tags: 'long' }, async () => {
  site = await lab.createApp('site', { Dockerfile: SITE, 'index.html': 'one' })
  await lab.owner.call('domains.create', { appId: site.id, domain: lab.host })
  await lab.owner.call('apps.update', { appId: site.id, replicas: 2 })
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success', error_message: '' })
  await until(serversNow, (servers) => servers === 'n2,n3')
  const { id } = await lab.server('n2')
  await lab.owner.call('servers.update', { serverId: id, edge: true })
  await answers(second(), 'one')
  for (const node of [first(), second(), third()]) await node.run('ip', 'link', 'set', 'eth0', 'mtu', '1400')
  const fetch = ['-s', '-o', '/dev/null', '-m', '10', '-w', '%{http_code} %{size_download}', '-H', `host: ${lab.host}`]
  for (const node of [first(), second()])
    for (let visits = 0; visits < 4; visits += 1) {
      // from another machine than the edge, so that both ways are small
      expect(await third().run('curl', ...fetch, `http://${node.address}/megabyte`)).toBe(`200 ${MEGABYTE}`)
    }
})

it('an address that another container has by now gets no visitors of the one before', { tags: 'long' }, async () => {
  await lab.owner.call('apps.update', { appId: site.id, replicas: 1 })
  const one = await until(serversNow, (servers) => /^n[23]$/.test(servers))
  const runsOn = one === 'n2' ? second() : third()
  const { docker, create, addressOf, statesOf, fill } = servicesByHand(lab)
  const [service = ''] = (await docker('service', 'ls', '--filter', `label=berth.app=${site.id}`, '--format', '{{.Name}}')).split('\n')
  const network = (await docker('network', 'ls', '--filter', 'driver=overlay', '--format', '{{.Name}}'))
    .split('\n')
    .find((name) => new RegExp(`-project-${lab.project.id}(-|$)`).test(name))
  const image = (await docker('service', 'inspect', '--format', '{{.Spec.TaskTemplate.ContainerSpec.Image}}', service)).split('\n')[0] ?? ''
  const before = await addressOf(service)
  const free = await fill(network ?? '')
  const serve = ['sh', '-c', 'mkdir -p /tmp/www; echo stranger > /tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www']
  await create('stranger', network ?? '', ['--constraint', `node.hostname==${runsOn.name}`, image, ...serve])
  expect(await statesOf('stranger')).toEqual(['New'])

  const got: { answer: string; begun: number }[] = []
  let isOver = false
  const visits = [first(), second()].map(async (node) => {
    while (!isOver) {
      const begun = performance.now()
      got.push({ answer: await lab.visit('/', node), begun })
      await sleep(10)
    }
  })
  const endedAt = performance.now()
  await runsOn.run('docker', 'kill', (await runsOn.run('docker', 'ps', '-q', '--filter', `name=-app-${site.id}-`)).trim())
  await until(
    async () => await statesOf('stranger'),
    (states) => states.includes('Running'),
    60_000,
  )
  expect(await addressOf('stranger')).toBe(before)
  await sleep(3000)
  await free()
  for (const node of [first(), second()]) await answers(node, 'one')
  isOver = true
  await Promise.all(visits)
  await docker('service', 'rm', 'stranger')
  // who was on the way there when it ended may still be connected to whoever has the address in a few seconds
  const late = got.filter(({ begun }) => begun > endedAt + LOST_WITHIN_MS)
  expect(late.filter(({ answer }) => answer.includes('stranger'))).toEqual([])
  expect(late.filter(({ answer }) => answer === '200 one').length).toBeGreaterThan(5)
})

it('an edge is back after the power of its server was cut, also while Berth is down on another one', { tags: 'long' }, async () => {
  await lab.owner.call('apps.update', { appId: site.id, replicas: 2 })
  await until(serversNow, (servers) => servers === 'n2,n3')
  await until(
    async () => (await lab.server('n2')).edge?.state,
    (state) => state === 'current',
  )
  await lab.berth.kill9()
  for (const node of [second(), first()]) {
    await node.kill()
    expect(await lab.visit('/', node, 1000)).not.toContain('200')
    const begun = performance.now()
    await node.start()
    if (node === first()) await lab.berth.startAgain() // it starts with its server, and connects that with the others
    await answers(node, 'one')
    const ms = performance.now() - begun
    console.log(`the edge of ${node.name} served ${(ms / 1000).toFixed(1)} s after its power came back`)
  }
})

it('a deployment survives the loss of the leader, and so does every visitor of the replica that is left', {
  tags: 'long',
  timeout: 900_000,
}, async () => {
  await until(serversNow, (servers) => servers === 'n2,n3')
  const ids = (await lab.owner.call('servers.list')).servers.map(({ id }) => id)
  await lab.owner.call('servers.setManagers', { serverIds: ids })
  for (const [index, after] of LOST_AFTER_MS.entries()) {
    const leader = await leadElsewhere()
    const body = `release ${index}`
    await site.repository.commit({ files: { 'index.html': body } })
    const { id } = await lab.owner.call('deployments.add', { appId: site.id })
    const deployment = async () => await lab.owner.call('deployments.get', { id })
    await until(deployment, ({ status: now }) => now === 'deploying')
    await sleep(after)
    await leader.kill()
    const lostAt = performance.now()
    await sleep(1000)
    const stop = keepVisiting(async () => await lab.visit('/', first()))
    const ended = await until(deployment, ({ finished_at }) => finished_at !== null, 180_000)
    const seconds = ((performance.now() - lostAt) / 1000).toFixed(1)
    await sleep(2000)
    const { bad, visits, longestMs } = await stop()
    console.log(
      `${ended.status} ${seconds} s after the leader was lost ${after} ms into it: ${bad.length} of ${visits} visits failed`,
      longestMs,
    )
    expect(ended).toMatchObject({ status: 'success', error_message: '' })
    await answers(first(), body)
    expect(visits).toBeGreaterThan(20)
    await leader.start()
    await until(areReady, Boolean)
    expect(await lab.deploy(site.id)).toMatchObject({ status: 'success', error_message: '' }) // what the first server had to run leaves it
    await until(serversNow, (servers) => servers === 'n2,n3')
    await answers(second(), body)
  }
})

const areReady = async () => (await lab.owner.call('servers.list')).servers.every(({ state }) => state === 'ready')

/** Berth keeps its own server a manager, so another one leads only if it is made to. */
async function leadElsewhere(): Promise<Node> {
  const leads = async () => (await lab.owner.call('servers.list').catch(() => undefined))?.servers.find(({ isLeader }) => isLeader)?.name
  const name = await until(leads, (found) => found !== undefined)
  if (name === 'n1') {
    await second().run('docker', 'node', 'demote', 'n1')
    const promoted = async () =>
      await second()
        .run('docker', 'node', 'promote', 'n1')
        .catch(() => '')
    await until(promoted, (said) => said.includes('promoted'), 60_000, 500)
  }
  const other = await until(leads, (found) => found === 'n2' || found === 'n3')
  return other === 'n2' ? second() : third()
}
