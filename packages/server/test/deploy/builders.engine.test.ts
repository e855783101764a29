import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BuildPlan } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectNetworkName } from '../../src/engine/labels.ts'
import { ensureBaseImages } from '../../testing/images/base-images.ts'
import { type DeployLab, type LabApp, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

const TUNING = { healthDeadlineMs: 20_000, stopGraceSeconds: 10 }
let lab: DeployLab
let images: AsyncDisposable
beforeAll(async () => {
  lab = await openDeployLab({ tuning: TUNING })
  images = await ensureBaseImages(lab.engine)
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await images[Symbol.asyncDispose]()
})

const SERVER = `
const server = require('node:http').createServer((_request, response) => response.end('as ' + process.getuid() + ' in ' + process.env.NODE_ENV))
server.listen(process.env.PORT)
process.on('SIGTERM', () => { console.log('told to stop'); server.close(); server.closeAllConnections() })
`
const lockOf = (json: object, others: object = {}) => JSON.stringify({ lockfileVersion: 3, packages: { '': json, ...others } })

function serverFiles(): Record<string, string> {
  const json = { name: 'shop', scripts: { start: 'node server.js' }, engines: { node: '>=20' } }
  return { 'package.json': JSON.stringify(json), 'package-lock.json': lockOf(json), 'server.js': SERVER }
}

/** A stand-in for Vite's build, as a package of the repository: it makes a page, and an asset with a hash in its name. */
function siteFiles(): Record<string, string> {
  const json = { name: 'site', scripts: { build: 'vite build' }, devDependencies: { vite: 'file:tools/vite' } }
  const tool = { name: 'vite', version: '7.0.0', bin: { vite: 'vite.js' } }
  const locked = { 'node_modules/vite': { resolved: 'tools/vite', link: true }, 'tools/vite': { ...tool, dev: true } }
  return {
    'package.json': JSON.stringify(json),
    'package-lock.json': lockOf(json, locked),
    'tools/vite/package.json': JSON.stringify(tool),
    'tools/vite/vite.js': `#!/usr/bin/env node
const { mkdirSync, writeFileSync, cpSync } = require('node:fs')
mkdirSync('dist/assets', { recursive: true })
cpSync('public', 'dist', { recursive: true })
writeFileSync('dist/index.html', '<h1>api at ' + process.env.VITE_API_URL + '</h1>' + ' '.repeat(3000))
writeFileSync('dist/assets/index-B4x9Kq2Z.js', 'console.log(1)')
`,
    'public/_redirects': '/old/* /new/:splat 302\n',
  }
}

async function ask(app: LabApp, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const [container] = await lab.containersOf(app.id)
  const ip = container?.ips[projectNetworkName(lab.instance, app.project_id)]
  return await fetch(`http://${ip}:8080${path}`, { redirect: 'manual', headers, signal: AbortSignal.timeout(5000) })
}

const planOf = async (id: number): Promise<BuildPlan> => await lab.owner.call('deployments.plan', { id })

describe('a repository without a Dockerfile', () => {
  it('of Node.js is detected, built and run without root, and is told when it is to stop', async () => {
    const app = await lab.createApp(serverFiles())
    const deployment = await lab.deploy(app.id)
    expect(deployment).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app)).toBe('as 1000 in production')
    const plan = await planOf(deployment.id)
    expect(plan).toMatchObject({ builder: 'auto', kind: 'node', title: 'npm, Node.js 24', port: 8080 })
    expect(plan.versions).toEqual([{ name: 'Node.js', version: '24', from: 'engines.node in package.json' }])
    expect(await lab.log(deployment.id)).toContain('Start command: node server.js (the start script in package.json)')
    await lab.owner.call('containers.stop', { appId: app.id })
    expect((await lab.owner.call('containers.logs', { appId: app.id })).logs).toContain('told to stop')
  })

  it('gets its build secrets in the steps of the build, and nowhere else', async () => {
    const app = await lab.createApp({
      ...serverFiles(),
      'build.js': `const fs = require('node:fs'); const token = process.env.NPM_TOKEN; console.log('length ' + token.length, token); fs.writeFileSync('server.js', fs.readFileSync('server.js') + '//' + token.length)`,
    })
    const changed = await lab.owner.call('apps.update', {
      appId: app.id,
      buildSecrets: { NPM_TOKEN: 'a-token-that-nobody-sees', gone: 'x' },
      buildCommand: 'node build.js',
    })
    expect(changed.build_secrets).toEqual(['NPM_TOKEN', 'gone'])
    await lab.owner.call('apps.update', { appId: app.id, buildSecrets: { gone: null } })
    const deployment = await lab.deploy(app.id)
    expect(deployment).toMatchObject({ status: 'success', error_message: '' })
    const log = await lab.log(deployment.id)
    expect(log).toContain('length 24')
    const told = [log, JSON.stringify([await planOf(deployment.id), await lab.owner.call('apps.get', { appId: app.id })])]
    expect(told.join('\n')).not.toContain('a-token-that-nobody-sees')
    const [container] = await lab.containersOf(app.id)
    const { stdout } = await promisify(execFile)('docker', ['exec', container?.id ?? '', 'node', '-p', 'JSON.stringify(process.env)'])
    expect(stdout).not.toContain('NPM_TOKEN')
  })

  it('of a workspace is installed from the top, and its own package is started as its settings say', async () => {
    const root = { name: 'all', workspaces: ['apps/*'] }
    const web = { name: 'web', version: '1.0.0', scripts: { build: "node -e \"fs.writeFileSync('built.txt', 'built')\"" } }
    const app = await lab.createApp(
      {
        'package.json': JSON.stringify(root),
        'package-lock.json': lockOf(root, { 'apps/web': web, 'node_modules/web': { resolved: 'apps/web', link: true } }),
        'apps/web/package.json': JSON.stringify(web),
        'apps/web/run.js': `require('node:http').createServer((_, r) => r.end(require('node:fs').readFileSync('built.txt'))).listen(process.env.PORT)`,
      },
      { rootDirectory: 'apps/web', startCommand: 'node run.js' },
    )
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app)).toBe('built')
  })

  it('that a build makes a site of is served with fallbacks, redirects, compression and long caching of hashed names', async () => {
    const app = await lab.createApp(siteFiles(), { buildArgs: { VITE_API_URL: 'https://api.example.com' } })
    const deployment = await lab.deploy(app.id)
    expect(deployment).toMatchObject({ status: 'success', error_message: '' })
    expect((await planOf(deployment.id)).outputDirectory).toBe('dist')
    const page = await ask(app, '/some/deep/path', { 'accept-encoding': 'gzip' })
    expect([page.status, page.headers.get('cache-control'), page.headers.get('content-encoding')]).toEqual([200, 'no-cache', 'gzip'])
    expect(await page.text()).toContain('api at https://api.example.com')
    const asset = await ask(app, '/assets/index-B4x9Kq2Z.js')
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect((await ask(app, '/assets/gone-B4x9Kq2Z.js')).status).toBe(404)
    const moved = await ask(app, '/old/a/b?c=d')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/new/a/b?c=d'])
    expect((await ask(app, '/_redirects')).status).toBe(404)
  })

  it('of plain files is served with clean addresses, its own 404 page and its own headers', async () => {
    const app = await lab.createApp({
      'index.html': 'home',
      'about.html': 'about it',
      'docs/index.html': 'docs',
      'docs/old.html': 'old',
      '404.html': 'not here',
      _headers: '/docs/*\n  X-Part: the "docs"\n',
      _redirects: '/blog/:slug /:slug.html 200\n/docs/old.html /elsewhere 301!\n',
    })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    const texts = await Promise.all(
      ['/', '/about', '/docs/', '/blog/about', '/nothing'].map(async (path) => await (await ask(app, path)).text()),
    )
    expect(texts).toEqual(['home', 'about it', 'docs', 'about it', 'not here'])
    expect((await ask(app, '/nothing')).status).toBe(404)
    expect((await ask(app, '/docs')).headers.get('location')).toBe('/docs/')
    expect((await ask(app, '/docs/')).headers.get('x-part')).toBe('the "docs"')
    expect((await ask(app, '/docs/old.html')).headers.get('location')).toBe('/elsewhere')
  })

  it('and with nothing to go by fails before a build, and says what to do', async () => {
    const app = await lab.createApp({ 'package.json': JSON.stringify({ name: 'x' }) })
    const deployment = await lab.deploy(app.id)
    expect(deployment.error_message).toContain('Berth cannot tell how to start this project')
    expect(await lab.log(deployment.id)).not.toContain('FROM ')
  })
})

describe('a release command', () => {
  const MIGRATE = `console.log('migrating ' + process.env.SHIP); process.exit(process.env.FAILS ? 3 : 0)`
  const files = () => ({ ...serverFiles(), 'migrate.js': MIGRATE })

  it('runs in the new image with the environment before anything is switched, and a failure changes nothing', async () => {
    const app = await lab.createApp(files(), { releaseCommand: 'node migrate.js', envVars: { SHIP: 'Endurance' } })
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.log(first.id)).toMatch(/migrating \S+\n[^]*The release command succeeded\n[^]*Starting the release/)
    await lab.owner.call('envs.create', { appId: app.id, key: 'FAILS', value: 'yes' })
    const second = await lab.deploy(app.id)
    expect(second).toMatchObject({ status: 'failed' })
    expect(second.error_message).toContain('The release command failed with exit code 3: migrating')
    expect(await lab.visit(app)).toBe('as 1000 in production')
    expect((await lab.containersOf(app.id)).map(({ owner }) => owner.deploymentId)).toEqual([first.id])
  })

  it('of a Procfile runs once, before anything is switched, and the old release stays if it fails', async () => {
    const procfile = (release: string) => ({ Procfile: `web: node server.js\nrelease: ${release}\n` })
    const app = await lab.createApp({ ...files(), ...procfile('node migrate.js') })
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    const log = await lab.log(first.id)
    expect(log).toContain('Release command: node migrate.js (Procfile)')
    expect(log).toMatch(/migrating undefined\n[^]*The release command succeeded\n[^]*Starting the release\n/)
    expect(log.match(/migrating undefined/g)?.length).toBe(1)
    await app.repository.commit({ files: procfile('echo no table; exit 5') })
    const second = await lab.deploy(app.id)
    expect(second).toMatchObject({ status: 'failed' })
    expect(second.error_message).toContain('The release command failed with exit code 5: no table. The live release was not changed.')
    expect((await lab.log(second.id)).match(/^.*no table$/gm)?.length).toBe(1)
    expect((await lab.containersOf(app.id)).map(({ owner }) => [owner.deploymentId, owner.service])).toEqual([[first.id, null]])
    expect(await lab.visit(app)).toBe('as 1000 in production')
  })

  it('that takes too long is ended', async () => {
    await using impatient = await openDeployLab({ tuning: { ...TUNING, releaseDeadlineMs: 4000 } })
    const app = await impatient.createApp(files(), { releaseCommand: 'sleep 600' })
    expect((await impatient.deploy(app.id)).error_message).toContain('The release command took longer than')
    expect(await impatient.containersOf(app.id)).toEqual([])
  })

  it('is ended with its deployment, if that is cancelled', async () => {
    const app = await lab.createApp(files(), { releaseCommand: 'echo begun; sleep 600' })
    const id = await lab.add(app.id)
    await until(
      async () => await lab.log(id),
      (text) => text.includes('begun\n'),
    )
    await lab.owner.call('deployments.stop', { deploymentId: id })
    expect((await lab.ended(id)).status).toBe('stopped')
    expect(await lab.containersOf(app.id)).toEqual([])
  })
})
