import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fingerprintOf, newKeyPair } from './ssh-keys.ts'

it('OpenSSH reads a new key, finds the public half in it, and shows the same fingerprint', () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-ssh-key-'))
  try {
    for (const comment of ['berth', 'berth-app-1', 'berth-app-12', 'berth-app-123456']) {
      const { publicKey, privateKey } = newKeyPair(comment) // each length of the comment has another padding
      const file = join(directory, comment)
      writeFileSync(file, privateKey, { mode: 0o600 })
      expect(execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim()).toBe(publicKey)
      writeFileSync(`${file}.pub`, publicKey)
      expect(execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' })).toContain(` ${fingerprintOf(publicKey)} `)
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
})
