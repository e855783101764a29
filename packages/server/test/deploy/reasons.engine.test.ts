import type { Deployment } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileMap } from '../../testing/harness/git-server.ts'
import { ensureNodeImage, NODE_IMAGE } from '../../testing/images/node-image.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type DeployLab, dockerfile, type LabApp, openDeployLab, webFiles } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab({ tuning: { healthDeadlineMs: 60_000, sayPortsAfterMs: 300, otherPortsDeadlineMs: 1500 } })
  await ensureNodeImage(lab.engine)
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const node = (script: string): FileMap => ({
  Dockerfile: `FROM ${NODE_IMAGE}\nWORKDIR /app\nCOPY . .\nCMD ["node", "server.mjs"]\n`,
  'server.mjs': script,
})
const busybox = (...lines: string[]): FileMap => ({ Dockerfile: [`FROM ${BUSYBOX_IMAGE}`, ...lines, ''].join('\n') })
const NEEDS_URL = `
import http from 'node:http'
if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set')
http.createServer((_, response) => response.end('at last')).listen(process.env.PORT)
`

/** The mistake → the message that the user reads. */
const CASES: readonly [what: string, files: FileMap, says: RegExp][] = [
  [
    'a package is not installed',
    node("import 'express'"),
    /^The container exited with code 1: Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'express'/,
  ],
  ['a script is wrong', node('const = 3'), /: SyntaxError: Unexpected token '='$/],
  [
    'a build step throws',
    { Dockerfile: `FROM ${NODE_IMAGE}\nRUN node -e "throw new TypeError('boom')"\n` },
    /^The build failed at `RUN node -e .*` with exit code 1: TypeError: boom$/,
  ],
  [
    'a build step does not find a program',
    busybox('RUN vite build'),
    /^The build failed at "RUN vite build" with exit code 127: \/bin\/sh: vite: not found$/,
  ],
  [
    'the compiler complains',
    busybox('RUN printf "src/a.ts(1,7): error TS2322: no\\\\nnpm error code 2\\\\n"; exit 2'),
    /with exit code 2: src\/a\.ts\(1,7\): error TS2322: no$/,
  ],
  [
    'a file to copy is not there',
    busybox('COPY package.json /app/'),
    /^The Dockerfile copies "package\.json", which is not in the repository\./,
  ],
  ['the Dockerfile has a typing error', busybox('RUNN true'), /^The Dockerfile cannot be read: .*unknown instruction: RUNN/i],
  [
    'the start command is not in the image',
    busybox('CMD ["serve"]'),
    /^The container could not be started: "serve": No such file or directory\. Check CMD/,
  ],
  [
    'the start command may not be run',
    { ...busybox('COPY start.sh /start.sh', 'CMD ["/start.sh"]'), 'start.sh': { text: '#!/bin/sh\n', mode: 0o644 } },
    /"\/start\.sh": Permission denied\. Make the file executable/,
  ],
  [
    'the program is of another machine',
    {
      ...busybox('COPY program /program', 'COPY program /bin/sh', 'CMD ["/program"]'),
      program: { text: '\u0000not a program', mode: 0o755 },
    },
    /"\/program": Exec format error\. The program was built for another CPU architecture/,
  ],
  [
    'it panics',
    busybox('CMD ["sh", "-c", "echo starting; echo panic: no config >&2; echo; echo goroutine 1 [running]:; exit 2"]'),
    /^The container exited with code 2: panic: no config$/,
  ],
]

async function fixedBy(app: LabApp, failed: Deployment, suggestionId: string): Promise<Deployment> {
  expect(failed).toMatchObject({ status: 'failed' })
  expect(failed.suggestions?.map(({ id }) => id)).toContain(suggestionId)
  const { id, trigger } = await lab.owner.call('deployments.applySuggestion', { deploymentId: failed.id, suggestionId })
  expect(trigger).toBe('manual')
  const last = await lab.ended(id)
  expect(last.error_message).toBe('')
  expect(last).toMatchObject({ status: 'success', app_id: app.id, suggestions: [] })
  expect((await lab.get(failed.id)).suggestions).toEqual([])
  return last
}

describe.concurrent('the reason of a failed deployment is the line that says it', () => {
  it.each(CASES)('when %s', async (_, files, says) => {
    const app = await lab.createApp(files)
    const last = await lab.deploy(app.id)
    expect(last.error_message).toMatch(says)
    expect(last.error_message).not.toMatch(/executor failed/)
  })
})

describe.concurrent('what is suggested makes the app run', () => {
  it('the port that it listens on, which ends the waiting early and is in the log', async () => {
    const app = await lab.createApp({
      Dockerfile: dockerfile(['COPY index.html /www/'], 'exec httpd -f -p 9999 -h /www'),
      'index.html': 'here',
    })
    const failed = await lab.deploy(app.id)
    expect(failed.error_message).toMatch(/^Nothing listens on port 8080\. It listens on 9999: set that under Settings → Port/)
    expect(await lab.log(failed.id)).toContain('Nothing listens on port 8080 yet. The container listens on port 9999')
    await fixedBy(app, failed, 'port:9999')
    expect(await lab.visit(app, { port: 9999 })).toBe('here')
  })

  it('a Dockerfile that is elsewhere', async () => {
    const { Dockerfile = '', ...files } = webFiles('from below')
    const app = await lab.createApp({ ...files, 'services/api/Dockerfile': Dockerfile })
    await fixedBy(app, await lab.deploy(app.id), 'dockerfile:services/api/Dockerfile')
    expect(await lab.visit(app)).toBe('from below')
  })

  it('a variable, which is added on its page', async () => {
    const app = await lab.createApp(node(NEEDS_URL))
    const failed = await lab.deploy(app.id)
    expect(failed.error_message).toBe('The container exited with code 1: Error: DATABASE_URL is not set')
    expect(failed.suggestions).toEqual([
      {
        id: 'variable:DATABASE_URL',
        title: 'Add DATABASE_URL',
        detail: 'Set its value, then deploy.',
        link: 'environment?add=DATABASE_URL',
      },
    ])
    const applied = lab.owner.call('deployments.applySuggestion', { deploymentId: failed.id, suggestionId: 'variable:DATABASE_URL' })
    await expect(applied).rejects.toMatchObject({ code: 'invalid_request' })
    await lab.owner.call('envs.create', { appId: app.id, key: 'DATABASE_URL', value: 'postgres://db/main' })
    expect((await lab.deploy(app.id)).status).toBe('success')
    expect(await lab.visit(app)).toBe('at last')
  })

  it('a retry, if a server was unavailable', async () => {
    const app = await lab.createApp(webFiles('back'))
    await lab.owner.call('apps.update', { appId: app.id, gitCloneUrl: 'http://127.0.0.1:1/nobody.git' })
    const failed = await lab.deploy(app.id)
    await lab.owner.call('apps.update', { appId: app.id, gitCloneUrl: app.repository.url })
    await fixedBy(app, failed, 'retry')
    expect(await lab.visit(app)).toBe('back')
  })
})

it('what git alone does not fetch is in the log, and in the reason when the build fails', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 123456\n`
  const files = { ...busybox('COPY model.bin /', 'RUN exit 1'), '.gitattributes': '*.bin filter=lfs\n', 'model.bin': pointer }
  const app = await lab.createApp(files)
  const failed = await lab.deploy(app.id)
  expect(failed.error_message).toMatch(/with exit code 1.* – model\.bin: Git LFS files were not fetched/)
  expect(await lab.log(failed.id)).toMatch(/^model\.bin: Git LFS files were not fetched/m)
})

it('settings are changed for the owner of the app alone', async () => {
  const member = await lab.berth.as('member-of-lab')
  await lab.owner.call('projects.members', { id: lab.project.id, emails: [member.email] })
  const app = await lab.createApp({ Dockerfile: dockerfile([], 'exec httpd -f -p 9999 -h /') })
  const failed = await lab.deploy(app.id)
  expect((await member.call('deployments.get', { id: failed.id })).suggestions).toEqual([])
  const applied = member.call('deployments.applySuggestion', { deploymentId: failed.id, suggestionId: 'port:9999' })
  await expect(applied).rejects.toMatchObject({ code: 'not_app_owner' })
  expect((await lab.app(app.id)).port).toBe(8080)
  const unknown = lab.owner.call('deployments.applySuggestion', { deploymentId: failed.id, suggestionId: 'port:1' })
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
})

it('the output of a dead container is kept, in order, with its starts separated', async () => {
  const command = 'for n in 1 2 3; do echo out $n; sleep 0.05; echo err $n >&2; sleep 0.05; done; exit 3'
  const app = await lab.createApp({ Dockerfile: dockerfile([], command) }, {}, { restartPolicy: 'always' })
  const failed = await lab.deploy(app.id)
  expect(await lab.containersOf(app.id)).toEqual([])
  const { logs } = await lab.owner.call('containers.logs', { appId: app.id, tail: 2000 })
  const lines = logs.split('\n')
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z /)
  const texts = lines.map((line) => line.slice(line.indexOf(' ') + 1))
  const once = ['out 1', 'err 1', 'out 2', 'err 2', 'out 3', 'err 3']
  expect(texts.slice(0, 6)).toEqual(once)
  // it may have been found between two starts
  expect(texts.slice(6, 7)).toEqual(texts.length > 6 ? ['--- The container was restarted ---'] : [])
  expect(await lab.log(failed.id)).toContain(`${texts.join('\n')}\n`)
  expect((await lab.owner.call('containers.logs', { appId: app.id, tail: 1 })).logs).toBe(lines.at(-1))
})
