import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeployLab, dockerfile, openDeployLab, webFiles } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const only = (lines: readonly string[], command: string) => ({ Dockerfile: dockerfile(lines, command) })

/** The mistake → the message that the user gets. */
const CASES = [
  [
    'the build fails',
    only(['RUN echo the compiler is unhappy >&2; exit 7'], 'true'),
    /The build failed at "RUN echo .*" with exit code 7\. Last output: the compiler is unhappy/,
    'the compiler is unhappy',
  ],
  ['nothing listens on the port', only([], 'exec httpd -f -p 9999 -h /www'), /Nothing listens on port 8080\. It listens on 9999/, ''],
  ['it listens on no port at all', only([], 'sleep 60'), /Nothing listens on port 8080\. It listens on no port at all/, ''],
  ['it listens on 127.0.0.1 only', only([], 'exec httpd -f -p 127.0.0.1:8080 -h /www'), /only listens on 127\.0\.0\.1:8080/, ''],
  ['it exits', only([], 'echo I cannot go on; exit 3'), /exited with code 3\. Last output: I cannot go on/, 'I cannot go on'],
] as const

describe.concurrent('a failed deployment says why', () => {
  for (const [what, files, says, inLog] of CASES) {
    it(`when ${what}`, async () => {
      const app = await lab.createApp(files)
      const last = await lab.deploy(app.id)
      expect(last).toMatchObject({ status: 'failed', is_active: false })
      expect(last.error_message).toMatch(says)
      const log = await lab.log(last.id)
      expect(log).toContain(inLog)
      expect(log.trimEnd().split('\n').at(-1)).toMatch(/^Failed: /)
      expect(await lab.app(app.id)).toMatchObject({ status: 'error' })
      expect(await lab.containersOf(app.id)).toEqual([])
    })
  }

  it('when it runs out of memory', async () => {
    const app = await lab.createApp(only([], 'sleep 0.3; tail /dev/zero'), {}, { memoryLimit: 16 })
    expect((await lab.deploy(app.id)).error_message).toMatch(/ran out of memory/)
  })

  it('when the health path answers 404', async () => {
    const app = await lab.createApp(webFiles('healthy elsewhere'), {}, { healthcheckPath: '/healthz' })
    expect((await lab.deploy(app.id)).error_message).toMatch(/the health check path answered 404 \(\/healthz/)
  })

  it('when there is no Dockerfile, and names those that it found', async () => {
    const app = await lab.createApp({ 'api/Dockerfile': 'FROM scratch', 'Dockerfile.dev': 'FROM scratch' })
    const { error_message: says } = await lab.deploy(app.id)
    expect(says).toMatch(/There is no Dockerfile in the build root/)
    expect(says).toContain('api/Dockerfile')
    expect(says).toContain('Dockerfile.dev')
  })

  it('when there is no such branch, and names those that are there', async () => {
    const app = await lab.createApp(webFiles('x'), { gitBranch: 'mian' })
    expect((await lab.deploy(app.id)).error_message).toBe('The repository has no branch "mian". Its branches are: main.')
  })

  it('when there is no source', async () => {
    const app = await lab.owner.call('apps.create', { name: 'nothing yet', projectId: lab.project.id, port: 8080 })
    expect((await lab.deploy(app.id)).error_message).toMatch(/has no source/)
  })
})

describe.concurrent('the live release keeps serving', () => {
  const bad = [
    ['a build that fails', only(['RUN exit 1'], 'true')],
    ['a release that exits', only([], 'exit 1')],
    ['a release that never listens', only([], 'sleep 60')],
    ['a release that dies within the window', only([], 'httpd -p "$PORT" -h /www; sleep 0.35')],
  ] as const
  for (const [what, files] of bad) {
    it(`through ${what}`, async () => {
      const app = await lab.createApp(webFiles('still here'))
      const good = await lab.deploy(app.id)
      await app.repository.commit({ files, clear: true })
      const id = await lab.add(app.id)
      await using socket = await lab.berth.connect('deployment.stream', { cookie: lab.owner.cookie, input: { deploymentId: id } })
      const answers: string[] = []
      let isDone = false
      const visits = (async () => {
        while (!isDone) {
          answers.push(await lab.visit(app).catch(String))
          await sleep(150)
        }
      })()
      const last = await lab.ended(id)
      isDone = true
      await visits
      expect(last.status).toBe('failed')
      expect(answers.filter((answer) => answer !== 'still here')).toEqual([])
      expect((await lab.get(good.id)).is_active).toBe(true)
      expect(await lab.status(app.id)).toBe('running')
      expect(await lab.containersOf(app.id)).toHaveLength(1)
      expect(await socket.closed).toBe(1000)
      expect(socket.frames.slice(-2).map(({ type }) => type)).toEqual(['error', 'status'])
      expect(socket.frames.at(-2)?.data).toEqual({ message: last.error_message })
    })
  }
})

/** Ends two seconds after it is told to. */
const slowToStop = (body: string) => ({
  Dockerfile: dockerfile(['COPY index.html /www/index.html'], `trap 'sleep 2; exit 0' TERM; httpd -f -p "$PORT" -h /www & wait`),
  'index.html': body,
})

it('a release that is cancelled while the one before it stops leaves that one running', async () => {
  const app = await lab.createApp(slowToStop('still here'), {}, { deploymentStrategy: 'recreate', restartPolicy: 'no' })
  await lab.deploy(app.id)
  await app.repository.commit({ files: slowToStop('not yet') })
  const id = await lab.add(app.id)
  await lab.reaches(id, 'stopping_old')
  await sleep(500)
  await lab.owner.call('deployments.stop', { deploymentId: id })
  expect((await lab.ended(id)).status).toBe('stopped')
  await expect.poll(async () => await lab.visit(app).catch(String), { timeout: 30_000 }).toBe('still here')
  await sleep(3000) // a stop that nobody waited for would end it now
  expect(await lab.visit(app).catch(String)).toBe('still here')
  expect(await lab.status(app.id)).toBe('running')
})
