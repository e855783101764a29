import { afterAll, expect, it } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { openTestEngine } from '../../testing/images/test-images.ts'
import { createTransport, type Transport } from './api/transport.ts'
import { labelsOf, projectNetworkName } from './labels.ts'
import { createNetworks } from './networks.ts'

const test = openTestEngine()
const { engine, instance } = test
const transport = createTransport({ address: { socketPath: engineSocketPath() } })
afterAll(() => test[Symbol.asyncDispose]())

/** As by another node, at the same moment: the engine does not notice that the name is taken. */
async function createTwin(projectId: number): Promise<void> {
  const Labels = labelsOf({ instance, kind: 'network', projectId })
  const body = { Name: projectNetworkName(instance, projectId), CheckDuplicate: false, Driver: 'bridge', Labels }
  await transport.json({ method: 'POST', path: '/networks/create', body })
}
async function idsOf(projectId: number): Promise<string[]> {
  const found = await engine.networks.list({ labels: labelsOf({ instance, kind: 'network', projectId }) })
  return found.map(({ id }) => id)
}

it('a network that another node creates at the same moment is used, and there is one of the name', async () => {
  let isFirst = true
  const json: Transport['json'] = async (wanted) => {
    const answer = await transport.json(wanted)
    if (wanted.path === '/networks/create' && isFirst) {
      isFirst = false
      await createTwin(1)
    }
    return answer
  }
  const network = await createNetworks({ transport: { ...transport, json } }).ensureProjectNetwork({ instance, projectId: 1 })
  expect([isFirst, await idsOf(1)]).toEqual([false, [network.id]])
})

it('two networks of a name that a crash left become one', async () => {
  await createTwin(2)
  await createTwin(2)
  expect(await idsOf(2)).toHaveLength(2)
  const network = await engine.networks.ensureProjectNetwork({ instance, projectId: 2 })
  expect(await idsOf(2)).toEqual([network.id])
  expect(await engine.networks.ensureProjectNetwork({ instance, projectId: 2 })).toMatchObject({ id: network.id })
})
