import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SpecRefused } from '../../src/engine/api/errors.ts'
import { planCompose } from '../../src/engine/compose/policy.ts'
import { type RepoEntry, withRepository } from '../../src/engine/compose/repository.ts'
import { appNetworkName, labelsOf, stackContainerName } from '../../src/engine/labels.ts'
import { assertStackAllowed, stackRequest } from '../../src/engine/stack-spec.ts'

/** Compose files as people publish them. The line above each has its name, its port, its files and the keys that are refused. */
const CORPUS = readFileSync(join(import.meta.dirname, 'corpus.yaml'), 'utf8')
  .split(/^#= /m)
  .slice(1)
  .map((entry) => {
    const [header = '', ...lines] = entry.split('\n')
    const [name = '', port = '', files = '', refused = ''] = header.split('|').map((part) => part.trim())
    return { name, port: Number(port), files: files.split(','), refused: refused === '' ? [] : refused.split(','), text: lines.join('\n') }
  })

async function planOf({ text, port, files }: (typeof CORPUS)[number]) {
  const settings = {
    env: { APP_KEY: 'k' },
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
  return await withRepository((lookUp) => planCompose(text, { ...settings, port, lookUp }), read)
}

it.each(CORPUS.filter(({ refused }) => refused.length === 0))('is accepted unchanged: $name', async (file) => {
  const plan = await planOf(file)
  expect(plan.routedService).not.toBeNull()
  for (const service of plan.services) {
    const labels = labelsOf({
      instance: 'abc',
      kind: 'compose',
      projectId: 3,
      appId: 7,
      deploymentId: 1,
      service: service.name,
      replica: 1,
    })
    const name = stackContainerName('abc', 7, { release: '1', service: service.name })
    expect(() => assertStackAllowed(stackRequest({ name, labels, service, network: appNetworkName('abc', 7) }))).not.toThrow()
  }
})

it.each(CORPUS.filter(({ refused }) => refused.length > 0))('is refused with every reason and a fix: $name', async (file) => {
  const refusal = await planOf(file).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(refusal).toBeInstanceOf(SpecRefused)
  const reasons = String((refusal as Error).message).split(/\(\d\) /)
  for (const key of file.refused) {
    const reason = reasons.find((each) => each.includes(`${key} `)) ?? ''
    expect(reason, key).toMatch(/\. (Remove|Commit|Put|Write|Allowed|Publish|Use|Set|Choose)|Remove it/)
  }
})

it('nine of ten are accepted unchanged', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(60)
  expect(CORPUS.filter(({ refused }) => refused.length === 0).length / CORPUS.length).toBeGreaterThanOrEqual(0.9)
})
