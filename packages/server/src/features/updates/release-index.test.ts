import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { chooseRelease, type Release, readIndex } from './release-index.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

function release(version: string, change: Partial<Release> = {}): Release {
  const archive = { file: 'a.tar.gz', bytes: 1, unpackedBytes: 1, sha256: 'a'.repeat(64) }
  const known = { channel: 'stable', publishedAt: '2026-01-01T00:00:00.000Z', notes: '', oldest: '0.1.0', engine: '20.10.0' } as const
  return { version, ...known, archives: { 'linux-x64': archive }, ...change }
}

function signed(releases: unknown, text = JSON.stringify({ format: 1, releases })): { signed: string; signature: string } {
  return { signed: text, signature: sign(null, Buffer.from(text), privateKey).toString('base64') }
}

describe('an index of releases', () => {
  it('is read when one of the keys signed it', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const text = JSON.stringify(signed([release('1.0.0')]))
    expect(readIndex(text, [other, key]).map(({ version }) => version)).toEqual(['1.0.0'])
    expect(() => readIndex(text, [other])).toThrow('its signature is not valid')
    expect(() => readIndex(text, ['not a key'])).toThrow('its signature is not valid')
  })

  it('is refused when a byte of it was changed', () => {
    const index = signed([release('1.0.0')])
    expect(() => readIndex(JSON.stringify({ ...index, signed: index.signed.replace('1.0.0', '1.0.1') }), [key])).toThrow('its signature')
  })

  it('is refused when it is something else, also when it was signed', () => {
    for (const text of ['', '[]', '{}', JSON.stringify(signed([{ version: 1 }])), JSON.stringify(signed([], '{'))])
      expect(() => readIndex(text, [key]), text).toThrow(/^it (is not|has a format)/)
  })

  it('cannot name a file or a version outside of its place', () => {
    const archive = { file: '../x', bytes: 1, unpackedBytes: 1, sha256: 'a'.repeat(64) }
    expect(() => readIndex(JSON.stringify(signed([release('1.0.0', { archives: { 'linux-x64': archive } })])), [key])).toThrow('format')
    expect(readIndex(JSON.stringify(signed([release('../1.0.0')])), [key])).toEqual([])
  })
})

describe('the release to update to', () => {
  const running = { version: '1.0.0', platform: 'linux-x64', channel: 'stable' } as const

  it('is the newest one that this version may jump to', () => {
    const releases = [release('1.2.0'), release('1.10.0'), release('2.0.0', { oldest: '1.10.0' }), release('0.9.0')]
    expect(chooseRelease(releases, running)?.version).toBe('1.10.0')
    expect(chooseRelease(releases, { ...running, version: '1.10.0' })?.version).toBe('2.0.0')
    expect(chooseRelease(releases, { ...running, version: '2.0.0' })).toBeUndefined()
  })

  it('is one of the channel and of the platform', () => {
    const releases = [release('1.1.0'), release('1.2.0-next.1', { channel: 'next' })]
    expect(chooseRelease(releases, running)?.version).toBe('1.1.0')
    expect(chooseRelease(releases, { ...running, channel: 'next' })?.version).toBe('1.2.0-next.1')
    expect(chooseRelease(releases, { ...running, platform: 'linux-arm64' })).toBeUndefined()
  })
})
