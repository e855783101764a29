import { describe, expect, it } from 'vitest'
import { safeNext } from './safe-next.ts'

describe('where the login leads', () => {
  it('is the page that was asked for', () => {
    expect(safeNext('/apps/3/logs?q=x')).toBe('/apps/3/logs?q=x')
  })

  it.each(['', 'https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'apps'])('is never %s', (next) => {
    expect(safeNext(next)).toBe('/')
  })
})
