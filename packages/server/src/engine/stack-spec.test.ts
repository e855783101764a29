import { expect, it } from 'vitest'
import { SpecRefused } from './api/errors.ts'
import { planCompose } from './compose/policy.ts'
import { appNetworkName, LABEL, labelsOf, stackContainerName } from './labels.ts'
import { assertEndpointAllowed, assertStackAllowed, projectEndpoint, type StackContainerSpec, stackRequest } from './stack-spec.ts'

const FILE = `
services:
  web:
    image: shop:1
    command: serve --port 8080
    environment: { A: "b=c" }
    user: "1000:1000"
    working_dir: /app
    hostname: web
    tty: true
    stop_signal: SIGINT
    stop_grace_period: 20s
    healthcheck: { test: curl localhost, interval: 5s, retries: 3 }
    volumes: ["data:/data:ro", /cache]
    tmpfs: ["/tmp:size=64m,mode=1777", /run, /dev/shm]
    shm_size: 64m
    read_only: true
    ports: ["8081:80", "127.0.0.1:8082:80", "5353:53/udp"]
    cap_drop: [ALL]
    cap_add: [NET_BIND_SERVICE]
    ulimits: { nofile: { soft: 1024, hard: 65536 }, memlock: -1 }
    sysctls: { net.core.somaxconn: 1024 }
    extra_hosts: ["api.example.test:203.0.113.7"]
    restart: "on-failure:3"
    cpus: 0.5
`
const [planned] = planCompose(FILE, {
  env: {},
  volumePrefix: 'berth-abc-app-7',
  port: null,
  memoryBytes: 64 * 1024 ** 2,
  reservedPorts: [],
  newImageName: () => '',
}).services
if (planned === undefined) throw new Error('the plan has a service')
/** Ports are opened by a person, never by the file. */
const service = {
  ...planned,
  ports: [
    { host: 8081, container: 80, protocol: 'tcp', hostIp: '' },
    { host: 8082, container: 80, protocol: 'tcp', hostIp: '127.0.0.1' },
    { host: 5353, container: 53, protocol: 'udp', hostIp: '' },
  ] as const,
}
const spec: StackContainerSpec = {
  name: stackContainerName('abc', 7, { release: '41', service: 'web' }),
  labels: labelsOf({ instance: 'abc', kind: 'compose', projectId: 3, appId: 7, deploymentId: 41, service: 'web', replica: 1 }),
  service,
  network: appNetworkName('abc', 7),
}

type Json = Record<string, unknown>
const base = () => stackRequest(spec)
const withHost = (change: Json): Json => ({ ...base(), HostConfig: { ...(base()['HostConfig'] as Json), ...change } })

it('a service becomes a request that the allow list lets through', () => {
  expect(planned.ports).toEqual([])
  expect(() => assertStackAllowed(base())).not.toThrow()
  expect(base()).toMatchObject({
    Cmd: ['serve', '--port', '8080'],
    Healthcheck: { Test: ['CMD-SHELL', 'curl localhost'], Interval: 5e9, Retries: 3 },
    StopTimeout: 20,
    HostConfig: {
      Mounts: [
        { Type: 'volume', Source: 'berth-abc-app-7_data', Target: '/data', ReadOnly: true },
        { Type: 'volume', Source: expect.stringMatching(/^berth-abc-app-7-v[0-9a-f]{16}$/), Target: '/cache' },
      ],
      PortBindings: {
        '80/tcp': [
          { HostIp: '', HostPort: '8081' },
          { HostIp: '127.0.0.1', HostPort: '8082' },
        ],
        '53/udp': [{ HostIp: '', HostPort: '5353' }],
      },
      CapDrop: ['NET_RAW', 'MKNOD', 'ALL'],
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
      NanoCpus: 5e8,
      PidsLimit: 512,
      OomScoreAdj: 500,
      SecurityOpt: ['no-new-privileges'],
    },
    NetworkingConfig: { EndpointsConfig: { 'berth-abc-app-7-network': { Aliases: ['web'] } } },
  })
})

const MOUNT = { Type: 'volume', Source: 'berth-abc-app-7_data', Target: '/d', VolumeOptions: { NoCopy: true } }
const mount = (change: Json) => withHost({ Mounts: [{ ...MOUNT, ...change }] })
const label = (change: Json) => ({ ...base(), Labels: { ...(base()['Labels'] as Json), ...change } })
const network = (name: string, endpoint: Json) => ({ ...base(), NetworkingConfig: { EndpointsConfig: { [name]: endpoint } } })

it.each<[string, Json]>([
  ...['Privileged', 'Binds', 'PidMode', 'IpcMode', 'UTSMode', 'UsernsMode', 'CgroupnsMode', 'Devices', 'DeviceRequests'].map(
    (key): [string, Json] => [`HostConfig.${key}`, withHost({ [key]: [] })],
  ),
  ...['VolumesFrom', 'Runtime', 'CgroupParent', 'GroupAdd', 'OomKillDisable', 'PublishAllPorts', 'ContainerIDFile'].map(
    (key): [string, Json] => [`HostConfig.${key}`, withHost({ [key]: 'x' })],
  ),
  ['HostConfig.CapAdd', withHost({ CapAdd: ['CHOWN', 'SYS_ADMIN'] })],
  ['HostConfig.Sysctls', withHost({ Sysctls: { 'net.ipv4.ip_forward': '1' } })],
  ['HostConfig.Sysctls', withHost({ Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '0' } })],
  ['HostConfig.Ulimits', withHost({ Ulimits: [{ Name: 'rtprio', Soft: 1, Hard: 1 }] })],
  ['HostConfig.ExtraHosts', withHost({ ExtraHosts: ['a:host-gateway'] })],
  ['HostConfig.ExtraHosts', withHost({ ExtraHosts: ['a:169.254.169.254'] })],
  ['HostConfig.NetworkMode', withHost({ NetworkMode: 'host' })],
  ['HostConfig.NetworkMode', withHost({ NetworkMode: 'berth-abc-app-8-network' })],
  ['HostConfig.NetworkMode', withHost({ NetworkMode: 'berth-abc-project-3' })],
  ['HostConfig.SecurityOpt', withHost({ SecurityOpt: ['seccomp=unconfined'] })],
  ['HostConfig.CapDrop', withHost({ CapDrop: ['ALL'] })],
  ['HostConfig.PidsLimit', withHost({ PidsLimit: 0 })],
  ['HostConfig.OomScoreAdj', withHost({ OomScoreAdj: -500 })],
  ['HostConfig.LogConfig', withHost({ LogConfig: { Type: 'syslog' } })],
  ['HostConfig.PortBindings', withHost({ PortBindings: { '80/tcp': [{ HostIp: '', HostPort: '80' }] } })],
  ['HostConfig.PortBindings', withHost({ PortBindings: { '80/tcp': [{ HostIp: '', HostPort: '8000-9000' }] } })],
  ['HostConfig.Tmpfs', withHost({ Tmpfs: { '/proc': '' } })],
  ['HostConfig.Tmpfs', withHost({ Tmpfs: { '/dev/../sys': '' } })],
  ['HostConfig.Tmpfs', withHost({ Tmpfs: { '/x': 'exec,suid' } })],
  ['HostConfig.Mounts', mount({ Type: 'bind', Source: '/' })],
  ['HostConfig.Mounts', mount({ VolumeOptions: {} })],
  ['HostConfig.Mounts', mount({ Source: '/etc' })],
  ['HostConfig.Mounts', mount({ Source: 'berth-abc-app-8_data' })],
  ['HostConfig.Mounts', mount({ Source: 'berth-abc-app-77_data' })],
  ['HostConfig.Mounts', mount({ Source: 'berth-abc-app-7-volume' })],
  ['HostConfig.Mounts', mount({ Target: '/proc/x' })],
  ['HostConfig.Mounts', mount({ Target: '/a/../sys' })],
  ['HostConfig.Mounts', mount({ BindOptions: { Propagation: 'shared' } })],
  ['HostConfig.Mounts', mount({ VolumeOptions: { DriverConfig: { Options: { device: '/' } } } })],
  ['Healthcheck', { ...base(), Healthcheck: { Test: ['CMD', 'x'], Interval: 1e6 } }],
  ['Healthcheck', { ...base(), Healthcheck: { Test: ['EXEC', 'x'] } }],
  ['Image', { ...base(), Image: '--x' }],
  ['MacAddress', { ...base(), MacAddress: '02:42:ac:11:00:02' }],
  ['Labels', label({ 'com.docker.compose.project': 'other' })],
  ['Labels', label({ [LABEL.service]: '' })],
  ['HostConfig.NetworkMode', label({ [LABEL.app]: '8' })],
  ['NetworkingConfig', network('bridge', { Aliases: [] })],
  ['NetworkingConfig', network('berth-abc-app-7-network', { Aliases: ['169.254.169.254'] })],
  ['NetworkingConfig', network('berth-abc-app-7-network', { Aliases: [], IPAMConfig: { IPv4Address: '172.17.0.1' } })],
  ['NetworkingConfig', network('berth-abc-app-7-network', { Aliases: [], Links: ['x'] })],
])('a request with another %s is refused: %#', (key, request) => {
  expect(() => assertStackAllowed(request)).toThrow(SpecRefused)
  expect(() => assertStackAllowed(request)).toThrow(`${key} has a value that is not allowed`)
})

it('every wall is needed', () => {
  const host = base()['HostConfig'] as Json
  for (const key of ['Memory', 'PidsLimit', 'OomScoreAdj', 'CapDrop', 'SecurityOpt', 'LogConfig', 'NetworkMode', 'Init']) {
    const { [key]: _gone, ...rest } = host
    expect(() => assertStackAllowed({ ...base(), HostConfig: rest })).toThrow(key)
  }
})

it('among the apps of its project it has its own alias and an address of ours', () => {
  expect(() => assertEndpointAllowed(projectEndpoint('shop', '10.224.0.130'))).not.toThrow()
  expect(() => assertEndpointAllowed(projectEndpoint('shop', '172.17.0.2'))).toThrow(SpecRefused)
  expect(() => assertEndpointAllowed({ Aliases: ['shop'], DriverOpts: {} })).toThrow(SpecRefused)
})
