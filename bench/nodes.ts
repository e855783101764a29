import { setTimeout as sleep } from 'node:timers/promises'
import { openNodesLab } from '../packages/server/testing/labs/nodes-lab.ts'
import { median, numberFlag, say } from './lib/numbers.ts'

/** Deployments per minute with one control plane and with three, on one PostgreSQL, one engine and this machine. */
const APPS = numberFlag('apps', 8)
const EACH = numberFlag('each', 3)
const ROUNDS = numberFlag('rounds', 3)

async function perMinute(names: readonly string[]): Promise<number> {
  await using lab = await openNodesLab(names)
  const apps = await lab.createApps(APPS)
  const owners = await Promise.all(names.map(async (name) => await lab.node(name).owner()))
  const deployAll = async () =>
    await Promise.all(apps.map(async ({ id }, n) => await owners[n % owners.length]?.call('deployments.add', { appId: id })))
  const left = async () => {
    const [row] = await lab.rows<{ left: string }>(
      `select count(*) as left from deployment where status in ('pending', 'building', 'deploying')`,
    )
    return Number(row?.left)
  }
  const done = async () => {
    while ((await left()) > 0) await sleep(50)
  }
  await deployAll() // the first build of each app is another work
  await done()
  const begin = performance.now()
  for (let round = 0; round < EACH; round += 1) await deployAll()
  await done()
  const minutes = (performance.now() - begin) / 60_000
  const failed = await lab.rows(`select id from deployment where status <> 'success'`)
  if (failed.length > 0) throw new Error(`${failed.length} deployments did not succeed`)
  return (APPS * EACH) / minutes
}

const [one, three]: [number[], number[]] = [[], []]
for (let round = 0; round < ROUNDS; round += 1) {
  one.push(await perMinute(['a']))
  three.push(await perMinute(['a', 'b', 'c']))
  say(`  one: ${one.at(-1)?.toFixed(1)} a minute, three: ${three.at(-1)?.toFixed(1)}`)
}
say(`deployments per minute: ${median(one).toFixed(1)} with one control plane, ${median(three).toFixed(1)} with three`)
