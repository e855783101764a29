import { expect, it } from 'vitest'
import { canonicalImageName, canonicalRegistry, imageParts, parseImageReference } from './image-reference.ts'

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

it('takes a name apart', () => {
  const digest = `sha256:${'0'.repeat(64)}`
  expect(imageParts('nginx')).toEqual({ host: 'docker.io', repository: 'docker.io/library/nginx', tag: 'latest', digest: '' })
  expect(imageParts('ghcr.io/owner/app:1.2')).toEqual({ host: 'ghcr.io', repository: 'ghcr.io/owner/app', tag: '1.2', digest: '' })
  expect(imageParts(`127.0.0.1:5000/a/b:c@${digest}`)).toEqual({
    host: '127.0.0.1:5000',
    repository: '127.0.0.1:5000/a/b',
    tag: 'c',
    digest,
  })
  expect(imageParts(`grafana/grafana@${digest}`)).toEqual({ host: 'docker.io', repository: 'docker.io/grafana/grafana', tag: '', digest })
  for (const text of ['', 'Nginx', 'a b', 'nginx@sha256:00', 'nginx@', 'ghcr.io/', 'ghcr.io/:1']) expect(imageParts(text)).toBe(null)
})

it('has one spelling for each registry', () => {
  expect(['Docker.io', 'index.docker.io', 'registry-1.docker.io'].map(canonicalRegistry)).toEqual(['docker.io', 'docker.io', 'docker.io'])
  expect(['GHCR.io', 'ghcr.io:443', '127.0.0.1:5000'].map(canonicalRegistry)).toEqual(['ghcr.io', 'ghcr.io', '127.0.0.1:5000'])
})
