import { expect, it } from 'vitest'
import { commitsBetween, compareUrlOf } from './commits-between.ts'

const made = (id: number, commit_hash: string, repository = 'https://github.com/a/shop') => ({
  id,
  commit_hash,
  commit_url: commit_hash === '' ? '' : `${repository}/commit/${commit_hash}`,
})

it('lists each commit that was deployed between two deployments once, whichever way they are compared', () => {
  const list = [made(6, 'f'), made(5, 'c'), made(4, 'd'), made(3, 'c'), made(2, 'b'), made(1, 'a')]
  expect(commitsBetween(list, [made(2, 'b'), made(5, 'c')]).map(({ commit_hash }) => commit_hash)).toEqual(['c', 'd'])
  expect(commitsBetween(list, [made(5, 'c'), made(2, 'b')]).map(({ commit_hash }) => commit_hash)).toEqual(['c', 'd'])
})

it('lists nothing for the same commit, and nothing for what has none', () => {
  expect(commitsBetween([made(2, 'a'), made(1, 'a')], [made(1, 'a'), made(2, 'a')])).toEqual([])
  expect(commitsBetween([made(2, ''), made(1, '')], [made(1, ''), made(2, '')])).toEqual([])
})

it('leads to the comparison of the host', () => {
  expect(compareUrlOf(made(1, 'aa'), made(2, 'bb'))).toBe('https://github.com/a/shop/compare/aa...bb')
  const gitLab = 'https://git.example.com/a/shop/-'
  expect(compareUrlOf(made(1, 'aa', gitLab), made(2, 'bb', gitLab))).toBe('https://git.example.com/a/shop/-/compare/aa...bb')
  expect(compareUrlOf(made(1, 'aa'), made(2, 'bb', gitLab))).toBeUndefined()
  expect(compareUrlOf(made(1, 'aa'), made(2, 'aa'))).toBeUndefined()
  expect(compareUrlOf(made(1, ''), made(2, 'bb'))).toBeUndefined()
})
