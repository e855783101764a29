import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ERRORS } from '@berth/contract'
import { expect, it } from 'vitest'
import { askHealth, fillCompletely, keepFull, openLabOnSmallDisk, runOnFullDisk, SILENT_AFTER_MS } from '../../testing/harness/full-disk.ts'
import { mountSmallDisk } from '../../testing/harness/small-disk.ts'
import { OWNER, startTestServer } from '../../testing/harness/start-test-server.ts'
import { dockerfile, until, webFiles } from '../../testing/labs/deploy-lab.ts'

it('on a full disk changes are refused clearly, reads work, and free space is all it takes to recover', async (context) => {
  const disk = await mountSmallDisk(128)
  if (disk.unavailable !== undefined) return context.skip(disk.unavailable)
  await using mounted = disk
  await using berth = await startTestServer({ dataDir: mounted.directory })
  const owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Before' })
  const app = await owner.call('apps.create', { projectId: project.id, name: 'app' })

  await mounted.fill()
  const answered: string[] = []
  let refused: { status: number; code: string | undefined } | undefined
  for (let n = 0; n < 200 && refused === undefined; n += 1) {
    const body = { appId: app.id, key: `KEY_${n}`, value: 'x'.repeat(60_000) } // the space reserved in the database's log is used up first
    const answer = await berth.raw('POST', '/api/apps/envs/create', { cookie: owner.cookie, body })
    if (answer.status === 200) answered.push(`KEY_${n}`)
    else refused = { status: answer.status, code: answer.json.code }
  }
  expect(refused).toEqual({ status: 503, code: 'storage_unavailable' })

  expect((await owner.call('projects.get', { id: project.id })).applications).toHaveLength(1)
  expect((await owner.call('envs.list', { appId: app.id })).map(({ key }) => key)).toEqual(answered)
  const full = await berth.raw('GET', '/health')
  expect([full.status, full.json]).toMatchObject([200, { status: 'degraded', checks: { database: 'read_only' } }])
  expect((await berth.raw('POST', '/api/projects/create', { cookie: owner.cookie, body: { name: 'x'.repeat(90) } })).status).toBe(503)

  const again = await berth.logIn(OWNER.email, OWNER.password) // people must log in before they can stop something
  expect((await berth.raw('POST', '/api/auth/logout', { cookie: again.cookie })).status).toBe(200)

  await berth.stop()
  await mounted.fill()
  await berth.startAgain()
  expect((await owner.call('envs.list', { appId: app.id })).map(({ key }) => key)).toEqual(answered)
  expect((await berth.raw('POST', '/api/projects/create', { cookie: owner.cookie, body: { name: 'x'.repeat(90) } })).status).toBe(503)

  await mounted.free()
  await owner.call('projects.create', { name: 'After' })
  expect((await owner.call('health')).checks.database).toBe('ok')
  expect((await owner.call('projects.list')).map(({ name }) => name)).toEqual(['Before', 'After'])
  await berth.restart()
  expect((await owner.call('envs.list', { appId: app.id })).map(({ key }) => key)).toEqual(answered)
})

it.concurrent('a full disk with queued deployments slows down neither responses nor the CPU, and all continue once there is space', async (context) => {
  const opened = await openLabOnSmallDisk()
  if (opened.unavailable !== undefined) return context.skip(opened.unavailable)
  await using small = opened
  const seen = await runOnFullDisk(small, { seconds: 25, apps: 3, queued: 8 })
  expect(seen.silent).toBe(0)
  expect(seen.cpuSeconds).toBeLessThan(seen.fullSeconds / 2)
  expect(seen.logBytes).toBeLessThan(100_000)
  expect(seen.statuses).toEqual(Array.from({ length: 8 }, () => 'success'))
  expect(seen.mostAttempts).toBeLessThanOrEqual(2) // the deployment that was running when the disk filled up ran once more, and nothing ran repeatedly
}, 400_000)

it.concurrent('a deployment interrupted by a full disk leaves the old release serving, and continues with the built image', async (context) => {
  const opened = await openLabOnSmallDisk({ healthDeadlineMs: 30_000 })
  if (opened.unavailable !== undefined) return context.skip(opened.unavailable)
  await using small = opened
  const { lab, disk } = small
  const app = await lab.createApp(webFiles('old'), {}, { deploymentStrategy: 'recreate' })
  const other = await lab.createApp(webFiles('other'))
  expect((await lab.deploy(app.id)).status).toBe('success')
  const slowStart = { Dockerfile: dockerfile(['COPY index.html /www/index.html'], 'sleep 8; exec httpd -f -p "$PORT" -h /www') }
  await app.repository.commit({ files: { ...slowStart, 'index.html': 'new' } })
  const id = await lab.add(app.id)
  await lab.reaches(id, 'starting_new')
  await fillCompletely(lab, disk, other.id)

  const old = async () => await lab.visit(app).catch((cause: unknown) => String(cause))
  await until(
    () => lab.rows<{ lease_until: string | null }>('select lease_until from job'),
    ([job]) => job?.lease_until === null, // it was given back
  )
  await until(old, (text) => text === 'old')
  await disk.free()
  expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.visit(app)).toBe('new')
  expect((await lab.log(id)).split('\n').filter((line) => line === 'Building the image')).toHaveLength(1)
}, 200_000)

it.concurrent('on a disk that others keep full, what frees space works and ordinary changes are refused', async (context) => {
  const opened = await openLabOnSmallDisk()
  if (opened.unavailable !== undefined) return context.skip(opened.unavailable)
  await using small = opened
  const { lab, disk } = small
  const { owner } = lab
  const second = await owner.call('projects.create', { name: 'Second' })
  const slow = () => webFiles('slow', [`RUN echo ${Math.random()}; sleep 60`])
  const [stopped, deleted, other] = [
    await lab.createApp(webFiles('stopped')),
    await lab.createApp(webFiles('deleted')),
    await lab.createApp(webFiles('other')),
  ]
  const inSecond = await lab.createAppIn(second.id, webFiles('second'))
  for (const app of [stopped, deleted, inSecond]) expect((await lab.deploy(app.id)).status).toBe('success')
  const [cancelled, deletedBusy] = [await lab.createApp(slow()), await lab.createApp(slow())]
  const [running, waiting] = [await lab.add(cancelled.id), await lab.add(cancelled.id)]
  const runningOfDeleted = await lab.add(deletedBusy.id)
  await lab.add(deletedBusy.id) // it is ahead of the removal in the queue of its app
  const failing = await lab.add((await lab.createApp(webFiles('failing', [`RUN echo ${Math.random()}; sleep 10; exit 1`]))).id)
  for (const id of [running, runningOfDeleted, failing]) await lab.reaches(id, 'building_image')
  await fillCompletely(lab, disk, other.id)

  const refusal = async () => {
    const answer = await lab.berth.raw('POST', '/api/projects/create', { cookie: owner.cookie, body: { name: 'Third' } })
    return [answer.status, answer.json.code, answer.json.error]
  }
  const refused = [503, 'storage_unavailable', ERRORS.storage_unavailable.message]
  {
    await using _filling = keepFull(disk)
    expect(await refusal()).toEqual(refused)
    await owner.call('containers.stop', { appId: stopped.id })
    expect((await lab.containersOf(stopped.id)).map(({ state }) => state)).toEqual(['exited'])
    expect(await lab.status(stopped.id)).toBe('stopped')
    for (const deploymentId of [waiting, running]) await owner.call('deployments.stop', { deploymentId })
    for (const id of [waiting, running]) expect((await lab.get(id)).status).toBe('stopped')
    for (const { id } of [deleted, deletedBusy]) await owner.call('apps.delete', { appId: id })
    await owner.call('projects.delete', { id: second.id })
    for (const app of [deleted, inSecond])
      await until(
        async () => await lab.containersOf(app.id),
        (containers) => containers.length === 0,
      )
    const removals = () => lab.rows("select id from job where name = 'app.remove'")
    await until(removals, (jobs) => jobs.length === 0)
    expect((await lab.ended(failing)).status).toBe('failed') // so that it does not run again and again
    await fillCompletely(lab, disk, other.id) // what was removed may have left room for a moment
    expect(await refusal()).toEqual(refused)
    expect((await lab.berth.anonymous('health')).checks.database).toBe('read_only')
  }

  await disk.free()
  // the process that keeps it full may have taken the last bytes at the same moment
  await until(
    async () =>
      await lab.owner.call('projects.create', { name: 'Room again' }).then(
        () => true,
        () => false,
      ),
    (isWritten) => isWritten,
  )
  expect(await lab.deploy(stopped.id)).toMatchObject({ status: 'success' })
  expect(await lab.visit(stopped)).toBe('stopped')
  expect(lab.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  const actions = lab.rows<{ action: string }>('select action from audit').map(({ action }) => action)
  for (const action of ['container.stop', 'deployment.stop', 'app.delete', 'project.delete']) expect(actions).toContain(action)
}, 300_000)

it('a server whose log is a file on the full disk keeps running, and so does the log once there is space', async (context) => {
  const disk = await mountSmallDisk(128)
  if (disk.unavailable !== undefined) return context.skip(disk.unavailable)
  await using mounted = disk
  const logFile = join(mounted.directory, 'berth.log')
  await using berth = await startTestServer({ dataDir: mounted.directory, runs: 'as a process', logFile })
  try {
    await mounted.fill()
    const { size } = await stat(logFile)
    for (let n = 0; n < 500; n += 1) expect(await askHealth(berth.baseUrl)).toBeLessThan(SILENT_AFTER_MS) // far more lines than are kept back
    expect((await stat(logFile)).size).toBeLessThan(size + 10_000)
    await mounted.free()
    await until(
      async () => (await stat(logFile)).size,
      (bytes) => bytes > size + 20_000,
    )
  } finally {
    await berth.kill9() // one that hangs would not stop
  }
})
