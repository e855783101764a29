import { describe, expect, it } from 'vitest'
import { checkInput } from './check-input.ts'

describe('checking a form against the contract', () => {
  it('accepts what the server accepts', () => {
    expect(checkInput('auth.login', { email: 'a@example.com', password: 'x' })).toEqual([])
    expect(checkInput('apps.update', { appId: 1, cpuLimit: null, memoryLimit: 256, dockerfilePath: 'a/Dockerfile' })).toEqual([])
    expect(checkInput('projects.create', { name: 'A', tags: 'x, y' })).toEqual([])
  })

  it('names the field and what it expects', () => {
    expect(checkInput('auth.setup', { token: 't', email: 'nobody', password: 'short' })).toEqual([
      { field: 'email', message: 'email must be an email address.' },
      { field: 'password', message: 'password must be a password of 8 to 1,024 characters.' },
    ])
    const wrong = checkInput('apps.update', { appId: 1, port: 0, rootDirectory: '../x', cpuLimit: 0 })
    expect(new Set(wrong.map(({ field }) => field))).toEqual(new Set(['port', 'rootDirectory', 'cpuLimit']))
  })

  it('misses what is required', () => {
    expect(checkInput('apps.create', { projectId: 1 })).toEqual([
      { field: 'name', message: 'name must be a string of 1 to 100 characters on one line.' },
    ])
  })

  it('checks lists and records as the server does', () => {
    const tags = Array.from({ length: 31 }, (_, at) => `tag ${at}`)
    expect(checkInput('projects.create', { name: 'A', tags: tags.slice(0, 30) })).toEqual([])
    expect(checkInput('projects.create', { name: 'A', tags }).map(({ field }) => field)).toEqual(['tags'])
    expect(checkInput('apps.create', { projectId: 1, name: 'a', envVars: { 'not a name': 'x' } }).map(({ field }) => field)).toEqual([
      'envVars',
    ])
    expect(checkInput('apps.create', { projectId: 1, name: 'a', envVars: { A_NAME: 'x' } })).toEqual([])
  })
})
