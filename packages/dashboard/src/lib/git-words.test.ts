import { expect, it } from 'vitest'
import { hostOf, tokenPageOf } from './git-words.ts'

it('leads to the page of the host that creates a token, at whatever address the host is', () => {
  expect(tokenPageOf('github', '')).toBe('https://github.com/settings/personal-access-tokens/new')
  expect(tokenPageOf('gitea', ' https://git.example.com/code/ ')).toBe('https://git.example.com/code/user/settings/applications')
  expect(tokenPageOf('gitea', 'git.example.com')).toBeUndefined()
  expect(tokenPageOf('gitea', 'javascript:alert(1)')).toBeUndefined()
})

it('names a host by its address without the scheme', () => {
  expect(hostOf('https://git.example.com/code/')).toBe('git.example.com/code')
})
