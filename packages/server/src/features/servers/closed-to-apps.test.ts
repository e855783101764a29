import { expect, it } from 'vitest'
import { closedToApps, toldTo } from './closed-to-apps.ts'

const HERE = { addresses: ['198.51.100.1'], ports: [8080, 5443] }

it('a check tries the control plane, and the ports of Swarm here and on the server itself', () => {
  expect(closedToApps(HERE, '198.51.100.2').filter((each) => each.startsWith('198.51.100.'))).toEqual([
    '198.51.100.1:8080',
    '198.51.100.1:5443',
    '198.51.100.1:2377',
    '198.51.100.1:7946',
    '198.51.100.2:7946',
    '198.51.100.2:4789/udp',
  ])
})

it('containers of another server reach the ports of Swarm on no server, nor send from them', async () => {
  const { rules } = await toldTo({
    controlPlane: () => ({ addresses: [], ports: [] }),
    trust: async () => await Promise.resolve(undefined),
  })
  for (const chain of ['INPUT', 'DOCKER-USER']) {
    expect(rules).toContain(`${chain} -i docker_gwbridge -p tcp -m multiport --ports 2377,7946 -j REJECT --reject-with tcp-reset`)
    expect(rules).toContain(`${chain} -i docker_gwbridge -p udp -m multiport --ports 7946,4789 -j REJECT`)
  }
})
