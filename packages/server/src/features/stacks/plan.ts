import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StackPlan } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { SourceError } from '../../git/errors.ts'
import type { Git } from '../../git/git.ts'
import type { Source } from '../../git/git-visit.ts'
import { AppError } from '../../lib/app-error.ts'
import { createLimiter, type Limiter, LimiterFull } from '../../lib/limiter.ts'
import type { JudgedStack, JudgeStack, StackWish } from '../deployments/release/compose/judge-stack.ts'

type Deps = {
  git: Pick<Git, 'resolveCommit' | 'checkout'>
  judge: JudgeStack
  /** The directory for temporary checkouts. */
  workDir: string
  /** Shared with other checks of sources. */
  limiter: Limiter
}
export type RepositoryWish = StackWish & { readonly source: Omit<Source, 'signal'>; readonly branch: string | null }

/** Smaller limits than for a deployment, because a person is waiting for the answer. */
const LOOK = { limits: { maxBytes: 50 * 1024 ** 2, maxFiles: 200_000 }, timeoutMs: 20_000 }
/** A file is parsed on the main thread, so each person may use at most a quarter of its time. */
const TEXTS = { running: 2, runningPerKey: 1, waiting: 200, waitingPerKey: 4, waitMs: 20_000 }
const PAUSES = 3

/** What a deployment would make of a compose file, without deploying it. */
export function createStackPlans({ git, judge, workDir, limiter }: Deps) {
  const texts = createLimiter(TEXTS)

  async function inTurn<Result>(queue: Limiter, caller: Pick<Caller, 'id'>, work: () => Promise<Result>): Promise<Result> {
    try {
      return await queue.run(caller.id, work)
    } catch (cause) {
      if (cause instanceof LimiterFull) throw new AppError('too_many_source_checks', { cause })
      if (cause instanceof SourceError) throw new AppError('invalid_source', { message: cause.message, cause })
      throw cause
    }
  }

  async function ofText(caller: Pick<Caller, 'id'>, text: string, wish: StackWish): Promise<StackPlan> {
    return await inTurn(texts, caller, async () => {
      const began = performance.now()
      const plan = presented(judge.ofText(text, wish), wish)
      await sleep(PAUSES * (performance.now() - began))
      return plan
    })
  }

  async function ofRepository(caller: Pick<Caller, 'id'>, wish: RepositoryWish): Promise<StackPlan> {
    return await inTurn(limiter, caller, async () => await look(wish))
  }

  async function look({ source: given, branch, ...wish }: RepositoryWish): Promise<StackPlan> {
    const signal = AbortSignal.timeout(LOOK.timeoutMs)
    const into = await mkdtemp(join(workDir, 'plan-'))
    try {
      const source = { ...given, signal }
      const { hash } = await git.resolveCommit({ ...source, branch })
      await git.checkout({ ...source, hash, branch, into, within: LOOK })
      return presented(await judge.ofCheckout(into, wish, signal), wish)
    } catch (cause) {
      if (signal.aborted) throw new SourceError('The repository did not answer within 20 seconds.', { cause })
      throw cause
    } finally {
      await rm(into, { recursive: true, force: true })
    }
  }

  return { ofText, ofRepository }
}

export type StackPlans = ReturnType<typeof createStackPlans>

function presented({ file, plan, objections, variables }: JudgedStack, { env }: StackWish): StackPlan {
  return {
    file,
    isAccepted: objections.length === 0,
    services: plan.services.map(({ name, image, dependsOn, mounts }) => {
      const isBuilt = plan.builds.some(({ service }) => service === name)
      return {
        name,
        image: isBuilt ? '' : image,
        isBuilt,
        isRouted: name === plan.routedService || (plan.alsoRouted?.includes(name) ?? false),
        dependsOn: dependsOn.map(({ service }) => service),
        volumes: mounts.map(({ path, readOnly = false }) => ({ path, readOnly })),
        publishes: (plan.published ?? [])
          .filter(({ service }) => service === name)
          .map(({ container, protocol, host }) => ({ container, protocol, host })),
      }
    }),
    notes: [...(plan.notes ?? [])],
    refused: [...objections],
    variables: variables.map(({ name, fallback, isNeeded, words }) => {
      return { name, default: fallback, isRequired: isNeeded, isSet: Object.hasOwn(env, name), message: words }
    }),
  }
}
