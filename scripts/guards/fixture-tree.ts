import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const configuration = [
  'package.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'biome.json',
  '.oxlintrc.json',
  '.dependency-cruiser.cjs',
  'knip.json',
]

export const fixtures = path.join(import.meta.dirname, 'fixtures')

/** A copy of one fixture under the repository's own configuration files, so that a rule is tried exactly as it is used. */
export function fixtureTree(name: string, more: readonly string[] = []): Disposable & { directory: string } {
  const directory = mkdtempSync(path.join(tmpdir(), `berth-guard-${name}-`))
  for (const file of [...configuration, ...more]) cpSync(path.join(root, file), path.join(directory, file))
  cpSync(path.join(fixtures, name), directory, { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'))
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

export function runTool(
  directory: string,
  tool: string,
  args: readonly string[],
): Promise<{ code: number | null; stdout: string; all: string }> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    const program = path.join(root, 'node_modules/.bin', tool)
    // Through our own Node.js: the machine's may be too old for the tools.
    const child = spawn(process.execPath, [program, ...args], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, all: stdout + stderr }))
  })
}
