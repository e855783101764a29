import { expect, it } from 'vitest'
import { changesBetween } from './changes.ts'

it('lists each setting that was added, changed or removed, and services that came and went', () => {
  const web = { image: 'web:1', environment: { A: '1', B: '2' }, command: ['run', 'it'], mem_limit: 5 }
  const after = { image: 'web:2', environment: { A: '1', C: '3' }, command: ['it', 'run'], mem_limit: 5 }
  expect(changesBetween({ web, old: { image: 'x' } }, { web: after, young: { image: 'x' } })).toEqual([
    { service: 'web', key: 'image', before: 'web:1', after: 'web:2' },
    { service: 'web', key: 'environment.B', before: '2', after: null },
    { service: 'web', key: 'command', before: '["run","it"]', after: '["it","run"]' },
    { service: 'web', key: 'environment.C', before: null, after: '3' },
    { service: 'old', key: '', before: '', after: null },
    { service: 'young', key: '', before: null, after: '' },
  ])
  expect(changesBetween({ web }, { web })).toEqual([])
})
