import { describe, expect, it } from 'vitest'
import { withoutSecrets } from './logger.ts'

describe('log lines', () => {
  it('hold no secret, at the top and one level below', () => {
    const line = withoutSecrets({ requestId: 'a', password: 'hunter22', input: { email: 'a@b.c', newPassword: 'hunter23', value: 'v' } })
    expect(line).toEqual({ requestId: 'a', password: '***', input: { email: 'a@b.c', newPassword: '***', value: '***' } })
  })

  it('keep an error with its message and its stack, and hide what it carries', () => {
    const err = Object.assign(new Error('the request was refused'), { token: 'secret-token' })
    const shown = JSON.stringify(withoutSecrets({ err }))
    expect(shown).toContain('the request was refused')
    expect(shown).not.toContain('secret-token')
  })

  it('are left as they are when there is nothing to hide', () => {
    const fields = { path: '/api/apps', status: 200 }
    expect(withoutSecrets(fields)).toBe(fields)
  })

  it('do not change what was handed in', () => {
    const input = { password: 'hunter22' }
    withoutSecrets({ input })
    expect(input.password).toBe('hunter22')
  })
})
