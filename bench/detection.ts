import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DEFAULT_BUILD } from '../packages/server/src/domain/release-config.ts'
import { decideBuild } from '../packages/server/src/features/deployments/release/container/decide-build.ts'
import { median, numberFlag, percentile, say, verdict } from './lib/numbers.ts'

/** What a deployment decides before a build, for a workspace with 20,000 files, all in folders that are listed. */
const FOLDERS = 400
const FILES = 50

await using folder = await mkdtempDisposable(path.join(tmpdir(), 'berth-detection-'))
for (let at = 0; at < FOLDERS; at += 1) {
  const place = path.join(folder.path, 'packages', `p${at}`, 'src')
  mkdirSync(place, { recursive: true })
  for (let file = 0; file < FILES; file += 1) writeFileSync(path.join(place, `${file}.ts`), `export const n = ${file}\n`)
}
const json = { name: 'shop', workspaces: ['packages/*'], engines: { node: '22' }, scripts: { build: 'tsc', start: 'node dist/server.js' } }
writeFileSync(path.join(folder.path, 'package.json'), JSON.stringify(json))
writeFileSync(path.join(folder.path, 'package-lock.json'), '{}')

const wish = {
  workspace: folder.path,
  rootDirectory: '',
  dockerfilePath: null,
  build: DEFAULT_BUILD,
  port: 3000,
  processes: [],
  buildSecrets: [],
}
const took: number[] = []
for (let round = 0; round < numberFlag('rounds', 20); round += 1) {
  const begin = performance.now()
  const { plan } = await decideBuild(wish)
  took.push(performance.now() - begin)
  if (plan.kind !== 'node') throw new Error(`detected as ${plan.kind}`)
}
say(`  first ${took[0]?.toFixed(0)} ms, slowest of ten ${percentile(took, 0.9).toFixed(0)} ms`)
verdict(`detection in ${FOLDERS * FILES} files, in ms`, median(took), { atMost: 200 })
