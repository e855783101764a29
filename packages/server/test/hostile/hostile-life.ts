import type { OperationName } from '@berth/contract'
import { auditContainers } from '../../testing/harness/inspect-audit.ts'
import type { Person } from '../../testing/harness/start-test-server.ts'
import { type DeployLab, dockerfile, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'
import type { Canary } from './hostile-corpus.ts'

/** The git server is on this machine: a plain user reaches it by this name, and nothing else here. */
const GIT_HOST = 'localhost'
const PERSON = 'mallory'
const ENV_KEYS = ['HOSTILE', 'LD_PRELOAD', 'DOCKER_HOST', 'GIT_SSH_COMMAND', 'GIT_DIR', 'NODE_OPTIONS', 'HOME', 'BASH_ENV']
const FILES = {
  Dockerfile: dockerfile([], 'printf "%s\\n" "$HOSTILE"; echo served > /www/index.html; exec /bin/httpd -f -p "$PORT" -h /www'),
}

export async function openHostileLab(tuning: Record<string, number> = {}): Promise<DeployLab> {
  const lab = await openDeployLab({
    env: { BERTH_PRIVATE_SOURCES: GIT_HOST, BERTH_EDGE_HTTP_PORT: '3000' }, // a port that no compose file may have
    tuning: { stabilityMs: 200, drainMs: 50, stopGraceSeconds: 0, ...tuning },
  })
  await lab.berth.as(PERSON) // several at once would all make the same person
  return lab
}

/** As a plain user writes it. */
export function hostileUrl(url: string): string {
  return url.replace('127.0.0.1', GIT_HOST)
}

export type Life = { taken: string[]; refused: string[]; wrong: string[] }
type Living = { lab: DeployLab; person: Person; text: string; life: Life; appId: number }

/** One text in every field that accepts it, from creation to deletion, as a plain user. */
export async function liveThrough(lab: DeployLab, text: string, canary: Canary): Promise<Life> {
  const life: Life = { taken: [], refused: [], wrong: [] }
  const person = await lab.berth.as(PERSON)
  const name = `plain ${Math.random()}`
  const takes = async <Name extends OperationName>(field: string, operation: Name, input: Record<string, unknown>) =>
    await tried(person, life, { field, operation, input })
  const project = (await takes('project name', 'projects.create', { name: text })) ?? (await person.call('projects.create', { name }))
  const app =
    (await takes('name', 'apps.create', { name: text, projectId: project.id, port: 8080 })) ??
    (await person.call('apps.create', { name, projectId: project.id, port: 8080 }))
  const living = { lab, person, text, life, appId: app.id }
  await takes('description', 'apps.update', { appId: app.id, description: text })
  await takes('repo', 'apps.update', { appId: app.id, gitRepository: text })
  for (const [field, key] of [
    ['root dir', 'rootDirectory'],
    ['Dockerfile path', 'dockerfilePath'],
    ['health path', 'healthcheckPath'],
  ] as const)
    if (await takes(field, 'apps.update', { appId: app.id, [key]: text })) life.wrong.push(`${field} was taken, and nothing here fits it`)
  await takes('env key', 'envs.create', { appId: app.id, key: text, value: 'x' })
  await takes('domain', 'domains.create', { appId: app.id, domain: text })
  await takes('template', 'apps.create', { projectId: project.id, name: 'a database', appType: 'database', templateName: text })
  const hasEnv = (await takes('env value', 'envs.create', { appId: app.id, key: 'FIRST', value: text })) !== undefined
  if (hasEnv) await person.call('envs.replace', { appId: app.id, variables: ENV_KEYS.map((key) => ({ key, value: text })) })
  if (await takes('clone URL', 'apps.update', { appId: app.id, gitCloneUrl: text })) await deployFails(living)
  const isBranch = (await takes('branch', 'apps.update', { appId: app.id, gitBranch: text })) !== undefined
  const repository = await lab.git.createRepository({ files: FILES, branch: isBranch ? text : 'main' })
  await repository.commit({ files: { note: text }, message: text.replaceAll('\u0000', ' ') })
  await person.call('apps.update', { appId: app.id, gitCloneUrl: hostileUrl(repository.url), ...(isBranch ? {} : { gitBranch: 'main' }) })
  await runs(living, hasEnv)
  await goes(living, project.id)
  life.wrong.push(...(await canary.findings()).map((mark) => `the canary was touched: ${mark}`))
  return life
}

async function tried<Name extends OperationName>(
  person: Person,
  life: Life,
  { field, operation, input }: { field: string; operation: Name; input: Record<string, unknown> },
) {
  // The input may be wrong, for the server to say so.
  const call = person.call as unknown as (name: Name, fields: Record<string, unknown>) => ReturnType<typeof person.call<Name>>
  try {
    const answer = await call(operation, input)
    life.taken.push(field)
    return answer
  } catch (cause) {
    life.refused.push(field)
    if (!(cause instanceof Error) || !('status' in cause) || Number(cause.status) >= 500) life.wrong.push(`${field}: ${String(cause)}`)
    return undefined
  }
}

async function deployFails({ lab, person, appId, life }: Living): Promise<void> {
  const last = await lab.ended((await person.call('deployments.add', { appId })).id)
  if (last.status !== 'failed') life.wrong.push(`a deployment from a clone URL of this machine is ${last.status}`)
}

async function audit({ lab, appId, text, life }: Living, hasEnv: boolean): Promise<void> {
  const own = (await auditContainers(lab.instance)).filter(({ name }) => name.includes(`-app-${appId}-`))
  if (own.length === 0) life.wrong.push('there is no container')
  for (const { name, env, problems } of own) {
    life.wrong.push(...problems.map((problem) => `${name}: ${problem}`))
    if (hasEnv && !ENV_KEYS.every((key) => env.includes(`${key}=${text}`))) life.wrong.push(`${name}: its environment is not literal`)
  }
}

async function runs(living: Living, hasEnv: boolean): Promise<void> {
  const { lab, person, appId, text, life } = living
  const expectServed = async (after: string) => {
    const app = await person.call('apps.get', { appId })
    const body = await until(
      async () => await lab.visit(app).catch(String),
      (seen) => seen === 'served\n',
      15_000,
    ).catch(String)
    if (body !== 'served\n') life.wrong.push(`after ${after}: ${body}`)
  }
  const first = await lab.ended((await person.call('deployments.add', { appId })).id)
  if (first.status !== 'success') return void life.wrong.push(`the deployment is ${first.status}: ${first.error_message}`)
  await expectServed('the deployment')
  await audit(living, hasEnv)
  await person.call('containers.stop', { appId })
  await person.call('containers.start', { appId })
  await expectServed('stop and start')
  await person.call('containers.restart', { appId })
  await expectServed('restart')
  if ((await person.call('containers.status', { appId })).state !== 'running') life.wrong.push('it does not run')
  const { logs } = await person.call('containers.logs', { appId, tail: 50 })
  // Control characters are left out of what is shown; what comes before the first of them is there.
  if (hasEnv && !logs.includes(text.split(/[\n\r\u202a-\u202e]/)[0] ?? '')) life.wrong.push(`its log lacks the text: ${logs.slice(0, 300)}`)
  const second = await lab.ended((await person.call('deployments.create', { appId })).id)
  if (second.status !== 'success') life.wrong.push(`the second deployment is ${second.status}: ${second.error_message}`)
  const back = await lab.ended((await person.call('deployments.rollback', { deploymentId: first.id })).id)
  if (back.status !== 'success') life.wrong.push(`the rollback is ${back.status}: ${back.error_message}`)
  await audit(living, hasEnv)
}

async function goes({ lab, person, appId, life }: Living, projectId: number): Promise<void> {
  await person.call('apps.delete', { appId })
  await person.call('projects.delete', { id: projectId })
  const isOurs = (thing: string) => thing.includes(`app-${appId}`) || thing.endsWith(`-project-${projectId}`)
  const left = await until(
    async () => (await lab.belongings()).filter(isOurs),
    (things) => things.length === 0,
    30_000,
  ).catch((cause: unknown) => [String(cause)])
  life.wrong.push(...left.map((thing) => `${thing} is left`))
}
