import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { until } from '../../testing/labs/deploy-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'
import { type NodesLab, openNodesLab } from '../../testing/labs/nodes-lab.ts'

const HOST = 'one.test'

/** Visits all the time, each over its own connection: the kernel spreads them over the edges. */
function keepVisiting({ ports }: NodesLab) {
  const answers: string[] = []
  let isOver = false
  const loops = Array.from({ length: 3 }, async () => {
    while (!isOver) {
      answers.push(await visit(ports, { host: HOST }).then(({ status, text }) => `${status} ${text.slice(0, 40)}`, String))
      await sleep(20)
    }
  })
  return {
    answers,
    end: async () => {
      isOver = true
      await Promise.all(loops)
    },
  }
}

async function edgesOf({ engine, instance }: NodesLab, names: readonly string[]): Promise<boolean[]> {
  const found = names.map(async (name) => (await engine.containers.inspect(`berth-${instance}-edge-${name}`))?.state === 'running')
  return await Promise.all(found)
}

it('nodes share the ports of visitors: no request is lost in a deployment, and the edge of a killed node is stopped until it is back', {
  timeout: 300_000,
}, async () => {
  await using lab = await openNodesLab(['a', 'b'], { hasEdges: true, tuning: { drainMs: 5000 } })
  const [app] = await lab.createApps(1)
  if (!app) throw new Error('there is no app')
  const owner = await lab.node('a').owner()
  await owner.call('domains.create', { appId: app.id, domain: HOST })
  const deploy = async (body: string) => {
    await app.commit(body)
    const { id } = await owner.call('deployments.add', { appId: app.id })
    const look = async () => (await owner.call('deployments.get', { id })).status
    expect(await until(look, (status) => !['pending', 'building', 'deploying'].includes(status))).toBe('success')
  }
  await until(
    async () => await edgesOf(lab, ['a', 'b']),
    (running) => running.every(Boolean),
  )
  await deploy('version 1')
  const visits = async () => await Promise.all(Array.from({ length: 20 }, async () => (await visit(lab.ports, { host: HOST })).text))
  await until(visits, (texts) => texts.every((text) => text === 'version 1'))

  const visiting = keepVisiting(lab)
  await deploy('version 2')
  await visiting.end()
  expect(visiting.answers.filter((answer) => !answer.startsWith('200 version'))).toEqual([])
  expect(visiting.answers.at(-1)).toBe('200 version 2')

  await lab.node('b').kill9()
  await deploy('version 3') // it waits until the edge of b is stopped
  expect(await edgesOf(lab, ['a', 'b'])).toEqual([true, false])
  expect(new Set(await visits())).toEqual(new Set(['version 3']))

  await lab.node('b').startAgain()
  await until(
    async () => await edgesOf(lab, ['a', 'b']),
    (running) => running.every(Boolean),
  )
  expect(new Set(await visits())).toEqual(new Set(['version 3']))
})
