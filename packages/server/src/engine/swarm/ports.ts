/** Managers listen on it: joining and control. */
export const MANAGER_PORT = 2377
/** Over TCP and UDP: which container is where. */
export const GOSSIP_PORT = 7946
/** Over UDP: traffic between containers. Who sends to it chooses the network that a packet arrives in. */
export const OVERLAY_PORT = 4789

/** Where the engines of all servers take each other at their word. */
export const SWARM_PORTS = { tcp: [MANAGER_PORT, GOSSIP_PORT], udp: [GOSSIP_PORT, OVERLAY_PORT] } as const
