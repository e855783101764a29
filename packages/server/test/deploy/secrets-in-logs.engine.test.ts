import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'
import { type DeployLab, dockerfile, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const SECRET = 'planted-5f0c9e1b7a'
const envVars = { API_KEY: SECRET }
/** The secret as programs print it, one way a line, in the words of printf. */
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

/** What a person can read: without colours and what has no shape, one line behind the other, escapes of URLs decoded. */
const readable = (text: string) =>
  text
    // oxlint-disable-next-line no-control-regex -- colours are what is left of control characters
    .replaceAll(/\u001b\[[0-9;]*m|[\u200b\ufeff]|\n(?:#\d+ )?/g, '')
    .replaceAll(/%[0-7][0-9A-F]/g, (escape) => decodeURIComponent(escape))
const FORMS = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20), Buffer.from(`x:${SECRET}`).toString('base64').slice(0, 24)]
const isReadable = (text: string) => FORMS.some((form) => readable(text).includes(form))
/** Nothing that could move a cursor, name a window or ring. */
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
    expect(last.error_message).toMatch(/exited with code 9\. It last printed: .*\*\*\* lines \| .*\| the end$/)
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
    expect(crashed.status_reason).toMatch(/It last printed: bye \*\*\* \| \*\*\*$/)
  })
})

it('an environment that is too large to be hidden is refused', async () => {
  const app = await lab.createApp({ Dockerfile: dockerfile([], 'sleep 100') }, { appType: 'service', port: null })
  const { id } = await lab.owner.call('envs.create', { appId: app.id, key: 'A', value: 'x'.repeat(60_000) })
  await writeToDatabase(lab.berth.dataDir, (file) => {
    // as an earlier version would have let in
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
      'The environment variables of the application are 176 KiB with their names, but the limit is 128 KiB. Put large data into a file instead.',
  })
})
