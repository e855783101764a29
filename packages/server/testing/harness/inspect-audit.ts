import { field, filters, items, record, text, texts } from '../../src/engine/api/json.ts'
import { createTransport } from '../../src/engine/api/transport.ts'
import { LABEL, ownerOf } from '../../src/engine/labels.ts'
import { engineSocketPath } from './engine-proxy.ts'

type Facts = { readonly container: unknown; readonly host: unknown; readonly labels: Readonly<Record<string, unknown>> }
type Rule = { readonly says: string; readonly holds: (facts: Facts) => boolean }

const OWN_NAME = /^\/berth-[a-z0-9]{1,24}-app-[1-9]\d*-(d[1-9]\d*|(d[1-9]\d*|shared-[0-9a-f]{12})-[0-9a-f]{12})$/
const OWN_NETWORK = /^berth-[a-z0-9]{1,24}-(project-[1-9]\d*|app-[1-9]\d*-network)$/
const OWN_VOLUME = /^(berth-[a-z0-9]{1,24}-app-[1-9]\d*(-volume(-[a-z0-9-]{1,32})?|-[vbf][0-9a-f]{16}|_[A-Za-z0-9_.-]+)|[0-9a-f]{64})$/
const ID = /^[1-9]\d*$/
// Not that of control groups: where the machine has their first version, the engine's own default is the machine's, and it shows names
// alone.
const SHARED_KEYS = ['PidMode', 'UTSMode', 'UsernsMode', 'IpcMode', 'NetworkMode']
const EMPTY_KEYS = [
  'CapAdd',
  'Devices',
  'DeviceRequests',
  'DeviceCgroupRules',
  'VolumesFrom',
  'ExtraHosts',
  'Links',
  'GroupAdd',
  'CgroupParent',
  'Dns',
]

const isNone = (value: unknown) => ['undefined', 'null', '""', '[]', '{}'].includes(JSON.stringify(value) ?? 'undefined')
const namesOf = (value: unknown) => items(value).map(text)

/** What must hold for every container of an app, whatever its owner entered in any field. */
const RULES: readonly Rule[] = [
  { says: 'it is privileged', holds: ({ host }) => field(host, 'Privileged') === false },
  {
    says: 'it shares a namespace with the machine or another container',
    holds: ({ host }) => SHARED_KEYS.every((key) => !/^(host|container:)/.test(text(field(host, key)))),
  },
  ...EMPTY_KEYS.map((key): Rule => ({ says: `it has ${key}`, holds: ({ host }) => isNone(field(host, key)) })),
  { says: 'it has sysctls', holds: ({ host }) => isNone(field(host, 'Sysctls')) },
  {
    says: 'it may do more than it should',
    holds: ({ host }) => ['NET_RAW', 'MKNOD'].every((name) => namesOf(field(host, 'CapDrop')).includes(name)),
  },
  {
    says: 'it can gain privileges, or has no profile',
    holds: ({ host }) => /^no-new-privileges(:true)?$/.test(namesOf(field(host, 'SecurityOpt')).join()),
  },
  { says: 'its mounts are no volumes of ours', holds: ({ container }) => items(field(container, 'Mounts')).every(isOurMount) },
  {
    says: 'it binds a place of the machine',
    holds: ({ host }) => namesOf(field(host, 'Binds')).every((bind) => OWN_VOLUME.test(bind.split(':')[0] ?? '')),
  },
  { says: 'it has no limit of processes', holds: ({ host }) => field(host, 'PidsLimit') === 512 },
  { says: 'it has no limit of memory', holds: ({ host }) => Number(field(host, 'Memory')) > 0 },
  { says: 'it may outlive a lack of memory', holds: ({ host }) => field(host, 'OomKillDisable') !== true },
  { says: 'it may outlive Berth when memory is short', holds: ({ host }) => Number(field(host, 'OomScoreAdj')) >= 500 },
  { says: 'its log may fill the disk', holds: ({ host }) => hasLogCaps(field(host, 'LogConfig')) },
  {
    says: 'its restart policy is none of ours',
    holds: ({ host }) => /^(no|always|on-failure|unless-stopped)?$/.test(text(field(host, 'RestartPolicy', 'Name'))),
  },
  { says: 'it has no init', holds: ({ host }) => field(host, 'Init') === true },
  { says: 'it publishes every port', holds: ({ host }) => field(host, 'PublishAllPorts') !== true },
  {
    says: 'it publishes a port',
    holds: ({ host, labels }) => labels[LABEL.kind] === 'compose' || isNone(field(host, 'PortBindings')),
  },
  {
    says: 'it lacks a label',
    holds: ({ labels }) =>
      [LABEL.app, LABEL.project].every((name) => ID.test(text(labels[name]))) &&
      (ID.test(text(labels[LABEL.deployment])) || (labels[LABEL.kind] === 'compose' && ownerOf(texts(labels)).deploymentId === 'shared')),
  },
  { says: 'its kind is unknown', holds: ({ labels }) => /^(app|database|compose)$/.test(text(labels[LABEL.kind])) },
  { says: 'its name is not made of ids', holds: ({ container }) => OWN_NAME.test(text(field(container, 'Name'))) },
  {
    says: 'it is in a network that is not ours',
    holds: ({ container }) => Object.keys(record(field(container, 'NetworkSettings', 'Networks'))).every((name) => OWN_NETWORK.test(name)),
  },
]

function isOurMount(mount: unknown): boolean {
  if (field(mount, 'Type') === 'tmpfs') return true
  return field(mount, 'Type') === 'volume' && field(mount, 'Driver') === 'local' && OWN_VOLUME.test(text(field(mount, 'Name')))
}

function hasLogCaps(config: unknown): boolean {
  const [size, files] = [field(config, 'Config', 'max-size'), field(config, 'Config', 'max-file')]
  return field(config, 'Type') === 'json-file' && size === '10m' && files === '3'
}

export type Audited = { name: string; env: readonly string[]; problems: readonly string[] }

/** Every container of an instance as the engine itself describes it, and what is wrong with each. */
export async function auditContainers(instance: string): Promise<Audited[]> {
  const transport = createTransport({ address: { socketPath: engineSocketPath() } })
  const query = { all: true, filters: filters({ label: [`${LABEL.instance}=${instance}`] }) }
  const found = items(await transport.json({ method: 'GET', path: '/containers/json', query })).map((entry) => text(field(entry, 'Id')))
  const seen = await Promise.all(
    found.map(async (id) => await transport.json({ method: 'GET', path: `/containers/${id}/json` }).catch(() => null)), // it may go at any moment
  )
  return seen.filter((container) => container !== null).map(audited)
}

function audited(container: unknown): Audited {
  const facts = { container, host: field(container, 'HostConfig'), labels: record(field(container, 'Config', 'Labels')) }
  return {
    name: text(field(container, 'Name')),
    env: namesOf(field(container, 'Config', 'Env')),
    problems: RULES.filter(({ holds }) => !holds(facts)).map(({ says }) => says),
  }
}

/** What is wrong, in sentences: empty is good. */
export async function auditFindings(instance: string): Promise<string[]> {
  return (await auditContainers(instance)).flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
}
