import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planCompose } from '../../src/engine/compose/policy.ts'
import { type RepoEntry, withRepository } from '../../src/engine/compose/repository.ts'
import type { ComposePlan } from '../../src/engine/compose/stack.ts'

/** Compose files as people publish them. The line above each has its name, its port, its files and the keys that are refused. */
export const CORPUS = readFileSync(join(import.meta.dirname, 'corpus.yaml'), 'utf8')
  .split(/^#= /m)
  .slice(1)
  .map((entry) => {
    const [header = '', ...lines] = entry.split('\n')
    const [name = '', port = '', files = '', refused = ''] = header.split('|').map((part) => part.trim())
    return { name, port: Number(port), files: files.split(','), refused: refused === '' ? [] : refused.split(','), text: lines.join('\n') }
  })

export type CorpusFile = (typeof CORPUS)[number]

export const ACCEPTED = CORPUS.filter(({ refused }) => refused.length === 0)
export const CORPUS_ENV = { APP_KEY: 'k' }

export async function planOf({ text, port, files }: CorpusFile): Promise<ComposePlan> {
  const settings = {
    env: CORPUS_ENV,
    volumePrefix: 'berth-abc-app-7',
    memoryBytes: 512 * 1024 ** 2,
    reservedPorts: [8082],
    newImageName: () => 'berth/0:release',
  }
  const read = async (path: string): Promise<RepoEntry> => {
    if (files.includes(path)) return { kind: 'file', mode: 0o644, blob: 'b', text: 'A=1' }
    return files.some((file) => file.startsWith(`${path}/`) || path === '.')
      ? { kind: 'directory', files: [{ path: 'x', mode: 0o644, blob: 'b' }] }
      : { kind: 'missing' }
  }
  return await withRepository((access) => planCompose(text, { ...settings, port, ...access }), read)
}
