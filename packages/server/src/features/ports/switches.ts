import { type AppPort, type DeploymentStatus, LOOPBACK, LOWEST_HOST_PORT, MOST_OPEN_PORTS } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { ComposePlan } from '../../engine/compose/stack.ts'
import { appendEvent } from '../../events/event-log.ts'
import { fieldError } from '../../lib/app-error.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { countPorts, deletePort, findPort, type OpenPort, type Place, savePort, setUnwanted, wantedPorts } from './store.ts'

type Deps = {
  db: Db
  now: () => Date
  /** Ports of the machine that are the platform's own. */
  reservedPorts: () => Promise<readonly number[]>
  /** What the app runs now; none where nothing is live. */
  livePlan: (app: AppRow) => Promise<ComposePlan | undefined>
  statusesUnderWay: (db: Reader, appId: number) => Promise<readonly DeploymentStatus[]>
}
type Asked = { service: string; port: number; protocol?: 'tcp' | 'udp' }
type AskedToOpen = Asked & { hostPort: number; address?: string }

const isSamePlace = (a: Place, b: Place) => a.service === b.service && a.target === b.target && a.protocol === b.protocol

/** Opens and closes ports of the machine for services of compose apps. The next deployment carries it out. */
export function createPortSwitches(deps: Deps) {
  const { db, now, livePlan } = deps

  async function list(app: AppRow): Promise<AppPort[]> {
    return portsIn(await wantedPorts(db, app.id), await livePlan(app))
  }

  async function open(caller: Caller, app: AppRow, { service, port, protocol = 'tcp', hostPort, address = LOOPBACK }: AskedToOpen) {
    if (!kindOf(app).hasServices) throw fieldError('invalid_request', 'appId', 'must be a compose app: only those have services')
    if ((await deps.reservedPorts()).includes(hostPort))
      throw fieldError('invalid_request', 'hostPort', 'must not be a port of the platform')
    const asked = { service, target: port, protocol, port: hostPort, address }
    const live = await livePlan(app)
    await change(caller, app, { action: 'app.open_port', asked }, async (tx) => {
      const isOwn = await isOwnPort(tx, app.id, asked)
      const before = (await wantedPorts(tx, app.id)).find((each) => isSamePlace(each, asked))
      if (before !== undefined && before.port !== hostPort) await giveUp(tx, app.id, before, live)
      if (!isOwn) await refuseTooMany(tx, app)
      await savePort(tx, asked, { appId: app.id, at: now() })
    })
    return await list(app)
  }

  async function close(caller: Caller, app: AppRow, { service, port, protocol = 'tcp' }: Asked) {
    const place = { service, target: port, protocol }
    const live = await livePlan(app)
    await change(caller, app, { action: 'app.close_port', asked: place }, async (tx) => {
      const found = (await wantedPorts(tx, app.id)).find((each) => isSamePlace(each, place))
      if (found === undefined) throw fieldError('invalid_request', 'port', `must be an open port of the service ${service}`)
      await giveUp(tx, app.id, found, live)
    })
    return await list(app)
  }

  /** At once where no release has it or may be starting with it. */
  async function giveUp(tx: Tx, appId: number, one: OpenPort, live: ComposePlan | undefined): Promise<void> {
    const isLive = live?.services.some(({ ports }) => ports.some(({ host, protocol }) => host === one.port && protocol === one.protocol))
    // one that waits or builds reads later which ports are wanted
    const isStarting = (await deps.statusesUnderWay(tx, appId)).includes('deploying')
    if (isLive || isStarting) await setUnwanted(tx, one)
    else await deletePort(tx, one)
  }

  async function change(
    caller: Caller,
    app: AppRow,
    { action, asked }: { action: string; asked: Place & Partial<OpenPort> },
    work: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const at = now()
    await db.transaction(async (tx) => {
      await work(tx)
      await recordAudit(tx, at, caller, { action, subject: 'app', subjectId: app.id, after: { ...asked } })
      await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
    })
  }

  return { list, open, close }
}

export type PortSwitches = ReturnType<typeof createPortSwitches>

/** Those that were closed count until no release has them: nobody else can have them either. */
async function refuseTooMany(tx: Tx, app: AppRow): Promise<void> {
  const { ofApp, ofUser } = await countPorts(tx, app)
  if (ofApp >= MOST_OPEN_PORTS) {
    const hint = 'close another one first, and deploy if the live release has it'
    throw fieldError('invalid_request', 'hostPort', `must be one of at most ${MOST_OPEN_PORTS} open ports; ${hint}`)
  }
  refuseBeyond(QUOTAS.portsOfUser, ofUser, { field: 'hostPort', who: "a person's projects", what: 'open ports' })
}

/** Whether the app has the port already. Throws if it leads elsewhere. */
async function isOwnPort(tx: Tx, appId: number, asked: OpenPort): Promise<boolean> {
  const owner = await findPort(tx, asked)
  if (owner === undefined) return false
  if (owner.appId !== appId) throw fieldError('invalid_request', 'hostPort', 'must not belong to another app; choose another port')
  if (owner.isWanted && !isSamePlace(owner, asked))
    throw fieldError('invalid_request', 'hostPort', `must not lead to another service already: it leads to ${owner.service}`)
  return true
}

/** Programs ask for ports that only the platform may have: 80 is offered as 8080, 443 as 8443. */
const ABOVE = 8000

/** What is open or will be, and what the file of the live release publishes beside it. */
export function portsIn(wanted: readonly OpenPort[], live: ComposePlan | undefined): AppPort[] {
  const opened = (live?.services ?? []).flatMap(({ name, ports }) =>
    ports.map(({ container, protocol, host, hostIp }) => ({ service: name, target: container, protocol, port: host, address: hostIp })),
  )
  const isIn = (some: readonly OpenPort[], one: OpenPort) =>
    some.some((each) => isSamePlace(each, one) && each.port === one.port && each.address === one.address)
  const closing = opened.filter((one) => !isIn(wanted, one))
  const known: readonly Place[] = [...wanted, ...closing]
  const offered = (live?.published ?? [])
    .map(({ service, container, protocol, host }) => ({ service, target: container, protocol, port: host }))
    .filter((one) => !known.some((each) => isSamePlace(each, one)))
    .map((one) => ({ ...one, port: one.port < LOWEST_HOST_PORT ? one.port + ABOVE : one.port, address: LOOPBACK }))
  const shown = (isOn: boolean) => (one: OpenPort) => {
    const { service, target, protocol, port, address } = one
    return { service, port: target, protocol, hostPort: port, address, isOn, isOpen: isIn(opened, one) }
  }
  return [...wanted.map(shown(true)), ...[...closing, ...offered].map(shown(false))]
}
