import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type DetectionInput, detect, detectSite } from '../../src/builders/detect.ts'
import { projectAt, repositoryOf } from '../../src/builders/project.ts'
import { readDockerfile } from '../../src/engine/build/dockerfile.ts'
import { BUILT, NOT_BUILT } from './built-projects.ts'
import { NODE_PROJECTS } from './node-projects.ts'
import { OTHER_PROJECTS } from './other-projects.ts'
import type { ProjectRow } from './project-row.ts'

const GOLDEN = path.join(import.meta.dirname, 'golden')
const ROWS: readonly (readonly [string, ProjectRow])[] = Object.entries({ ...NODE_PROJECTS, ...OTHER_PROJECTS })
const UNSET = { installCommand: '', buildCommand: '', startCommand: '', outputDirectory: '' }

function planOf(row: ProjectRow) {
  const given: DetectionInput = { settings: { ...UNSET, ...row.settings }, port: 3000, buildArgs: row.buildArgs ?? [] }
  const project = projectAt(repositoryOf(row.files), row.root ?? '')
  return row.builder === 'static' ? detectSite(project, given) : detect(project, given)
}

describe('a repository', () => {
  it.each(ROWS.filter(([, row]) => 'title' in row))('%s is recognised, and becomes the Dockerfile that is kept', async (name, row) => {
    const found = planOf(row)
    const start = found?.plan.commands.find((command) => command.name === 'start')?.command ?? ''
    expect({ title: found?.plan.title, start, output: found?.plan.outputDirectory }).toEqual({
      title: 'title' in row ? row.title : '',
      start: 'start' in row ? row.start : '',
      output: 'output' in row ? row.output : '',
    })
    await expect(found?.plan.dockerfile).toMatchFileSnapshot(path.join(GOLDEN, `${name}.Dockerfile`))
  })

  it.each(ROWS.filter(([, row]) => 'problem' in row))('%s is refused before a build, and the sentence says why', (_name, row) => {
    expect(() => planOf(row)).toThrow('problem' in row ? row.problem : '')
  })

  it('with nothing that is known is not guessed at', () => {
    expect(planOf({ files: { 'README.md': '', 'src/lib.c': '' }, problem: '' })).toBeNull()
  })
})

describe('every Dockerfile that is written', () => {
  const texts = ROWS.filter(([, row]) => 'title' in row).map(([name, row]) => [name, planOf(row)?.plan.dockerfile ?? ''] as const)

  it('is in the folder of those that are kept, and no other one is', async () => {
    expect((await readdir(GOLDEN)).toSorted()).toEqual(texts.map(([name]) => `${name}.Dockerfile`).toSorted())
  })

  it.each(texts)('of %s runs without root, in exec form, and mounts whole caches only', (_name, text) => {
    const lines = text.trimEnd().split('\n')
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
    expect(last.filter((line) => /^USER (?!root|0)/.test(line))).toHaveLength(1)
    expect(last.at(-1)).toMatch(/^CMD \[".*"\]$/)
    const reading = readDockerfile(text)
    expect({
      mounts: reading.cacheSubPaths,
      fetches: reading.fetches.filter(({ kind }) => kind !== 'image'),
      tooLong: reading.tooLong,
    }).toEqual({
      mounts: [],
      fetches: [],
      tooLong: null,
    })
  })
})

it('every project of the table is either built by the long test, or the reason why not is written down', () => {
  const detected = ROWS.filter(([, row]) => 'title' in row).map(([name]) => name)
  expect([...Object.keys(BUILT), ...Object.keys(NOT_BUILT)].toSorted()).toEqual(detected.toSorted())
})

it('the projects of the table are at least forty, and half of them of Node.js', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(60)
  expect(Object.keys(NODE_PROJECTS).length).toBeGreaterThanOrEqual(20)
})
