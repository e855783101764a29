import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServersLab, problemsOf } from '../../testing/labs/servers-lab.ts'

const isChecked = ({ checkedAt }: { checkedAt: string | null }) => checkedAt !== null
/** Docker 20.10 drops this setting of services, so it has to be the default of the engine. */
const HARDENED = ['--no-new-privileges']

describe('on the first three machines', () => {
  let lab: Awaited<ReturnType<typeof openServersLab>>
  beforeAll(async () => {
    lab = await openServersLab({ nodes: 3, flags: (node) => (node === 'n3' ? HARDENED : []) })
  })
  afterAll(async () => await lab[Symbol.asyncDispose]())

  it('a command from before a restart does not work, and a Swarm of somebody else is left alone', async () => {
    const [second] = lab.others
    if (!second) throw new Error('too few machines')
    const { command, openUntil } = await lab.owner.call('servers.add', { consent: true, address: lab.here.address })
    expect((await lab.owner.call('servers.list')).adding.openUntil).toBe(openUntil)
    await lab.berth.restart()
    const owner = await lab.berth.logIn('owner@example.test', 'owner-password-1')
    await expect.poll(async () => (await owner.call('servers.list')).adding.openUntil, { timeout: 30_000 }).toBe(null)
    const [, token = ''] = /--token (\S+)/.exec(command) ?? []
    await expect(second.run('docker', 'swarm', 'join', '--token', token, `${lab.here.address}:2377`)).rejects.toThrow('valid join token')

    await lab.here.run('docker', 'swarm', 'leave', '--force')
    await lab.here.run('docker', 'swarm', 'init', '--advertise-addr', lab.here.address)
    const found = await owner.call('servers.list')
    expect(found).toMatchObject({ isSwarm: false, message: expect.stringContaining('did not create'), servers: [{ id: 'this' }] })
    for (const name of ['servers.turnOff', 'servers.stopAdding'] as const)
      expect(await lab.refusal(owner.call(name))).toEqual({ code: 'swarm_not_possible', message: found.message })
    expect((await lab.refusal(owner.call('servers.add', { consent: true }))).code).toBe('swarm_not_possible')
    await lab.here.run('docker', 'swarm', 'leave', '--force')
    const list = async () => await owner.call('servers.list').catch(() => undefined)
    await expect.poll(list, { timeout: 30_000 }).toMatchObject({ isSwarm: false, message: '' }) // its engine may be busy with that
  })

  it('a second server is added with one command that works once, and is checked', async () => {
    const { owner, others, refusal } = lab
    const [second, third] = others
    if (!second || !third) throw new Error('too few machines')

    const before = await owner.call('servers.list')
    expect(before).toMatchObject({
      isSwarm: false,
      message: '',
      servers: [{ id: 'this', name: 'n1', isThis: true, state: 'ready', labels: [] }],
    })
    expect(before.adding.changes.length).toBeGreaterThan(0)
    expect((await refusal(owner.call('servers.add', { address: lab.here.address }))).code).toBe('swarm_needs_consent')
    expect((await refusal(owner.call('servers.add', { consent: true, address: '203.0.113.7' }))).code).toBe('swarm_not_possible')
    expect((await refusal(owner.call('servers.stopAdding'))).message).toBe('Swarm is not switched on: there is only this server.')
    expect((await lab.engine.swarm.state('x')).is).toBe('off')

    const command = await lab.join(second)
    const joined = await lab.server('n2', isChecked)
    expect(joined).toMatchObject({
      role: 'worker',
      state: 'ready',
      availability: 'active',
      address: second.address,
      isThis: false,
      cpu: null,
    })
    expect(problemsOf(joined)).toEqual(['no-new-privileges'])
    expect(joined.isChecked).toBe(false)
    expect(joined.checks.map(({ check }) => check)).toEqual([
      'engine',
      '2377/tcp',
      '7946/tcp',
      '7946/udp',
      '4789/udp',
      'clock',
      'no-new-privileges',
      'firewall',
    ])
    expect(await owner.call('servers.list')).toMatchObject({ isSwarm: true, adding: { openUntil: null, changes: [] } })

    // the token was used
    const [, token = ''] = /--token (\S+)/.exec(command) ?? []
    await expect(third.run('docker', 'swarm', 'join', '--token', token, `${lab.here.address}:2377`)).rejects.toThrow('valid join token')
    const imageToken = /token=([0-9a-f]+)/.exec(command)?.[1] ?? ''
    expect((await lab.berth.raw('GET', `/api/servers/image?token=${imageToken}`)).json.code).toBe('wrong_server_token')

    await lab.join(third)
    expect(problemsOf(await lab.server('n3', isChecked))).toEqual([])
    expect((await owner.call('servers.list')).servers.map((server) => [server.name, server.isChecked])).toEqual([
      ['n1', true],
      ['n2', false],
      ['n3', true],
    ])
    // nothing of a check is left
    expect(await lab.engine.swarm.countServices()).toBe(0)
    const audit = (await owner.call('audit.list', { action: 'server.' })).slice(0, 6)
    expect(audit.map(({ action }) => action).toReversed()).toEqual([
      'server.turn_on', // with the address that was refused
      'server.turn_on',
      'server.invite',
      'server.join',
      'server.invite',
      'server.join',
    ])
    expect(JSON.stringify(audit)).not.toContain('SWMTKN')
    expect(lab.berth.log()).not.toContain('SWMTKN')
  })
})

it('servers are drained, labelled, made managers, lost and removed, each refusal with its reason', { tags: 'long' }, async () => {
  await using lab = await openServersLab({ nodes: 3 })
  const { owner, others, refusal } = lab
  for (const node of others) {
    await lab.join(node)
    await lab.server(node.name, isChecked)
  }
  const [one, two, three] = [await lab.server('n1'), await lab.server('n2'), await lab.server('n3')]
  const managers = async (...ids: string[]) => await owner.call('servers.setManagers', { serverIds: ids })
  const rolesOf = async () => (await owner.call('servers.list')).servers.map(({ name, role }) => `${name} ${role}`)

  expect(await refusal(managers(one.id, two.id))).toMatchObject({
    code: 'server_refused',
    message: expect.stringContaining('one manager or three'),
  })
  expect((await refusal(managers(two.id))).message).toContain('must stay a manager')
  expect((await refusal(managers(one.id, two.id, 'nobody'))).code).toBe('server_not_found')
  expect(await rolesOf()).toEqual(['n1 manager', 'n2 worker', 'n3 worker'])
  await managers(one.id, two.id, three.id)
  expect(await rolesOf()).toEqual(['n1 manager', 'n2 manager', 'n3 manager'])
  await managers(one.id)
  expect(await rolesOf()).toEqual(['n1 manager', 'n2 worker', 'n3 worker'])

  const update = async (serverId: string, change: object) => await owner.call('servers.update', { serverId, ...change })
  expect((await refusal(update(one.id, { availability: 'drain' }))).message).toContain('cannot be drained or paused')
  expect((await update(two.id, { labels: ['ssd', 'zone-a'] })).labels).toEqual(['ssd', 'zone-a'])
  expect(await update(two.id, { availability: 'pause' })).toMatchObject({ availability: 'pause', labels: ['ssd', 'zone-a'] })
  expect((await refusal(owner.call('servers.check', { serverId: two.id }))).message).toContain('Activate it first')
  expect((await update(two.id, { availability: 'active', labels: [] })).labels).toEqual([])

  const remove = async (serverId: string) => await owner.call('servers.remove', { serverId })
  expect((await refusal(remove(one.id))).message).toContain('Berth runs on this server')
  expect((await refusal(remove(two.id))).message).toContain('Drain n2 first')
  await update(two.id, { availability: 'drain' })
  expect(await remove(two.id)).toEqual({ serverId: two.id, command: 'docker swarm leave' })
  await others[0]?.run('docker', 'swarm', 'leave')

  expect((await refusal(owner.call('servers.turnOff'))).message).toContain('Remove the other servers first')
  await others[1]?.kill()
  const lost = await lab.server('n3', ({ state }) => state === 'down')
  expect(lost.message).toContain('It does not answer')
  await remove(three.id)
  expect((await refusal(remove(three.id))).code).toBe('server_not_found')
  expect(await owner.call('servers.turnOff')).toMatchObject({ isSwarm: false, servers: [{ id: 'this' }] })
})

it('a check finds what the network does not let through, and what it should not', { tags: 'long', timeout: 400_000 }, async () => {
  await using lab = await openServersLab({ nodes: 2, flags: () => HARDENED })
  const [second] = lab.others
  if (!second) throw new Error('too few machines')
  await lab.join(second)
  const { id: serverId } = await lab.server('n2', isChecked)
  const check = async () => problemsOf(await lab.owner.call('servers.check', { serverId }))
  const during = async (rule: readonly string[]) => {
    await second.run('iptables', '-I', ...rule)
    const found = await check()
    await second.run('iptables', '-D', ...rule)
    return found
  }
  const overlay = ['OUTPUT', '-p', 'udp', '--dport', '4789']
  expect(await during([...overlay, '-m', 'length', '--length', '1400:', '-j', 'DROP'])).toEqual(['4789/udp'])
  expect(await during([...overlay, '-j', 'DROP'])).toEqual(['4789/udp'])
  expect(await during(['INPUT', '-p', 'tcp', '--dport', '7946', '-j', 'REJECT'])).toContain('7946/tcp')
  expect(await during(['INPUT', '-i', 'docker_gwbridge', '-p', 'udp', '--dport', '4789', '-j', 'ACCEPT'])).toEqual(['firewall'])
  expect(await check()).toEqual([])

  // as after an update of Berth with another Node.js: nothing was learned, so what was known stays
  const images = await second.run('docker', 'image', 'ls', '--quiet', '--filter', 'label=berth.kind=agent')
  await second.run('docker', 'image', 'rm', '--force', images.trim())
  const without = await lab.owner.call('servers.check', { serverId })
  expect(without.checks.at(-1)).toMatchObject({ check: 'container', toDo: expect.stringContaining('run the part before "&&" on n2') })
  expect(without.isChecked).toBe(true)
  const { command } = await lab.owner.call('servers.add', {})
  await second.run('sh', '-c', command.split('&&')[0] ?? '')
  expect(await check()).toEqual([])
})
