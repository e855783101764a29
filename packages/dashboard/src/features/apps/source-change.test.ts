import type { Application } from '@berth/contract'
import { expect, it } from 'vitest'
import { sourceChange, sourceValues } from './source-change.ts'

const URL = 'https://git.example.com/shop.git'
const app = { git_clone_url: URL, git_branch: 'main', root_directory: '', dockerfile_path: null } as Application // the fields that are looked at
const others = { gitBranch: 'next', rootDirectory: '', dockerfilePath: null }

it('a clone URL that did not change is not set again by saving the other fields', () => {
  expect(sourceChange(app, { ...sourceValues(app), gitBranch: 'next' })).toEqual(others)
})

it('a new clone URL is sent, and the same one where the person asks for it', () => {
  const typed = { ...sourceValues(app), gitBranch: 'next' }
  expect(sourceChange(app, { ...typed, gitCloneUrl: `${URL}2` })).toEqual({ ...others, gitCloneUrl: `${URL}2` })
  expect(sourceChange(app, { ...typed, gitCloneUrl: '' })).toEqual({ ...others, gitCloneUrl: '' })
  expect(sourceChange(app, { ...typed, inMyName: true })).toEqual({ ...others, gitCloneUrl: URL })
})
