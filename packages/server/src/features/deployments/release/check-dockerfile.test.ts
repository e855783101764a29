import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSourcePolicy } from '../../../git/source-policy.ts'
import { createCheckDockerfile } from './check-dockerfile.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-dockerfile-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function check(text: string, buildArgs?: Record<string, string>): Promise<void> {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: () => [] })
  const file = join(directory, 'Dockerfile')
  await writeFile(file, text)
  await createCheckDockerfile({ policy, isEngineWalled: () => true })(file, AbortSignal.timeout(10_000), buildArgs)
}

it('a build whose variables would fill a line up is refused before it begins, with the line named', async () => {
  const steps = 'bcde'.split('').map((name, index) => `ARG ${name}=${`$${'abcd'[index]}`.repeat(10)}`)
  const short = ['FROM scratch', `ARG a=${'x'.repeat(100)}`]
  await expect(check(short.join('\n'))).resolves.toBeUndefined()
  await expect(check([...short, ...steps, 'LABEL l=$e'].join('\n'))).rejects.toThrow(/^Line 5 of the Dockerfile is longer than 64 KB/)
  await expect(check('FROM scratch\nARG a\nLABEL l=$a', { a: 'x'.repeat(100_000) })).rejects.toThrow(/^Line 3 of the Dockerfile/)
})
