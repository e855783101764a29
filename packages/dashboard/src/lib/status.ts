import type {
  AppType,
  Availability,
  ControlPlane,
  Deployment,
  DeploymentStatus,
  DnsStatus,
  Finding,
  Health,
  RestartPolicy,
  Role,
  Server,
  ServiceState,
  ShownStatus,
  SslStatus,
  StepName,
  Strategy,
  StreamState,
  Trigger,
} from '@berth/contract'

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle'
export type Look = { label: string; tone: Tone }

/** The label and colour of every status. No other file of the dashboard names a status. */
export const APP_LOOK = {
  running: { label: 'Running', tone: 'good' },
  building: { label: 'Building', tone: 'busy' },
  deploying: { label: 'Deploying', tone: 'busy' },
  error: { label: 'Error', tone: 'bad' },
  stopped: { label: 'Stopped', tone: 'idle' },
  not_deployed: { label: 'Not deployed yet', tone: 'idle' },
} as const satisfies Record<ShownStatus, Look>

export const SERVICE_LOOK = {
  running: { label: 'Running', tone: 'good' },
  starting: { label: 'Starting', tone: 'busy' },
  unhealthy: { label: 'Unhealthy', tone: 'bad' },
  restarting: { label: 'Restarting', tone: 'warn' },
  stopped: { label: 'Stopped', tone: 'idle' },
  finished: { label: 'Finished', tone: 'idle' },
  failed: { label: 'Failed', tone: 'bad' },
  missing: { label: 'No container', tone: 'warn' },
} as const satisfies Record<ServiceState, Look>

/** A port of the server that leads to a service. */
export const PORT_LOOK = {
  open: { label: 'Open', tone: 'good' },
  opening: { label: 'Opens with the next deployment', tone: 'busy' },
  closing: { label: 'Closes with the next deployment', tone: 'busy' },
  closed: { label: 'Closed', tone: 'idle' },
} as const satisfies Record<string, Look>

export const DEPLOYMENT_LOOK = {
  pending: { label: 'Queued', tone: 'busy' },
  building: { label: 'Building', tone: 'busy' },
  deploying: { label: 'Deploying', tone: 'busy' },
  success: { label: 'Succeeded', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  stopped: { label: 'Cancelled', tone: 'idle' },
  rolled_back: { label: 'Rolled back', tone: 'idle' },
} as const satisfies Record<DeploymentStatus, Look>

export const STEP_WORDS = {
  source: 'Source',
  build: 'Build',
  start: 'Start',
  health: 'Health check',
  switch: 'Switch traffic',
} as const satisfies Record<StepName, string>

/** What a deployment that has not ended is doing. */
export function activityWords({ steps, queue_position }: Pick<Deployment, 'steps' | 'queue_position'>): string {
  const step = steps?.at(-1)
  if (step) return STEP_WORDS[step.name]
  return queue_position === undefined ? 'Queued' : `Queued, position ${queue_position}`
}

/** `done` begins a sentence such as "Deployed by owner@example.com just now". */
export const TRIGGER_WORDS = {
  manual: { label: 'Manual', done: 'Deployed' },
  webhook: { label: 'Git push', done: 'Deployed on push' },
  rollback: { label: 'Rollback', done: 'Rolled back' },
  api: { label: 'API', done: 'Deployed through the API' },
  hook: { label: 'Deploy hook', done: 'Deployed by a deploy hook' },
  poll: { label: 'Git push', done: 'Deployed on push' },
} as const satisfies Record<Trigger, { label: string; done: string }>

export const SSL_LOOK = {
  none: { label: 'No certificate', tone: 'idle' },
  pending: { label: 'Issuing certificate', tone: 'busy' },
  active: { label: 'HTTPS active', tone: 'good' },
  failed: { label: 'Certificate failed', tone: 'bad' },
} as const satisfies Record<SslStatus, Look>

export const DNS_LOOK = {
  unknown: { label: 'DNS not checked yet', tone: 'idle' },
  ok: { label: 'DNS points here', tone: 'good' },
  wrong: { label: 'DNS does not point here', tone: 'warn' },
} as const satisfies Record<DnsStatus, Look>

export const TYPE_WORDS = {
  web: { label: 'Web app', summary: 'Serves HTTP. Gets an address and a certificate.' },
  service: { label: 'Service', summary: 'Runs in the background, without an address.' },
  database: { label: 'Database', summary: 'From a template, with a persistent volume.' },
  compose: { label: 'Compose', summary: 'Several containers from a Compose file.' },
} as const satisfies Record<AppType, { label: string; summary: string }>

export const ROLE_WORDS = {
  user: { label: 'User', summary: 'Can see the projects they belong to.' },
  admin: { label: 'Admin', summary: 'Can see every project and manage users and settings.' },
  owner: { label: 'Owner', summary: 'Can do everything.' },
} as const satisfies Record<Role, { label: string; summary: string }>

export const PORT_HINTS = {
  web: 'The port your app listens on (also set as PORT).',
  service: 'Leave empty if it does not listen on a port.',
  compose: 'The service that listens on this port gets the address. Empty: the port that the file publishes.',
  database: 'The port it listens on.',
} as const satisfies Record<AppType, string>

export const RESTART_WORDS = {
  no: 'Never',
  always: 'Always',
  'on-failure': 'On failure',
  'unless-stopped': 'Unless stopped',
} as const satisfies Record<RestartPolicy, string>

export const STRATEGY_WORDS = {
  rolling: 'Rolling (no downtime)',
  recreate: 'Recreate (stops the old release first)',
} as const satisfies Record<Strategy, string>

/** The state of a live stream. What its end is called depends on the stream. */
export const STREAM_LOOK = {
  connecting: { label: 'Connecting…', tone: 'busy' },
  open: { label: 'Live', tone: 'good' },
  waiting: { label: 'Disconnected. Reconnecting…', tone: 'warn' },
} as const satisfies Record<Exclude<StreamState['is'], 'ended'>, Look>

type Checks = Health['checks']
export const HEALTH_LOOK = {
  database: {
    ok: { label: 'OK', tone: 'good' },
    read_only: { label: 'Read-only', tone: 'warn' },
    unusable: { label: 'Unavailable', tone: 'bad' },
  },
  engine: {
    ok: { label: 'OK', tone: 'good' },
    unreachable: { label: 'Unreachable', tone: 'bad' },
    provisioning: { label: 'Installing', tone: 'busy' },
  },
  edge: {
    ok: { label: 'OK', tone: 'good' },
    unreachable: { label: 'Unreachable', tone: 'bad' },
    starting: { label: 'Starting', tone: 'busy' },
    off: { label: 'Off', tone: 'idle' },
  },
  queue: {
    ok: { label: 'OK', tone: 'good' },
    stalled: { label: 'Stalled', tone: 'bad' },
  },
} as const satisfies { [Part in keyof Checks]: Record<Checks[Part], Look> }

export const HEALTH_PARTS = {
  database: { title: 'Database', purpose: "Stores Berth's data" },
  engine: { title: 'Docker', purpose: 'Builds images and runs containers' },
  edge: { title: 'Proxy', purpose: 'Routes traffic to your apps' },
  queue: { title: 'Queue', purpose: 'Runs deployments and background jobs' },
} as const satisfies Record<keyof Checks, { title: string; purpose: string }>

/** Further messages that `/health` can carry. */
export const HEALTH_NOTICES = { firewall: 'App firewall', dashboard: 'Dashboard certificate' } as const

export function isRunning(status: DeploymentStatus): boolean {
  return status === 'pending' || status === 'building' || status === 'deploying'
}

/** What a check of a machine found. */
export const FINDING_LOOK = {
  ok: { label: 'OK', tone: 'good' },
  warning: { label: 'Warning', tone: 'warn' },
  problem: { label: 'Problem', tone: 'bad' },
} as const satisfies Record<Finding['level'], Look>

/** Of a control plane. */
export const NODE_LOOK = {
  running: { label: 'Running', tone: 'good' },
  stopped: { label: 'Stopped', tone: 'idle' },
  away: { label: 'Away', tone: 'bad' },
} as const satisfies Record<ControlPlane['state'], Look>

const AVAILABILITY_LOOK = {
  active: { label: 'Ready', tone: 'good' },
  pause: { label: 'Paused', tone: 'idle' },
  drain: { label: 'Drained', tone: 'idle' },
} as const satisfies Record<Availability, Look>

export function serverLook({ state, availability }: Pick<Server, 'state' | 'availability'>): Look {
  return state === 'down' ? { label: 'Down', tone: 'bad' } : AVAILABILITY_LOOK[availability]
}
