import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensurePostgresImage, ensureRedisImage } from '../../testing/images/database-images.ts'
import { type DeployLab, dockerfile, openDeployLab } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
  await Promise.all([ensurePostgresImage(lab.engine), ensureRedisImage(lab.engine)])
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const SHOWS_URL = { Dockerfile: dockerfile([], 'printf %s "$DATABASE_URL" > /www/index.html; exec httpd -f -p "$PORT" -h /www') }

async function newDatabase(name: string, templateName: string) {
  return await lab.owner.call('apps.create', { name, projectId: lab.project.id, appType: 'database', templateName })
}
async function urlOf(appId: number): Promise<string> {
  return (await lab.owner.call('apps.connection', { appId })).url
}
async function setVariable(appId: number, key: string, value: string): Promise<void> {
  const variable = (await lab.owner.call('envs.list', { appId })).find((each) => each.key === key)
  await lab.owner.call('envs.update', { id: variable?.id ?? 0, value })
}

describe.concurrent('an app that refers to a database', () => {
  it('is started with its URL, which opens it; a new password comes with the next release, and a rollback has the old one', async () => {
    const database = await newDatabase('cache', 'redis')
    expect(await lab.deploy(database.id)).toMatchObject({ status: 'success' })
    const app = await lab.createApp(SHOWS_URL, { envVars: { DATABASE_URL: '${{cache.URL}}' } })
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    const firstUrl = await urlOf(database.id)
    expect(firstUrl).toMatch(/^redis:\/\/default:\w{32}@cache:6379\/0$/)
    expect(await lab.visit(app)).toBe(firstUrl)
    expect(await ping(app.id, firstUrl)).toContain('+PONG')

    await setVariable(database.id, 'REDIS_PASSWORD', 'another-password')
    await lab.owner.call('apps.update', { appId: database.id, name: 'Renamed' })
    expect((await lab.owner.call('envs.changes', { appId: app.id })).changes).toEqual([{ key: 'DATABASE_URL', is: 'changed' }])
    expect(await lab.deploy(database.id)).toMatchObject({ status: 'success' })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    const secondUrl = 'redis://default:another-password@cache:6379/0'
    expect(await lab.visit(app)).toBe(secondUrl)
    expect(await ping(app.id, secondUrl)).toContain('+PONG')
    expect((await lab.owner.call('envs.changes', { appId: app.id })).changes).toEqual([])

    const { id } = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    expect(await lab.ended(id)).toMatchObject({ status: 'success' })
    expect(await lab.visit(app)).toBe(firstUrl)
  })

  it('gets the URL of PostgreSQL with the variables of now', async () => {
    const database = await newDatabase('store', 'postgresql')
    expect(await lab.deploy(database.id)).toMatchObject({ status: 'success', error_message: '' })
    const app = await lab.createApp(SHOWS_URL, { envVars: { DATABASE_URL: '${{store.URL}}?user=${{store.POSTGRES_USER}}' } })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success' })
    expect(await lab.visit(app)).toBe(`${await urlOf(database.id)}?user=berth`)
    await setVariable(database.id, 'POSTGRES_PASSWORD', 'set/by hand')
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success' })
    expect(await lab.visit(app)).toBe('postgres://berth:set%2Fby%20hand@store:5432/app?user=berth')
  })

  it('does not show the value of a reference that it prints as it dies', async () => {
    await newDatabase('hidden', 'redis')
    const files = { Dockerfile: dockerfile([], 'echo "cannot reach $DATABASE_URL"; exit 3') }
    const app = await lab.createApp(files, { envVars: { DATABASE_URL: '${{hidden.URL}}' } }, { restartPolicy: 'no' })
    const last = await lab.deploy(app.id)
    expect(last).toMatchObject({ status: 'failed', error_message: expect.stringContaining('cannot reach ***') })
    expect(await lab.log(last.id)).not.toContain('redis://')
  })

  it('fails by the name of a database that was deleted, and what served goes on', async () => {
    const database = await newDatabase('gone', 'redis')
    const app = await lab.createApp(SHOWS_URL, { envVars: { DATABASE_URL: '${{gone.URL}}' } })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success' })
    const url = await lab.visit(app)
    await lab.owner.call('apps.delete', { appId: database.id, deleteVolumes: true })
    const last = await lab.deploy(app.id)
    expect(last).toMatchObject({
      status: 'failed',
      error_message: 'The variable DATABASE_URL cannot be resolved: ${{gone.URL}} names an app that this project does not have.',
    })
    expect(await lab.log(last.id)).toContain('${{gone.URL}} names an app that this project does not have')
    expect(await lab.visit(app)).toBe(url)
    expect(await lab.status(app.id)).toBe('running')
  })
})

/** From inside the app's container, with the password of the URL. */
async function ping(appId: number, url: string): Promise<string> {
  const { password, hostname, port } = new URL(url)
  const [container] = await lab.containersOf(appId)
  const line = `printf 'AUTH ${password}\\r\\nPING\\r\\nQUIT\\r\\n' | nc ${hostname} ${port}`
  return (await lab.engine.exec(container?.id ?? '', ['sh', '-c', line], AbortSignal.timeout(10_000))).output
}
