import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpecRefused } from './api/errors.ts'
import { assertAllowed, type ContainerSpec, containerRequest, NO_COPY } from './container-spec.ts'
import { newImageName } from './image-names.ts'
import { containerName, labelsOf, projectNetworkName, volumeName } from './labels.ts'

const spec: ContainerSpec = {
  name: containerName('abc', 1, 2),
  image: newImageName(),
  labels: labelsOf({ instance: 'abc', kind: 'app', projectId: 3, appId: 1, deploymentId: 2 }),
  env: { PORT: '8080', GREETING: 'a "b" $c\n=d' },
  network: projectNetworkName('abc', 3),
  aliases: ['shop'],
  volumes: [{ volume: volumeName('abc', 1), path: '/var/lib/postgresql/data' }],
  memoryBytes: 512 * 1024 * 1024,
  cpus: 0.5,
  restart: 'unless-stopped',
}

type Json = Record<string, unknown>
const withHost = (change: Json): Json => {
  const request = containerRequest(spec)
  return { ...request, HostConfig: { ...(request['HostConfig'] as Json), ...change } }
}

describe('a container request', () => {
  it('has the limits and restrictions of every app', () => {
    const request = containerRequest(spec)
    expect(() => assertAllowed(request)).not.toThrow()
    expect(request['Env']).toEqual(['PORT=8080', 'GREETING=a "b" $c\n=d'])
    expect(request['HostConfig']).toMatchObject({
      CapDrop: ['NET_RAW', 'MKNOD'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 512,
      OomScoreAdj: 500,
      NanoCpus: 500_000_000,
      Memory: 536_870_912,
      Init: true,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    })
  })

  const hostile: [string, Json][] = [
    ['Privileged', { Privileged: true }],
    ['Privileged', { Privileged: false }],
    ['Binds', { Binds: ['/:/host'] }],
    ['NetworkMode', { NetworkMode: 'host' }],
    ['NetworkMode', { NetworkMode: 'container:x' }],
    ['PidMode', { PidMode: 'host' }],
    ['IpcMode', { IpcMode: 'host' }],
    ['UTSMode', { UTSMode: 'host' }],
    ['UsernsMode', { UsernsMode: 'host' }],
    ['CgroupnsMode', { CgroupnsMode: 'host' }],
    ['CapAdd', { CapAdd: ['SYS_ADMIN'] }],
    ['CapDrop', { CapDrop: [] }],
    ['Devices', { Devices: [{ PathOnHost: '/dev/sda' }] }],
    ['DeviceRequests', { DeviceRequests: [] }],
    ['SecurityOpt', { SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }],
    ['VolumesFrom', { VolumesFrom: ['other'] }],
    ['Sysctls', { Sysctls: { 'net.ipv4.ip_forward': '1' } }],
    ['Runtime', { Runtime: 'other' }],
    ['CgroupParent', { CgroupParent: '/' }],
    ['PortBindings', { PortBindings: { '80/tcp': [{ HostPort: '80' }] } }],
    ['Mounts', { Mounts: [{ Type: 'bind', Source: '/', Target: '/host' }] }],
    ['Mounts', { Mounts: [{ Type: 'volume', Source: '/etc', Target: '/host', VolumeOptions: NO_COPY }] }],
    ['Mounts', { Mounts: [{ Type: 'volume', Source: 'berth-abc-app-1-volume', Target: '/proc/x', VolumeOptions: NO_COPY }] }],
    ['Mounts', { Mounts: [{ Type: 'volume', Source: 'berth-abc-app-1-volume', Target: '/a/../etc', VolumeOptions: NO_COPY }] }],
    ['Mounts', { Mounts: [{ Type: 'volume', Source: 'berth-abc-app-1-volume', Target: '/', VolumeOptions: NO_COPY }] }],
    ['Mounts', { Mounts: [{ Type: 'volume', Source: 'berth-abc-app-1-volume', Target: '/d' }] }],
    [
      'Mounts',
      {
        Mounts: [
          { Type: 'volume', Source: 'berth-abc-app-1-volume', Target: '/d', VolumeOptions: { DriverConfig: { Options: { device: '/' } } } },
        ],
      },
    ],
    ['PidsLimit', { PidsLimit: -1 }],
    ['OomKillDisable', { OomKillDisable: true }],
    ['OomScoreAdj', { OomScoreAdj: 0 }],
    ['LogConfig', { LogConfig: { Type: 'syslog' } }],
  ]
  it.each(hostile)('is refused by the name of the field: %s %j', (key, change) => {
    expect(() => assertAllowed(withHost(change))).toThrow(`HostConfig.${key}`)
  })

  it('is refused if one of the restrictions is missing', () => {
    for (const key of ['CapDrop', 'SecurityOpt', 'PidsLimit', 'OomScoreAdj', 'LogConfig', 'NetworkMode', 'Mounts', 'Init']) {
      const { [key]: _gone, ...host } = containerRequest(spec)['HostConfig'] as Json
      expect(() => assertAllowed({ ...containerRequest(spec), HostConfig: host })).toThrow(`HostConfig.${key}`)
    }
  })

  it('is refused for any field at all that is not on the list', () => {
    const known = new Set([...Object.keys(containerRequest(spec)), 'Cmd', 'StopTimeout'])
    const knownOfHost = new Set(Object.keys(containerRequest(spec)['HostConfig'] as Json))
    const isRefused = (request: Json) => {
      try {
        assertAllowed(request)
        return false
      } catch (cause) {
        return cause instanceof SpecRefused
      }
    }
    const property = fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (key, value) => {
      fc.pre(key !== '__proto__')
      const request = { ...containerRequest(spec), [key]: value }
      return (known.has(key) || isRefused(request)) && (knownOfHost.has(key) || isRefused(withHost({ [key]: value })))
    })
    expect(fc.check(property, { numRuns: 500 }).counterexample).toBeNull()
  })

  it('is allowed for every spec made of ids and of text that only fills values', () => {
    const ids = fc.integer({ min: 1, max: 1_000_000 })
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000'))
    fc.assert(
      fc.property(ids, ids, fc.dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/), value), (appId, deploymentId, env) => {
        const request = containerRequest({
          ...spec,
          name: containerName('abc', appId, deploymentId),
          image: newImageName(),
          env,
        })
        expect(() => assertAllowed(request)).not.toThrow()
      }),
    )
  })

  it('is refused for hostile images, environment keys and aliases', () => {
    for (const image of ['--privileged', 'a b', '', '../x', 'A$(id)'])
      expect(() => assertAllowed(containerRequest({ ...spec, image }))).toThrow('Image')
    for (const key of ['', 'A B', 'A\nB', '1A', '$(id)'])
      expect(() => assertAllowed(containerRequest({ ...spec, env: { [key]: 'x' } }))).toThrow('Env')
    for (const alias of ['', 'a b', '-x', 'UP', 'a.b', '10.0.0.1']) {
      expect(() => assertAllowed(containerRequest({ ...spec, aliases: [alias] }))).toThrow('NetworkingConfig')
    }
  })
})
