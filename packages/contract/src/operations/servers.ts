import { operation } from '../operation.ts'
import {
  Managers,
  NewServer,
  RemovedServer,
  Server,
  ServerChange,
  ServerImageQuery,
  ServerInvitation,
  ServerOnly,
  Servers,
} from '../servers.ts'

/** The machines that Berth runs containers on. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const serverOperations = {
  'servers.list': operation({
    summary: 'List the servers: state, role, resources, and what runs there',
    method: 'GET', path: '/api/servers', may: 'admin', answer: Servers,
  }),
  'servers.add': operation({
    summary: 'Get a command that adds a server; for the first one this switches Swarm on, which needs your consent',
    method: 'POST', path: '/api/servers/add', may: 'owner', body: NewServer, answer: ServerInvitation,
  }),
  'servers.stopAdding': operation({
    summary: 'Make the command that adds a server invalid',
    method: 'POST', path: '/api/servers/stop-adding', may: 'owner', answer: Servers,
  }),
  'servers.check': operation({
    summary: 'Check a server: engine, clock, security, ports, and full-size packets between it and this server',
    method: 'POST', path: '/api/servers/check', may: 'owner', body: ServerOnly, answer: Server,
  }),
  'servers.update': operation({
    summary: 'Drain, pause or activate a server, switch its edge on or off, or set its labels; only the fields you send change',
    method: 'PUT', path: '/api/servers/update', may: 'owner', body: ServerChange, answer: Server,
  }),
  'servers.setManagers': operation({
    summary: 'Set which servers are managers: one or three; the others become workers',
    method: 'PUT', path: '/api/servers/managers', may: 'owner', body: Managers, answer: Servers,
  }),
  'servers.remove': operation({
    summary: 'Remove a server that is drained or down',
    method: 'DELETE', path: '/api/servers/remove', may: 'owner', body: ServerOnly, answer: RemovedServer,
  }),
  'servers.turnOff': operation({
    summary: 'Switch Swarm off again, once only this server is left',
    method: 'POST', path: '/api/servers/turn-off', may: 'owner', answer: Servers,
  }),
  'servers.image': operation({
    summary: 'Download the image that a new server needs, with the token of its command',
    method: 'GET', path: '/api/servers/image', may: 'anyone', query: ServerImageQuery, shape: 'file',
  }),
} as const
