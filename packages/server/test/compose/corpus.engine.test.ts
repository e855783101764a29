import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureStackImages } from '../../testing/images/stack-images.ts'
import { type EdgeLab, startEdgeLab } from '../../testing/labs/edge-lab.ts'
import { ACCEPTED } from './corpus.ts'
import { imagesOf, runFile } from './run-corpus.ts'

/** One of each shape; `corpus.long.ts` has them all. */
const TYPICAL = [
  'a blog with its database, container names and ports of the machine',
  'Node: built from the root, database beside',
  'Go: for working on the code, with the source mounted',
  'a wiki in one container, data beside the file',
  'secrets from files',
  'pages behind a proxy whose settings are a template',
]
const files = ACCEPTED.filter(({ name }) => TYPICAL.includes(name))

const parts = new AsyncDisposableStack()
let lab: EdgeLab
beforeAll(async () => {
  lab = parts.use(await startEdgeLab())
  parts.use(await ensureStackImages(lab.engine, await imagesOf(files)))
})
afterAll(async () => await parts.disposeAsync())

it.concurrent.each(files)('a published compose file is deployed unchanged and answers: $name', async (file) => {
  expect(await runFile(lab, file)).toEqual([])
})

it('all of them are there', () => expect(files.map(({ name }) => name).toSorted()).toEqual(TYPICAL.toSorted()))
