import { describe, expect, it } from 'vitest'
import { FORBIDDEN_COMPOSE } from '../../../test/hostile/hostile-compose.ts'
import { cpuSeconds } from '../../../testing/harness/cpu-seconds.ts'
import { SpecRefused } from '../api/errors.ts'
import { interpolate } from './interpolate.ts'
import { type ComposeSettings, planCompose } from './policy.ts'

const settings: ComposeSettings = {
  env: { TAG: '1.2', PRICE: '$5', EMPTY: '' },
  volumePrefix: 'berth-abc-app-7',
  port: 8080,
  memoryBytes: 512 * 1024 ** 2,
  reservedPorts: [3000],
  newImageName: () => 'berth/0123:release',
}

const GOOD = `
version: '3.9'
x-shared: &shared
  restart: unless-stopped
  environment: { LEVEL: info }
services:
  web:
    <<: *shared
    build: { context: ./web, args: { TAG: "\${TAG}" } }
    ports: ["8080", "9000:9000"]
    depends_on: [db]
    deploy: { resources: { limits: { memory: 256m } } }
  db:
    <<: *shared
    image: postgres:\${TAG:-16}
    environment: [PGDATA=/data, "COST=\${PRICE}", PASSTHROUGH]
    volumes: [data:/data]
    healthcheck: { test: [CMD, pg_isready], interval: 5s }
volumes: { data: }
`

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n')
}

function refusal(text: string): string {
  try {
    planCompose(text, settings)
  } catch (cause) {
    if (cause instanceof SpecRefused) return cause.message
    throw cause
  }
  return 'accepted'
}

describe('a compose file', () => {
  it('becomes a plan: each service as it will run, after its dependencies', () => {
    const { services, routedService, builds } = planCompose(GOOD, settings)
    expect(services.map(({ name }) => name)).toEqual(['db', 'web'])
    expect(routedService).toBe('web')
    expect(builds).toEqual([
      { service: 'web', context: 'web', dockerfile: 'Dockerfile', args: { TAG: '1.2' }, image: 'berth/0123:release' },
    ])
    const [db, web] = services
    expect(web).toEqual({
      name: 'web',
      image: 'berth/0123:release',
      restart: { policy: 'unless-stopped' },
      environment: { LEVEL: 'info' },
      dependsOn: [{ service: 'db', condition: 'service_started' }],
      ports: [],
      mounts: [],
      aliases: [],
      capDrop: [],
      memoryBytes: 256 * 1024 ** 2,
    })
    expect(db).toMatchObject({
      image: 'docker.io/library/postgres:1.2',
      environment: { PGDATA: '/data', COST: '$5' },
      memoryBytes: 512 * 1024 ** 2,
      mounts: [{ volume: 'berth-abc-app-7_data', path: '/data' }],
      healthcheck: { test: ['CMD', 'pg_isready'], intervalMs: 5000 },
    })
  })

  it('names each anonymous volume after its service and path', () => {
    const at = (text: string) => planCompose(text, settings).services.map(({ mounts }) => mounts[0]?.volume ?? '')
    const [a, b] = at('services: { a: { image: x, volumes: [/data], expose: [8080] }, b: { image: x, volumes: [/data] } }')
    expect(a).toMatch(/^berth-abc-app-7-v[0-9a-f]{16}$/)
    expect(b).not.toBe(a)
    expect(at('services: { a: { image: other, volumes: [{ type: volume, target: /data/ }] } }')).toEqual([a])
  })

  it('is refused with all reasons at once', () => {
    const text = 'services: { a: { image: "-x", privileged: true, ports: ["3000:80"], pid: host }, b: { image: y, ipc: host } }'
    const said = refusal(text)
    expect(said).toContain('for 5 reasons: (1) ')
    for (const key of ['a.image', 'a.privileged', 'a.pid', 'a.ports (host port 3000)', 'b.ipc']) expect(said).toContain(`services.${key} `)
  })

  it.each([
    ['services: { a: { image: x, depends_on: [b] }, b: { image: x, depends_on: [a] } }', 'depend on each other in a circle: a → b → a'],
    ['services: { a: { image: x, depends_on: [b] } }', 'services.a.depends_on.b is not a service of the file'],
    ['services: { a: { image: x, depends_on: { b: { condition: service_gone } } } }', 'must be one of service_started'],
    ['services: { a: { image: x, healthcheck: { test: [curl, x] } } }', 'must begin with CMD, CMD-SHELL or NONE'],
  ])('is refused where its services cannot be brought up: %s', (text, why) => {
    expect(refusal(text)).toContain(why)
  })

  it('does not need its optional dependencies', () => {
    const text = 'services: { a: { image: x, depends_on: { b: { condition: service_healthy, required: false } } } }'
    expect(planCompose(text, settings).services[0]?.dependsOn).toEqual([])
  })

  it.each([
    ['command: npm start', { command: ['npm', 'start'] }],
    ['entrypoint: ""', { entrypoint: [''] }],
    ['healthcheck: { test: "curl -f localhost || exit 1" }', { healthcheck: { test: ['CMD-SHELL', 'curl -f localhost || exit 1'] } }],
    ['healthcheck: { disable: true }', { healthcheck: { test: ['NONE'] } }],
    ['restart: "on-failure:5"', { restart: { policy: 'on-failure', retries: 5 } }],
    [
      'volumes: [{ type: tmpfs, target: /cache }], tmpfs: /tmp',
      {
        tmpfs: [
          { path: '/tmp', options: '' },
          { path: '/cache', options: '' },
        ],
      },
    ],
    ['volumes: ["d:/d:ro"]', { mounts: [{ volume: 'berth-abc-app-7_d', path: '/d', readOnly: true }] }],
  ])('takes over %s', (line, expected) => {
    expect(planCompose(`services: { a: { image: x, ${line} } }`, settings).services[0]).toMatchObject(expected)
  })

  it.each(FORBIDDEN_COMPOSE)('is refused with the key named: %j → %s', (text, named) => {
    expect(refusal(text)).toContain(named)
  })

  it('is refused when its aliases explode', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]`),
    ].join('\n')
    expect(refusal(bomb)).toContain('cannot be read')
  })

  it('is refused when a mapping has the same key twice', () => {
    expect(refusal('services: { a: { image: x, image: y } }')).toContain('the key image appears twice')
    expect(refusal('services: { 1: { image: x }, "1": { image: y } }')).toContain('the key 1 appears twice')
  })

  it.each([
    ['very many keys', () => `x-a:\n${lines(18_000, (index) => ` k${index}: 1`)}`, 'has more than'],
    ['very many signs', () => `x-a: [${'%\n'.repeat(100_000)}`, 'has more than'],
    ['very many errors', () => `x-a: [${'%\n'.repeat(10_000)}`, 'cannot be read'],
    ['keys within keys', () => `${'? '.repeat(20_000)}a`, 'cannot be'],
    ['keys within few keys', () => `${'? '.repeat(15)}a`, 'a key that is not a string'],
    ['lists within lists', () => `x-a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'cannot be'],
    ['lists within a few lists', () => `x-a: ${'['.repeat(25)}${']'.repeat(25)}`, 'nested too deeply'],
    [
      'a large mapping merged very often',
      () => `x-a: &a\n${lines(5000, (index) => ` k${index}: 1`)}\nx-b:\n${lines(190, (index) => ` m${index}: { <<: *a }`)}`,
      'with its aliases resolved',
    ],
    [
      'a very long duration',
      () => `services: { a: { image: x, healthcheck: { interval: "${'1'.repeat(200_000)}!" } } }`,
      'healthcheck.interval',
    ],
    ['an alias of what it is in', () => 'x-a: &a [*a]', 'refers to itself'],
  ])('is refused in time when it has %s', async (_, text, why) => {
    expect(await cpuSeconds(() => expect(refusal(text())).toContain(why))).toBeLessThan(8)
  })
})

describe('durations of a health check', () => {
  it.each(['5', '5s', '1.5s', '1m30s', '1h2m3s', '1500ms'])('can be %s', (interval) => {
    expect(refusal(`services: { a: { image: x, healthcheck: { interval: ${JSON.stringify(interval)} } } }`)).toBe('accepted')
  })

  it.each(['1ms', '999ms', '0', '0s', '0.5s', '10us', '0m1ms', '0h0m999ms', '0s1us'])(
    'are at least a second between two of them: not %s',
    (interval) => {
      expect(refusal(`services: { a: { image: x, healthcheck: { interval: ${JSON.stringify(interval)} } } }`)).toContain(
        'services.a.healthcheck.interval must be at least 1s',
      )
    },
  )
})

describe('limits of a service', () => {
  it.each([
    ['mem_limit: 0', 'services.a.mem_limit must be at least 6m'],
    ['mem_limit: "0.4b"', 'services.a.mem_limit must be at least 6m'],
    ['mem_limit: 5m', 'services.a.mem_limit must be at least 6m'],
    ['deploy: { resources: { limits: { memory: 0 } } }', 'services.a.mem_limit must be at least 6m'],
    ['cpus: 0', 'services.a.cpus must be at least 0.01'],
    ['cpus: "0.000"', 'services.a.cpus must be at least 0.01'],
    ['deploy: { resources: { limits: { cpus: "0" } } }', 'services.a.cpus must be at least 0.01'],
    ['cpus: -1', 'services.a.cpus'],
    ['mem_limit: -1', 'services.a.mem_limit'],
    ['shm_size: 0', 'services.a.shm_size must be at least 4k'],
    ['ulimits: { nproc: -1 }', 'services.a.ulimits'],
    ['stop_grace_period: 1000h', 'services.a.stop_grace_period must be at most 10m'],
    ['healthcheck: { timeout: 100h }', 'services.a.healthcheck.timeout must be at most 1440m'],
  ])('cannot be taken away by %s', (line, why) => {
    expect(refusal(`services: { a: { image: x, ${line} } }`)).toContain(why)
  })

  it('are kept where they are sensible', () => {
    const line =
      'mem_limit: 64m, cpus: 0.5, shm_size: 128m, stop_grace_period: 1m30s, healthcheck: { test: x, interval: 1500ms, timeout: 3 }'
    const plan = planCompose(`services: { a: { image: x, ${line} } }`, settings)
    expect(plan.services[0]).toMatchObject({
      memoryBytes: 64 * 1024 ** 2,
      cpus: 0.5,
      shmBytes: 128 * 1024 ** 2,
      stopGraceSeconds: 90,
      healthcheck: { test: ['CMD-SHELL', 'x'], intervalMs: 1500, timeoutMs: 3000 },
    })
  })
})

describe('variables in a compose file', () => {
  const env = { A: 'one', E: '' }
  it.each([
    ['$A-${A}', 'one-one'],
    ['$$A', '$A'],
    ['${B-x}${B:-y}', 'xy'],
    ['${E-x}${E:-y}', 'y'],
    ['${A:+set}${B+set}', 'set'],
    ['${B:-${A}}', 'one'],
    ['${B:-${C:-deep}}', 'deep'],
    ['${toString}', ''],
  ])('%s is %s', (text, expected) => {
    expect(interpolate(text, env)).toBe(expected)
  })

  it('that cannot be read are refused', () => {
    for (const text of ['${', '${A', '$(id)', '${A!x}', '$', '${1}']) expect(() => interpolate(text, env)).toThrow(SpecRefused)
  })

  it('are refused when they make the file longer than the limit', () => {
    const long = { ...settings, env: { BIG: 'b'.repeat(64 * 1024) } }
    const file = (count: number) => `services:\n${lines(18, (index) => `  s${index}: { image: x, command: "${'$BIG'.repeat(count)}" }`)}`
    expect(() => planCompose(file(3000), long)).toThrow('longer than 1 MiB once its variables are filled in')
    // No single text is too long here, only all of them together.
    expect(() => planCompose(file(1), long)).toThrow('longer than 1 MiB')
    expect(() => interpolate(`\${X:-\${Y:-${'$BIG'.repeat(17)}}}`, long.env)).toThrow('longer than 1 MiB')
    expect(interpolate('$BIG'.repeat(16), long.env).length).toBe(1024 * 1024)
  })
})

it.each([
  ['command', `command: ["${'\\x01'.repeat(10_000)}"]`, 'services.web.command is longer than 32 KiB'],
  ['entrypoint', `entrypoint: ["${'x'.repeat(40_000)}"]`, 'services.web.entrypoint is longer than 32 KiB'],
])('what the engine repeats for each container cannot be long: %s', (_name, setting, message) => {
  expect(() => planCompose(`services: { web: { image: x, ${setting} } }`, settings)).toThrow(message)
})

it('the checks of many replicas are calmed, and that is said', () => {
  const file = (scale: number) => `services: { web: { image: x, scale: ${scale}, healthcheck: { test: 'true', interval: 2s } } }`
  const [few, many] = [planCompose(file(4), settings), planCompose(file(20), settings)]
  expect([few.services[0]?.healthcheck?.intervalMs, many.services[0]?.healthcheck?.intervalMs]).toEqual([2000, 10_000])
  expect(few.notes).toBeUndefined()
  expect(many.notes).toEqual(['services.web.healthcheck.interval is raised to 10s, because the service has 20 replicas.'])
})
