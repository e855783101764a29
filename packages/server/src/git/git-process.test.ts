import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { PROGRAM_PATH } from '../../testing/harness/git-server.ts'
import { runGit } from './git-process.ts'

it('git is ended when it prints messages without end, as a server can make it do', async () => {
  const args = ['-c', 'alias.flood=!yes message >&2', 'flood']
  await expect(runGit({ args, cwd: tmpdir(), env: { PATH: PROGRAM_PATH }, timeoutMs: 50_000 })).rejects.toThrow(
    'more messages than Berth can read',
  )
})
