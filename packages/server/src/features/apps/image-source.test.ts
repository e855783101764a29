import { expect, it } from 'vitest'
import { imageChange } from './image-source.ts'

const BUILT = { app_type: 'web', builder: 'static', image: '' } as const
const READY = { app_type: 'web', builder: 'image', image: 'nginx:1.27' } as const

it('an app that gets an image runs it and has no repository any more', () => {
  expect(imageChange({ image: 'ghcr.io/owner/web:2' }, BUILT)).toMatchObject({
    builder: 'image',
    image: 'ghcr.io/owner/web:2',
    git_clone_url: '',
    git_provider_id: null,
  })
})

it('an app that gets a repository is built, and has no image any more', () => {
  expect(imageChange({ gitCloneUrl: 'https://host/owner/web' }, READY)).toEqual({ builder: 'auto', image: '' })
  expect(imageChange({ builder: 'static' }, READY)).toEqual({ builder: 'static', image: '' })
})

it('other changes write neither: somebody else may have changed them since', () => {
  expect(imageChange({}, BUILT)).toEqual({})
  expect(imageChange({}, READY)).toEqual({})
})

it.each([
  [{ builder: 'image' }, BUILT, 'image: is required'],
  [{ image: '' }, READY, 'image: is required'],
  [{ image: 'nginx', gitCloneUrl: 'https://host/owner/web' }, BUILT, 'an app has one source'],
  [{ image: 'nginx', builder: 'auto' }, BUILT, 'needs the builder image'],
  [{ image: 'nginx@sha256:12' }, BUILT, 'must be an image such as'],
  [{ image: 'nginx' }, { ...BUILT, app_type: 'database' }, 'must be empty for a database app'],
  [{ builder: 'image' }, { ...BUILT, app_type: 'compose' }, 'must be empty for a compose app'],
] as const)('%j is refused: %s', (input, app, words) => {
  expect(() => imageChange(input, app)).toThrow(words)
})
