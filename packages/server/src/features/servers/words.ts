/** What switching Swarm on changes on this server. */
export const CHANGES: readonly string[] = [
  'Docker on this server is switched to Swarm mode. The containers that run now are not touched.',
  'Docker listens for other servers on the address you choose. Allow the ports below between your servers only, not from the internet.',
  'Networks between servers get addresses of 10.232.0.0/13. Their traffic is not encrypted: use a private network between the servers.',
  'Docker cannot be set to live-restore any more: if it restarts, containers restart too.',
]

/** The same for images, unless they are in a registry of the operator. */
export function imageChange(port: number): string {
  return `Berth listens on that address too, on port ${port}, with TLS and a password: the other servers get the images of apps there.`
}

export function imageUse(port: number): string {
  return `${port}/tcp, to this server: images of apps`
}

/** What the servers need of each other. */
export const PORTS: readonly string[] = [
  '2377/tcp, to managers: joining and control',
  '7946/tcp and 7946/udp: which container is where',
  '4789/udp: traffic between containers',
]

export const PLACING =
  'Apps without volumes run on the servers that have passed their check. Databases and apps with volumes run where their data is, and compose apps on this server.'

export const EDGE_LOST = 'The server does not answer. If it stays away, take its address out of your DNS.'

export const NOT_OURS =
  'Docker on this server already belongs to a Swarm that Berth did not create. Berth changes nothing in it. To use Berth with several servers, leave that Swarm first (docker swarm leave --force).'
export const IS_WORKER =
  'Docker on this server is a worker in a Swarm, so only its managers can be asked about servers. Leave that Swarm first (docker swarm leave).'
export const LIVE_RESTORE =
  'Docker runs with live-restore, which does not work with Swarm. Remove "live-restore" from /etc/docker/daemon.json, restart Docker and try again.'
export const NOT_ON = 'Swarm is not switched on: there is only this server.'
