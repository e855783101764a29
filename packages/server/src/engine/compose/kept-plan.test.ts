import { expect, it } from 'vitest'
import { sharedLabel } from '../labels.ts'
import { parsePlan } from './kept-plan.ts'

const OURS = {
  security_opt: ['no-new-privileges:true'],
  pids_limit: 512,
  init: true,
  logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
}
const labels = (service: string, deployment: string) => ({
  'berth.instance': 'abc',
  'berth.kind': 'compose',
  'berth.project': '3',
  'berth.app': '7',
  'berth.deployment': deployment,
  'berth.service': service,
})
const db = {
  environment: { COST: '$$5' },
  healthcheck: { test: 'pg_isready', interval: '1500ms' },
  stop_grace_period: '90s',
  image: 'docker.io/library/postgres:17',
  volumes: [
    { type: 'volume', source: 'data', target: '/data' },
    { type: 'tmpfs', target: '/cache' },
  ],
  mem_limit: 268_435_456,
  labels: labels('db', 'shared-0123456789ab'),
  networks: { app: { aliases: ['db', 'store'] } },
  cap_drop: ['NET_RAW', 'MKNOD'],
  ...OURS,
}
const web = {
  command: 'node "my app.js"',
  depends_on: { db: { condition: 'service_healthy' } },
  restart: 'on-failure:3',
  image: 'berth/0123:release',
  ports: ['127.0.0.1:9000:9000/tcp'],
  labels: labels('web', '41'),
  networks: { app: { aliases: ['web'] }, project: { aliases: ['shop'], ipv4_address: '10.224.0.130' } },
  cap_drop: ['NET_RAW', 'MKNOD', 'ALL'],
  ...OURS,
}
const builds = [{ service: 'web', context: 'web', dockerfile: 'Dockerfile', args: {}, image: 'berth/0123:release' }]
const networks = { app: { external: true, name: 'berth-abc-app-7-network' } }
const file = JSON.stringify({ services: { web, db }, volumes: { data: {} }, networks })
const kept = JSON.stringify({ file, builds, services: ['web', 'db'], routedService: 'web' })

it('a plan that an earlier version stored for the Compose CLI is read like a current one', () => {
  const plan = parsePlan(kept)
  expect([plan.routedService, plan.builds]).toEqual(['web', builds])
  expect(plan.services).toEqual([
    {
      name: 'db',
      definition: sharedLabel(JSON.stringify({ ...db, labels: labels('db', '') })), // what its container says, so that it stays
      image: 'docker.io/library/postgres:17',
      environment: { COST: '$5' },
      healthcheck: { test: ['CMD-SHELL', 'pg_isready'], intervalMs: 1500 },
      stopGraceSeconds: 90,
      restart: { policy: 'no' },
      dependsOn: [],
      mounts: [{ volume: 'berth-abc-app-7_data', path: '/data' }],
      tmpfs: [{ path: '/cache', options: '' }],
      ports: [],
      aliases: ['db', 'store'],
      capDrop: ['NET_RAW', 'MKNOD'],
      memoryBytes: 268_435_456,
    },
    {
      name: 'web',
      definition: expect.any(String),
      image: 'berth/0123:release',
      command: ['node', 'my app.js'],
      environment: {},
      restart: { policy: 'on-failure', retries: 3 },
      dependsOn: [{ service: 'db', condition: 'service_healthy' }],
      mounts: [],
      ports: [{ host: 9000, hostIp: '127.0.0.1', container: 9000, protocol: 'tcp' }],
      aliases: ['web'],
      capDrop: ['NET_RAW', 'MKNOD', 'ALL'],
    },
  ])
})

it('a current plan is read unchanged', () => {
  const plan = parsePlan(kept)
  expect(parsePlan(JSON.stringify(plan))).toEqual(plan)
})
