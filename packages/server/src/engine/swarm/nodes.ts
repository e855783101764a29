import { cleanLine } from '../../lib/clean-line.ts'
import { count, field, record, text, texts } from '../api/json.ts'

/** Our labels on a node. Swarm's own id changes when a machine leaves and joins again. */
const NODE_LABEL = {
  server: 'berth.server',
  checked: 'berth.checked',
  pulls: 'berth.pulls',
  edge: 'berth.edge',
  prefix: 'berth.label.',
} as const

export type SwarmNode = {
  /** Swarm's id. */
  readonly id: string
  /** Ours; empty for one that has just joined. */
  readonly serverId: string
  /** Whether its last check found no problem. */
  readonly isChecked: boolean
  /** Whether visitors are to come in over it. */
  readonly isEdge: boolean
  readonly name: string
  readonly address: string
  readonly role: 'manager' | 'worker'
  readonly isLeader: boolean
  /** What it is now: a change of the role takes a moment. */
  readonly actsAs: 'manager' | 'worker' | 'unreachable manager'
  readonly isReady: boolean
  readonly availability: 'active' | 'pause' | 'drain'
  readonly engine: string
  readonly cores: number
  readonly memoryBytes: number
  /** Those that people gave. */
  readonly labels: readonly string[]
  readonly message: string
}

/** The servers that may run a container: those with this id or this label, or all of them. */
export type AllowedServers = { readonly serverId?: string; readonly label?: string }

export function isAllowed(node: Pick<SwarmNode, 'serverId' | 'labels'>, { serverId, label }: AllowedServers): boolean {
  return (serverId === undefined || node.serverId === serverId) && (label === undefined || node.labels.includes(label))
}

/** In Swarm's words. Servers that have not passed their check are never allowed. With `mustPull` it must have included a pull from this Berth. */
export function constraintsOf({ serverId, label }: AllowedServers, mustPull = false): string[] {
  return [
    `node.labels.${NODE_LABEL.checked}==true`,
    ...(mustPull ? [`node.labels.${NODE_LABEL.pulls}==true`] : []),
    ...(serverId === undefined ? [] : [`node.labels.${NODE_LABEL.server}==${serverId}`]),
    ...(label === undefined ? [] : [`node.labels.${NODE_LABEL.prefix}${label}==true`]),
  ]
}

/** What can be changed about a node. */
export type NodeChange = {
  readonly serverId?: string
  readonly isChecked?: boolean
  readonly isEdge?: boolean
  readonly role?: SwarmNode['role']
  readonly availability?: SwarmNode['availability']
  readonly labels?: readonly string[]
}

/** Of what a node says about itself. */
const LONGEST_WORD = 100
const LONGEST_MESSAGE = 500

export function nodeOf(value: unknown, mustPull = false): SwarmNode {
  const [spec, manager] = [field(value, 'Spec'), field(value, 'ManagerStatus') ?? undefined]
  const labels = texts(field(spec, 'Labels'))
  const availability = text(field(spec, 'Availability'))
  return {
    id: text(field(value, 'ID')),
    serverId: labels[NODE_LABEL.server] ?? '',
    isChecked: labels[NODE_LABEL.checked] === 'true' && (!mustPull || labels[NODE_LABEL.pulls] === 'true'),
    isEdge: labels[NODE_LABEL.edge] === 'true',
    name: cleanLine(text(field(value, 'Description', 'Hostname'))).slice(0, LONGEST_WORD),
    // that of a manager as the others reach it: its own view of itself may be 0.0.0.0
    address: (text(field(manager, 'Addr')) || text(field(value, 'Status', 'Addr'))).replace(/:\d+$/, ''),
    role: text(field(spec, 'Role')) === 'manager' ? 'manager' : 'worker',
    isLeader: field(manager, 'Leader') === true,
    actsAs: manager === undefined ? 'worker' : text(field(manager, 'Reachability')) === 'reachable' ? 'manager' : 'unreachable manager',
    isReady: text(field(value, 'Status', 'State')) === 'ready',
    availability: availability === 'pause' || availability === 'drain' ? availability : 'active',
    engine: cleanLine(text(field(value, 'Description', 'Engine', 'EngineVersion'))).slice(0, LONGEST_WORD),
    cores: count(field(value, 'Description', 'Resources', 'NanoCPUs')) / 1e9,
    memoryBytes: count(field(value, 'Description', 'Resources', 'MemoryBytes')),
    labels: Object.keys(labels)
      .filter((key) => key.startsWith(NODE_LABEL.prefix))
      .map((key) => key.slice(NODE_LABEL.prefix.length))
      .toSorted(),
    message: cleanLine(text(field(value, 'Status', 'Message'))).slice(0, LONGEST_MESSAGE),
  }
}

/** A node's settings after a change. Labels that are not ours stay. */
export function changedSpec(spec: unknown, change: NodeChange, mustPull = false): Record<string, unknown> {
  const { serverId, isChecked, isEdge, role, availability, labels } = change
  const before = Object.entries(texts(field(spec, 'Labels')))
  const kept = before.filter(([key]) => labels === undefined || !key.startsWith(NODE_LABEL.prefix))
  const ofCheck = isChecked === undefined ? [] : [NODE_LABEL.checked, ...(isChecked ? [] : [NODE_LABEL.pulls])]
  const replaced: readonly string[] = [...ofCheck, ...(isEdge === undefined ? [] : [NODE_LABEL.edge])]
  const after = {
    ...Object.fromEntries(kept.filter(([key]) => !replaced.includes(key))),
    ...(serverId === undefined ? {} : { [NODE_LABEL.server]: serverId }),
    ...(isChecked === true ? { [NODE_LABEL.checked]: 'true', ...(mustPull && { [NODE_LABEL.pulls]: 'true' }) } : {}),
    ...(isEdge === true ? { [NODE_LABEL.edge]: 'true' } : {}),
    ...Object.fromEntries((labels ?? []).map((label) => [`${NODE_LABEL.prefix}${label}`, 'true'])),
  }
  return {
    ...record(spec),
    Labels: after,
    ...(role === undefined ? {} : { Role: role }),
    ...(availability === undefined ? {} : { Availability: availability }),
  }
}
