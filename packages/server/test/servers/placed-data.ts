import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { dockerfile, until } from '../../testing/labs/deploy-lab.ts'
import { type Lab, lab } from './shared-lab.ts'

const SHOWS = dockerfile([], 'mkdir -p /www && cp /etc/app/settings.conf /www/index.html && exec httpd -f -p "$PORT" -h /www')

/** Counts its starts in its volume, and shows the count and its server. */
const COUNTS = dockerfile(
  ['RUN mkdir -p /data && echo "from the image" > /data/seed'],
  'echo x >> /data/starts; mkdir -p /www; (cat /data/seed; wc -l < /data/starts) | tr "\\n" " " > /www/index.html; exec httpd -f -p "$PORT" -h /www',
)

const containerOn = async (node: Lab['here'], appId: number) =>
  (await node.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}')).trim()

it('an app with files runs on another server, which keeps them in memory only', async () => {
  const app = await lab.createApp('filed', { Dockerfile: SHOWS })
  await lab.owner.call('domains.create', { appId: app.id, domain: lab.host })
  await lab.owner.call('files.save', { appId: app.id, path: '/etc/app/settings.conf', content: 'the secret of files', mode: '0400' })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(
    await until(
      async () => await lab.visit(),
      (answer) => answer.startsWith('200'),
    ),
  ).toBe('200 the secret of files')
  const [node] = await lab.running(app.id)
  if (!node) throw new Error('it runs nowhere')
  expect(node.name).not.toBe('n1')
  const name = await containerOn(node, app.id)
  expect(await node.run('docker', 'exec', name, 'stat', '-c', '%a %u', '/etc/app/settings.conf')).toBe('400 0\n')
  await node.run('docker', 'exec', name, 'rm', '/www/index.html') // the app's own copy
  const root = (await node.run('docker', 'info', '--format', '{{.DockerRootDir}}')).trim()
  // -x: not into the file systems in memory that are mounted below it
  const found = await node.run('sh', '-c', `find ${root} -xdev -type f -print0 | xargs -0 grep -l "the secret of files" || true`)
  expect(found).toBe('')
  await lab.owner.call('apps.delete', { appId: app.id })
})

let store: Awaited<ReturnType<Lab['createApp']>>
const get = async () => await lab.owner.call('apps.get', { appId: store.id })
const serverId = async (name: string) => (await lab.server(name)).id
const place = async (placement: string) => await lab.owner.call('apps.update', { appId: store.id, placement })
const namesRunning = async () => (await lab.running(store.id)).map(({ name }) => name)
const answers = async (body: string) =>
  await until(
    async () => await lab.visit(),
    (answer) => answer === `200 ${body}`,
    60_000,
  )
const volumesOn = async (node: Lab['here'] | undefined, { id } = store) =>
  ((await node?.run('docker', 'volume', 'ls', '-q', '--filter', `label=berth.app=${id}`)) ?? '').trim()

it('an app with a volume runs on the server that it was placed on, with what its image has there', async () => {
  store = await lab.createApp('store', { Dockerfile: COUNTS })
  await lab.owner.call('domains.create', { appId: store.id, domain: lab.host })
  await lab.owner.call('apps.update', { appId: store.id, volumes: [{ name: 'data', path: '/data' }] })
  await place('label:fast')
  expect(await lab.deploy(store.id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('Choose one server') })
  await place(`server:${await serverId('n2')}`)
  expect(await lab.deploy(store.id)).toMatchObject({ status: 'success', error_message: '' })
  await answers('from the image 1')
  expect(await namesRunning()).toEqual(['n2'])
  expect(await Promise.all([lab.here, ...lab.others].map(async (node) => await volumesOn(node)))).toEqual([
    '',
    expect.stringContaining('-volume-data'),
    '',
  ])
  expect((await get()).data_server).toEqual({ id: await serverId('n2'), name: 'n2', move_problem: '' })
})

it('an app stays with its data: another placement is refused, and releases, restarts and crashes keep it', async () => {
  for (const placement of ['', 'this', `server:${await serverId('n3')}`, 'label:fast'])
    await expect(place(placement)).rejects.toMatchObject({ message: expect.stringContaining('the data of the app is on the server n2') })
  expect(await lab.deploy(store.id)).toMatchObject({ status: 'success' })
  await answers('from the image 2')
  await lab.owner.call('containers.restart', { appId: store.id })
  await answers('from the image 3')
  const [, second] = [lab.here, lab.others[0]]
  await second?.run('docker', 'kill', await containerOn(second, store.id))
  await answers('from the image 4')
  expect(await namesRunning()).toEqual(['n2'])
})

it('a volume that was removed there is not replaced by an empty one', async () => {
  const second = lab.others[0]
  if (!second) throw new Error('there is no second server')
  await lab.owner.call('containers.stop', { appId: store.id })
  const name = await volumesOn(second)
  const kept = `/tmp/${name}.tar`
  const folder = (await second.run('docker', 'volume', 'inspect', '--format', '{{.Mountpoint}}', name)).trim()
  await second.run('tar', '-cf', kept, '-C', folder, '.')
  const ended = (await second.run('docker', 'ps', '-aq', '--filter', `volume=${name}`)).split('\n').filter((id) => id !== '')
  if (ended.length > 0) await second.run('docker', 'rm', '-f', ...ended)
  await second.run('docker', 'volume', 'rm', name)
  await expect(lab.owner.call('containers.start', { appId: store.id })).rejects.toMatchObject({
    message: expect.stringContaining('is not on the server n2 any more'),
  })
  expect(await until(get, ({ status }) => status === 'error')).toMatchObject({
    status_reason: expect.stringContaining('is not on the server n2 any more'),
  })
  expect(await volumesOn(second)).toBe('')
  const labels = ['instance', 'app'].flatMap((key) => ['--label', `berth.${key}=${key === 'app' ? store.id : name.split('-')[1]}`])
  await second.run('docker', 'volume', 'create', ...labels, name)
  await second.run('tar', '-xf', kept, '-C', folder)
  await second.run('rm', kept)
  await answers('from the image 5')
})

it('with its server cut off it waits, runs nowhere else, and never twice when the server is back', async () => {
  const second = lab.others[0]
  if (!second) throw new Error('there is no second server')
  const most = { containers: 0 }
  const watch = setInterval(() => {
    void second
      .run('docker', 'ps', '-q', '--filter', `name=-app-${store.id}-`)
      .then((ids) => (most.containers = Math.max(most.containers, ids.trim().split('\n').length)))
      .catch(() => undefined)
  }, 200)
  await second.cut()
  const waiting = 'It waits: the server n2, which has its data, does not answer. It is not started elsewhere. See Servers.'
  expect(await until(get, ({ status_reason }) => status_reason === waiting)).toMatchObject({ status: 'error' })
  expect(await lab.owner.call('containers.status', { appId: store.id })).toMatchObject({
    status: expect.stringContaining('the server n2, which has its data, does not answer'),
  })
  expect(await lab.deploy(store.id)).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('the server n2, which takes'),
  })
  await sleep(6000) // what waits for any server would have come home by now
  expect(await namesRunning()).toEqual(['n2']) // as its own engine knows, which nobody reaches
  expect(await Promise.all([lab.here, lab.others[1]].map(async (node) => await volumesOn(node)))).toEqual(['', ''])
  await second.mend()
  expect((await until(get, ({ status }) => status === 'running')).status_reason).toBe('')
  expect(
    await until(
      async () => await lab.visit(),
      (answer) => answer.startsWith('200 from the image'),
    ),
  ).toMatch(/image [56]/)
  clearInterval(watch)
  expect(most.containers).toBe(1)
})

const moved = async (server: string) => {
  await lab.owner.call('apps.move', { appId: store.id, server })
  return (await until(get, ({ data_server }) => data_server?.moving_to === undefined, 90_000)).data_server
}

/** The command of busybox knows no suffix as large. */
const EIGHT_TERABYTES = String(8 * 1024 ** 4)

it('data that does not fit on the other disk is not copied at all, and the app goes on where it was', async () => {
  const [second, third] = lab.others
  if (!second) throw new Error('there is no second server')
  await second.run('docker', 'exec', await containerOn(second, store.id), 'truncate', '-s', EIGHT_TERABYTES, '/data/holes')
  const after = await moved(await serverId('n3'))
  expect(after).toMatchObject({ name: 'n2', move_problem: expect.stringContaining('there is no space left on the disk') })
  await until(
    async () => await lab.visit(),
    (answer) => answer.startsWith('200 from the image'),
  )
  await second.run('docker', 'exec', await containerOn(second, store.id), 'rm', '/data/holes')
  await expect.poll(async () => await volumesOn(third), { timeout: 60_000, interval: 500 }).toBe('')
})

/** Of all files, with what an archive must keep. */
const LIST = 'cd /data && find . ! -name starts -exec stat -c "%n %a %u %g %N" {} + | sort; md5sum big'
const listing = async (node: Lab['here'] | undefined) =>
  await node?.run('docker', 'exec', await containerOn(node, store.id), 'sh', '-c', LIST)

it('an app is moved with its data, which is removed where it was', async () => {
  const [second, third] = lab.others
  if (!second) throw new Error('there is no second server')
  const make = [
    'dd if=/dev/urandom of=/data/big bs=1M count=20',
    'mkdir -p "/data/a b/c"; echo x > "/data/a b/c/d"; chown -R 70:71 "/data/a b"; chmod 2750 "/data/a b"',
    'ln -s /etc/passwd /data/link; ln /data/big /data/same; touch /data/empty; chmod 0600 /data/empty',
  ].join(';')
  await second.run('docker', 'exec', await containerOn(second, store.id), 'sh', '-c', make)
  const before = await listing(second)
  const starts = Number(/\d+$/.exec(await lab.visit())?.[0])
  expect(before).toContain("'./link' -> '/etc/passwd'")
  expect(await moved(await serverId('n3'))).toMatchObject({ name: 'n3', move_problem: '' })
  await answers(`from the image ${starts + 1}`)
  expect(await namesRunning()).toEqual(['n3'])
  expect(await listing(third)).toBe(before)
  expect((await get()).placement).toBe(`server:${await serverId('n3')}`)
  await expect.poll(async () => await volumesOn(second), { timeout: 60_000, interval: 500 }).toBe('')
})

it('its data is also moved to the first server, and back', { tags: 'long' }, async () => {
  const [second] = lab.others
  const before = await listing(lab.others[1])
  expect(await moved('this')).toMatchObject({ id: 'this', move_problem: '' })
  expect(await lab.visit()).toContain('200 from the image')
  expect(await namesRunning()).toEqual(['n1'])
  expect(await listing(lab.here)).toBe(before)
  await expect.poll(async () => await volumesOn(lab.others[1]), { timeout: 60_000, interval: 500 }).toBe('')
  expect(await moved(await serverId('n2'))).toMatchObject({ name: 'n2' })
  expect(await listing(second)).toBe(before)
  await expect.poll(async () => await volumesOn(lab.here), { timeout: 60_000, interval: 500 }).toBe('')
})

/** Enough for a copy to take a moment. */
const grow = async (node: Lab['here'] | undefined) =>
  await node?.run('docker', 'exec', await containerOn(node, store.id), 'dd', 'if=/dev/urandom', 'of=/data/big', 'bs=1M', 'count=300')

it('a move that somebody stops goes back at once', { tags: 'long' }, async () => {
  const [second, third] = lab.others
  await grow(second)
  const before = await listing(second)
  await lab.owner.call('apps.move', { appId: store.id, server: await serverId('n3') })
  await until(
    async () => await volumesOn(third),
    (found) => found !== '',
  )
  await lab.owner.call('apps.stopMove', { appId: store.id })
  const after = await until(get, ({ data_server }) => data_server?.moving_to === undefined)
  expect(after.data_server).toMatchObject({ name: 'n2', move_problem: expect.stringContaining('stopped the move') })
  expect(await listing(second)).toBe(before)
  await expect.poll(async () => await volumesOn(third), { timeout: 60_000, interval: 500 }).toBe('')
})

it('a move whose destination is lost goes back', { tags: 'long', timeout: 400_000 }, async () => {
  const [second, third] = lab.others
  await grow(second)
  const before = await listing(second)
  await lab.owner.call('apps.move', { appId: store.id, server: await serverId('n3') })
  await until(
    async () => await volumesOn(third),
    (found) => found !== '',
  )
  await third?.cut()
  const after = await until(get, ({ data_server }) => data_server?.moving_to === undefined, 300_000)
  expect(after.data_server).toMatchObject({ name: 'n2', move_problem: expect.stringContaining('The app was not moved to the server n3') })
  expect(await listing(second)).toBe(before)
  await third?.mend()
  await expect.poll(async () => await volumesOn(third), { timeout: 150_000, interval: 1000 }).toBe('')
})

it('a move goes on after Berth was killed', { tags: 'long', timeout: 400_000 }, async () => {
  const [second, third] = lab.others
  await lab.server('n3', ({ state }) => state === 'ready')
  const before = await listing(second)
  await lab.owner.call('apps.move', { appId: store.id, server: await serverId('n3') })
  await until(
    async () => await volumesOn(third),
    (found) => found !== '',
  )
  await lab.berth.kill9()
  await lab.berth.startAgain()
  const after = await until(get, ({ data_server }) => data_server?.moving_to === undefined, 300_000)
  expect(after.data_server).toMatchObject({ name: 'n3', move_problem: '' })
  expect(await listing(third)).toBe(before)
  await expect.poll(async () => await volumesOn(second), { timeout: 150_000, interval: 1000 }).toBe('')
  await moved(await serverId('n2'))
})

it('a deleted app leaves no volume on another server', async () => {
  await lab.owner.call('apps.delete', { appId: store.id, deleteVolumes: true })
  for (const node of lab.others) await expect.poll(async () => await volumesOn(node), { timeout: 60_000, interval: 500 }).toBe('')
})

it('a deleted app leaves no volume on a server that was lost then', { tags: 'long' }, async () => {
  const app = await lab.createApp('gone', { Dockerfile: COUNTS })
  await lab.owner.call('apps.update', {
    appId: app.id,
    volumes: [{ name: 'data', path: '/data' }],
    placement: `server:${await serverId('n2')}`,
  })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
  const second = lab.others[0]
  expect(await volumesOn(second, app)).not.toBe('')
  await second?.cut()
  await lab.server('n2', ({ state }) => state === 'down')
  await lab.owner.call('apps.delete', { appId: app.id, deleteVolumes: true })
  await second?.mend()
  await expect.poll(async () => await volumesOn(second, app), { timeout: 150_000, interval: 1000 }).toBe('')
})
