import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeployLab, dockerfile, openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { socketText } from '../crash/crash-sweep.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const SECRET = 'planted-5f0c9e1b7a'

describe.concurrent('the environment of an app', () => {
  it('arrives byte for byte, whatever is in it, and changes nothing for Berth', async () => {
    const envVars = {
      LINES: 'one\ntwo\r\n\tthree',
      QUOTES: `it's "quoted" \`id\` $(id) $HOME \${PATH} \\n`,
      MARKS: '# no comment = a=b;c&d|e>f',
      EMOJI: '⛵ über 日本',
      LONG: 'x'.repeat(32 * 1024),
      DOCKER_HOST: 'tcp://127.0.0.1:1',
      GIT_SSH_COMMAND: 'touch /tmp/berth-canary',
      LD_PRELOAD: '',
    }
    const show = Object.keys(envVars).map((key) => `printf %s "$${key}" | base64 | tr -d '\\n'; echo`)
    const app = await lab.createApp(
      { Dockerfile: dockerfile([], `{ ${show.join('; ')}; } > /www/index.html; exec httpd -f -p "$PORT" -h /www`) },
      { envVars },
    )
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    const lines = (await lab.visit(app)).split('\n').slice(0, -1)
    expect(lines.map((line) => Buffer.from(line, 'base64').toString())).toEqual(Object.values(envVars))
  })

  it('reaches no build, no log, no message and no server log', async () => {
    const files = { Dockerfile: dockerfile(['RUN env; echo built'], 'env; echo "the key is $API_KEY"; exit 9') }
    const app = await lab.createApp(files, { envVars: { API_KEY: SECRET } })
    const last = await lab.deploy(app.id)
    expect(last.status).toBe('failed')
    expect(last.error_message).toMatch(/exited with code 9.*the key is \*\*\*/s)
    const log = await lab.log(last.id)
    expect(log).toContain('built')
    const history = lab.rows<object>('select * from event').concat(lab.rows<object>('select * from audit'))
    const all = [log, await socketText(lab, last.id), JSON.stringify(last), JSON.stringify(history), lab.berth.log()].join('\n')
    expect(all.includes(SECRET)).toBe(false)
  })

  it('is not in the reason that a crash leaves on the app', async () => {
    const files = { Dockerfile: dockerfile([], 'httpd -p "$PORT" -h /www; sleep 3; echo "bye $API_KEY"; exit 1') }
    const app = await lab.createApp(files, { envVars: { API_KEY: SECRET } }, { restartPolicy: 'no' })
    await lab.deploy(app.id)
    const crashed = await until(
      async () => await lab.app(app.id),
      ({ status }) => status === 'error',
    )
    expect(crashed.status_reason).toContain('bye ***')
  })
})

it('shows hostile output as plain text, each line once, and cuts long lines', async () => {
  const hostile = [
    `printf '<script>alert(1)</script>\\n'`,
    `printf '\\033]8;;http://evil.example\\033\\\\link\\033]8;;\\033\\\\\\n'`,
    `printf 'over\\rwritten\\000\\377\\376 bytes\\n'`,
    `head -c 1000000 /dev/zero | tr '\\000' y; echo`,
    'echo the end',
  ]
  const app = await lab.createApp(
    { Dockerfile: dockerfile([`RUN ${hostile.join('; ')}; echo ${Date.now()}`], 'true') },
    { appType: 'service', port: null },
  )
  const last = await lab.deploy(app.id)
  const rest = await lab.log(last.id)
  expect(rest).toContain('<script>alert(1)</script>')
  expect(rest).toContain('the end')
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  expect(/[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]|\u001b\]/.test(rest)).toBe(false)
  expect(Math.max(...rest.split('\n').map((line) => line.length))).toBeLessThan(17 * 1024)
  expect(rest).toMatch(/\[line cut\]|cut/)
  expect(await socketText(lab, last.id)).toBe(rest)
})

it('lets a plain user neither run commands through git nor reach what is not theirs', async () => {
  let touched = 0
  const canary = createServer((socket) => {
    touched += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => canary.once('listening', resolve))
  const address = canary.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const user = await lab.berth.as('mallory')
  const project = await user.call('projects.create', { name: 'Probing' })
  const urls = [
    '--upload-pack=touch /tmp/berth-canary',
    'ext::sh -c "touch /tmp/berth-canary"',
    'file:///etc',
    '/etc',
    'ssh://-oProxyCommand=touch /tmp/berth-canary/x',
    `http://127.0.0.1:${port}/x.git`,
    `http://localhost:${port}/x.git`,
    `http://[::1]:${port}/x.git`,
    `http://2130706433:${port}/x.git`,
    `http://0x7f.1:${port}/x.git`,
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/x.git',
    lab.berth.baseUrl,
  ]
  const outcomes = await Promise.all(
    urls.map(async (gitCloneUrl, index) => {
      const app = await user
        .call('apps.create', { name: `probe ${index}`, projectId: project.id, port: 8080, gitCloneUrl })
        .catch(() => undefined)
      if (!app) return 'refused'
      return (await lab.deploy(app.id)).status
    }),
  )
  canary.close()
  expect(outcomes.filter((outcome) => outcome !== 'refused' && outcome !== 'failed')).toEqual([])
  expect(touched).toBe(0)
})

it('clones no private source that a user set and handed to an owner, and says what an admin can do', async () => {
  const user = await lab.berth.as('trent')
  const project = await user.call('projects.create', { name: 'Borrowed rights' })
  const { url: gitCloneUrl } = await lab.git.createRepository({ files: webFiles('borrowed') })
  const app = await user.call('apps.create', { name: 'borrowed', projectId: project.id, port: 8080, gitCloneUrl })
  await user.call('apps.transfer', { appId: app.id, userId: lab.owner.id })
  lab.git.requests.length = 0
  const refused = await lab.deploy(app.id)
  expect([refused.status, lab.git.requests]).toEqual(['failed', []])
  expect(refused.error_message).toMatch(
    /private address.*An admin can take over the app and set the clone URL again.*BERTH_PRIVATE_SOURCES/,
  )
  await lab.owner.call('apps.update', { appId: app.id, gitCloneUrl })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
})
