import { promisify } from 'node:util'
import { constants, gzip, gzipSync } from 'node:zlib'
import type { GitAccountRow, GitHubAppRow } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { GroupedWrites } from '../../store/grouped-writes.ts'
import { deliveryIdOf, eventOf, fingerprintOf, installationIn, isPush, jsonOf, type RawDelivery, shownHeaders } from './delivery.ts'
import { createDeliveryRate, MOST_A_MINUTE, MOST_OF_APP, weightOf } from './delivery-rate.ts'
import { isSentBy } from './gate.ts'
import type { BegunPush, HandledPush, HandlePush, Verdict } from './handle-push.ts'
import { createWithinBudget } from './handled-bytes.ts'
import { branchOf, type Push } from './push.ts'
import { readPush } from './read-push.ts'
import type { Address, Sender, SenderOf } from './senders.ts'
import { appsOfDeliveries, type DeliveryApp, findRepeated, insertDelivery, keepNewest, parsedPush } from './store.ts'
import { createTrimPlan } from './trim-plan.ts'

type Deps = {
  /** In one transaction with what else comes at this moment. */
  write: GroupedWrites
  senderOf: SenderOf
  act: HandlePush
  /** Without paths if they may be incomplete. */
  withSurePaths: (account: GitAccountRow, push: Push) => Promise<Push>
  withSureName: (account: GitAccountRow, push: Push) => Promise<Push>
  db: Reader
  findInstalled: (db: Reader, appId: number, installationId: string) => Promise<GitAccountRow | undefined>
  /** Handles a delivery about an installation of an app, and returns a sentence about the result. */
  handleInstallation: (tx: Tx, app: GitHubAppRow, body: unknown) => Promise<string | undefined>
  now: () => Date
}
export type DeliveryAnswer = Verdict & { delivery: string; event: string; deployments: number[] }
type ReceivedDelivery = {
  raw: RawDelivery
  event: string
  delivery: string
  body: unknown
  problem: string
  push: Push | undefined
  /** The body as it is kept. */
  kept: Buffer
}

const compressInThread = promisify(gzip)

const MOST_KEPT_BYTES = 1024 * 1024
/** To hand a few kilobytes to another thread takes longer than to compress them. */
const SMALL_BYTES = 32 * 1024
/** A third of the time of the default level, for a result of the same size. */
const FAST = { level: constants.Z_BEST_SPEED }
/** Per account; the oldest are deleted first. */
const KEPT = { rows: 2000, bytes: 64 * 1024 * 1024 }
const UNKNOWN_INSTALLATION: HandledPush = {
  result: 'ignored',
  reason: 'This installation of the app is not connected here. Install the app again from its page, or connect the app again.',
  deployments: [],
}

/** Receives deliveries. Nothing is written before the signature is verified, and everything is written before the response. */
export function createReceive(deps: Deps) {
  const isWithinRate = createDeliveryRate(deps.now)
  const withinBudget = createWithinBudget()
  const keep = createKeep(deps)

  async function receive(address: Address, raw: RawDelivery): Promise<DeliveryAnswer> {
    const sender = await deps.senderOf(address)
    if (!isSentBy(sender, raw.headers, raw.body)) throw new AppError('webhook_not_verified')
    const key = sender.kind === 'app' ? `app ${sender.app.id}` : `account ${sender.account.id}`
    return await withinBudget(personBehind(sender) ?? key, raw.body.length, async () => await handle(sender, key, raw))
  }

  async function handle(sender: Sender, key: string, raw: RawDelivery): Promise<DeliveryAnswer> {
    const { provider } = sender
    const weight = 1 + weightOf({ bytes: raw.body.length })
    refuseBeyondRate(key, weight, sender.kind === 'app' ? MOST_OF_APP : MOST_A_MINUTE) // before the body costs anything
    const [event, delivery, { body, problem }] = [eventOf(provider, raw), deliveryIdOf(provider, raw), jsonOf(raw)]
    const accountKey = sender.kind === 'app' ? `${key} ${installationIn(body) ?? ''}` : key
    if (sender.kind === 'app') refuseBeyondRate(accountKey, weight, MOST_A_MINUTE)
    const push = isPush(provider, event) ? readPush(provider, body) : undefined
    const account = sender.kind === 'hook' ? sender.account : await installedFor(deps, deps.db, { sender, body })
    const sure = push && account ? await checked(account, push) : push
    const kept = await compress(raw.body)
    const received = { raw, event, delivery, body, problem, push: sure, kept }
    const begun = await deps.write(async (tx) => await keep(tx, sender, received))
    if (!('goOn' in begun)) return { delivery, event, ...begun }
    refuseBeyondRate(accountKey, weightOf({ apps: begun.left }), MOST_A_MINUTE)
    return { delivery, event, ...(await begun.goOn()) }
  }

  function refuseBeyondRate(key: string, weight: number, most: number): void {
    if (!isWithinRate(key, weight, most)) throw new AppError('server_busy', { message: tooMany(most) })
  }

  async function checked(account: GitAccountRow, push: Push): Promise<Push> {
    return await deps.withSurePaths(account, await deps.withSureName(account, push))
  }

  return receive
}

export type Receive = ReturnType<typeof createReceive>

type AboutInstallation = { sender: Sender & { kind: 'app' }; body: unknown }

async function installedFor(deps: Pick<Deps, 'findInstalled'>, db: Reader, { sender, body }: AboutInstallation) {
  return await deps.findInstalled(db, sender.app.id, installationIn(body) ?? '')
}

/** Stores deliveries, and begins what follows from them. */
function createKeep(deps: Pick<Deps, 'act' | 'findInstalled' | 'handleInstallation' | 'now'>) {
  const isTrimDue = createTrimPlan()

  async function keep(tx: Tx, sender: Sender, received: ReceivedDelivery): Promise<HandledPush | BegunPush> {
    const { event, push } = received
    if (sender.kind === 'hook') {
      const isForeign = push !== undefined && !(await sender.isOfRepository(tx, push.repositoryId))
      const other: Verdict = { result: 'ignored', reason: 'This webhook was registered for another repository.' }
      return await keepFor(tx, sender.account, { ...received, push: isForeign ? undefined : push }, isForeign ? other : unread(received))
    }
    const words = event === 'installation' ? await deps.handleInstallation(tx, sender.app, received.body) : undefined
    const account = await installedFor(deps, tx, { sender, body: received.body })
    if (!account) return event === 'ping' ? { ...unread(received), deployments: [] } : UNKNOWN_INSTALLATION
    return await keepFor(tx, account, received, words === undefined ? unread(received) : { result: 'ignored', reason: words })
  }

  async function keepFor(tx: Tx, account: GitAccountRow, received: ReceivedDelivery, verdict: Verdict): Promise<HandledPush | BegunPush> {
    const row = rowOf(account, received, deps.now())
    const id = await insertDelivery(tx, { ...row, ...verdict })
    if (id === undefined) return await again(tx, account, row)
    if (isTrimDue(account.id, received.kept.length)) await keepNewest(tx, account.id, KEPT)
    if (received.push === undefined) return { ...verdict, deployments: [] }
    return await deps.act(tx, account, { id, push: received.push, how: 'first' })
  }

  /** The response of the first time. A delivery that failed is tried again, because that is why the host repeats it. */
  async function again(tx: Tx, account: GitAccountRow, row: { delivery: string; fingerprint: string }): Promise<HandledPush | BegunPush> {
    const known = await findRepeated(tx, account.id, row)
    if (!known) throw new AppError('webhook_not_verified') // the account was removed at this moment
    const push = known.result === 'failed' ? parsedPush(known.push) : undefined
    if (push !== undefined) return await deps.act(tx, account, { id: known.id, push, how: 'again' })
    const apps = (await appsOfDeliveries(tx, [known.id])).get(known.id) ?? []
    return { result: known.result, reason: reasonOf(known.reason, apps), deployments: deploymentsIn(apps) }
  }

  return keep
}

/** One person can have many accounts. */
function personBehind(sender: Sender): string | undefined {
  const { created_by: person } = sender.kind === 'app' ? sender.app : sender.account
  return person === null ? undefined : `person ${person}`
}

function tooMany(most: number): string {
  const who = most === MOST_OF_APP ? 'GitHub App' : 'git account'
  return `This ${who} sends more than ${most} deliveries or megabytes a minute; send it again in a minute.`
}

/** As it is kept: nothing of a very large one. */
async function compress(body: Buffer): Promise<Buffer> {
  if (body.length > MOST_KEPT_BYTES) return Buffer.alloc(0)
  return body.length <= SMALL_BYTES ? gzipSync(body, FAST) : await compressInThread(body)
}

function rowOf(account: GitAccountRow, { raw, event, delivery, push, kept }: ReceivedDelivery, at: Date) {
  return {
    account_id: account.id,
    delivery,
    provider: account.provider,
    event,
    repository: push?.repository ?? '',
    repository_id: push?.repositoryId ?? '',
    branch: (push && branchOf(push)) ?? '',
    commit_hash: push?.isDeleted === false ? push.after : '',
    before_hash: push?.before ?? '',
    pushed_at: push?.pushedAt ?? '',
    fingerprint: fingerprintOf(account.provider, event, raw),
    is_late: 0,
    headers: JSON.stringify(shownHeaders(raw)),
    push: push === undefined ? '' : JSON.stringify(push),
    body: kept,
    received_at: at.toISOString(),
  }
}

/** The response to the host, which contains none of our names. */
function reasonOf(general: string, apps: readonly DeliveryApp[]): string {
  return general || [...new Set(apps.map(({ reason }) => reason))].filter((reason) => reason !== '').join('; ')
}

export function deploymentsIn(apps: readonly DeliveryApp[]): number[] {
  return apps.flatMap(({ deploymentId }) => (deploymentId === null ? [] : [deploymentId]))
}

function unread({ event, problem, push }: ReceivedDelivery): Verdict {
  if (push !== undefined) return { result: 'ignored', reason: '' }
  if (problem !== '') return { result: 'ignored', reason: problem }
  const isPing = event === 'ping'
  const what = event === '' ? 'This delivery does not name an event' : `Berth ignores the event "${event}"`
  return { result: 'ignored', reason: isPing ? 'The webhook works.' : `${what}; only pushes deploy.` }
}
