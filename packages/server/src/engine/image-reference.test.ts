import { expect, it } from 'vitest'
import { canonicalImageName, parseImageReference } from './image-reference.ts'

it('says which registry a reference leads to', () => {
  const registryOf = (text: string) => parseImageReference(text)?.registry
  expect(registryOf('redis')).toBe('docker.io')
  expect(registryOf('grafana/grafana:11')).toBe('docker.io')
  expect(registryOf('docker.io/library/redis')).toBe('docker.io')
  expect(registryOf('ghcr.io/owner/app@sha256:00')).toBe('ghcr.io')
  expect(registryOf('127.0.0.1:5000/x')).toBe('127.0.0.1:5000')
  expect(registryOf('localhost/x')).toBe('localhost')
})

it('never results in a reference that the engine could read as an image id', () => {
  for (const text of ['a', 'ab12', 'f'.repeat(64), 'sha256:a', `sha256:${'0'.repeat(64)}`, 'redis', 'redis:7'])
    expect(parseImageReference(text)?.text).toBe(`docker.io/library/${text}`)
  expect(parseImageReference('owner/app')?.text).toBe('owner/app')
})

it('rejects anything that is not a reference', () => {
  for (const text of ['', '--privileged', 'A/b', 'a b', 'a\nb', '$x', '/x']) expect(parseImageReference(text)).toBeNull()
})

it.each([
  ['a/b', 'docker.io/a/b:latest'],
  ['docker.io/a/b', 'docker.io/a/b:latest'],
  ['index.docker.io/a/b:latest', 'docker.io/a/b:latest'],
  ['node:20', 'docker.io/library/node:20'],
  ['docker.io/node', 'docker.io/library/node:latest'],
  ['localhost:5000/a', 'localhost:5000/a:latest'],
  ['r.example/a/b@sha256:00', 'r.example/a/b@sha256:00'],
])('%s is %s by its full name', (text, name) => {
  expect(canonicalImageName(text)).toBe(name)
})
