import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { fixtures, fixtureTree, runTool } from './fixture-tree.ts'
import { slowButShort } from './slow-but-short.mjs'
import { slowPatterns } from './slow-patterns.mjs'
import { checkText, textFiles, textGuards } from './text-guards.mjs'

type LintReport = { diagnostics: { code: string; filename: string }[] }
type BoundaryReport = { summary: { totalCruised: number; violations: { from: string; rule: { name: string } }[] } }
type Named = { name: string }
type DeadReport = { issues: { file: string; files: Named[]; exports: Named[]; dependencies: Named[] }[] }

// The reports are the tools' own formats; a changed one fails the expectations below.
const parse = <T>(text: string): T => JSON.parse(text) as T

describe('the linter', () => {
  const source = 'packages/server/src'
  const rules = readdirSync(path.join(fixtures, 'lint', source))
    .filter((name) => name.endsWith('.ts') && name !== 'clean.ts')
    .map((name) => ({ file: `${source}/${name}`, rule: name === 'filenameCase.ts' ? 'filename-case' : path.basename(name, '.ts') }))
    .concat(
      { file: 'packages/cli/src/no-restricted-globals.ts', rule: 'no-restricted-globals' },
      { file: 'packages/dashboard/src/max-lines-per-function.ts', rule: 'max-lines-per-function' },
    )

  it('finds the one fault in every fixture, names its rule, and leaves the clean file alone', async () => {
    using tree = fixtureTree('lint')
    const { code, stdout } = await runTool(tree.directory, 'oxlint', ['--type-aware', '--deny-warnings', '--format', 'json'])
    const found = parse<LintReport>(stdout).diagnostics.map(({ code: rule, filename }) => ({
      file: filename,
      rule: /\((.+)\)/.exec(rule)?.[1],
    }))
    expect(code).toBe(1)
    for (const expected of rules) expect(found).toContainEqual(expected)
    expect(found.filter(({ file }) => file.endsWith('clean.ts'))).toEqual([])
    expect(rules.length).toBeGreaterThan(20)
  })
})

describe('the boundaries', () => {
  const expected = [
    ['no-cycles', 'packages/server/src/features/apps/cycle-a.ts'],
    ['features-meet-in-app', 'packages/server/src/features/users/by-value.ts'],
    ['machinery-knows-no-feature', 'packages/server/src/http/knows-a-feature.ts'],
    ['domain-knows-no-feature', 'packages/server/src/domain/knows-a-feature.ts'],
    ['loops-are-reached-from-app', 'packages/server/src/features/users/runs-routing.ts'],
    ['loops-know-no-feature', 'packages/server/src/routing/knows-a-feature.ts'],
    ['http-knows-callers-and-rows', 'packages/server/src/http/knows-an-artifact.ts'],
    ['machinery-knows-no-domain', 'packages/server/src/engine/knows-the-domain.ts'],
    ['builders-only-read', 'packages/server/src/builders/knows-the-domain.ts'],
    ['maintenance-needs-no-server', 'packages/server/src/maintenance/asks-over-http.ts'],
    ['maintenance-is-reached-from-main', 'packages/server/src/features/users/runs-a-command.ts'],
    ['contract-stands-alone', 'packages/contract/src/reads-files.ts'],
    ['contract-stands-alone', 'packages/contract/src/knows-the-server.ts'],
    ['clients-speak-the-contract', 'packages/cli/src/reaches-into-server.ts'],
    ['clients-speak-the-contract', 'packages/dashboard/src/reaches-into-server.ts'],
    ['dashboard-features-share-queries', 'packages/dashboard/src/features/logs/reaches-into-apps.ts'],
    ['dashboard-floor-knows-no-feature', 'packages/dashboard/src/shared/knows-a-feature.ts'],
    ['only-stores-speak-sql', 'packages/server/src/features/users/service.ts'],
  ]

  it('are each broken by their fixture, and by nothing else', async () => {
    using tree = fixtureTree('boundaries')
    const report = await runTool(tree.directory, 'depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'packages'])
    const { summary } = parse<BoundaryReport>(report.stdout)
    expect(summary.violations.map(({ rule, from }) => [rule.name, from])).toEqual(expect.arrayContaining(expected))
    expect(summary.violations).toHaveLength(expected.length)
    const check = await runTool(tree.directory, 'depcruise', ['--config', '.dependency-cruiser.cjs', 'packages'])
    expect(check.code).not.toBe(0)
  })

  it('are checked on the TypeScript of the real tree, not on nothing', async () => {
    const root = path.resolve(import.meta.dirname, '../..')
    const report = await runTool(root, 'depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'packages/contract'])
    const cruised = parse<{ modules: { source: string }[] }>(report.stdout).modules.map(({ source }) => source)
    expect(cruised.filter((source) => /^packages\/.+[.]ts$/.test(source)).length).toBeGreaterThan(20)
    expect(cruised.filter((source) => /node_modules\/typebox\//.test(source)).length).toBeGreaterThan(0)
  })
})

describe('the search for dead code', () => {
  it('finds a file, an export and a dependency that nobody uses', async () => {
    using tree = fixtureTree('dead')
    const { code, stdout } = await runTool(tree.directory, 'knip', [
      '--no-progress',
      '--reporter',
      'json',
      '--workspace',
      'packages/server',
    ])
    const { issues } = parse<DeadReport>(stdout)
    expect(code).not.toBe(0)
    expect(issues.flatMap(({ files }) => files.map(({ name }) => name))).toEqual(['packages/server/src/unused-file.ts'])
    expect(issues.flatMap((issue) => issue.exports.map(({ name }) => name))).toEqual(['neverImported'])
    expect(issues.flatMap((issue) => issue.dependencies.map(({ name }) => name))).toEqual(['yaml'])
  })
})

describe('the formatter and the compiler', () => {
  it('refuse a file that is not formatted and whose imports are not sorted', async () => {
    using tree = fixtureTree('format')
    const { code, all } = await runTool(tree.directory, 'biome', ['check', 'unformatted.ts'])
    expect(code).toBe(1)
    expect(all).toContain('organizeImports')
    expect(all).toContain('Formatter would have printed')
  })

  it('refuse an index that nobody checked', async () => {
    using tree = fixtureTree('types')
    const { code, all } = await runTool(tree.directory, 'tsc', ['-p', 'tsconfig.json'])
    expect(code).not.toBe(0)
    expect(all).toContain('TS2532')
  })

  it('refuse in the CLI what Node.js 20 does not have', async () => {
    using tree = fixtureTree('types', ['packages/cli/tsconfig.json'])
    const { code, all } = await runTool(tree.directory, 'tsc', ['-p', 'packages/cli/tsconfig.json'])
    expect(code).not.toBe(0)
    expect(all).toContain("'withResolvers' does not exist")
  })
})

describe('the guard against slow patterns', () => {
  it('finds each of them in its fixture, and none in the clean file', () => {
    const directory = path.join(fixtures, 'slow')
    const found = slowPatterns(directory, textFiles(directory))
    expect(found.map(({ line }) => line)).toEqual([4, 5, 6, 7, 8, 9, 11])
    expect(new Set(found.map(({ file }) => file))).toEqual(new Set(['packages/server/src/slow.ts']))
  })

  it('leaves out only patterns that are still there', () => {
    const root = path.resolve(import.meta.dirname, '../..')
    for (const { file, pattern } of slowButShort) expect(readFileSync(path.join(root, file), 'utf8')).toContain(pattern)
  })
})

describe('the text guards', () => {
  const directory = path.join(fixtures, 'text')
  const found = checkText(directory, textFiles(directory))

  it.each(textGuards.map(({ name }) => name))('include %s, which its fixture breaks', (name) => {
    expect(found.map(({ guard }) => guard)).toContain(name)
  })

  it('are each broken once, and not by the clean file', () => {
    expect(found).toHaveLength(textGuards.length)
    expect(existsSync(path.join(directory, 'clean.ts'))).toBe(true)
    expect(found.map(({ file }) => file)).not.toContain('clean.ts')
  })
})
