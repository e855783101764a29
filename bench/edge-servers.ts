import { ensureNodeImage, NODE_IMAGE } from '../packages/server/testing/images/node-image.ts'
import { until } from '../packages/server/testing/labs/deploy-lab.ts'
import { openPlacedLab } from '../packages/server/testing/labs/placed-lab.ts'
import { rate } from './lib/load.ts'
import { median, numberFlag, say } from './lib/numbers.ts'

/**
 * Requests per second through the edge of the first server to a replica on another server, as a share of one on the first server. The
 * servers are engines on this machine, so this is what the network over the servers costs, without a wire.
 */
const rounds = numberFlag('rounds', 20)
const seconds = numberFlag('seconds', 1)
const connections = numberFlag('connections', 32)

const FILES = {
  Dockerfile: `FROM ${NODE_IMAGE}\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n`,
  'server.js': `const answer = JSON.stringify({ text: 'x'.repeat(200) })
require('node:http').createServer((_, response) => response.end(answer)).listen(process.env.PORT)
`,
}

await using lab = await openPlacedLab({ nodes: 2 })
await ensureNodeImage(lab.engine)

async function begin(name: string, more: { volumes?: { name: string; path: string }[] }): Promise<string> {
  const host = `${name}.example.test`
  const app = await lab.createApp(name, FILES)
  await lab.owner.call('apps.update', { appId: app.id, ...more })
  await lab.owner.call('domains.create', { appId: app.id, domain: host })
  const { status, error_message } = await lab.deploy(app.id)
  if (status !== 'success') throw new Error(error_message)
  const { server } = await until(
    async () => await lab.owner.call('containers.status', { appId: app.id }),
    ({ state }) => state === 'running',
  )
  say(`${name} runs on ${server ?? 'the first server'}`)
  return host
}

const here = await begin('here', { volumes: [{ name: 'data', path: '/data' }] }) // with a volume it stays on the first server
const there = await begin('there', {})
const ask = async (host: string) =>
  await rate({ method: 'GET', path: '/', body: '', url: `http://${lab.here.address}`, headers: { Host: host }, connections }, seconds)
for (const host of [here, there]) await ask(host)
const shares: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const isHereFirst = round % 2 === 0
  const earlier = await ask(isHereFirst ? here : there)
  const later = await ask(isHereFirst ? there : here)
  const [local, remote] = isHereFirst ? [earlier, later] : [later, earlier]
  shares.push(remote / local)
  say(`  here ${local.toFixed(0)}/s  there ${remote.toFixed(0)}/s  share ${(remote / local).toFixed(3)}`)
}
say(`throughput to a replica on another server as a share of a local one: ${median(shares).toFixed(2)}`)
