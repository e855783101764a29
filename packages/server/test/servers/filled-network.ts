import { field, items, text } from '../../src/engine/api/json.ts'
import { until } from '../../testing/labs/deploy-lab.ts'
import type { Lab } from './shared-lab.ts'

/** More than a /24 has. */
const TOO_MANY = 300
const NOWHERE = 'node.labels.nowhere==true'

/** The services of Swarm on the first server of a lab, by hand. */
export function servicesByHand({ here }: Pick<Lab, 'here'>) {
  const docker = async (...args: string[]) => (await here.run('docker', ...args)).trim()

  async function create(name: string, network: string, args: readonly string[]): Promise<void> {
    const options = ['--detach', '--no-resolve-image', '--endpoint-mode', 'dnsrr', '--network', network]
    await docker('service', 'create', '--name', name, ...options, ...args)
  }

  /** Every task has an address as soon as one is free, also if it can run nowhere. Until then it is new. */
  async function statesOf(name: string): Promise<string[]> {
    const states = await docker('service', 'ps', name, '--filter', 'desired-state=running', '--format', '{{.CurrentState}}')
    return states === '' ? [] : states.split('\n').map((state) => state.split(' ')[0] ?? '')
  }

  async function addressOf(name: string): Promise<string> {
    const [task = ''] = (await docker('service', 'ps', name, '--filter', 'desired-state=running', '--quiet')).split('\n')
    const attached: unknown = JSON.parse(await docker('inspect', '--format', '{{json .NetworksAttachments}}', task))
    const [address] = items(field(items(attached)[0], 'Addresses'))
    return text(address).replace(/\/\d+$/, '')
  }

  /** Takes every address of a network, so that the next one to be freed is also the next one to be taken. Returns what ends that. */
  async function fill(network: string): Promise<() => Promise<void>> {
    const name = 'filler'
    await create(name, network, ['--replicas', String(TOO_MANY), '--constraint', NOWHERE, 'busybox', 'true'])
    const settled = async () => {
      const states = await statesOf(name)
      const without = states.filter((state) => state === 'New').length
      return { with: states.length - without, without }
    }
    let found = await settled()
    const isFull = async () => {
      const before = found
      found = await settled()
      return found.with + found.without === TOO_MANY && before.with === found.with
    }
    await until(isFull, Boolean, 60_000, 1000)
    await docker('service', 'scale', '--detach', `${name}=${found.with}`)
    await until(settled, (now) => now.without === 0 && now.with === found.with, 60_000, 500)
    return async () => void (await docker('service', 'rm', name))
  }

  return { docker, create, statesOf, addressOf, fill }
}
