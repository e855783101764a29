import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { removeEngineFirewall } from '../../src/provision/engine-firewall.ts'

const run = promisify(execFile)

/** Only for suites that run alone: a server that was killed in an earlier one leaves rules that keep the engine from this machine. */
export async function removeLeftoverEngineFirewalls(): Promise<void> {
  const { stdout } = await run('iptables', ['-w', '5', '-S', 'OUTPUT'])
  for (const [, port] of stdout.matchAll(/-j BERTH-E-(\d+)$/gm)) {
    await removeEngineFirewall(Number(port))
  }
}
