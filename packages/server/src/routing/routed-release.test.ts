import { describe, expect, it } from 'vitest'
import type { ContainerSummary } from '../engine/container-state.ts'
import { pageOf, strayTargets, targetsOf } from './routed-release.ts'
import type { RoutedApp } from './store.ts'

const APP: RoutedApp = { id: 1, projectId: 1, port: 80, status: 'running', wanted: 'running', activeId: 5 }
const container = (deploymentId: number | 'shared', ip: string, state = 'running'): ContainerSummary => ({
  id: ip,
  name: ip,
  image: '',
  status: '',
  createdAt: '',
  state,
  ips: { net: ip },
  owner: { instance: 'abc', projectId: 1, appId: 1, deploymentId, definition: null, service: null },
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

  it('are the release that is being put in place, with the live one behind it, until that one dies', () => {
    expect(targetsOf(APP, { ...known, ahead })).toEqual({ targets: [ahead], fallback: [live] })
    const containers = [container(5, '10.0.0.5'), container(6, '10.0.0.6', 'exited')]
    expect(targetsOf(APP, { ...known, ahead, containers })).toEqual({ targets: [live], fallback: [] })
  })

  it('are never services that all releases share, nor containers without an address', () => {
    const containers = [container('shared', '10.0.0.4'), container(5, ''), ...known.containers]
    expect(targetsOf(APP, { ...known, containers })).toEqual({ targets: [live], fallback: [] })
  })

  it('are none as soon as the app shall be stopped', () => {
    expect(targetsOf({ ...APP, wanted: 'stopped' }, known)).toEqual(NOWHERE)
    expect(pageOf({ ...APP, wanted: 'stopped' })).toBe('stopped')
  })
})

it('finds what a crash left running', () => {
  const ports = new Set([80, 81, null])
  expect(strayTargets(APP, { ...known, ports })).toEqual([
    { ip: '10.0.0.6', port: 80 },
    { ip: '10.0.0.6', port: 81 },
  ])
})

it('says why nobody answers', () => {
  expect(pageOf({ ...APP, status: 'deploying' })).toBe('starting')
  expect(pageOf({ ...APP, status: 'error' })).toBe('down')
})
