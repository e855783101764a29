import { setTimeout as sleep } from 'node:timers/promises'
import type { StackPlan } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { AppError } from '../../lib/app-error.ts'
import { createLimiter, LimiterFull } from '../../lib/limiter.ts'
import type { CheckoutRequest, QuickCheckout } from '../apps/quick-checkout.ts'
import type { JudgedStack, JudgeStack, StackInput } from '../deployments/release/compose/judge-stack.ts'

type Deps = { judge: JudgeStack; quickCheckout: QuickCheckout }
export type RepositoryStack = StackInput & CheckoutRequest

/** A file is parsed on the main thread, so each person may use at most a quarter of its time. */
const TEXTS = { running: 2, runningPerKey: 1, waiting: 200, waitingPerKey: 4, waitMs: 20_000 }
const PAUSES = 3

/** What a deployment would make of a compose file, without deploying it. */
export function createStackPlans({ judge, quickCheckout }: Deps) {
  const texts = createLimiter(TEXTS)

  async function ofText(caller: Pick<Caller, 'id'>, text: string, input: StackInput): Promise<StackPlan> {
    const judged = async () => {
      const began = performance.now()
      const plan = presented(await judge.ofText(text, input), input)
      await sleep(PAUSES * (performance.now() - began))
      return plan
    }
    return await texts.run(caller.id, judged).catch((cause: unknown) => {
      throw cause instanceof LimiterFull ? new AppError('too_many_source_checks', { cause }) : cause
    })
  }

  async function ofRepository(caller: Pick<Caller, 'id'>, { source, branch, ...input }: RepositoryStack): Promise<StackPlan> {
    return await quickCheckout(caller, { source, branch }, async (directory, signal) =>
      presented(await judge.ofCheckout(directory, input, signal), input),
    )
  }

  return { ofText, ofRepository }
}

export type StackPlans = ReturnType<typeof createStackPlans>

function presented({ file, plan, objections, variables }: JudgedStack, { env }: StackInput): StackPlan {
  return {
    file,
    isAccepted: objections.length === 0,
    services: plan.services.map(({ name, image, dependsOn, mounts, replicas = 1 }) => {
      const isBuilt = plan.builds.some(({ service }) => service === name)
      return {
        name,
        image: isBuilt ? '' : image,
        isBuilt,
        isRouted: name === plan.routedService || (plan.alsoRouted?.includes(name) ?? false),
        replicas,
        dependsOn: dependsOn.map(({ service }) => service),
        volumes: mounts.map(({ path, readOnly = false }) => ({ path, readOnly })),
        publishes: (plan.published ?? [])
          .filter(({ service }) => service === name)
          .map(({ container, protocol, host }) => ({ container, protocol, host })),
      }
    }),
    notes: [...(plan.notes ?? []), ...foundPortNote(plan)],
    refused: [...objections],
    variables: variables.map(({ name, fallback, isNeeded, words }) => {
      return { name, default: fallback, isRequired: isNeeded, isSet: Object.hasOwn(env, name), message: words }
    }),
  }
}

function foundPortNote({ foundPort, routedService }: JudgedStack['plan']): string[] {
  return foundPort === undefined
    ? []
    : [`services.${routedService}: visitors reach it at port ${foundPort}, which becomes the port of the app.`]
}
