import Type, { type Static } from 'typebox'
import { Finding } from './doctor.ts'
import { expects, Flag, Id, Nullable, OneOf, Time } from './fields.ts'

export const AVAILABILITIES = ['active', 'pause', 'drain'] as const
export type Availability = (typeof AVAILABILITIES)[number]
export const MOST_SERVER_LABELS = 10
/** `behind`: it answers, and has not got what it should serve yet. `unreachable`: Berth cannot tell; it serves what it had. */
export const EDGE_STATES = ['off', 'current', 'behind', 'unreachable'] as const
export type ServerEdgeState = (typeof EDGE_STATES)[number]

const ServerId = Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-z0-9]+$', ...expects('the id of a server') })
const ServerLabel = Type.String({
  maxLength: 32,
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
  ...expects('a word of lower-case letters, digits and dashes'),
})

/** Which servers may run an app: all of them, Berth's own (`this`), one (`server:<id>`), or those with a label (`label:<word>`). */
export const Placement = Type.String({
  maxLength: 50,
  pattern: '^(?:this|server:[a-z0-9]{1,40}|label:[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)?$',
  ...expects('empty for any server, "this" for the one that Berth runs on, "server:" and an id, or "label:" and a label of servers'),
})

export const Server = Type.Object({
  id: ServerId,
  name: Type.String(),
  address: Type.String(),
  /** The one whose engine Berth uses. */
  isThis: Type.Boolean(),
  role: OneOf(['manager', 'worker'] as const),
  isLeader: Type.Boolean(),
  state: OneOf(['ready', 'down'] as const),
  /** `pause`: nothing new is started there. `drain`: what runs there is moved away too. */
  availability: OneOf(AVAILABILITIES),
  engine: Type.String(),
  cores: Type.Number(),
  memoryBytes: Type.Number(),
  /** In percent of the whole server. Null if it is not known, as of another server whose agent does not answer. */
  cpu: Nullable(Type.Number()),
  memory: Nullable(Type.Number()),
  labels: Type.Array(Type.String()),
  /** The apps that have containers there. */
  runs: Type.Array(Type.Object({ appId: Id, appName: Type.String(), containers: Type.Integer() })),
  /** What is wrong with it; otherwise empty. */
  message: Type.String(),
  /** Whether visitors can come in over this server. `message` says what is wrong with its edge; otherwise it is empty. */
  edge: Type.Object({ state: OneOf(EDGE_STATES), message: Type.String() }),
  /** Whether its last check found no problem, so that apps may run there. Berth's own server needs no check. */
  isChecked: Type.Boolean(),
  /** What the last check found, and when that was; empty after a restart of Berth. */
  checks: Type.Array(Finding),
  checkedAt: Nullable(Time),
})
export type Server = Static<typeof Server>

/** A server that was lost, and what became of the containers that ran there. */
export const ServerOutage = Type.Object({
  id: Id,
  serverName: Type.String(),
  lostAt: Time,
  /** When it was back or removed; null while it is lost. */
  endedAt: Nullable(Time),
  /** How many ran there, and how many of them ran elsewhere meanwhile. None are known of an outage that began while Berth was down. */
  containers: Type.Integer(),
  moved: Type.Integer(),
})
export type ServerOutage = Static<typeof ServerOutage>

export const Servers = Type.Object({
  /** Whether there can be several: Swarm is on. */
  isSwarm: Type.Boolean(),
  servers: Type.Array(Server),
  adding: Type.Object({
    /** What adding the first server changes on this one; empty once that has happened. */
    changes: Type.Array(Type.String()),
    /** What the servers must be able to reach on each other. */
    ports: Type.Array(Type.String()),
    /** The addresses of this server that others could reach. */
    addresses: Type.Array(Type.String()),
    /** Until when the command that was printed last works. */
    openUntil: Nullable(Time),
  }),
  /** Why no server can be added; otherwise empty. */
  message: Type.String(),
  /** Where apps run, in a sentence; empty with one server. */
  placing: Type.String(),
  /** The last ones, newest first. */
  outages: Type.Array(ServerOutage),
})
export type Servers = Static<typeof Servers>

export const NewServer = Type.Object({
  /** That Swarm may be switched on. Only needed for the first server. */
  consent: Type.Optional(Flag),
  /** The address of this server that the others use. Needed if it has several. */
  address: Type.Optional(
    Type.String({ maxLength: 15, pattern: '^[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+$', ...expects('an IPv4 address of this server') }),
  ),
})

/** A command to run on the new server, as root. It works for one server. */
export const ServerInvitation = Type.Object({ command: Type.String(), openUntil: Time })
export type ServerInvitation = Static<typeof ServerInvitation>

export const ServerOnly = Type.Object({ serverId: ServerId })
export const ServerChange = Type.Object({
  serverId: ServerId,
  availability: Type.Optional(OneOf(AVAILABILITIES)),
  /** Whether visitors can come in over this server. Not for Berth's own, whose edge is always on. */
  edge: Type.Optional(Flag),
  labels: Type.Optional(
    Type.Array(ServerLabel, { maxItems: MOST_SERVER_LABELS, ...expects(`a list of at most ${MOST_SERVER_LABELS} labels`) }),
  ),
})
export const Managers = Type.Object({
  serverIds: Type.Array(ServerId, { minItems: 1, maxItems: 3, ...expects('a list of one or three servers') }),
})
/** What is left to do on a server that was removed; empty if nothing. */
export const RemovedServer = Type.Object({ serverId: ServerId, command: Type.String() })
export const ServerImageQuery = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 100, ...expects('the token of the command') }),
})
