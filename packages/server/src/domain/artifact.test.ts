import { expect, it } from 'vitest'
import { type Artifact, artifactOf, columnsOf } from './artifact.ts'

it.each<Artifact>([
  { kind: 'image', tag: 'berth/a:release' },
  { kind: 'compose', mainService: 'web' },
])('reads what it wrote: $kind', (artifact) => {
  expect(artifactOf(columnsOf(artifact))).toEqual(artifact)
})

it('is none before a build has ended', () => {
  expect(artifactOf(columnsOf(undefined))).toBeUndefined()
})
