import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { TUNING } from './lib/tuning.ts'

it('has a default for everything', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    owner: undefined,
    engine: { socketPath: '/var/run/docker.sock' },
    edge: { httpPort: 80, httpsPort: 443 },
    privateSources: [],
    registry: undefined,
    imagePort: 5443,
    provision: 'auto',
    logLevel: 'info',
    tuning: TUNING,
    fault: undefined,
  })
  expect(config.workers).toBeGreaterThanOrEqual(2)
  expect(Object.isFrozen(config)).toBe(true)
})

it('an empty variable is an unset one', () => {
  expect(readConfig({ PORT: '', BERTH_WORKERS: '', DOCKER_HOST: '', BERTH_PROVISION: '', BERTH_DATABASE_URL: '' })).toMatchObject({
    port: 8080,
    provision: 'auto',
  })
})

it('reads the given values', () => {
  const config = readConfig({
    HOST: '::1',
    PORT: '0',
    BERTH_DATA_DIR: '/srv/../srv/berth',
    BERTH_OWNER_EMAIL: ' Owner@Example.test ',
    BERTH_OWNER_PASSWORD: 'a-password',
    DOCKER_HOST: 'tcp://127.0.0.1:2375',
    BERTH_IMAGE_PORT: '5000',
    BERTH_PRIVATE_SOURCES: ' Git.Example.test ,, 10.0.0.5 ',
  })
  expect(config).toMatchObject({
    host: '::1',
    port: 0,
    dataDir: '/srv/berth',
    imagePort: 5000,
    owner: { email: 'owner@example.test', password: 'a-password' },
    engine: { host: '127.0.0.1', port: 2375 },
    privateSources: ['git.example.test', '10.0.0.5'],
  })
})

it('reads the test switches only in tests', () => {
  const env = { BERTH_TEST_TUNING: '{"drainMs":1}', BERTH_TEST_FAULT: '{"kind":"error","at":1,"ms":0}' }
  expect(readConfig(env)).toMatchObject({ tuning: TUNING, fault: undefined })
  expect(readConfig({ ...env, NODE_ENV: 'test' })).toMatchObject({ tuning: { drainMs: 1 }, fault: { kind: 'error' } })
})

it('a node needs a valid name and PostgreSQL', () => {
  const env = { BERTH_NODE_NAME: 'east-1', BERTH_DATABASE_URL: 'postgres://berth@localhost/berth' }
  expect(readConfig(env).nodeName).toBe('east-1')
  expect(readConfig({ BERTH_NODE_NAME: '' }).nodeName).toBeUndefined()
  expect(() => readConfig({ ...env, BERTH_NODE_NAME: 'East 1' })).toThrow('BERTH_NODE_NAME="East 1" is not valid')
  expect(() => readConfig({ ...env, BERTH_DATABASE_URL: '' })).toThrow('BERTH_NODE_NAME needs a PostgreSQL server')
})

it('reads the registry of the servers, and never repeats its password', () => {
  const credentials = { BERTH_REGISTRY_USERNAME: 'robot', BERTH_REGISTRY_PASSWORD: 'a-secret' }
  expect(readConfig({ BERTH_REGISTRY: 'registry.example.test:5000/team/apps', ...credentials }).registry).toEqual({
    prefix: 'registry.example.test:5000/team/apps',
    host: 'registry.example.test',
    port: 5000,
    credentials: { host: 'registry.example.test:5000', username: 'robot', password: 'a-secret' },
  })
  expect(readConfig({ BERTH_REGISTRY: 'registry.example.test', ...credentials }).registry).toMatchObject({ port: 443 })
  for (const wrong of [
    'apps',
    'https://registry.example.test',
    'registry.example.test/Apps',
    'registry.example.test/',
    '-x.y/z',
    'x.y:0',
    'x.y:70000/z',
  ])
    expect(() => readConfig({ BERTH_REGISTRY: wrong, ...credentials })).toThrow(/^BERTH_REGISTRY=".*" is not valid/)
  for (const missing of Object.keys(credentials))
    expect(() => readConfig({ BERTH_REGISTRY: 'registry.example.test', ...credentials, [missing]: '' })).toThrow(
      /^BERTH_REGISTRY needs BERTH_REGISTRY_USERNAME and BERTH_REGISTRY_PASSWORD/,
    )
})
