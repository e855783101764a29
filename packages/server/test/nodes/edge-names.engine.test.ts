import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { EdgeContainerSpec } from '../../src/edge/host/container.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { ensureBusybox } from '../../testing/images/test-images.ts'

it('an edge of a node replaces the one of a Berth without a name, and the other way round, and nodes leave each other alone', {
  tags: 'long',
}, async () => {
  const log = { info: () => undefined, warn: () => undefined }
  const engine = createEngine({ address: { socketPath: engineSocketPath() }, log, now: () => new Date() })
  const image = await ensureBusybox(engine)
  const instance = randomBytes(6).toString('hex')
  const hostOf = (node?: string) => engine.edgeHost({ instance, node, ensureProgram: async () => undefined })
  // what runs in it does not matter here: only which containers there are
  const spec: EdgeContainerSpec = {
    image,
    command: ['sleep', '600'],
    fingerprint: 'x',
    user: '0:0',
    network: 'host',
    restart: 'always',
    readOnlyRoot: true,
    mounts: [],
    capDrop: ['ALL'],
    capAdd: [],
    noNewPrivileges: true,
    openFiles: 64,
    stopSignal: 'SIGUSR1',
    stopTimeoutS: 1,
  }
  const run = async (node?: string) => {
    const host = hostOf(node)
    await host.removeEdge()
    await host.runEdge(spec)
    return (await engine.containers.list({ labels: { 'berth.instance': instance } }))
      .map(({ name }) => name.replace(`berth-${instance}-`, ''))
      .toSorted()
  }
  try {
    expect(await run()).toEqual(['edge'])
    expect(await run('a')).toEqual(['edge-a'])
    expect([await run('b'), await hostOf('b').hasSiblings(), await hostOf().hasSiblings()]).toEqual([['edge-a', 'edge-b'], true, false])
    expect(await run('a')).toEqual(['edge-a', 'edge-b'])
    await hostOf('a').removeEdgeOf('b')
    expect(await hostOf('a').hasSiblings()).toBe(false)
    await run('b')
    expect(await run()).toEqual(['edge'])
  } finally {
    await hostOf().removeEdge()
  }
})
