import type {
  AppStatus,
  AppType,
  DeploymentStatus,
  DnsStatus,
  Health,
  RestartPolicy,
  Role,
  SslStatus,
  Stage,
  Strategy,
  StreamState,
  Trigger,
} from '@berth/contract'

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle'
export type Look = { label: string; tone: Tone }

/** How every state is said and coloured. Nothing else in the dashboard words a state. */
export const APP_LOOK = {
  running: { label: 'Running', tone: 'good' },
  building: { label: 'Building', tone: 'busy' },
  deploying: { label: 'Deploying', tone: 'busy' },
  error: { label: 'Error', tone: 'bad' },
  stopped: { label: 'Stopped', tone: 'idle' },
} as const satisfies Record<AppStatus, Look>

export const DEPLOYMENT_LOOK = {
  pending: { label: 'Queued', tone: 'busy' },
  building: { label: 'Building', tone: 'busy' },
  deploying: { label: 'Deploying', tone: 'busy' },
  success: { label: 'Succeeded', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  stopped: { label: 'Cancelled', tone: 'idle' },
  rolled_back: { label: 'Rolled back', tone: 'idle' },
} as const satisfies Record<DeploymentStatus, Look>

export const STAGE_WORDS = {
  cloning_repo: 'Get the source',
  building_image: 'Build the image',
  stopping_old: 'Retire the old release',
  starting_new: 'Start the new release',
  completed: 'Live',
} as const satisfies Record<Stage, string>

export const TRIGGER_WORDS = {
  manual: 'by hand',
  webhook: 'by a push',
  rollback: 'by a rollback',
  api: 'through the API',
} as const satisfies Record<Trigger, string>

export const SSL_LOOK = {
  none: { label: 'No certificate', tone: 'idle' },
  pending: { label: 'Certificate on its way', tone: 'busy' },
  active: { label: 'HTTPS active', tone: 'good' },
  failed: { label: 'Certificate failed', tone: 'bad' },
} as const satisfies Record<SslStatus, Look>

export const DNS_LOOK = {
  unknown: { label: 'DNS not checked yet', tone: 'idle' },
  ok: { label: 'DNS points here', tone: 'good' },
  wrong: { label: 'DNS points elsewhere', tone: 'warn' },
} as const satisfies Record<DnsStatus, Look>

export const TYPE_WORDS = {
  web: { label: 'Web app', summary: 'Answers HTTP; gets an address and a certificate.' },
  service: { label: 'Service', summary: 'Works in the background, without an address.' },
  database: { label: 'Database', summary: 'From a template, with a volume that outlives deployments.' },
  compose: { label: 'Compose', summary: 'Several containers from the compose file of a repository.' },
} as const satisfies Record<AppType, { label: string; summary: string }>

export const ROLE_WORDS = {
  user: { label: 'User', summary: 'Sees the projects they are a member of.' },
  admin: { label: 'Admin', summary: 'Sees every project and manages users and settings.' },
  owner: { label: 'Owner', summary: 'May do everything.' },
} as const satisfies Record<Role, { label: string; summary: string }>

export const RESTART_WORDS = {
  no: 'Never',
  always: 'Always',
  'on-failure': 'When it fails',
  'unless-stopped': 'Unless it was stopped',
} as const satisfies Record<RestartPolicy, string>

export const STRATEGY_WORDS = {
  rolling: 'Rolling, without a gap',
  recreate: 'Stop the old release first',
} as const satisfies Record<Strategy, string>

/** What is live over a socket; how its end is said depends on what it is. */
export const STREAM_LOOK = {
  connecting: { label: 'Connecting…', tone: 'busy' },
  open: { label: 'Live', tone: 'good' },
  waiting: { label: 'Connection lost; trying again…', tone: 'warn' },
} as const satisfies Record<Exclude<StreamState['is'], 'ended'>, Look>

type Checks = Health['checks']
export const HEALTH_LOOK = {
  database: {
    ok: { label: 'Works', tone: 'good' },
    read_only: { label: 'Read-only', tone: 'warn' },
    unusable: { label: 'Not usable', tone: 'bad' },
  },
  engine: {
    ok: { label: 'Works', tone: 'good' },
    unreachable: { label: 'Does not answer', tone: 'bad' },
    provisioning: { label: 'Being installed', tone: 'busy' },
  },
  edge: {
    ok: { label: 'Works', tone: 'good' },
    unreachable: { label: 'Does not answer', tone: 'bad' },
    starting: { label: 'Starting', tone: 'busy' },
    off: { label: 'Off', tone: 'idle' },
  },
  queue: {
    ok: { label: 'Works', tone: 'good' },
    stalled: { label: 'Stalled', tone: 'bad' },
  },
} as const satisfies { [Part in keyof Checks]: Record<Checks[Part], Look> }

/** What `/health` may have a sentence about beside its parts. */
export const HEALTH_NOTICES = { firewall: 'Firewall for apps', dashboard: "Certificate of the dashboard's domain" } as const

export function isRunning(status: DeploymentStatus): boolean {
  return status === 'pending' || status === 'building' || status === 'deploying'
}
