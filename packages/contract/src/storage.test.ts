import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { FileWriting, filesProblem, VolumeSettings, volumesProblem } from './storage.ts'

const at = (...paths: string[]) => paths.map((path, index) => ({ name: `v${index}`, path, shareable: false }))
const files = (...paths: string[]) => paths.map((path) => ({ path }))

describe('the schema of a volume', () => {
  const isVolume = (name: string, path: string) => Check(VolumeSettings, [{ name, path }])

  it.each(['uploads', 'a', 'a-1', 'x'.repeat(32)])('accepts the name %s', (name) => expect(isVolume(name, '/data')).toBe(true))
  it.each(['', '-a', 'a-', 'A', 'a b', 'a_b', '../x', 'x'.repeat(33)])('refuses the name %s', (name) => {
    expect(isVolume(name, '/data')).toBe(false)
  })
  it.each(['/data', '/var/lib/app', '/app/.next/cache', '/usr/src/app/..data'])('accepts the path %s', (path) => {
    expect(isVolume('a', path)).toBe(true)
  })
  it.each(['', '/', 'data', '/data/', '/a/../b', '/a/./b', '/..', '//a', '/a b', '/a:b', '/a,b', '/a\n'])('refuses the path %s', (path) => {
    expect(isVolume('a', path)).toBe(false)
  })
})

describe('volumes together', () => {
  it.each([
    ['/proc', 'must not be at /proc'],
    ['/sys/fs', 'must not be at /sys/fs'],
    ['/dev/shm', 'must not be at /dev/shm'],
    ['/etc/nginx', 'must not be at /etc/nginx'],
    ['/run/x', 'must not be at /run/x'],
    ['/lib', 'must not be at /lib'],
    ['/usr', 'must not be at /usr'],
  ])('are refused at %s', (path, problem) => {
    expect(volumesProblem({ volumes: at(path), files: [] })).toContain(problem)
  })

  it.each(['/data', '/usr/share/nginx/html', '/usr/src/app/data', '/var/lib/app', '/library', '/home/node'])('may be at %s', (path) => {
    expect(volumesProblem({ volumes: at(path), files: [] })).toBeUndefined()
  })

  it('have different names, and none is inside another or around a file', () => {
    const twice = at('/a', '/b').map((volume) => ({ ...volume, name: 'same' }))
    expect(volumesProblem({ volumes: twice, files: [] })).toContain('two are called same')
    expect(volumesProblem({ volumes: at('/a', '/a/b'), files: [] })).toContain('/a and /a/b')
    expect(volumesProblem({ volumes: at('/a/b', '/a'), files: [] })).toContain('/a/b and /a')
    expect(volumesProblem({ volumes: at('/a', '/ab'), files: [] })).toBeUndefined()
    expect(volumesProblem({ volumes: at('/a'), files: files('/a/x') })).toContain('the file /a/x and the volume v0')
    expect(volumesProblem({ volumes: at('/a/x/y'), files: files('/a/x') })).toContain('the file /a/x')
  })
})

describe('files together', () => {
  it.each(['/proc/x', '/sys/x', '/dev/null', '/etc/hosts', '/etc/resolv.conf'])('are refused at %s', (path) => {
    expect(filesProblem({ volumes: [], files: files(path) })).toContain(`must not be ${path}`)
  })

  it.each(['/etc/nginx/conf.d/app.conf', '/run/secrets/key', '/app/.env', '/x'])('may be at %s', (path) => {
    expect(filesProblem({ volumes: [], files: files(path) })).toBeUndefined()
  })

  it('are in no other file and in no volume', () => {
    expect(filesProblem({ volumes: [], files: files('/a', '/a/b') })).toContain('/a and /a/b')
    expect(filesProblem({ volumes: at('/data'), files: files('/data/x') })).toContain('the volume v0 at /data')
  })

  it.each(['0444', '0755', '0000'])('have a mode such as %s', (mode) => {
    expect(Check(FileWriting, { appId: 1, path: '/a', content: '', mode })).toBe(true)
  })
  it.each(['444', '4755', '0888', '', '04444'])('do not have the mode %s', (mode) => {
    expect(Check(FileWriting, { appId: 1, path: '/a', content: '', mode })).toBe(false)
  })
})
