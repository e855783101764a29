import { describe, expect, it } from 'vitest'
import { interpolate } from './compose-interpolate.ts'
import { type ComposeSettings, planCompose } from './compose-policy.ts'
import { field } from './engine-json.ts'
import { SpecRefused } from './errors.ts'

const settings: ComposeSettings = {
  env: { TAG: '1.2', PRICE: '$5', EMPTY: '' },
  labels: { 'berth.instance': 'abc', 'berth.app': '7' },
  serviceLabel: 'berth.service',
  appNetwork: 'berth-abc-app-7-network',
  projectNetwork: 'berth-abc-project-3',
  alias: 'shop',
  port: 8080,
  memoryBytes: 512 * 1024 ** 2,
  reservedPorts: [3000],
  imageFor: (index) => `berth/app-7-s${index}:d1`,
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
  it('is rebuilt with our labels, networks, limits and images', () => {
    const plan = planCompose(GOOD, settings)
    const at = (...keys: string[]) => field(JSON.parse(plan.file), ...keys)
    expect(plan.services).toEqual(['web', 'db'])
    expect(plan.routedService).toBe('web')
    expect(plan.builds).toEqual([
      { service: 'web', context: 'web', dockerfile: 'Dockerfile', args: { TAG: '1.2' }, image: 'berth/app-7-s0:d1' },
    ])
    expect(at('services', 'web')).toMatchObject({
      image: 'berth/app-7-s0:d1',
      restart: 'unless-stopped',
      environment: { LEVEL: 'info' },
      ports: ['9000:9000/tcp'],
      mem_limit: 256 * 1024 ** 2,
      security_opt: ['no-new-privileges:true'],
      cap_drop: ['NET_RAW', 'MKNOD'],
      networks: { app: { aliases: ['web'] }, project: { aliases: ['shop'] } },
    })
    expect(at('services', 'web', 'build')).toBeUndefined()
    expect(at('services', 'db')).toMatchObject({
      image: 'postgres:1.2',
      environment: { PGDATA: '/data', COST: '$$5' },
      mem_limit: 512 * 1024 ** 2,
    })
    expect(at('services', 'db', 'environment', 'PASSTHROUGH')).toBeUndefined()
    expect(at('volumes', 'data', 'labels')).toEqual(settings.labels)
    expect(at('networks', 'app')).toEqual({ external: true, name: 'berth-abc-app-7-network' })
  })

  const service = (line: string) => `services:\n  a:\n    image: x\n    ${line}\n`
  const forbidden: [string, string][] = [
    ...[
      'privileged: true',
      'cap_add: [ALL]',
      'devices: [/dev/sda]',
      'network_mode: host',
      'pid: host',
      'ipc: host',
      'userns_mode: host',
      'uts: host',
      'cgroup: host',
      'cgroup_parent: /',
    ].map(forKey),
    ...[
      'security_opt: [seccomp=unconfined]',
      'sysctls: { a: 1 }',
      'volumes_from: [b]',
      'extends: { file: ../x.yml, service: a }',
      'env_file: /etc/passwd',
      'container_name: berth-x',
      'secrets: [s]',
      'configs: [c]',
    ].map(forKey),
    ...[
      'runtime: other',
      'gpus: all',
      'extra_hosts: ["a:169.254.169.254"]',
      'dns: [1.1.1.1]',
      'external_links: [x]',
      'links: [x]',
      'logging: { driver: syslog }',
      'group_add: [docker]',
      'oom_kill_disable: true',
      'profiles: [x]',
      'ulimits: {}',
      'device_cgroup_rules: [a]',
      'credential_spec: {}',
      'blkio_config: {}',
      'isolation: x',
      'post_start: []',
      'provider: {}',
      'use_api_socket: true',
    ].map(forKey),
    [service('volumes: ["/:/host"]'), 'services.a.volumes (host path /)'],
    [service('volumes: ["./x:/host"]'), 'host path ./x'],
    [service('volumes: ["~/x:/host"]'), 'host path ~/x'],
    [service('volumes: ["../x:/host"]'), 'host path ../x'],
    [service('volumes: ["${HOME_DIR:-/}:/host"]'), 'host path /'],
    [service('volumes: ["data:/var/run/docker.sock"]'), '/var/run/docker.sock'],
    [service('volumes: ["data:/a/../proc"]'), 'services.a.volumes'],
    [service('volumes: ["data:/a:rshared"]'), 'services.a.volumes'],
    [service('volumes: [{ type: bind, source: /, target: /h }]'), 'type "bind"'],
    [service('volumes: [{ type: volume, source: /etc, target: /h }]'), 'services.a.volumes (host path)'],
    [service('volumes: [{ type: volume, source: d, target: /h, bind: { propagation: shared } }]'), 'services.a.volumes.bind'],
    [service('volumes: [{ type: npipe, source: d, target: /h }]'), 'npipe'],
    [service('tmpfs: ["/proc"]'), 'services.a.tmpfs'],
    [service('ports: ["80:80"]'), 'host port 80'],
    [service('ports: ["127.0.0.1:443:443"]'), 'host port 443'],
    [service('ports: [{ target: 80, published: 22 }]'), 'host port 22'],
    [service('ports: ["3000:80"]'), 'host port 3000'],
    [service('ports: ["1000-2000:1000-2000"]'), 'services.a.ports'],
    [service('build: { context: ../.. }'), 'services.a.build.context'],
    [service('build: { context: /etc }'), 'services.a.build.context'],
    [service('build: { context: "https://example.test/x.git" }'), 'services.a.build.context'],
    [service('build: { context: a/../../b }'), 'services.a.build.context'],
    [service('build: { context: ., dockerfile: ../Dockerfile }'), 'services.a.build.dockerfile'],
    [service('build: { context: ., network: host }'), 'services.a.build.network'],
    [service('build: { context: ., ssh: [default] }'), 'services.a.build.ssh'],
    [service('build: { context: ., additional_contexts: { a: / } }'), 'services.a.build.additional_contexts'],
    [service('image: "--privileged"').replace('image: x\n    ', ''), 'services.a.image'],
    [service('networks: { n: { ipv4_address: 10.0.0.1 } }'), 'services.a.networks.n.ipv4_address'],
    [service('deploy: { replicas: 50 }'), 'deploy.replicas'],
    [service('deploy: { resources: { reservations: { devices: [] } } }'), 'reservations.devices'],
    [service('environment: { "A B": x }'), 'services.a.environment'],
    [`${service('tty: true')}volumes: { x: { driver_opts: { type: none, o: bind, device: / } } }\n`, 'volumes.x.driver_opts'],
    [`${service('tty: true')}volumes: { x: { external: true } }\n`, 'volumes.x.external'],
    [`${service('tty: true')}volumes: { x: { name: other } }\n`, 'volumes.x.name'],
    [`${service('tty: true')}networks: { x: { driver: host } }\n`, 'networks.x.driver'],
    [`${service('tty: true')}networks: { x: { external: true } }\n`, 'networks.x.external'],
    [`${service('tty: true')}include: [../other.yml]\n`, 'include'],
    [`${service('tty: true')}secrets: { s: { file: /etc/shadow } }\n`, 'secrets'],
    [`${service('tty: true')}configs: { s: { file: /etc/shadow } }\n`, 'configs'],
    ['x-evil: &evil { privileged: true }\nservices: { a: { image: x, <<: *evil } }', 'services.a.privileged'],
    ['x-evil: &evil { privileged: true }\nservices: { a: { image: x, <<: [*evil] } }', 'services.a.privileged'],
    ['services: { a: { image: x, "__proto__": { privileged: true } } }', 'services.a.__proto__'],
    ['services: { "../a": { image: x } }', 'services.../a'],
    ['services: { a: { tty: true } }', 'services.a needs an image or a build'],
    ['services: {}', 'services is empty'],
    ['services: { a: { image: x, image: y } }', 'cannot be read'],
    ['services: { a: { image: !!binary eA== } }', 'services.a.image'],
    ['services: { a: { image: !reset x } }', 'cannot be read'],
    ['a: 1\n---\nb: 2', 'cannot be read'],
    ['- a', 'must be a mapping'],
    [service('command: "${MISSING:?say it}"'), 'MISSING'],
  ]
  function forKey(line: string): [string, string] {
    return [service(line), `services.a.${line.split(':')[0]} is not allowed`]
  }
  it.each(forbidden)('is refused with the key named: %j → %s', (text, named) => {
    expect(refusal(text)).toContain(named)
  })

  it('is refused when its aliases explode', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]`),
    ].join('\n')
    expect(refusal(bomb)).toContain('cannot be read')
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
})
