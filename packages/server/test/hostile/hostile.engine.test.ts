import { access, mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createTransport } from '../../src/engine/api/transport.ts'
import { LABEL } from '../../src/engine/labels.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { type FileMap, startGitServer } from '../../testing/harness/git-server.ts'
import { auditContainers, auditFindings } from '../../testing/harness/inspect-audit.ts'
import type { Person } from '../../testing/harness/start-test-server.ts'
import { ensureRedisImage } from '../../testing/images/database-images.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type DeployLab, dockerfile, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { type Canary, hostileTexts, openCanary } from './hostile-corpus.ts'
import { hostileUrl, liveThrough, openHostileLab } from './hostile-life.ts'

let lab: DeployLab
let canary: Canary
let mallory: Person
let projectId = 0
beforeAll(async () => {
  canary = await openCanary()
  lab = await openHostileLab()
  mallory = await lab.berth.as('mallory')
  projectId = (await mallory.call('projects.create', { name: 'Probing' })).id
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await canary[Symbol.asyncDispose]()
})

/** An app of a plain user, with this repository. */
async function appOf(files: FileMap, change: object = {}) {
  const { url } = await lab.git.createRepository({ files })
  const name = `app ${Math.random()}`
  return await mallory.call('apps.create', { projectId, name, port: 8080, gitCloneUrl: hostileUrl(url), gitBranch: 'main', ...change })
}

describe('hostile texts', () => {
  it('live through everything that an app can go through, and do nothing', async () => {
    const texts = hostileTexts(canary)
    const chosen = [1, 5, 10, 16].flatMap((index) => texts[index] ?? []) // a substitution, lines, dots, and one that may be a branch
    const lives = await Promise.all(chosen.map(async (text) => await liveThrough(lab, text, canary)))
    expect(lives.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(lives.at(-1)?.taken).toContain('branch')
    expect(await canary.findings()).toEqual([])
  })

  it('that are odd and legal name folders, files and branches as they are', async () => {
    const branch = 'issue#12/a=b%,c'
    const folder = 'a b/@c+d'
    const files = Object.fromEntries(
      Object.entries(webFiles('odd')).map(([name, text]) => [`${folder}/${name.replace('file', ' file.x')}`, text]),
    )
    const { url } = await lab.git.createRepository({ files, branch })
    const app = await mallory.call('apps.create', { projectId, name: 'odd', port: 8080, gitCloneUrl: hostileUrl(url), gitBranch: branch })
    await mallory.call('apps.update', {
      appId: app.id,
      rootDirectory: folder,
      dockerfilePath: 'Docker file.x',
      healthcheckPath: '/?a=$(id)&b=;',
    })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app)).toBe('odd')
  })

  it.each(['1;id', '../../etc/passwd', '1e9', 'NaN', '-1', '0', '1\u0000', '9007199254740993', '$(id)'])(
    'as the id of a socket are refused before the upgrade: %j',
    async (id) => {
      const { cookie } = mallory
      const sockets = [
        await lab.berth.connect('deployment.stream', { cookie, input: { deploymentId: id } }),
        await lab.berth.connect('deployment.streamById', { cookie, input: { deploymentId: id } }),
        await lab.berth.connect('container.logs', { cookie, input: { containerId: id } }),
      ]
      for (const { status } of sockets) expect([400, 404]).toContain(status)
    },
  )

  it('as the name of an app lead its deletion to nothing but its own', async () => {
    const { workDir } = readConfig({ BERTH_DATA_DIR: lab.berth.dataDir })
    const kept = [workDir, lab.berth.dataDir, path.join(lab.berth.dataDir, 'logs')].map((directory) => path.join(directory, 'x', 'kept'))
    for (const file of kept) {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, '')
    }
    for (const name of ['../x', '../../x', '/x', 'x']) {
      const app = await appOf(webFiles('x'), { name })
      expect((await lab.deploy(app.id)).status).toBe('success')
      await mallory.call('apps.delete', { appId: app.id })
      await until(
        async () => (await lab.belongings()).filter((thing) => thing.includes(`app-${app.id}`)),
        (left) => left.length === 0,
      )
    }
    for (const file of kept) await access(file)
  })
})

describe('a hostile repository', () => {
  it('has none of its hooks, filters and submodules run', async () => {
    const hook = { text: `#!/bin/sh\ntouch ${canary.file('hook')}\n`, mode: 0o755 }
    const app = await appOf({
      ...webFiles('harmless'),
      '.git-hooks/post-checkout': hook,
      'hooks/post-checkout': hook,
      '.gitattributes': '* filter=evil diff=evil\n',
      '.gitconfig': `[core]\n\thooksPath = hooks\n\tfsmonitor = touch ${canary.file('monitor')}\n[filter "evil"]\n\tsmudge = touch ${canary.file('filter')}\n`,
      '.gitmodules': [
        `[submodule "a"]\n\tpath = a\n\turl = ext::sh -c touch% ${canary.file('submodule')}`,
        `[submodule "b"]\n\tpath = b\n\turl = ${canary.url}/b.git\n\tupdate = !touch ${canary.file('update')}`,
        `[submodule "c"]\n\tpath = c\n\turl = --upload-pack=touch ${canary.file('option')}\n`,
      ].join('\n'),
    })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app)).toBe('harmless')
    expect(await canary.findings()).toEqual([])
  })

  it.each([
    ['its Dockerfile', { Dockerfile: { link: '/etc/hostname' } }, {}],
    ['a Dockerfile in a folder', { 'in/Dockerfile': { link: '../../../../../../etc/hostname' } }, { dockerfilePath: 'in/Dockerfile' }],
    ['its root directory', { Dockerfile: 'FROM x', out: { link: '/etc' } }, { rootDirectory: 'out' }],
    ['a folder on the way', { Dockerfile: 'FROM x', out: { link: '/' } }, { rootDirectory: 'out/etc' }],
  ])('that leads out by a link is refused: %s', async (_what, files: FileMap, change) => {
    const app = await appOf(files)
    await mallory.call('apps.update', { appId: app.id, ...change })
    const last = await lab.deploy(app.id)
    expect(last.status).toBe('failed')
    expect(last.error_message).toContain('points outside the repository')
    expect((await lab.belongings()).filter((thing) => thing.includes(`app-${app.id}`))).toEqual([])
  })

  it('whose compose file is long is refused before it is read', async () => {
    const app = await appOf({ 'compose.yaml': Buffer.alloc(1024 ** 2 + 1, '#') }, { appType: 'compose' })
    expect((await lab.deploy(app.id)).error_message).toContain('longer than 1 MiB')
  })

  it('whose compose file, or what that builds, is a link out of it is refused', async () => {
    const outside = { 'compose.yaml': { link: '/etc/hostname' } }
    const context = { 'compose.yaml': 'services: { a: { build: out } }', out: { link: '/etc' } }
    for (const files of [outside, context]) {
      const app = await appOf(files, { appType: 'compose' })
      const last = await lab.deploy(app.id)
      expect([last.status, last.error_message]).toEqual(['failed', expect.stringContaining('points outside the repository')])
      expect(await lab.containersOf(app.id)).toEqual([])
    }
  })
})

describe('a clone URL of a plain user', () => {
  const addresses = () => [
    `http://127.0.0.1:${canary.port}/x.git`,
    `http://0:${canary.port}/x.git`,
    `http://[::1]:${canary.port}/x.git`,
    `http://[::ffff:127.0.0.1]:${canary.port}/x.git`,
    `http://ip6-localhost:${canary.port}/x.git`,
    `http://${hostname()}:${canary.port}/x.git`,
    `ssh://git@127.0.0.1:${canary.port}/x.git`,
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:169.254.169.254]/latest/meta-data',
    `${lab.berth.baseUrl}/x.git`,
  ]

  it('does not reach this machine, by number or by name, at a check or at a deployment', async () => {
    const checks: boolean[] = []
    for (const gitCloneUrl of addresses()) checks.push((await mallory.call('apps.checkSource', { projectId, gitCloneUrl })).reachable)
    const outcomes = await Promise.all(
      addresses().map(async (gitCloneUrl) => {
        const app = await mallory.call('apps.create', { projectId, name: gitCloneUrl, port: 8080, gitCloneUrl })
        const last = await lab.deploy(app.id)
        return last.status
      }),
    )
    expect(checks).toEqual(addresses().map(() => false))
    expect(outcomes).toEqual(addresses().map(() => 'failed'))
    expect(await canary.findings()).toEqual([])
  })

  it('is not followed to where it redirects', async () => {
    await using redirecting = await startGitServer()
    redirecting.setMode({ kind: 'redirect', to: canary.url })
    const gitCloneUrl = hostileUrl(`${redirecting.origin}/x.git`)
    const app = await mallory.call('apps.create', { projectId, name: 'redirected', port: 8080, gitCloneUrl })
    const last = await lab.deploy(app.id)
    expect([last.status, last.error_message]).toEqual(['failed', expect.stringContaining('redirects')])
    expect(redirecting.requests.length).toBeGreaterThan(0)
    expect(await canary.findings()).toEqual([])
  })
})

describe('every container', () => {
  it('of a database, a compose app and a service with limits passes the audit', async () => {
    await ensureRedisImage(lab.engine)
    const database = await mallory.call('apps.create', { projectId, name: 'store', appType: 'database', templateName: 'redis' })
    const compose = await appOf(
      {
        'compose.yaml': [
          'services:',
          '  web: { build: ./web, expose: ["8080"], volumes: ["kept:/kept"], restart: always }',
          `  worker: { image: "${BUSYBOX_IMAGE}", command: [sleep, "600"], tmpfs: [/tmp/x], cap_drop: [ALL] }`,
          'volumes: { kept: }',
        ].join('\n'),
        'web/Dockerfile': dockerfile([], 'exec httpd -f -p 8080 -h /www'),
      },
      { appType: 'compose' },
    )
    const service = await appOf({ Dockerfile: dockerfile([], 'exec sleep 600') }, { appType: 'service', port: null })
    await mallory.call('apps.update', { appId: service.id, memoryLimit: 64, cpuLimit: 0.5, restartPolicy: 'on-failure' })
    const ended = await Promise.all([database, compose, service].map(async ({ id }) => await lab.deploy(id)))
    expect(ended.map(({ status, error_message }) => [status, error_message])).toEqual(ended.map(() => ['success', '']))
    expect((await auditContainers(lab.instance)).length).toBeGreaterThanOrEqual(4)
    expect(await auditFindings(lab.instance)).toEqual([])
  })

  it('that is not as it should be is found by the audit', async () => {
    const transport = createTransport({ address: { socketPath: engineSocketPath() } })
    const instance = `bad${Math.random().toString(36).slice(2, 10)}`
    const host = { Privileged: true, PidMode: 'host', Binds: ['/var/run/docker.sock:/var/run/docker.sock'], CapAdd: ['SYS_ADMIN'] }
    const body = { Image: BUSYBOX_IMAGE, Labels: { [LABEL.instance]: instance }, HostConfig: host }
    await transport.json({ method: 'POST', path: '/containers/create', query: { name: instance }, body })
    const findings = (await auditFindings(instance)).map((finding) => finding.replace(`/${instance}: `, ''))
    await lab.engine.containers.remove(instance)
    expect(findings).toEqual(
      expect.arrayContaining(['it is privileged', 'it has CapAdd', 'it binds a place of the machine', 'its mounts are no volumes of ours']),
    )
    expect(findings.length).toBeGreaterThan(10)
  })
})
