import { expect, it } from 'vitest'
import { createStep } from './step.ts'

it('without a fault it only runs the effect', async () => {
  expect(await createStep(undefined)('a', async () => 7)).toBe(7)
})

it('fails at the step that was named, and at no other', async () => {
  const seen: string[] = []
  const step = createStep({ kind: 'error', at: 2, ms: 0 }, (n, name) => seen.push(`${n} ${name}`))
  await step('first', async () => undefined)
  await expect(step('second', async () => undefined)).rejects.toThrow('injected failure at step 2 (second)')
  await step('third', async () => undefined)
  expect(seen).toEqual(['1 first', '2 second', '3 third'])
})

it('delays the step that was named', async () => {
  const step = createStep({ kind: 'delay', at: 1, ms: 1 })
  expect(await step('only', async () => 'done')).toBe('done')
})
