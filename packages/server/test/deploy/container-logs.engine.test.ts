import { setTimeout as sleep } from 'node:timers/promises'
import type { Input } from '@berth/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DeployLab, dockerfile, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

async function running(command: string) {
  const files = { Dockerfile: dockerfile([], `${command}; echo that is all; sleep 1000`) }
  const app = await lab.createApp(files, { appType: 'service', port: null })
  await lab.deploy(app.id)
  await until(
    async () => await lab.owner.call('containers.logs', { appId: app.id, tail: 1 }),
    ({ logs }) => logs.endsWith('that is all'),
  )
  const [container] = await lab.containersOf(app.id)
  return { appId: app.id, containerId: container?.id ?? '' }
}

it('what a container prints is clean on every way out, and colours stay', async () => {
  const { appId, containerId } = await running(
    `printf 'a\\033[31mred\\033[0m\\033]0;title\\007 b\\033[2J\\033[1;1H c\\r\\000 d\\302\\2332J\\033]8;;https://x.example\\033\\\\ e\\n'`,
  )
  const clean = 'a\u001b[31mred\u001b[0m b c d e'
  const [line = ''] = (await lab.owner.call('containers.logs', { appId })).logs.split('\n')
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+ /)
  expect(line.slice(line.indexOf(' ') + 1)).toBe(clean)
  await using socket = await lab.berth.connect('container.logs', { cookie: lab.owner.cookie, input: { containerId } })
  expect((await socket.waitFor(({ type }) => type === 'log')).data['line']).toBe(clean)
})

it('with since, only what was printed after that moment is shown, on both ways out', async () => {
  const { appId, containerId } = await running('echo before; sleep 2; echo after')
  const timesOf = (logs: string) =>
    new Map(logs.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0] ?? '']))
  const since = timesOf((await lab.owner.call('containers.logs', { appId })).logs).get('before') ?? ''
  const later = timesOf((await lab.owner.call('containers.logs', { appId, since })).logs)
  expect([...later.keys()]).toEqual(['after', 'that is all'])
  const future = '2099-12-31T00:00:00Z'
  expect(await lab.owner.call('containers.logs', { appId, since: future })).toEqual({ logs: '' })
  await using socket = await lab.berth.connect('container.logs', { cookie: lab.owner.cookie, input: { containerId, since } })
  await socket.waitFor(({ data }) => data['line'] === 'that is all')
  expect(socket.frames.flatMap(({ type, data }) => (type === 'log' ? [data['line']] : []))).toEqual(['after', 'that is all'])
  const refused = lab.owner.call('containers.logs', { appId, since: 'yesterday' })
  await expect(refused).rejects.toThrow('since must be a time such as 2026-01-31T12:00:00Z.')
})

it('the answer with the last lines has a limit, whatever was printed, and says so', async () => {
  const { appId } = await running(`yes "$(head -c 10000 /dev/zero | tr '\\0' x)" | head -n 1000`)
  const { logs } = await lab.owner.call('containers.logs', { appId, tail: 10_000 })
  expect(logs.length).toBeLessThan(2.1 * 1024 * 1024)
  expect(logs).toMatch(/^\S+ … older lines are not shown: a response has at most 2 MiB\n/)
  expect(logs).toMatch(/that is all$/)
})

it('one who reads slowly gets every line of the past', async () => {
  const { containerId } = await running(
    `n=0; x="$(head -c 2000 /dev/zero | tr '\\0' x)"; while [ $n -lt 4000 ]; do echo "$n $x"; n=$((n+1)); done`,
  )
  await using socket = await lab.berth.connect('container.logs', { cookie: lab.owner.cookie, input: { containerId, tail: 4001 } })
  socket.pause()
  await sleep(1000)
  socket.resume()
  await socket.waitFor(({ data }) => data['line'] === 'that is all')
  expect(socket.frames.filter(({ type }) => type === 'gap')).toEqual([])
  const numbers = socket.frames.flatMap(({ type, data }) => (type === 'log' ? [Number.parseInt(String(data['line']), 10)] : []))
  expect(numbers.slice(0, -1)).toEqual(Array.from({ length: 4000 }, (_unused, index) => index))
})

it('of 50,000 lines each is found, counted and reached, and the download has them all', async () => {
  const { appId, containerId } = await running(
    'seq 50000 | sed "s|.*|line & of many|"; sleep 1; echo a needle >&2; sleep 1; seq 3 | sed "s|^|more |"',
  )
  const total = 50_005
  const page = async (wanted: Partial<Input<'containers.logPage'>>) =>
    await lab.owner.call('containers.logPage', { appId, containerId, ...wanted })

  const newest = await page({ limit: 2000 })
  expect([newest.total, newest.first, newest.lines.length]).toEqual([total, total - 2000, 2000])
  const older = await page({ limit: 5000, before: newest.lines[0]?.id ?? '' })
  expect([older.first, older.lines.length]).toEqual([total - 7000, 5000])
  expect([older.lines[0]?.line, older.lines.at(-1)?.line, newest.lines[0]?.line]).toEqual(
    [43_006, 48_005, 48_006].map((n) => `line ${n} of many`),
  )

  const search = async (words: string, context = 0) =>
    await lab.owner.call('containers.logSearch', { appId, search: words, context, limit: 10 })
  expect(await search('LINE 31337 OF')).toMatchObject({
    matches: 1,
    total,
    lines: [{ n: 31_336, isMatch: true, line: 'line 31337 of many' }],
  })
  expect((await search('of many')).matches).toBe(50_000)
  const { lines: needle } = await search('needle', 1)
  expect(needle.map(({ line }) => line)).toEqual(['line 50000 of many', 'a needle', 'more 1'])
  const around = await page({ limit: 100, around: older.lines[0]?.id ?? '' })
  expect([around.first, around.lines[50]?.line]).toEqual([42_955, 'line 43006 of many'])
  expect((await page({ stream: 'stderr' })).lines.map(({ line }) => line)).toEqual(['a needle'])

  const file = (await lab.owner.call('containers.logFile', { appId })).split('\n')
  expect(file.length).toBe(total + 1)
  expect(file[49_999]).toMatch(/^\d{4}-\d\d-\d\dT\S+Z line 50000 of many$/)
  await expect(page({ before: '2026-01-01T00:00:00Z', after: '2026-01-01T00:00:00Z' })).rejects.toThrow('after: cannot be given together')
  await expect(page({ containerId: 'f'.repeat(64) })).rejects.toMatchObject({ code: 'container_not_found' })
})
