import type { Server } from '@berth/contract'

type Option = { value: string; label: string }

/** Where an app may run. `kept` is the value it has now, which is offered even if no server fits it any more. */
export function placementOptions(servers: readonly Pick<Server, 'id' | 'name' | 'isThis' | 'labels'>[], kept: string): Option[] {
  const labels = [...new Set(servers.flatMap((server) => server.labels))].toSorted()
  const options = [
    { value: '', label: 'Any server' },
    { value: 'this', label: 'The server that Berth runs on' },
    ...servers.filter(({ isThis }) => !isThis).map(({ id, name }) => ({ value: `server:${id}`, label: `Server ${name}` })),
    ...labels.map((label) => ({ value: `label:${label}`, label: `Servers with the label ${label}` })),
  ]
  return options.some(({ value }) => value === kept) ? options : [...options, { value: kept, label: `${kept} (not found)` }]
}
