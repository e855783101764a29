import { isIP } from 'node:net'
import { basename } from 'node:path'
import { commandsIn } from './engine-process-cgroup.ts'

export type ProxyTarget = { readonly address: string; readonly port: number }

/** The containers to which the engine's proxies for published ports forward connections. */
export async function proxyTargets(group: string): Promise<ProxyTarget[]> {
  return (await commandsIn(group)).flatMap((command) => proxyTargetOf(command) ?? [])
}

export function proxyTargetOf(command: readonly string[]): ProxyTarget | undefined {
  const valueOf = (flag: string) => command[command.indexOf(flag) + 1] ?? ''
  const [program = ''] = command
  const [address, port] = [valueOf('-container-ip'), Number(valueOf('-container-port'))]
  if (basename(program) !== 'docker-proxy' || valueOf('-proto') !== 'tcp') return undefined
  return isIP(address) !== 0 && Number.isInteger(port) && port > 0 && port < 65_536 ? { address, port } : undefined
}
