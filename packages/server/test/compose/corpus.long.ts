import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureStackImages } from '../../testing/images/stack-images.ts'
import { type EdgeLab, startEdgeLab } from '../../testing/labs/edge-lab.ts'
import { ACCEPTED } from './corpus.ts'
import { CANNOT_RUN, imagesOf, runFile } from './run-corpus.ts'

const ONLY = new RegExp(process.env['CORPUS'] ?? '')
const files = ACCEPTED.filter(({ name }) => ONLY.test(name))

const parts = new AsyncDisposableStack()
let lab: EdgeLab
beforeAll(async () => {
  lab = parts.use(await startEdgeLab({ tuning: { healthDeadlineMs: 120_000 } }))
  parts.use(await ensureStackImages(lab.engine, await imagesOf(files)))
}, 600_000)
afterAll(async () => await parts.disposeAsync())

const ran: string[] = []
it.concurrent.each(files)('is deployed and answers: $name', async (file) => {
  const from = performance.now()
  const wrong = await runFile(lab, file)
  process.stdout.write(
    `${wrong.length === 0 ? 'RAN' : 'DID NOT RUN'} ${file.name}, ${Math.round((performance.now() - from) / 1000)} s ${wrong.join('; ')}\n`,
  )
  const isOfMachine = CANNOT_RUN[file.name]?.test(wrong.join()) === true
  expect(isOfMachine ? [] : wrong).toEqual([])
  if (!isOfMachine) ran.push(file.name)
})

afterAll(() => void process.stdout.write(`${ran.length} of ${files.length} files ran and answered\n`))
