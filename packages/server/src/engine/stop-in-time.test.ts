import { expect, it } from 'vitest'
import type { ContainerDetails } from './container-state.ts'
import { createStopInTime } from './stop-in-time.ts'

function lab(graces: Readonly<Record<string, number>>) {
  const done: unknown[] = []
  const ends = Promise.withResolvers<void>()
  const containers = {
    // what is looked at
    inspect: async (id: string) => ({ stopGraceSeconds: graces[id] ?? null }) as ContainerDetails,
    async stop(id: string, grace: number) {
      done.push(['stop', id, grace])
      await ends.promise
    },
    restart: async (id: string, grace: number) => void done.push(['restart', id, grace]),
  }
  return { done, end: ends.resolve, ...createStopInTime({ engine: { containers }, graceSeconds: 10 }) }
}

it('a container is stopped and restarted in the time that it asks for, or in ours', async () => {
  const { stop, restart, end, done } = lab({ db: 90 })
  end()
  for (const id of ['db', 'web']) {
    await stop(id)
    await restart(id)
  }
  expect(done).toEqual([
    ['stop', 'db', 90],
    ['restart', 'db', 90],
    ['stop', 'web', 10],
    ['restart', 'web', 10],
  ])
})

it('says which ones are being stopped, until the last of those who asked is done', async () => {
  const { stop, isUnderWay, end } = lab({})
  const both = [stop('db'), stop('db')]
  expect([isUnderWay('db'), isUnderWay('web')]).toEqual([true, false])
  end()
  await Promise.all(both)
  expect(isUnderWay('db')).toBe(false)
})
