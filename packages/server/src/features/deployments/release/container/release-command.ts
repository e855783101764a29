import { setTimeout as sleep } from 'node:timers/promises'
import type { Artifact } from '../../../../domain/artifact.ts'
import { openFiles } from '../../../../domain/release-files.ts'
import { EngineUnreachable } from '../../../../engine/api/errors.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { containerName, labelsOf, projectNetworkName } from '../../../../engine/labels.ts'
import type { SecretBox } from '../../../../lib/secret-box.ts'
import type { Tuning } from '../../../../lib/tuning.ts'
import { createYieldTurn } from '../../../../lib/yield-turn.ts'
import type { Reader } from '../../../../store/database.ts'
import type { LiveContext } from '../../run/context.ts'
import type { DeploymentRecord } from '../../run/deployment-writes.ts'
import { DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import { findPlan, findReleaseFiles } from '../store.ts'
import { createLastLine } from './last-line.ts'

type Deps = {
  db: Reader
  secrets: SecretBox
  engine: Pick<Engine, 'containers' | 'networks' | 'logs'>
  instance: string
  tuning: Pick<Tuning, 'releaseDeadlineMs'>
  containers: Pick<AppContainers, 'ofApp'>
  record: Pick<DeploymentRecord, 'release'>
}

export type ReleaseCommand = (context: LiveContext, artifact: Artifact) => Promise<void>

/** The service in the labels of its container. */
export const RELEASE_SERVICE = 'release'
const LOOK_MS = 300
const UNDER_WAY = ['created', 'running', 'restarting', 'paused']
const UNTOUCHED = 'The live release was not changed.'

/**
 * Runs the app's release command in a container of the new image, before traffic is switched. It may change a database, so it runs at most
 * once: this is recorded before it starts, and an interrupted command is not retried.
 */
export function createReleaseCommand(deps: Deps): ReleaseCommand {
  const { db, engine, instance, tuning } = deps

  const follow = createFollow(deps)

  async function start(context: LiveContext, what: { image: string; command: string }): Promise<string> {
    const projectId = context.app.project_id
    await context.effect('engine.network', (signal) => engine.networks.ensureProjectNetwork({ instance, projectId }, signal))
    const files = openFiles(deps.secrets, context.app.id, await findReleaseFiles(db, context.deployment.id))
    const spec = { ...specOf(instance, context, what), files }
    return await context.effect('engine.release', async (signal) => {
      const all = (await deps.containers.ofApp(context.app.id, signal)).filter(({ owner }) => owner.service === RELEASE_SERVICE)
      const own = all.find(({ owner }) => owner.deploymentId === context.deployment.id)
      // Of a deployment that ended while the engine was away: two of them must never run at once.
      for (const other of all) if (other !== own) await engine.containers.remove(other.id, signal)
      if (own !== undefined && own.state !== 'created') return own.id // the engine's answer was lost
      if (own !== undefined) await engine.containers.remove(own.id, signal) // it never ran, and may lack its files
      return await engine.containers.start(spec, signal)
    })
  }

  async function toItsEnd(context: LiveContext, id: string): Promise<void> {
    const deadline = AbortSignal.timeout(tuning.releaseDeadlineMs)
    context.untimed() // a migration has a deadline of its own, may be silent, and must not share the time of the build
    try {
      const { details, lastLine } = await follow(context, id, AbortSignal.any([context.signal, deadline]))
      if (details.exitCode !== 0) throw new DeploymentFailure(whyFailed(details, lastLine))
    } catch (cause) {
      if (!deadline.aborted || context.signal.aborted) throw cause
      throw new DeploymentFailure(
        `The release command took longer than ${Math.round(tuning.releaseDeadlineMs / 60_000)} minutes and was stopped. ${UNTOUCHED}`,
        { cause },
      )
    }
  }

  return async function runReleaseCommand(context, artifact) {
    const { deployment } = context
    if (artifact.kind !== 'image' || deployment.release_of !== null || deployment.release_run === 'done') return
    const command = (await findPlan(db, deployment))?.commands.find(({ name }) => name === 'release')?.command
    if (command === undefined) return
    if (deployment.release_run === 'begun')
      throw new DeploymentFailure(
        `Berth was restarted while the release command ran, or right before. It is never run twice for one deployment: check what it did, then deploy again. ${UNTOUCHED}`,
      )
    context.say(`Running the release command: ${command}`)
    if (context.config.volumes?.length) context.say('It runs without the volumes of the app, which the live release is using')
    await context.write('db.release_begun', (row) => deps.record.release(row, 'begun'))
    const id = await start(context, { image: artifact.tag, command })
    await toItsEnd(context, id) // if it fails, its container is removed with everything else of this deployment
    await context.write('db.release_done', (row) => deps.record.release(row, 'done'))
    await context.effect('engine.release_removed', (signal) => engine.containers.remove(id, signal))
    context.say('The release command succeeded')
  }
}

function specOf(instance: string, { app, deployment, config }: LiveContext, what: { image: string; command: string }): ContainerSpec {
  const owner = { instance, projectId: app.project_id, appId: app.id, deploymentId: deployment.id }
  return {
    name: `${containerName(instance, app.id, deployment.id)}-release`, // a fixed name, so that the engine refuses a second one
    image: what.image,
    labels: labelsOf({ ...owner, kind: 'app', service: RELEASE_SERVICE, replica: 1 }),
    env: config.env,
    entrypoint: ['/bin/sh', '-c', what.command],
    command: [],
    network: projectNetworkName(instance, app.project_id),
    turn: deployment.id,
    aliases: [],
    volumes: [], // the live release still uses them
    memoryBytes: memoryBytesOf(config),
    ...(config.cpus !== null && { cpus: config.cpus }),
    restart: 'no',
  }
}

const PRINT_IN_A_TURN_MS = 2

/** Copies its output to the log as it is printed, also across short engine outages. */
function createFollow({ engine }: Pick<Deps, 'engine'>) {
  const yieldTurn = createYieldTurn(PRINT_IN_A_TURN_MS)
  type Seen = { since: string; last: ReturnType<typeof createLastLine> }

  async function print(context: LiveContext, { id, signal }: { id: string; signal: AbortSignal }, seen: Seen): Promise<void> {
    const from = seen.since === '' ? {} : { since: seen.since }
    for await (const entry of engine.logs({ id, isTty: false }, { follow: true, signal, ...from })) {
      seen.since = entry.at
      seen.last.add(entry)
      context.output(entry.line, entry.stream)
      await yieldTurn() // a command can print thousands of lines at once
    }
  }

  return async function follow(
    context: LiveContext,
    id: string,
    signal: AbortSignal,
  ): Promise<{ details: ContainerDetails; lastLine: string }> {
    const seen: Seen = { since: '', last: createLastLine() }
    for (;;) {
      await print(context, { id, signal }, seen).catch((cause: unknown) => {
        if (!(cause instanceof EngineUnreachable) || signal.aborted) throw cause
      })
      const details = await context.ask((until) => engine.containers.inspect(id, until), signal)
      if (details === null) throw new DeploymentFailure(`The container of the release command was removed while it ran. ${UNTOUCHED}`)
      if (!UNDER_WAY.includes(details.state)) return { details, lastLine: seen.last.text() }
      await sleep(LOOK_MS, undefined, { signal })
    }
  }
}

function whyFailed({ exitCode, oomKilled }: ContainerDetails, lastLine: string): string {
  const words = lastLine === '' ? '' : `: ${lastLine.slice(0, 300)}`
  const how = oomKilled ? 'was killed because it exceeded its memory limit' : `failed with exit code ${exitCode ?? 'unknown'}`
  return `The release command ${how}${words}. ${UNTOUCHED}`
}
