import { expect, it } from 'vitest'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import { differences } from './differences.ts'

const BEFORE: ReleaseConfig = {
  type: 'web',
  slug: 'web',
  template: '',
  env: { KEPT: 'same', CHANGED: 'old secret', GONE: 'x' },
  source: { branch: 'main', rootDirectory: '', dockerfilePath: '' },
  port: 3000,
  healthcheckPath: '',
  strategy: 'rolling',
  restart: 'unless-stopped',
  cpus: null,
  memoryMb: null,
}

it('names what differs, and shows no value of a variable', () => {
  const found = differences(BEFORE, {
    ...BEFORE,
    env: { KEPT: 'same', CHANGED: 'new secret', ADDED: 'y' },
    source: { branch: 'next', rootDirectory: '', dockerfilePath: '' },
    memoryMb: 512,
  })
  expect(found.settings).toEqual([
    { name: 'Branch', before: 'main', after: 'next' },
    { name: 'Memory limit', before: '', after: '512 MB' },
  ])
  expect(found.environment).toEqual([
    { key: 'ADDED', is: 'added' },
    { key: 'CHANGED', is: 'changed' },
    { key: 'GONE', is: 'removed' },
  ])
  expect(JSON.stringify(found)).not.toContain('secret')
})

it('a variable that is called like a member of every object is one like any other', () => {
  const env = JSON.parse('{"constructor": "1"}') as Record<string, string>
  expect(differences({ ...BEFORE, env: {} }, { ...BEFORE, env }).environment).toEqual([{ key: 'constructor', is: 'added' }])
})
