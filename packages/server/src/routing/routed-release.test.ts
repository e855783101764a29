import { describe, expect, it } from 'vitest'
import { NO_SERVICE } from '../domain/artifact.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import { pageOf, strayTargets, targetsOf } from './routed-release.ts'
import type { RoutedApp } from './store.ts'

const APP: RoutedApp = {
  id: 1,
  projectId: 1,
  ownerId: 1,
  port: 80,
  replicas: 1,
  status: 'running',
  wanted: 'running',
  activeId: 5,
  mainService: '',
}
const container = (deploymentId: number | 'shared', ip: string, state = 'running', service: string | null = null): ContainerSummary => ({
  id: ip,
  name: ip,
  image: '',
  status: '',
  createdAt: '',
  state,
  ips: { net: ip },
  owner: { instance: 'abc', projectId: 1, appId: 1, deploymentId, definition: null, service, replica: 1 },
})
const known = { network: 'net', port: 80, ahead: undefined, containers: [container(5, '10.0.0.5'), container(6, '10.0.0.6')] }

const NOWHERE = { targets: [], fallback: [] }
const [live, ahead] = [
  { ip: '10.0.0.5', port: 80 },
  { ip: '10.0.0.6', port: 81 },
]

describe('the targets of an app', () => {
  it('are the running containers of the live release, on the port it was started with', () => {
    expect(targetsOf(APP, known)).toEqual({ targets: [live], fallback: [] })
    expect(targetsOf(APP, { ...known, containers: [container(5, '10.0.0.5', 'exited')] })).toEqual(NOWHERE)
    expect(targetsOf({ ...APP, activeId: null }, known)).toEqual(NOWHERE)
  })

  it('are containers that are about to be replaced as long as none runs', () => {
    const replaced = { ...container(5, '', 'restarting'), lastIps: { net: '10.0.0.9' } }
    expect(targetsOf(APP, { ...known, containers: [replaced] })).toEqual({ targets: [{ ip: '10.0.0.9', port: 80 }], fallback: [] })
    expect(targetsOf(APP, { ...known, containers: [replaced, ...known.containers] })).toEqual({ targets: [live], fallback: [] })
    expect(targetsOf({ ...APP, wanted: 'stopped' }, { ...known, containers: [replaced] })).toEqual(NOWHERE)
  })

  it('are the release that is being put in place, with the live one behind it, until that one dies', () => {
    expect(targetsOf(APP, { ...known, ahead })).toEqual({ targets: [ahead], fallback: [live] })
    const containers = [container(5, '10.0.0.5'), container(6, '10.0.0.6', 'exited')]
    expect(targetsOf(APP, { ...known, ahead, containers })).toEqual({ targets: [live], fallback: [] })
  })

  it('are never services that all releases share, nor containers without an address', () => {
    const containers = [container('shared', '10.0.0.4'), container(5, ''), ...known.containers]
    expect(targetsOf(APP, { ...known, containers })).toEqual({ targets: [live], fallback: [] })
  })

  it('are none as soon as the app is to be stopped', () => {
    expect(targetsOf({ ...APP, wanted: 'stopped' }, known)).toEqual(NOWHERE)
    expect(pageOf({ ...APP, wanted: 'stopped' })).toBe('stopped')
  })
})

describe('the services of an app with domains of their own', () => {
  const stack = { ...APP, mainService: 'web' }
  const containers = [
    container(5, '10.0.0.5', 'running', 'web'),
    container(5, '10.0.0.7', 'running', 'api'),
    container(6, '10.0.0.8', 'running', 'api'),
  ]

  it('have targets of their own, at their own port or that of the app', () => {
    expect(targetsOf(stack, { ...known, containers })).toEqual({ targets: [live], fallback: [] })
    const api = { ip: '10.0.0.7', port: 9000 }
    expect(targetsOf(stack, { ...known, containers }, { service: 'api', port: 9000 })).toEqual({ targets: [api], fallback: [] })
    expect(targetsOf(stack, { ...known, containers }, { service: 'api', port: null }).targets).toEqual([{ ...api, port: 80 }])
    expect(targetsOf(stack, { ...known, containers }, { service: 'db', port: 1 })).toEqual(NOWHERE)
  })

  it('are switched with the app, each with the one before behind it', () => {
    const services = new Map([['api', ['10.0.0.8']]])
    const seen = { ...known, containers, ahead: { ...ahead, services, isOfServices: true } as const }
    const behind = { targets: [{ ip: '10.0.0.8', port: 9000 }], fallback: [{ ip: '10.0.0.7', port: 9000 }] }
    expect(targetsOf(stack, seen, { service: 'api', port: 9000 })).toEqual(behind)
    expect(targetsOf(stack, seen)).toEqual({ targets: [live], fallback: [] })
  })
})

it('finds what a crash left running', () => {
  const ports = new Set([80, 81, null])
  expect(strayTargets(APP, { ...known, ports })).toEqual([[{ ip: '10.0.0.6', port: 80 }], [{ ip: '10.0.0.6', port: 81 }]])
})

it('says why nobody answers', () => {
  expect(pageOf({ ...APP, status: 'deploying' })).toBe('starting')
  expect(pageOf({ ...APP, status: 'error' })).toBe('down')
})

it('a domain that names no service leads nowhere while no service has the port of the app', () => {
  const containers = [container(5, '10.0.0.5', 'running', 'db'), container(5, '10.0.0.7', 'running', 'api')]
  const stack = { ...APP, mainService: NO_SERVICE }
  expect(targetsOf(stack, { ...known, containers })).toEqual(NOWHERE)
  expect(targetsOf(stack, { ...known, containers }, { service: 'api', port: 80 }).targets).toHaveLength(1)
})

describe('replicas', () => {
  const replica = (number: number, ip: string, state = 'running'): ContainerSummary => {
    const { owner, ...rest } = container(5, ip, state)
    return { ...rest, owner: { ...owner, replica: number } }
  }
  const three = [replica(1, '10.0.0.1'), replica(2, '10.0.0.2'), replica(3, '10.0.0.3')]
  const ips = (app: RoutedApp, containers: readonly ContainerSummary[], silent: readonly string[] = []) =>
    targetsOf(app, { ...known, containers, isReady: ({ id }) => !silent.includes(id) }).targets.map(({ ip }) => ip)

  it('all get visitors, except those that are down or do not answer', () => {
    const app = { ...APP, replicas: 3 }
    expect(ips(app, three)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
    expect(ips(app, [...three.slice(0, 2), replica(3, '10.0.0.3', 'exited')])).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(ips(app, three, ['10.0.0.2'])).toEqual(['10.0.0.1', '10.0.0.3'])
    expect(ips(app, three, ['10.0.0.1', '10.0.0.2', '10.0.0.3'])).toHaveLength(3) // an error of the app says more than a page of ours
  })

  it('beyond the wanted number get visitors only if no other answers', () => {
    expect(ips(APP, three)).toEqual(['10.0.0.1'])
    expect(ips(APP, three, ['10.0.0.1'])).toEqual(['10.0.0.2', '10.0.0.3'])
  })

  it('of a new release get visitors together, and only while all of them run', () => {
    const ahead = { ip: '10.0.0.7', port: 80, others: ['10.0.0.8'] }
    const next = [container(6, '10.0.0.7'), container(6, '10.0.0.8')]
    const seen = { ...known, ahead, containers: [...three, ...next] }
    expect(targetsOf({ ...APP, replicas: 3 }, seen).targets.map(({ ip }) => ip)).toEqual(['10.0.0.7', '10.0.0.8'])
    expect(targetsOf({ ...APP, replicas: 3 }, { ...seen, containers: [...three, ...next.slice(1)] }).targets).toHaveLength(3)
  })
})
