import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensurePostgresImage } from '../../testing/images/database-images.ts'
import { ensureNpmImage, NPM_IMAGE } from '../../testing/images/node-image.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type DeployLab, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab({ tuning: { healthDeadlineMs: 30_000 } })
  await Promise.all([ensurePostgresImage(lab.engine), ensureNpmImage(lab.engine)])
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const GUESTBOOK = `
import Fastify from 'fastify'
import pg from 'pg'

const database = new pg.Pool({ connectionString: process.env.DATABASE_URL })
const app = Fastify()
app.get('/', async () => (await database.query('select ship from visit order by id')).rows.map(({ ship }) => ship))
app.get('/health', async () => {
  await database.query('create table if not exists visit (id serial primary key, ship text not null)')
  return 'ready'
})
app.get('/visit/:ship', async ({ params }) => {
  await database.query('insert into visit (ship) values ($1)', [params.ship])
  return 'welcome'
})
await app.listen({ host: '0.0.0.0', port: Number(process.env.PORT) })
`

const GUESTBOOK_FILES = {
  Dockerfile: [
    `FROM ${NPM_IMAGE}`,
    'WORKDIR /app',
    'COPY package.json ./',
    'RUN --mount=type=cache,target=/root/.npm npm install --no-audit --no-fund',
    'COPY . .',
    'CMD ["node", "server.js"]',
    '',
  ].join('\n'),
  '.dockerignore': 'node_modules\n',
  'package.json': JSON.stringify({
    name: 'guestbook',
    version: '1.0.0',
    private: true,
    type: 'module',
    dependencies: { fastify: '5.6.2', pg: '8.16.3' },
  }),
  'server.js': GUESTBOOK,
}

describe('what people deploy', () => {
  it('a Node.js app with dependencies from npm keeps its rows in a PostgreSQL of its project, whatever happens to both', async () => {
    const database = await lab.owner.call('apps.create', {
      name: 'main database',
      projectId: lab.project.id,
      appType: 'database',
      templateName: 'postgresql',
    })
    const firstDatabase = await lab.deploy(database.id)
    expect(firstDatabase).toMatchObject({ status: 'success', error_message: '' })
    const { url } = await lab.owner.call('apps.connection', { appId: database.id })
    const app = await lab.createApp(GUESTBOOK_FILES, { envVars: { DATABASE_URL: url } }, { healthcheckPath: '/health' })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app, { path: '/visit/Endurance' })).toBe('welcome')

    const afterwards = async (ship: string): Promise<unknown> => {
      await lab.visit(app, { path: `/visit/${ship}` })
      return JSON.parse(await lab.visit(app))
    }
    expect(await lab.deploy(database.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await afterwards('redeployed')).toEqual(['Endurance', 'redeployed'])
    const { id } = await lab.owner.call('deployments.rollback', { deploymentId: firstDatabase.id })
    expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await afterwards('rolled-back')).toEqual(['Endurance', 'redeployed', 'rolled-back'])
    await lab.owner.call('containers.restart', { appId: database.id })
    await lab.owner.call('containers.restart', { appId: app.id })
    await until(
      async () => await lab.visit(app, { path: '/health' }).catch(() => 'not yet'),
      (answer) => answer === 'ready',
    )
    expect(await afterwards('restarted')).toEqual(['Endurance', 'redeployed', 'rolled-back', 'restarted'])
  })

  it('a static site is its files, and the next commit is the next site', async () => {
    const files = {
      Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCOPY . /www\nCMD ["httpd", "-f", "-p", "8080", "-h", "/www"]\n`,
      '.dockerignore': 'Dockerfile\nnotes\n',
      'index.html': '<h1>A site</h1>',
      'about/index.html': 'About it',
      'notes/private.txt': 'not for visitors',
    }
    const app = await lab.createApp(files)
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app)).toBe('<h1>A site</h1>')
    expect(await lab.visit(app, { path: '/about/' })).toBe('About it')
    expect(await lab.visit(app, { path: '/notes/private.txt' })).toMatch(/404/)
    await app.repository.commit({ files: { 'index.html': '<h1>A newer site</h1>' } })
    expect((await lab.deploy(app.id)).status).toBe('success')
    expect(await lab.visit(app)).toBe('<h1>A newer site</h1>')
  })
})
