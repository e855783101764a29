import type { Application } from '@berth/contract'
import { expect, it } from 'vitest'
import { sourceChange, sourceValues } from './source-change.ts'

const URL = 'https://git.example.com/shop.git'
// the fields that are looked at
const app = {
  git_provider_id: null,
  git_repository: '',
  git_clone_url: URL,
  git_branch: 'main',
  image: '',
  auto_deploy: true,
  poll_source: null,
  watch_paths: [] as string[],
  root_directory: '',
  dockerfile_path: null,
} as Application
const connected = { ...app, git_provider_id: 3, git_repository: 'a/shop', git_clone_url: 'https://host/a/shop.git' }
const others = { gitBranch: 'next', rootDirectory: '', dockerfilePath: null, autoDeploy: true, pollSource: null }

it('a clone URL that did not change is not set again by saving the other fields', () => {
  expect(sourceChange(app, { ...sourceValues(app), gitBranch: 'next' })).toEqual(others)
})

it('a new clone URL is sent, and the same one where the person asks for it', () => {
  const typed = { ...sourceValues(app), gitBranch: 'next' }
  expect(sourceChange(app, { ...typed, gitCloneUrl: `${URL}2` })).toEqual({ ...others, gitCloneUrl: `${URL}2` })
  expect(sourceChange(app, { ...typed, gitCloneUrl: '' })).toEqual({ ...others, gitCloneUrl: '' })
  expect(sourceChange(app, { ...typed, inMyName: true })).toEqual({ ...others, gitCloneUrl: URL })
})

it('a repository of an account is sent only when another one was chosen', () => {
  const automatic = { watchPaths: [] }
  const typed = { ...sourceValues(connected), gitBranch: 'next' }
  expect(sourceChange(connected, typed)).toEqual({ ...others, ...automatic })
  const chosen = { ...typed, gitRepository: 'a/other', repositoryUrl: 'https://host/a/other.git' }
  expect(sourceChange(connected, chosen)).toEqual({ ...others, ...automatic, gitProviderId: 3, gitRepository: 'a/other' })
  const none = { ...typed, gitProviderId: 4, gitRepository: '' } // another account, and no repository of it yet
  expect(sourceChange(connected, none)).toEqual({ ...others, ...automatic })
})

it('an app can leave its account for a clone URL, and come to one', () => {
  const left = { ...sourceValues(connected), via: 'url' as const, gitCloneUrl: URL, gitBranch: 'next' }
  expect(sourceChange(connected, left)).toEqual({ ...others, gitProviderId: null, gitRepository: '', gitCloneUrl: URL })
  const come = { ...sourceValues(app), via: 'account' as const, gitProviderId: 3, gitRepository: 'a/shop' }
  expect(sourceChange(app, come)).toMatchObject({ gitProviderId: 3, gitRepository: 'a/shop' })
})

it('watch paths are one a line', () => {
  const values = sourceValues({ ...connected, watch_paths: ['web/**', 'package.json'] })
  expect(values.watchPaths).toBe('web/**\npackage.json')
  expect(sourceChange(connected, { ...values, watchPaths: ' api/** \n\n' })).toMatchObject({ watchPaths: ['api/**'] })
})

it('what is looked for without a webhook is on, off, or left to Berth', () => {
  for (const [poll_source, poll] of [
    [null, 'auto'],
    [true, 'on'],
    [false, 'off'],
  ] as const) {
    const values = sourceValues({ ...app, poll_source })
    expect(values.poll).toBe(poll)
    expect(sourceChange(app, values)).toMatchObject({ pollSource: poll_source })
  }
})

it('an image is sent when it changed, and takes the place of the branch', () => {
  const ready = { ...app, git_clone_url: '', git_branch: '', image: 'nginx:1.27' }
  expect(sourceChange(ready, sourceValues(ready))).not.toHaveProperty('image')
  const changed = sourceChange(ready, { ...sourceValues(ready), image: ' nginx:1.28 ', poll: 'on' })
  expect(changed).toMatchObject({ image: 'nginx:1.28', pollSource: true })
  expect(changed).not.toHaveProperty('gitBranch')
  expect(sourceChange(ready, { ...sourceValues(ready), via: 'url', gitCloneUrl: URL })).toMatchObject({ gitCloneUrl: URL })
})
