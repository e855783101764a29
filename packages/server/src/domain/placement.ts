import type { AllowedServers } from '../engine/swarm/nodes.ts'

/** The setting of an app, in the words of the contract. `this` is the server that Berth runs on. */
export function serversOf(placement: string): AllowedServers | 'this' {
  if (placement === 'this') return 'this'
  const [kind, name = ''] = placement.split(':')
  return kind === 'server' ? { serverId: name } : kind === 'label' ? { label: name } : {}
}

/** For sentences. */
export function placementWords(placement: string): string {
  const servers = serversOf(placement)
  if (servers === 'this') return 'the server that Berth runs on'
  if (servers.serverId !== undefined) return `the server ${servers.serverId}`
  return servers.label === undefined ? 'any server' : `servers with the label ${servers.label}`
}
