import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { listeningPortsIn } from '../../src/lib/proc-net.ts'
import { removeEngineFirewall } from '../../src/provision/engine-firewall.ts'
import { engineGroup } from '../../src/provision/engine-process-cgroup.ts'
import { engineSocketPath } from './engine-proxy.ts'

const run = promisify(execFile)
const iptables = async (...args: string[]) => (await run('iptables', ['-w', '5', ...args])).stdout

/** A server that was killed leaves rules that keep the engine from this machine. Those of one that runs stay. */
async function removeLeftoverFirewalls(): Promise<void> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(async (file) => await readFile(file, 'utf8').catch(() => '')))
  const inUse = new Set(listeningPortsIn(tables).map(({ port }) => port))
  const walled = [...(await iptables('-S', 'OUTPUT')).matchAll(/-j BERTH-E-(\d+)$/gm)].map(([, port]) => Number(port))
  for (const port of walled.filter((each) => !inUse.has(each))) await removeEngineFirewall(port)
}

/**
 * Lets the engine connect to a port of a test, although another Berth on this machine may keep it from that: its rules come after this one.
 * The rules of a server that is started later come before it, and count as usual.
 */
export async function letEngineReach(port: number): Promise<() => Promise<void>> {
  await removeLeftoverFirewalls()
  const group = await engineGroup(engineSocketPath())
  if (group === undefined) return async () => undefined // then no server has rules for it
  const rule = ['OUTPUT', '-m', 'cgroup', '--path', group, '-p', 'tcp', '--dport', String(port), '-j', 'ACCEPT']
  await iptables('-I', ...rule)
  return async () => void (await iptables('-D', ...rule))
}
