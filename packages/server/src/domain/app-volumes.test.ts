import { expect, it } from 'vitest'
import { holdsDataAlone } from './app-volumes.ts'

const settings = (shareable: boolean) => ({ volumes: JSON.stringify([{ name: 'data', path: '/data', shareable }]) })
const web = (...names: string[]) => ({ type: 'web' as const, volumes: names.map((name) => ({ name, path: `/${name}` })) })

it.each([
  ['an app without volumes', { volumes: '[]' }, web(), false],
  ['a release from before there were volumes', settings(false), { type: 'web' as const }, false],
  ['a volume for one container', settings(false), web('data'), true],
  ['a volume that is marked as shareable', settings(true), web('data'), false],
  ['a rollback to a volume that is no longer in the settings', { volumes: '[]' }, web('data'), true],
  ['one of two volumes that is not shareable', settings(true), web('data', 'other'), true],
  ['a database', { volumes: '[]' }, { type: 'database' as const }, true],
])('%s: its data is held by one release at a time is %o', (_name, app, config, isAlone) => {
  expect(holdsDataAlone(app, config)).toBe(isAlone)
})
