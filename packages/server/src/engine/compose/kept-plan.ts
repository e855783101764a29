import { field, record, texts } from '../api/json.ts'
import { composeProjectName, LABEL, sharedLabel } from '../labels.ts'
import { planParsed } from './policy.ts'
import type { ComposePlan } from './stack.ts'

/** Parses a stored plan, including those of versions that stored a file for the Compose CLI. */
export function parsePlan(kept: string): ComposePlan {
  const value: unknown = JSON.parse(kept)
  const file = field(value, 'file')
  // Both kinds are written by us alone.
  return typeof file === 'string' ? fromFile(file, value as Pick<ComposePlan, 'builds' | 'routedService'>) : (value as ComposePlan)
}

const OURS = ['labels', 'security_opt', 'pids_limit', 'logging', 'init']

/** What was passed to Compose is itself a compose file, so it is parsed as one. Containers started from it keep their label. */
function fromFile(file: string, { builds, routedService }: Pick<ComposePlan, 'builds' | 'routedService'>): ComposePlan {
  const given = Object.entries(record(field(JSON.parse(file), 'services')))
  const services = given.map(([name, service]) => {
    const { app } = record(field(service, 'networks')) // its place among the containers of the project is ours to say
    const plain = Object.entries(record(service)).filter(([key]) => !OURS.includes(key))
    return [name, { ...Object.fromEntries(plain), networks: { app } }] as const
  })
  const labels = texts(field(given[0]?.[1], 'labels'))
  const { services: read, published = [] } = planParsed(
    { services: Object.fromEntries(services) },
    {
      env: {},
      volumePrefix: composeProjectName(labels[LABEL.instance] ?? '', Number(labels[LABEL.app])),
      port: null,
      reservedPorts: [],
      newImageName: () => '',
    },
  )
  const definitions = new Map(given.map(([name, service]) => [name, definitionOf(record(service))]))
  const portsOf = (name: string) =>
    published
      .filter(({ service }) => service === name)
      .map(({ host, hostIp, container, protocol }) => ({ host, hostIp, container, protocol }))
  return {
    // Compose opened the ports of the file itself
    services: read.map((service) => ({ ...service, ports: portsOf(service.name), definition: definitions.get(service.name) ?? '' })),
    builds,
    routedService,
  }
}

function definitionOf(service: Readonly<Record<string, unknown>>): string {
  const labels = { ...texts(service['labels']), [LABEL.deployment]: '' }
  return sharedLabel(JSON.stringify({ ...service, labels }))
}
