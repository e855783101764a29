import { expect, it } from 'vitest'
import { EngineUnreachable } from '../../engine/api/errors.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import { asAppError } from './visits.ts'

it.each([
  [new RegistryError('unauthorized', 'They are wrong.'), 'registry_refused', 'image: They are wrong.'],
  [new RegistryError('missing', 'There is no such tag.'), 'invalid_source', 'image: There is no such tag.'],
  [new RegistryError('rate_limited', 'Try again later.'), 'registry_unavailable', 'Try again later.'],
  [new RegistryError('unavailable', 'It does not answer.'), 'registry_unavailable', 'It does not answer.'],
  [new EngineUnreachable('ENOENT'), 'engine_unreachable', 'The container engine is not responding. See /health for what to do.'],
])('%s is answered as %s', (cause, code, message) => {
  expect(asAppError(cause, 'image')).toMatchObject({ code, message })
})

it('a fault of ours stays one', () => {
  const fault = new TypeError('x')
  expect(asAppError(fault, 'image')).toBe(fault)
})
