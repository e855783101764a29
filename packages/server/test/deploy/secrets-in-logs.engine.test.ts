import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ownedBy } from '../../src/engine/labels.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { filesBelow, formsOf, savedImage, watchMachine } from '../../testing/harness/look-for-secrets.ts'
import { startSshServer } from '../../testing/harness/ssh-server.ts'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'
import { type DeployLab, dockerfile, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
let host: GitHostServer
beforeAll(async () => {
  host = await startGitHost('gitea')
  lab = await openDeployLab({ env: host.env, tuning: { gitHooksMs: 100, commitStatusMs: 100 } })
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const SECRET = 'planted-5f0c9e1b7a'
const envVars = { API_KEY: SECRET }
/** The secret in all forms in which programs print it, one per line, for printf. */
const DISGUISES = [
  'colour planted\\033[31m-5f0c\\033[0m9e1b7a',
  'cursor planted\\033[2K-5f0c\\033[10;3H9e1b7a',
  'nul planted\\000-5f0c9e1b7a',
  'bell planted\\007-5f0c9e1b7a',
  'title planted\\033]0;a title\\007-5f0c9e1b7a',
  'link planted\\033]8;;https://x.example\\033\\\\-5f0c9e1b7a\\033]8;;\\033\\\\',
  'return planted-\\r5f0c9e1b7a',
  'two planted-5f0c\\n9e1b7a lines',
  'invisible planted\\342\\200\\213-5f0c9e1b7a',
  `base64 ${Buffer.from(`x:${SECRET}`).toString('base64')}`,
  `url ${SECRET.replaceAll('-', '%%2D').replace('p', '%%70')}`,
].map((line) => `printf '${line}\\n'`)
const script = [...DISGUISES, 'echo the end'].join('\n')

/** What a person can read: without colours and invisible characters, lines joined, URL escapes decoded. */
const readable = (text: string) =>
  text
    // oxlint-disable-next-line no-control-regex -- colours are what is left of control characters
    .replaceAll(/\u001b\[[0-9;]*m|[\u200b\ufeff]|\n(?:#\d+ )?/g, '')
    .replaceAll(/%[0-7][0-9A-F]/g, (escape) => decodeURIComponent(escape))
const FORMS = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20), Buffer.from(`x:${SECRET}`).toString('base64').slice(0, 24)]
const isReadable = (text: string) => FORMS.some((form) => readable(text).includes(form))
/** Nothing that could move the cursor, rename the window or ring the bell. */
// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
const CONTROLS = /\u001b(?!\[[0-9;]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/

async function everythingSaidOf(deploymentId: number): Promise<string[]> {
  await using socket = await lab.berth.connect('deployment.streamById', { cookie: lab.owner.cookie, input: { deploymentId } })
  await socket.closed
  const lines = socket.frames.flatMap(({ type, data }) => (type === 'log' ? [String(data['line'])] : []))
  const rest = await lab.log(deploymentId)
  expect(lines.map((line) => `${line}\n`).join('')).toBe(rest)
  const deployment = await lab.get(deploymentId)
  const texts = [rest, deployment.error_message, deployment.commit_message, deployment.commit_author]
  const app = await lab.app(deployment.app_id)
  const rows = [...lab.rows<object>('select * from event'), ...lab.rows<object>('select * from audit')]
  return [...texts, app.status_reason, JSON.stringify(rows), lab.berth.log()]
}

describe.concurrent('a value of the environment is not readable', () => {
  it('in what a build prints, however it prints it', async () => {
    const files = { 'leak.sh': `${script}\nexit 3\n`, Dockerfile: dockerfile(['COPY leak.sh /leak.sh', 'RUN sh /leak.sh'], 'true') }
    const app = await lab.createApp(files, { envVars })
    const last = await lab.deploy(app.id)
    expect(last.status).toBe('failed')
    const said = await everythingSaidOf(last.id)
    expect(said[0]).toMatch(
      /#\d+ colour \*\*\*[\s\S]*#\d+ two \*\*\*\n#\d+ \*\*\* lines\n[\s\S]*base64 \*\*\*\n#\d+ url \*\*\*\n#\d+ the end/,
    )
    for (const text of said) expect(isReadable(text)).toBe(false)
    expect(said[0]).not.toMatch(CONTROLS)
  })

  it('in the message and the author of a commit', async () => {
    const app = await lab.createApp({ Dockerfile: dockerfile([], 'sleep 100') }, { envVars, appType: 'service', port: null })
    const message = `Use ${SECRET}\n\nIt is planted-5f0c\n9e1b7a, in red planted-\u001b[31m5f0c9e1b7a\u001b[0m\u001b]0;x\u0007`
    await app.repository.commit({ files: { a: 'b' }, message, author: `Ann ${SECRET}` })
    const last = await lab.deploy(app.id)
    expect(last).toMatchObject({ status: 'success', commit_author: 'Ann ***' })
    expect(last.commit_message).toBe('Use ***\n\nIt is ***\n***, in red ***')
    const said = await everythingSaidOf(last.id)
    expect(said[0]).toContain(' Use *** (Ann ***)\n')
    for (const text of said) expect(isReadable(text)).toBe(false)
  })

  it('in the last words of a release that dies', async () => {
    const files = { 'leak.sh': `${script}\nexit 9\n`, Dockerfile: dockerfile(['COPY leak.sh /leak.sh'], 'sh /leak.sh') }
    const app = await lab.createApp(files, { envVars }, { restartPolicy: 'no' })
    const last = await lab.deploy(app.id)
    expect(last.error_message).toMatch(/exited with code 9\. Last output: .*\*\*\* lines \| .*\| the end$/)
    for (const text of await everythingSaidOf(last.id)) {
      expect(isReadable(text.replaceAll(' | ', ''))).toBe(false)
      expect(text).not.toMatch(CONTROLS)
    }
  })

  it('in the reason that a crash leaves on the app, even when the value was changed since', async () => {
    const crash = `printf 'bye planted\\033[31m-5f0c\\033[0m9e1b7a\\nplanted-5f0c\\n9e1b7a\\n'; exit 1`
    const files = { Dockerfile: dockerfile([], `httpd -p "$PORT" -h /www; while [ ! -e /www/go ]; do sleep 0.1; done; ${crash}`) }
    const app = await lab.createApp(files, { envVars }, { restartPolicy: 'no' })
    await lab.deploy(app.id)
    const [variable] = await lab.owner.call('envs.list', { appId: app.id })
    await lab.owner.call('envs.update', { id: variable?.id ?? 0, value: 'another-value' })
    const [container] = await lab.containersOf(app.id)
    await lab.engine.exec(container?.id ?? '', ['touch', '/www/go'], AbortSignal.timeout(10_000))
    const crashed = await until(
      async () => await lab.app(app.id),
      ({ status }) => status === 'error',
    )
    expect(crashed.status_reason).toMatch(/Last output: bye \*\*\* \| \*\*\*$/)
  })
})

it('an environment that is too large to be redacted is refused', async () => {
  const app = await lab.createApp({ Dockerfile: dockerfile([], 'sleep 100') }, { appType: 'service', port: null })
  const { id } = await lab.owner.call('envs.create', { appId: app.id, key: 'A', value: 'x'.repeat(60_000) })
  await writeToDatabase(lab.berth.dataDir, (file) => {
    // as an earlier version would have accepted
    for (const key of ['B', 'C'])
      file
        .prepare(
          `insert into env_variable (app_id, key, sealed_value, created_at, updated_at)
           select app_id, ?, sealed_value, created_at, updated_at from env_variable where id = ?`,
        )
        .run(key, id)
  })
  expect(await lab.deploy(app.id)).toMatchObject({
    status: 'failed',
    error_message:
      'The environment variables of the app are 176 KiB with their names, but the limit is 128 KiB. Put large data into a file instead.',
  })
})

it('tokens, keys and secrets of private sources are seen nowhere', async () => {
  await using sshd = await startSshServer()
  const token = 'planted-token-8c1f60d2'
  const { owner, project, berth } = lab
  const files = { Dockerfile: dockerfile(['COPY . /all'], 'sleep 100') }
  await host.addRepository('acme/private', [host.addPerson('robot', token)], files)
  const overSsh = await lab.git.createRepository({ files })
  await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
  const { id: gitProviderId } = await owner.call('git.createAccount', { provider: 'gitea', token, baseUrl: host.origin })
  const kind = { projectId: project.id, appType: 'service', port: null } as const
  const byToken = await owner.call('apps.create', { ...kind, name: 'by token', gitProviderId, gitRepository: 'acme/private' })
  const byKey = await owner.call('apps.create', { ...kind, name: 'by key', gitCloneUrl: sshd.urlOf(overSsh.directory) })
  const { publicKey } = await owner.call('apps.createDeployKey', { appId: byKey.id })
  await sshd.authorize([publicKey])
  await until(
    () => host.model.hooks.length,
    (count) => count === 1,
  )
  const apps = [byToken, byKey]
  const hooks = await Promise.all(apps.map(async ({ id: appId }) => await owner.call('apps.rotateHook', { appId })))

  const stopWatching = watchMachine(readConfig({ BERTH_DATA_DIR: berth.dataDir }).workDir)
  const answers: unknown[] = []
  for (const [index, { id }] of apps.entries()) {
    const headers = { authorization: `Bearer ${hooks[index]?.secret ?? ''}` }
    const { json } = await berth.raw('POST', `/api/hooks/deploy/${id}`, { headers })
    const last = await lab.ended(Number((json as { id?: number }).id)) // the answer of a hook is the bare deployment
    expect([last.status, last.error_message, last.trigger]).toEqual(['success', '', 'hook'])
    answers.push(json, last, await lab.log(last.id), await owner.call('apps.get', { appId: id }))
    await until(
      () => host.model.statuses.at(-1)?.state,
      (state) => state === 'success',
    )
  }
  const { commands, configs } = await stopWatching()
  expect(commands.filter((line) => / fetch .*-- https:\/\/localhost/.test(line)).length).toBeGreaterThan(0)
  expect(commands.filter((line) => /ssh -F .*git-upload-pack/.test(line)).length).toBeGreaterThan(0)
  expect(configs.length).toBeGreaterThan(0)

  const [sealed] = lab.rows<{ sealed_key: string }>('select sealed_key from deploy_key where app_id = ?', byKey.id)
  const box = createSecretBox(readFileSync(path.join(berth.dataDir, 'secrets.key')))
  const privateLines = box
    .open(sealed?.sealed_key ?? '', `deploy-key:${byKey.id}`)
    .split('\n')
    .slice(3, 5) // the others have the public half
  const secrets = [token, host.model.hooks[0]?.secret ?? '', ...hooks.map(({ secret }) => secret)]
  const forms = [...secrets.flatMap(formsOf), ...privateLines]
  expect(forms.every((form) => form.length > 15)).toBe(true)
  const images = await lab.engine.images.list({ labels: ownedBy({ instance: lab.instance }) })
  const saved = await Promise.all(images.map(async ({ id }) => await savedImage(engineSocketPath(), id)))
  expect(saved.some((image) => image.includes('COPY . /all'))).toBe(true)
  const lists = [await owner.call('audit.list', { limit: 100 }), await owner.call('git.accounts'), await owner.call('apps.listAll')]
  const places = {
    answers: [JSON.stringify([answers, lists])],
    'the log of the server': [berth.log()],
    'the process list': commands,
    '.git/config': configs,
    'the data directory': filesBelow(berth.dataDir),
    images: saved,
  }
  for (const [place, texts] of Object.entries(places)) {
    expect([place, texts.length > 0]).toEqual([place, true])
    expect([place, forms.filter((form) => texts.some((text) => text.includes(form)))]).toEqual([place, []])
  }
})
