import { count, field, items, record, text, texts } from './api/json.ts'
import { FINGERPRINT_LABEL, type Owner, ownerOf } from './labels.ts'

export type ContainerDetails = {
  readonly id: string
  readonly name: string
  readonly image: string
  /** The engine's word: created, running, restarting, exited, … */
  readonly state: string
  /** For people: "Up 5 minutes", "Exited (1) 3 seconds ago". */
  readonly status: string
  readonly exitCode: number | null
  readonly oomKilled: boolean
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly ips: Readonly<Record<string, string>>
  readonly owner: Owner
  /** For the edge: the hash of its specification. */
  readonly fingerprint: string
  readonly restartCount: number
  readonly isTty: boolean
  readonly pid: number | null
  /** Named volumes, and those that its image declares. */
  readonly volumes: readonly { readonly name: string; readonly path: string }[]
  /** Ports of the machine, as `8080/tcp`. */
  readonly publishedPorts: readonly string[]
  /** Where they lead, as `127.0.0.1:8080:80/tcp`. */
  readonly portBindings: readonly string[]
  /** The engine's own check: `starting`, `healthy` or `unhealthy`; empty if it has none. */
  readonly health: string
  /** The last output of that check. */
  readonly healthOutput: string
  /** How long it may take to stop, if specified. */
  readonly stopGraceSeconds: number | null
  /** Its assigned addresses, also while it is stopped. */
  readonly givenIps: Readonly<Record<string, string>>
  /** Why no server can run it now, in Swarm's words. */
  readonly waitsFor?: string
  /** The name of the server that has its data, if that is another one. It runs nowhere else. */
  readonly dataServer?: string
}

export type ContainerSummary = Pick<ContainerDetails, 'id' | 'name' | 'image' | 'state' | 'status' | 'ips' | 'owner' | 'dataServer'> & {
  readonly createdAt: string
  /** Swarm's id of the server that it runs on, if Swarm has placed it. */
  readonly nodeId?: string
  /** The name of that server. */
  readonly server?: string
  /** Where it still answers, as `ips`, while its successor on some server is being started. */
  readonly lastIps?: Readonly<Record<string, string>>
  /** Since when no server can run it, if Swarm has to place it. */
  readonly waitingSince?: string
  /** It ended with a failure, and nothing but Berth starts it again. */
  readonly hasFailed?: boolean
}

export function detailsOf(value: unknown, now: Date): ContainerDetails {
  const state = field(value, 'State')
  const word = text(field(state, 'Status'))
  const ended = ['exited', 'dead', 'restarting'].includes(word)
  const details = {
    id: text(field(value, 'Id')),
    name: text(field(value, 'Name')).replace(/^\//, ''),
    image: text(field(value, 'Config', 'Image')),
    state: word,
    exitCode: ended ? count(field(state, 'ExitCode')) : null,
    oomKilled: field(state, 'OOMKilled') === true,
    startedAt: moment(field(state, 'StartedAt')),
    finishedAt: moment(field(state, 'FinishedAt')),
    ips: ipsOf(field(value, 'NetworkSettings', 'Networks')),
    owner: ownerOf(texts(field(value, 'Config', 'Labels'))),
    fingerprint: text(field(value, 'Config', 'Labels', FINGERPRINT_LABEL)),
    restartCount: count(field(value, 'RestartCount')),
    isTty: field(value, 'Config', 'Tty') === true,
    pid: count(field(state, 'Pid')) || null,
    volumes: items(field(value, 'Mounts'))
      .filter((mount) => text(field(mount, 'Type')) === 'volume')
      .map((mount) => ({ name: text(field(mount, 'Name')), path: text(field(mount, 'Destination')) })),
    publishedPorts: publishedIn(field(value, 'HostConfig', 'PortBindings')).map(({ host, protocol }) => `${host}/${protocol}`),
    portBindings: publishedIn(field(value, 'HostConfig', 'PortBindings')).map(bindingText),
    health: text(field(state, 'Health', 'Status')).replace('none', ''),
    healthOutput: text(field(items(field(state, 'Health', 'Log')).at(-1), 'Output')).trim(),
    stopGraceSeconds: count(field(value, 'Config', 'StopTimeout')) || null,
    givenIps: ipsOf(field(value, 'NetworkSettings', 'Networks'), ['IPAMConfig', 'IPv4Address']),
  }
  return { ...details, status: statusText(details, now) }
}

export function summaryOf(value: unknown): ContainerSummary {
  return {
    id: text(field(value, 'Id')),
    name: text(items(field(value, 'Names'))[0]).replace(/^\//, ''),
    image: text(field(value, 'Image')),
    state: text(field(value, 'State')),
    status: text(field(value, 'Status')),
    ips: ipsOf(field(value, 'NetworkSettings', 'Networks')),
    owner: ownerOf(texts(field(value, 'Labels'))),
    createdAt: new Date(count(field(value, 'Created')) * 1000).toISOString(),
  }
}

/** The wording the engine itself uses in lists, which is missing in its details of a single container. */
export function statusText(container: Pick<ContainerDetails, 'state' | 'exitCode' | 'startedAt' | 'finishedAt'>, now: Date): string {
  const { state, exitCode, startedAt, finishedAt } = container
  if (state === 'running') return `Up ${spoken(startedAt, now)}`
  if (state === 'paused') return `Up ${spoken(startedAt, now)} (Paused)`
  if (state === 'restarting') return `Restarting (${exitCode ?? 0}) ${spoken(finishedAt, now)} ago`
  if (state === 'exited') return `Exited (${exitCode ?? 0}) ${spoken(finishedAt, now)} ago`
  if (state === 'created') return 'Created'
  return state === '' ? 'Unknown' : state.charAt(0).toUpperCase() + state.slice(1)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

function spoken(since: string | null, now: Date): string {
  const seconds = since === null ? 0 : Math.floor((now.getTime() - Date.parse(since)) / 1000)
  if (seconds < 1) return 'less than a second'
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? UNITS[3]
  const amount = Math.floor(seconds / size)
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

function moment(value: unknown): string | null {
  const at = text(value)
  return at === '' || at.startsWith('0001-') ? null : at
}

type Binding = { readonly hostIp: string; readonly host: number | string; readonly container: number | string; readonly protocol: string }

function publishedIn(bindings: unknown): Binding[] {
  return Object.entries(record(bindings)).flatMap(([key, bound]) => {
    const [container = '', protocol = 'tcp'] = key.split('/')
    return items(bound).map((binding) => ({
      hostIp: text(field(binding, 'HostIp')),
      host: text(field(binding, 'HostPort')),
      container,
      protocol,
    }))
  })
}

export function bindingText({ hostIp, host, container, protocol }: Binding): string {
  return `${hostIp}:${host}:${container}/${protocol}`
}

function ipsOf(networks: unknown, path: readonly string[] = ['IPAddress']): Record<string, string> {
  const entries = Object.entries(record(networks)).map(([name, endpoint]) => [name, text(field(endpoint, ...path))] as const)
  return Object.fromEntries(entries.filter(([, ip]) => ip !== ''))
}
