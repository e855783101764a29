import type { RunningFile, StackChange } from '@berth/contract'
import { stringify } from 'yaml'
import type { AppRow } from '../../domain/rows.ts'
import type { ComposePlan, StackService } from '../../engine/compose/stack.ts'
import { isPulled } from '../../engine/image-names.ts'
import { changesBetween } from './changes.ts'

type Live = { readonly deploymentId: number; readonly plan: ComposePlan } | undefined
type Deps = {
  liveOf: (app: AppRow) => Promise<Live>
  /** The release that was live before the given one. */
  previousOf: (app: AppRow, deploymentId: number) => Promise<Live>
}

/** The compose file that runs: as it was written, and as Berth read it. */
export function createRunningFile({ liveOf, previousOf }: Deps) {
  return async function runningFile(app: AppRow): Promise<RunningFile> {
    const live = await liveOf(app)
    if (live === undefined) return { deploymentId: null, file: '', source: '', running: '', notes: [], previousId: null, changes: [] }
    const { source, notes = [] } = live.plan
    const previous = await previousOf(app, live.deploymentId)
    return {
      deploymentId: live.deploymentId,
      file: source?.name ?? '',
      source: source?.text ?? '',
      running: runningText(live.plan),
      notes: [...notes],
      previousId: previous?.deploymentId ?? null,
      changes: previous === undefined ? [] : changesSince(previous.plan, live.plan),
    }
  }
}

export type GetRunningFile = ReturnType<typeof createRunningFile>

/** Writing YAML takes a second for each megabyte, and comparing two plans almost as long. */
const LONGEST = 200_000

function isLong({ services }: ComposePlan): boolean {
  return JSON.stringify(services).length > LONGEST
}

function changesSince(before: ComposePlan, after: ComposePlan): StackChange[] {
  return isLong(before) || isLong(after) ? [] : changesBetween(shownServices(before), shownServices(after))
}

/** A plan in the words of a compose file. What is in files and secrets is left out, and so are the names that images have on this machine. */
export function runningText(plan: ComposePlan): string {
  if (isLong(plan)) return '# This file is too long to be shown.\n'
  return stringify({ services: shownServices(plan) }, { lineWidth: 0 })
}

function shownServices(plan: ComposePlan): Record<string, Record<string, unknown>> {
  return Object.fromEntries(plan.services.map((service) => [service.name, shownService(service, plan)]))
}

function shownService(service: StackService, { builds }: ComposePlan): Record<string, unknown> {
  const build = builds.find(({ image }) => image === service.image)
  const { tmpfs, files, mounts, restart, shownImage = service.image } = service
  const shown = {
    ...(build === undefined ? { image: isPulled(shownImage) ? '' : shownImage } : { build: buildOf(build) }),
    ...namedAsInFile(service),
    restart: restart.retries === undefined ? restart.policy : `${restart.policy}:${restart.retries}`,
    depends_on: Object.fromEntries(service.dependsOn.map(({ service: name, condition }) => [name, { condition }])),
    volumes: mounts.map(({ volume, path, readOnly }) => `${volume}:${path}${readOnly ? ':ro' : ''}`),
    tmpfs: tmpfs?.map(({ path, options }) => (options === '' ? path : `${path}:${options}`)),
    ports: service.ports.map(({ hostIp, host, container, protocol }) => `${hostIp}:${host}:${container}/${protocol}`),
    'x-files': files?.map(({ path }) => path),
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => isSaid(value)))
}

function buildOf({ context, dockerfile, inline, target, args }: ComposePlan['builds'][number]): Record<string, unknown> {
  const named = inline === undefined ? { dockerfile } : { dockerfile_inline: inline }
  return { context, ...named, ...(target !== undefined && { target }), ...(Object.keys(args).length > 0 && { args }) }
}

/** What goes by one key each. */
function namedAsInFile(service: StackService): Record<string, unknown> {
  return {
    command: service.command,
    entrypoint: service.entrypoint,
    environment: service.environment,
    user: service.user,
    working_dir: service.workingDir,
    hostname: service.hostname,
    read_only: service.readOnly,
    stop_signal: service.stopSignal,
    stop_grace_period: service.stopGraceSeconds === undefined ? undefined : `${service.stopGraceSeconds}s`,
    healthcheck: service.healthcheck?.test === undefined ? undefined : { test: service.healthcheck.test },
    networks: service.aliases.length === 0 ? undefined : { default: { aliases: service.aliases } },
    cap_drop: service.capDrop,
    cap_add: service.capAdd,
    sysctls: service.sysctls,
    extra_hosts: service.extraHosts,
    mem_limit: service.memoryBytes,
    cpus: service.cpus,
    scale: service.replicas,
  }
}

function isSaid(value: unknown): boolean {
  if (value === undefined || value === false) return false
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0
}
