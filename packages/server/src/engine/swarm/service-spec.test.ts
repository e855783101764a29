import { expect, it } from 'vitest'
import type { ContainerSpec } from '../container-spec.ts'
import { labelsOf } from '../labels.ts'
import { lostSettings, serviceRequest } from './service-spec.ts'

const spec: ContainerSpec = {
  name: 'berth-abc-app-4-d7',
  image: 'berth/x:release',
  labels: labelsOf({ instance: 'abc', kind: 'app', projectId: 2, appId: 4, deploymentId: 7, service: '', replica: 1 }),
  env: { PORT: '8080' },
  entrypoint: ['/bin/worker'],
  network: 'berth-abc-project-2',
  aliases: ['site'],
  volumes: [],
  memoryBytes: 64 * 1024 * 1024,
  cpus: 0.5,
  restart: 'always',
}
const place = { image: 'registry.example/apps/x@sha256:1', network: 'n1', avoided: ['node9'] }

it('has what a container of an app has: limits, no privileges, no labels that an image could use', () => {
  expect(serviceRequest(spec, place)).toMatchObject({
    Name: 'berth-abc-app-4-d7',
    Labels: { 'berth.instance': 'abc', 'berth.app': '4', 'berth.deployment': '7' },
    TaskTemplate: {
      ContainerSpec: {
        Image: place.image,
        Command: ['/bin/worker'],
        Env: ['PORT=8080'],
        Labels: { 'berth.instance': '', 'berth.app': '', 'berth.lent': '', 'com.docker.compose.project': '' },
        Healthcheck: { Test: ['NONE'] },
        CapabilityDrop: ['CAP_NET_RAW', 'CAP_MKNOD'],
        Privileges: { NoNewPrivileges: true },
      },
      Resources: { Limits: { Pids: 512, MemoryBytes: 67_108_864, NanoCPUs: 500_000_000 } },
      RestartPolicy: { Condition: 'any', MaxAttempts: 5 },
      Placement: { Constraints: ['node.labels.berth.checked==true', 'node.id!=node9'] },
      Networks: [{ Target: 'n1', Aliases: ['site'] }],
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  })
})

it('has variables that Swarm takes as they are, not as templates', () => {
  const env = { TEMPLATE: '{{ .Node.Hostname }} {{{x}}}', PLAIN: '{ a: { b: 1 }}' }
  expect(serviceRequest({ ...spec, env }, place)).toMatchObject({
    TaskTemplate: {
      ContainerSpec: { Env: ['TEMPLATE={{"{{"}} .Node.Hostname }} {{"{{"}}{x}}}', 'PLAIN={ a: { b: 1 }}'] },
    },
  })
})

it('runs only on servers that the app allows', () => {
  const constraints = (servers: ContainerSpec['servers'] = {}) =>
    serviceRequest({ ...spec, servers }, { ...place, avoided: [] })['TaskTemplate'] as { Placement: { Constraints: string[] } }
  const checked = 'node.labels.berth.checked==true'
  expect(constraints({ serverId: 's1' }).Placement.Constraints).toEqual([checked, 'node.labels.berth.server==s1'])
  expect(constraints({ label: 'gpu' }).Placement.Constraints).toEqual([checked, 'node.labels.berth.label.gpu==true'])
})

it('is never made of what has data, unless for the server that has it', () => {
  expect(() => serviceRequest({ ...spec, volumes: [{ volume: 'v', path: '/data' }] }, place)).toThrow('on one server')
})

it('with data it is bound to one server, and Swarm never starts it by itself', () => {
  const withData = { ...spec, volumes: [{ volume: 'v', path: '/data' }], servers: { serverId: 's1' } }
  const templateOf = (change: object) => serviceRequest({ ...withData, ...change }, place)['TaskTemplate']
  const mount = { Type: 'volume', Source: 'v', Target: '/data' }
  expect(templateOf({ isAlone: true })).toMatchObject({
    ContainerSpec: { Mounts: [mount] },
    RestartPolicy: { Condition: 'none' },
    Placement: { Constraints: expect.arrayContaining(['node.labels.berth.server==s1']) },
  })
  expect(templateOf({ isAlone: false })).toMatchObject({ ContainerSpec: { Mounts: [{ ...mount, VolumeOptions: { NoCopy: true } }] } })
  expect(() => templateOf({ servers: { label: 'fast' } })).toThrow('on one server')
})

it('has files by the ids of secrets, never their contents, and none is left out', () => {
  const files = [{ path: '/app/a.conf', mode: 0o400, contents: Buffer.from('hunter-22') }]
  const request = serviceRequest(
    { ...spec, files },
    { ...place, files: [{ id: 's1', name: 'berth-file-x', path: '/app/a.conf', mode: 0o400 }] },
  )
  const file = { Name: '/app/a.conf', UID: '0', GID: '0', Mode: 0o400 }
  expect(request).toMatchObject({
    TaskTemplate: { ContainerSpec: { Secrets: [{ SecretID: 's1', SecretName: 'berth-file-x', File: file }] } },
  })
  expect(JSON.stringify(request)).not.toMatch(/hunter-22|aHVudGVyLTIy/)
  expect(() => serviceRequest({ ...spec, files }, place)).toThrow('must have the files first')
})

it('finds every setting that the engine did not store, except the one that the checks of a server ensure', () => {
  const wanted = serviceRequest(spec, place)
  const storedWithout = (...dropped: string[]) =>
    JSON.parse(
      JSON.stringify({ ...wanted, UpdateConfig: { Parallelism: 1 } }),
      (
        key,
        value: unknown, // what the engine adds is no loss
      ) => (dropped.includes(key) ? undefined : value),
    ) as unknown
  expect(lostSettings(wanted, storedWithout('Privileges'))).toEqual([])
  expect(lostSettings(wanted, storedWithout('Pids', 'Init', 'Aliases'))).toEqual([
    'TaskTemplate.ContainerSpec.Init',
    'TaskTemplate.Resources.Limits.Pids',
    'TaskTemplate.Networks',
  ])
  expect(lostSettings({ CapabilityDrop: ['a', 'b'] }, { CapabilityDrop: ['a'] })).toEqual(['CapabilityDrop'])
})
