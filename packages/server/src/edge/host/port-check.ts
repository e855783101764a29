import { createServer } from 'node:net'
import { errorCode } from '../../lib/error-code.ts'
import { portHolder } from './port-holder.ts'

/**
 * Undefined when the port can be bound, or is shared with this program; otherwise a sentence that names the port, its holder and the setting.
 */
export async function portProblem(port: number, setting: string, sharedWith?: string): Promise<string | undefined> {
  // without the right to bind low ports we cannot check; the edge itself starts with that right
  if ((await tryListen(port, '0.0.0.0')) !== 'EADDRINUSE') return undefined
  const holder = await portHolder(port)
  if (sharedWith !== undefined && (holder === undefined || holder === sharedWith)) return undefined
  const who = holder === undefined ? 'another program' : `another program (${holder})`
  return `Port ${port} is taken by ${who}. Stop it, or choose another port with ${setting} and start again.`
}

/** Whether this machine has IPv6 at all. */
export async function hasIpv6(): Promise<boolean> {
  return (await tryListen(0, '::')) === undefined
}

function tryListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(errorCode(error) ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
