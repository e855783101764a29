import { request } from 'node:http'
import { connect } from 'node:net'
import type { EngineAddress } from '../engine/api/address.ts'
import { field, items, text } from '../engine/api/json.ts'
import { createTransport } from '../engine/api/transport.ts'
import { errorCode } from '../lib/error-code.ts'

const pingTimeoutMs = 3_000
const infoTimeoutMs = 10_000

/** Whether an engine responds there now. Never throws. */
export function engineAnswers(engine: EngineAddress, signal?: AbortSignal): Promise<boolean> {
  const deadline = AbortSignal.timeout(pingTimeoutMs)
  return new Promise((resolve) => {
    const ping = request({ ...engine, path: '/_ping', signal: signal ? AbortSignal.any([signal, deadline]) : deadline }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    ping.once('error', () => resolve(false))
    ping.end()
  })
}

/** Whether a process has that socket, even if it is too busy to respond. */
export function isListening({ socketPath }: { socketPath: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('error', (cause) => end(!['ENOENT', 'ECONNREFUSED'].includes(errorCode(cause) ?? '')))
  })
}

/** Whether the engine belongs to a swarm. False if unknown. */
export async function isInSwarm(engine: EngineAddress, signal?: AbortSignal): Promise<boolean> {
  const info = await createTransport({ address: engine })
    .json({ method: 'GET', path: '/info', signal, timeoutMs: infoTimeoutMs })
    .catch(() => null)
  return text(field(info, 'Swarm', 'LocalNodeState')) === 'active'
}

export type DefaultBridge = { readonly name: string; readonly subnet: string; readonly isIsolated: boolean }

/** The bridge on which the engine runs build steps, and whether it isolates its containers. Undefined if unknown. */
export async function defaultBridge(engine: EngineAddress, signal?: AbortSignal): Promise<DefaultBridge | undefined> {
  const network = await createTransport({ address: engine })
    .json({ method: 'GET', path: '/networks/bridge', signal, timeoutMs: infoTimeoutMs })
    .catch(() => null)
  const subnet = text(field(items(field(network, 'IPAM', 'Config'))[0], 'Subnet'))
  const name = text(field(network, 'Options', 'com.docker.network.bridge.name'))
  if (!/^[\w.-]+$/.test(name) || !/^[\d.]+\/\d+$/.test(subnet)) return undefined
  return { name, subnet, isIsolated: text(field(network, 'Options', 'com.docker.network.bridge.enable_icc')) === 'false' }
}
