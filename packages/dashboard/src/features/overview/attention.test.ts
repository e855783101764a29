import type { Deployment, Domain, Health, ListedApplication } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { concernsOf, groupsOf } from './attention.ts'

const calm = { apps: [], lastDeployments: [], domains: [], health: undefined, metrics: undefined, mayAdmin: true }
const application = (part: Partial<ListedApplication>) =>
  ({ id: 1, name: 'shop', status: 'running', status_reason: '', ...part }) as ListedApplication // only what is looked at
const disk = (percent: number) => ({ disk: { used: percent, total: 100, percent } })

describe('what needs attention', () => {
  it('is nothing when all is well', () => {
    expect(concernsOf({ ...calm, apps: [application({})], metrics: disk(40) })).toEqual([])
  })

  it('names a crashed app with its reason', () => {
    const [concern] = concernsOf({ ...calm, apps: [application({ status: 'error', status_reason: 'It exited with code 1.' })] })
    expect(concern).toMatchObject({ tone: 'bad', title: 'shop is down', reason: 'It exited with code 1.', to: '/apps/1' })
  })

  it('leads from a failed redeploy of a running app to its log', () => {
    const failed = { id: 9, app_id: 1, status: 'failed', error_message: 'No Dockerfile.' } as Deployment // only what is looked at
    const [concern] = concernsOf({ ...calm, apps: [application({})], lastDeployments: [failed] })
    expect(concern).toMatchObject({ tone: 'warn', reason: 'No Dockerfile.', to: '/apps/1/deployments/9' })
  })

  it('warns of a full disk, a bad certificate and a part that does not work, worst first', () => {
    const domain = { id: 3, appId: 1, domain: 'a.example.com', sslStatus: 'failed', sslError: 'Refused.', dnsStatus: 'ok' } as Domain // only what is looked at
    const health: Health = {
      status: 'degraded',
      version: '1',
      uptime: 1,
      checks: { database: 'ok', engine: 'unreachable', edge: 'starting', queue: 'ok' },
      messages: { engine: 'Start Docker.', dashboard: 'There is no new certificate for berth.example.com: Refused.' },
    }
    const found = concernsOf({ ...calm, domains: [domain], health, metrics: disk(96) })
    expect(found.map(({ id, tone }) => [id, tone])).toEqual([
      ['health-engine', 'bad'],
      ['disk', 'bad'],
      ['notice-dashboard', 'warn'],
      ['domain-3-failed-ok', 'warn'],
    ])
  })

  it('is told by kind, with how many there are', () => {
    const apps = [1, 2, 3].map((id) => application({ id, name: `app ${id}`, status: 'error' }))
    const groups = groupsOf(concernsOf({ ...calm, apps, metrics: disk(90) }))
    expect(groups.map(({ title, concerns }) => [title, concerns.length])).toEqual([
      ['Server', 1],
      ['3 apps are down', 3],
    ])
  })
})
