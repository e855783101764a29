import { setTimeout as sleep } from 'node:timers/promises'
import type { Health } from '@berth/contract'
import { startEngineProxy } from '../../testing/harness/engine-proxy.ts'
import { ensureRedisImage } from '../../testing/images/database-images.ts'
import { type DeployLab, openDeployLab, readRows, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { violations } from '../crash/crash-sweep.ts'
import { addressOf, type OutageRow } from './outage-rows.ts'

export type OutageFault =
  | { readonly kind: 'cut'; readonly ms: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'refuse'; readonly call: string }
export type OutageCell = { stage: string; fault: string; outcome: string; seconds: number; requests: readonly string[]; wrong: string[] }

const TUNING = { stabilityMs: 1000, healthDeadlineMs: 20_000, engineWaitMs: 60_000, reconcileMs: 2000 }
const SETTLED_WITHIN_MS = 60_000
const PATIENCE_MS = 60_000
const SURELY_NOTICED_MS = 10_000 // the engine is looked at every five seconds

/** A lab behind a proxy, with a bystander app that must respond all the time. */
export async function openOutageLab() {
  const proxy = await startEngineProxy()
  const lab = await openDeployLab({ socketPath: proxy.socketPath, tuning: TUNING })
  await ensureRedisImage(lab.engine)
  const beside = await lab.createApp(webFiles('beside'))
  await lab.deploy(beside.id)
  return {
    lab,
    proxy,
    beside: await addressOf(lab, beside.id),
    async [Symbol.asyncDispose](): Promise<void> {
      await proxy.restore()
      await lab[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

export type OutageLab = Awaited<ReturnType<typeof openOutageLab>>

/** One stage and one fault, from the initial state until everything is consistent again. */
export async function runOutageCell(
  { lab, proxy, beside }: OutageLab,
  row: OutageRow,
  fault: OutageFault | undefined,
): Promise<OutageCell> {
  const prepared = await row.prepare(lab)
  await settled(lab)
  const watch = startWatch(lab, { beside, appId: prepared.app.id, ...(prepared.old !== undefined && { old: prepared.old }) })
  const begin = performance.now()
  const seenBefore = proxy.requests.length
  const wrong: string[] = []
  const note = (cause: unknown) => void wrong.push(String(cause).slice(0, 600))
  let outcome = 'done'
  try {
    const over = fault ? await plant({ lab, proxy }, { row, fault, app: prepared.app }) : async () => undefined
    const deploymentId = await row.act(lab, prepared)
    await over()
    if (deploymentId !== undefined) outcome = await outcomeOf(lab, { row, fault, deploymentId, app: prepared.app }, note)
    await settled(lab).catch(note)
  } catch (cause) {
    note(cause)
  }
  const seconds = Math.round((performance.now() - begin) / 100) / 10
  const requests = proxy.requests.slice(seenBefore)
  proxy.clear()
  await proxy.restore()
  wrong.push(...(await watch.stop(fault)))
  await lab.owner.call('apps.delete', { appId: prepared.app.id }).catch(() => undefined) // the row may have been about just that
  return { stage: row.stage, fault: faultName(fault), outcome, seconds, requests, wrong }
}

type Asked = { row: OutageRow; fault: OutageFault | undefined; deploymentId: number; app: { id: number; project_id: number } }

async function outcomeOf(lab: DeployLab, { row, fault, deploymentId, app }: Asked, note: (cause: unknown) => void): Promise<string> {
  const last = await lab.ended(deploymentId, 120_000)
  const isShort = fault?.kind === 'reset' || (fault?.kind === 'cut' && fault.ms < PATIENCE_MS)
  if (last.status !== 'success' && isShort) note(`an outage of less than a minute cost a deployment: ${last.error_message}`)
  if (last.status === 'failed' && !/engine|The build failed/.test(last.error_message)) note(`failed, and why? ${last.error_message}`)
  if (row.serves !== undefined && last.status === 'success') {
    const body = await until(
      async () => await lab.visit(app).catch(String),
      (text) => text === row.serves,
      10_000,
    ).catch(String)
    if (body !== row.serves) note(`visitors get ${body} instead of ${row.serves}`)
  }
  return last.status === 'success' ? 'success' : `${last.status}: ${last.error_message}`
}

/** Plants the fault, and returns a function that waits until it is over. */
async function plant(
  { lab, proxy }: Pick<OutageLab, 'lab' | 'proxy'>,
  { row, fault, app }: { row: OutageRow; fault: OutageFault; app: { id: number; project_id: number } },
): Promise<() => Promise<void>> {
  const struck = Promise.withResolvers<void>()
  const strike = async () => {
    if (fault.kind === 'cut') {
      const cut = proxy.cut()
      await sleep(fault.ms)
      await cut
      await proxy.restore()
    } else proxy.reset()
    struck.resolve()
  }
  const { moment } = row
  if (fault.kind === 'refuse') proxy.fail(fault.call, { status: 500, times: 1 })
  else if (moment === 'before') void strike()
  else if ('seen' in moment)
    void until(
      async () => await moment.seen(lab, app),
      (isSeen) => isSeen,
    ).then(strike, struck.reject)
  else if (fault.kind === 'cut') proxy.at(moment.call, () => void strike().catch(struck.reject))
  else proxy.lose(moment.call)
  struck.promise.catch(() => undefined) // it is waited for below, after the request
  return async () => {
    if (fault.kind === 'cut' || (moment !== 'before' && 'seen' in moment && fault.kind === 'reset')) return await struck.promise
    await until(
      () => proxy.isWaiting(),
      (isWaiting) => !isWaiting,
      30_000,
    ).catch(() => undefined) // a call that was made in one run need not be made in the next
  }
}

async function settled(lab: DeployLab): Promise<void> {
  await until(
    async () => {
      await sleep(150) // each check queries the engine and reads every log
      return await violations(lab)
    },
    (list) => list.length === 0,
    SETTLED_WITHIN_MS,
  )
}

type Watched = { beside: string; old?: string; appId: number }

/** Polls the health of the server and the pages that must stay available, until stopped. */
function startWatch(lab: DeployLab, watched: Watched) {
  const done = new AbortController()
  const states: Health['status'][] = []
  const wrong: string[] = []

  const isTakenOver = () =>
    readRows<{ status: string; rank: number }>(
      lab.berth.dataDir,
      'select status from deployment where app_id = ? order by id desc limit 1',
      watched.appId,
    )[0]?.status === 'success'

  async function lookOnce(): Promise<void> {
    const signal = AbortSignal.timeout(10_000)
    const health = await fetch(`${lab.berth.baseUrl}/health`, { signal })
    states.push(((await health.json()) as Health).status) // its schema is checked elsewhere
    await lab.owner.call('apps.listAll')
    if ((await bodyAt(watched.beside)) !== 'beside') wrong.push('the app beside did not answer')
    if (watched.old !== undefined && !isTakenOver() && !/^v\d$/.test(await bodyAt(watched.old)) && !isTakenOver())
      wrong.push('the old release did not answer before the new one had taken over')
  }

  async function look(): Promise<void> {
    while (!done.signal.aborted) {
      await lookOnce().catch((cause: unknown) => void wrong.push(`the server did not answer: ${String(cause)}`))
      await sleep(200)
    }
  }

  const looking = look()
  async function stop(fault: OutageFault | undefined): Promise<string[]> {
    const isWell = async () => {
      await sleep(200)
      return states.at(-1) === 'ok'
    }
    await until(isWell, (well) => well, 20_000).catch(() => void wrong.push('/health did not become ok again'))
    done.abort()
    await looking
    if (fault?.kind === 'cut' && fault.ms >= SURELY_NOTICED_MS && !states.includes('degraded')) wrong.push('/health never said degraded')
    return [...new Set(wrong)]
  }
  return { stop }
}

async function bodyAt(url: string): Promise<string> {
  return await fetch(url, { signal: AbortSignal.timeout(5000) })
    .then(async (answer) => await answer.text())
    .catch(String)
}

function faultName(fault: OutageFault | undefined): string {
  if (!fault) return 'none'
  if (fault.kind === 'cut') return `cut for ${fault.ms / 1000} s`
  return fault.kind === 'reset' ? 'reset' : `500 on ${fault.call}`
}

/** The kind of a call: names and numbers become a star. */
export function kindOfCall(request: string): string {
  return request
    .replace(/^(\w+ \/images)\/(?!json$|create$)(.+?)(\/json)?$/, '$1/**$3')
    .replace(/^(\w+ \/(?:containers|networks|volumes|exec))\/(?!json$|create$)[^/]+/, '$1/*')
}
