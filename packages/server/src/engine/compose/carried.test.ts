import { describe, expect, it } from 'vitest'
import { parseEnvFile } from './env-file.ts'
import { type ComposeSettings, planCompose } from './policy.ts'
import { type RepoEntry, withRepository } from './repository.ts'

const LONG_FILE: RepoEntry = {
  kind: 'file',
  mode: 0o644,
  blob: 'b4',
  text: Array.from({ length: 12 }, (_, index) => `L${index}=$LONG`).join('\n'),
}
const FILES: Readonly<Record<string, RepoEntry>> = {
  'deploy/.env': { kind: 'file', mode: 0o644, blob: 'b0', text: 'TAG=7\nWHO=file\n' },
  'deploy/web.env': { kind: 'file', mode: 0o644, blob: 'b1', text: 'A=1\nexport B="two words" # no\nC=$WHO\n' },
  'deploy/nginx.conf': { kind: 'file', mode: 0o644, blob: 'b2', text: 'events {}' },
  'conf.d': { kind: 'directory', files: [{ path: 'a.conf', mode: 0o644, blob: 'b3' }] },
  'deploy/more.env': LONG_FILE,
  'deploy/long.env': LONG_FILE,
  'deploy/out': { kind: 'refused', why: '"deploy/out" is a link that points outside the repository' },
}
const settings: ComposeSettings = {
  env: { WHO: 'app', LONG: 'x'.repeat(50_000) },
  volumePrefix: 'berth-abc-app-7',
  port: 80,
  reservedPorts: [3000],
  newImageName: () => 'berth/0123:release',
  directory: 'deploy',
}
const plan = async (text: string) =>
  await withRepository(
    (access) => planCompose(text, { ...settings, ...access }),
    async (path) => FILES[path] ?? { kind: 'missing' },
  )
const one = async (lines: string, more = '') => {
  const { services, notes = [] } = await plan(`services:\n  a:\n    image: "x:\${TAG}"\n    ${lines}\n${more}`)
  return { service: services[0], notes: notes.join('\n') }
}

describe('what a compose file takes from the repository', () => {
  it('files are put into the container, and a read-only folder into a volume named after its content', async () => {
    const { service } = await one('volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro", "../conf.d:/etc/nginx/conf.d:ro"]')
    expect(service?.image).toBe('docker.io/library/x:7')
    expect(service?.files).toEqual([{ path: '/etc/nginx/nginx.conf', mode: 0o644, blob: 'b2' }])
    expect(service?.mounts).toEqual([
      {
        volume: expect.stringMatching(/^berth-abc-app-7-f[0-9a-f]{16}$/),
        path: '/etc/nginx/conf.d',
        readOnly: true,
        noCopy: true,
        fill: { once: false, files: [{ path: 'a.conf', mode: 0o644, blob: 'b3' }] },
      },
    ])
  })

  it('a writable folder is a volume named after its path, and the log says so', async () => {
    const { service, notes } = await one('volumes: ["../conf.d:/a", "./data/:/b", "./nginx.conf:/c"]')
    const [filled, empty] = service?.mounts ?? []
    expect([filled?.volume, empty?.volume]).toEqual([expect.stringMatching(/-b[0-9a-f]{16}$/), expect.stringMatching(/-b[0-9a-f]{16}$/)])
    expect([filled?.fill?.once, empty?.fill]).toEqual([true, undefined])
    for (const said of ['conf.d becomes a volume, filled from the commit', 'deploy/data has no files', 'changes to it are lost'])
      expect(notes).toContain(said)
  })

  it.each([
    ['volumes: ["./out:/x"]', 'is a link that points outside the repository'],
    ['env_file: ./out', 'is a link that points outside the repository'],
    ['volumes: ["../../x:/x"]', 'is not a path in the repository'],
    ['env_file: ../conf.d', 'is a directory'],
    [`env_file: [${'web.env, '.repeat(21)}]`, 'services.a.env_file has more than 20 entries'],
    [
      `volumes: [${Array.from({ length: 101 }, (_, index) => `"../conf.d:/m${index}:ro"`).join()}]`,
      'services.a.volumes has more than 100 entries',
    ],
    ['ports: ["2000-2099:2000-2099", "2000-2099", "80"]', 'services.a.ports has more than 200 entries'],
    [`cap_drop: [${'ALL, '.repeat(201)}]`, 'services.a.cap_drop has more than 200 entries'],
    [`ports: [${'x, '.repeat(60)}]`, /for 60 reasons: .*\(50\) \S+ must be written as .* And 10 more\.$/],
    [`${'k'.repeat(900)}: 1`, `services.a.${'k'.repeat(80)}… is not supported`],
    ['tmpfs: /dev/shmx', 'services.a.tmpfs has a value that is not allowed'],
    ['shm_size: 99999999999999999g', 'services.a.shm_size is larger than the memory of any server'],
    ['networks: { n: { aliases: [a-] } }', 'aliases has a value that is not allowed'],
    ['tty: true\n  web_:\n    image: z', 'services.web_ has a value that is not allowed'],
    [`environment: { ${Array.from({ length: 25 }, (_, index) => `K${index}: "$LONG"`).join()} }`, 'longer than 1 MiB once its variables'],
  ])('%s is refused', async (lines, why) => {
    await expect(one(lines)).rejects.toThrow(why)
  })

  it('variables come from env_file, and those of the service itself win', async () => {
    const { service } = await one('env_file: [web.env]\n    environment: { A: mine }')
    expect(service?.environment).toEqual({ A: 'mine', B: 'two words', C: 'app' })
  })

  it('each env file is read once per plan, and their total size is limited', async () => {
    const files = { long: 'long.env', same: './long.env', third: '../deploy/long.env' }
    const servicesOf = (named: readonly string[]) =>
      `services: { ${named.map((name, index) => `s${index}: { image: x, expose: [${80 + index}], env_file: ${name} }`).join()} }`
    expect((await plan(servicesOf(Object.values(files)))).services).toHaveLength(3)
    await expect(plan(servicesOf(['long.env', 'more.env']))).rejects.toThrow('longer than 1 MiB once its variables are filled in')
  })

  it("an env file that is not committed is replaced by the app's own variables", async () => {
    const { service, notes } = await one('env_file: secret.env')
    expect(service?.environment).toMatchObject({ WHO: 'app' })
    expect(notes).toContain("deploy/secret.env is not in the repository, so the service gets the app's own variables instead")
  })

  it('secrets of a build have the name of the Dockerfile and their content, and must be declared', async () => {
    const more = 'secrets: { key: { file: nginx.conf }, who: { environment: WHO } }\n'
    const { builds } = await plan(`services: { a: { build: { context: ., secrets: [key, { source: who, target: id }] } } }\n${more}`)
    expect(builds[0]?.secrets).toEqual([
      { name: 'key', blob: 'b2' },
      { name: 'id', text: 'app' },
    ])
    await expect(plan('services: { a: { build: { context: ., secrets: [other] } } }')).rejects.toThrow('is not declared at the top level')
    await expect(plan(`services: { a: { build: { secrets: [{ source: who, target: ../x }] } } }\n${more}`)).rejects.toThrow('not allowed')
  })

  it('secrets and configs are files in the container', async () => {
    const more = 'secrets: { key: { file: nginx.conf }, who: { environment: WHO } }\nconfigs: { c: { content: "for ${WHO}" } }\n'
    const { service } = await one('secrets: [key, { source: who, target: /etc/who, mode: 0400 }]\n    configs: [c]', more)
    expect(service?.files).toEqual([
      { path: '/c', mode: 0o444, text: 'for app' },
      { path: '/run/secrets/key', mode: 0o444, blob: 'b2' },
      { path: '/etc/who', mode: 0o444, text: 'app' },
    ])
  })
})

it.each([
  ['container_name: shop-web', 'aliases', ['shop-web']],
  ['cap_drop: [ALL]\n    cap_add: [CAP_CHOWN, SYS_NICE]', 'capAdd', ['CHOWN']],
  [
    'ulimits: { nofile: 65536, memlock: { soft: -1, hard: -1 } }',
    'ulimits',
    [
      { name: 'nofile', soft: 65_536, hard: 65_536 },
      { name: 'memlock', soft: -1, hard: -1 },
    ],
  ],
  ['sysctls: [net.core.somaxconn=1024]', 'sysctls', { 'net.core.somaxconn': '1024' }],
  ['extra_hosts: ["api:203.0.113.7", "host.docker.internal:host-gateway"]', 'extraHosts', ['api:203.0.113.7']],
  ['ports: ["9000-9001:9000-9001", "80:80", "443:443", "20000-20050:20000-20050"]', 'ports', []],
  ['deploy: { replicas: 3 }', 'replicas', 3],
  ['scale: 2', 'replicas', 2],
  ['scale: 1', 'replicas', undefined],
  ['tmpfs: "/tmp:size=64m"', 'tmpfs', [{ path: '/tmp', options: 'size=64m' }]],
] as const)('is carried: %s', async (lines, key, expected) => {
  expect((await one(lines)).service?.[key]).toEqual(expected)
})

it.each([
  ['logging: { driver: json-file }', 'services.a.logging is ignored: Berth keeps the logs'],
  ['develop: { watch: [] }', 'services.a.develop is ignored'],
  ['ports: ["8080:80"]', 'visitors reach port 80 through the proxy'],
  ['ports: ["443:443"]', "services.a.ports: port 443 is not opened by the file. The app's owner opens ports under Settings → Ports"],
  ['ports: ["9000-9001:9000-9001"]', 'ports 9000, 9001 are not opened by the file'],
  ['volumes: ["/etc/localtime:/etc/localtime:ro"]', 'set TZ in the environment'],
  ['dns: 1.1.1.1', 'services.a.dns is ignored'],
])('is ignored with a sentence: %s', async (lines, said) => {
  expect((await one(lines)).notes).toContain(said)
})

it('replicas are limited for a service and for the whole file, and sharing a volume is said', async () => {
  await expect(one('scale: 21')).rejects.toThrow('services.a.scale must be at most 20')
  await expect(one('deploy: { replicas: 20 }', '  b: { image: x, scale: 20 }\n  c: { image: x }')).rejects.toThrow('41 containers together')
  expect((await one('scale: 2\n    volumes: ["data:/data"]')).notes).toContain('services.a has 2 replicas that share the same volumes')
  expect((await one('scale: 2\n    volumes: ["/data"]')).notes).not.toContain('runs 2 times')
})

it('a service can use the image that is built for another service', async () => {
  const { services } = await plan(
    'services: { web: { build: ., image: "shop:1", expose: [80] }, worker: { image: "shop:1" }, db: { image: y } }',
  )
  expect(services.map(({ image }) => image)).toEqual(['berth/0123:release', 'berth/0123:release', 'docker.io/library/y'])
})

it('services of a profile are left out, unless another one needs them', async () => {
  const tools = { image: 'y', profiles: ['tools'] }
  const services = { web: { image: 'x', depends_on: ['db'] }, db: { image: 'z', profiles: ['db'] }, admin: { ...tools, privileged: true } }
  const { services: planned, notes = [] } = await plan(
    JSON.stringify({ services: { ...services, web: { ...services.web, expose: [80] } } }),
  )
  expect(planned.map(({ name }) => name)).toEqual(['db', 'web'])
  expect(notes.join()).toContain('services.admin is ignored: it belongs to a profile')
})

describe('the service that visitors reach', () => {
  const routed = async (services: object) => (await plan(JSON.stringify({ services }))).routedService
  it.each<[string, object, string]>([
    ["publishes the app's port", { a: { image: 'x', ports: ['8080:8080'] }, b: { image: 'x', ports: ['9000:80'] } }, 'b'],
    ["exposes the app's port", { a: { image: 'x', ports: ['8080:8080'] }, b: { image: 'x', expose: [80] } }, 'b'],
    ['is the only one', { a: { image: 'x' } }, 'a'],
    ['alone publishes a port', { a: { image: 'x' }, b: { image: 'x', ports: ['9000:9000'] } }, 'b'],
    ['alone is built', { a: { image: 'x' }, b: { build: '.' }, c: { image: 'x' } }, 'b'],
  ])('the one that %s', async (_, services, expected) => {
    expect(await routed(services)).toBe(expected)
  })

  it('is reported if the file names another port than the app', async () => {
    const { notes = [] } = await plan('services: { a: { image: x }, b: { image: x, ports: ["9000:9000"] } }')
    expect(notes).toContainEqual(expect.stringContaining("services.b publishes port 9000, but the app's port is 80. Change the app's port"))
  })

  describe('of an app without a port', () => {
    const found = (services: object, hasOwnDomain = true) => {
      const settings = { env: {}, volumePrefix: 'berth-abc-app-7', reservedPorts: [], newImageName: () => '', port: null, hasOwnDomain }
      const { routedService, foundPort } = planCompose(JSON.stringify({ services }), settings)
      return [routedService, foundPort]
    }
    const dns = { image: 'x', ports: ['5353:53/udp'] }

    it.each<[string, object, [string, number]]>([
      ['publishes one', { db: { image: 'x', expose: [5432] }, web: { image: 'x', ports: ['8080:80', '8443:443'] }, dns }, ['web', 80]],
      ['exposes one', { db: { image: 'x' }, web: { image: 'x', expose: ['3000'] } }, ['web', 3000]],
    ])('is the only one that %s, at that port', (_, services, expected) => {
      expect(found(services)).toEqual(expected)
    })

    it.each<[string, object, string]>([
      [
        'several publish one',
        { a: { image: 'x', ports: ['80:80'] }, b: { image: 'x', ports: ['81:81'] } },
        'a, b publish ports, and the app has none',
      ],
      [
        'none does',
        { a: { image: 'x' } },
        "none publishes a port, and the app has none. Set the app's port to the one where that service listens",
      ],
    ])('must be chosen if %s', (_, services, message) => {
      expect(() => found(services)).toThrow(message)
    })

    it('is none if the app has no domain either', () => {
      expect(found({ web: { image: 'x', ports: ['80:80'] } }, false)).toEqual([null, undefined])
    })
  })

  it('must be chosen if the file leaves several', async () => {
    await expect(routed({ a: { image: 'x' }, b: { image: 'x' } })).rejects.toThrow(
      'do not say which one visitors reach: none publishes or exposes port 80. Add "expose: [80]" to that service',
    )
  })
})

it('an env file is parsed like other programs do', () => {
  const text = `# note\nA=1\nB = two # x\nC='$raw'\nD="a\\nb"\nE=pa$$w$\nF\nexport G=\${A}\nnot a line\n`
  expect(parseEnvFile(text, { F: 'given' })).toEqual({ A: '1', B: 'two', C: '$raw', D: 'a\nb', E: 'pa$$w$', F: 'given', G: '1' })
})

it.each([
  ['long', `#${'x'.repeat(1024 ** 2)}`],
  ['made of many short lines', 'A\n'.repeat(100_000)],
])('an env file that is %s is refused, even if it has no values', (_, text) => {
  expect(() => parseEnvFile(text, {})).toThrow('longer than 1 MiB once its variables are filled in, with the env files that it names')
})

describe('services with domains of their own', () => {
  const services = { web: { image: 'x', ports: ['8080:3000'] }, api: { image: 'x', ports: ['9000:9000', '9001:9001'] } }
  const settings = { env: {}, volumePrefix: 'berth-abc-app-7', reservedPorts: [], newImageName: () => '' }
  const read = (port: number | null, endpoints: { service: string; port: number | null }[], hasOwnDomain = false) =>
    planCompose(JSON.stringify({ services }), { ...settings, port, endpoints, hasOwnDomain })

  it("are routed in addition to the service with the app's port, and their host port is not opened", () => {
    const plan = read(3000, [{ service: 'api', port: 9000 }])
    expect([plan.routedService, plan.alsoRouted]).toEqual(['web', ['api']])
    expect(plan.services.map(({ ports }) => ports)).toEqual([[], []])
    expect(plan.published).toEqual([{ service: 'api', host: 9001, hostIp: '', container: 9001, protocol: 'tcp' }])
  })

  it('that are not in the file, or have the port of the app anyway, change nothing', () => {
    expect(read(3000, [{ service: 'gone', port: 1 }]).alsoRouted).toBeUndefined()
    expect(read(3000, [{ service: 'web', port: null }]).alsoRouted).toBeUndefined()
  })

  it('are enough if nothing else says which service is routed', () => {
    expect(() => read(5000, [])).toThrow('to that service')
    expect(read(5000, [{ service: 'api', port: 9000 }])).toMatchObject({ routedService: null, alsoRouted: ['api'] })
  })

  it('are not enough for domains that name no service', () => {
    expect(() => read(5000, [{ service: 'api', port: 9000 }], true)).toThrow(
      'Add "expose: [5000]" to that service, change the app\'s port, or delete the domains of the app that have no service',
    )
    expect(read(3000, [{ service: 'api', port: 9000 }], true).routedService).toBe('web')
  })
})

it('a platform counts for an image that is pulled; what is built is built for this machine', async () => {
  const { services, notes } = await plan('services: { a: { build: ., platform: linux/arm64 }, b: { image: x, platform: linux/arm64 } }')
  expect(services.map(({ name, platform }) => [name, platform])).toEqual([
    ['a', undefined],
    ['b', 'linux/arm64'],
  ])
  expect(notes).toContain('services.a.platform is ignored: its image is built for this server.')
})
