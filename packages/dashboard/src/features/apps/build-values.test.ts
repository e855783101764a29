import type { Application } from '@berth/contract'
import { expect, it } from 'vitest'
import { buildChange, buildValues } from './build-values.ts'

const app = {
  builder: 'auto',
  install_command: '',
  build_command: 'npm run build',
  start_command: '',
  output_directory: '',
  release_command: '',
  build_target: '',
  build_args: { A: '1', B: 'x=y' },
  submodules: true,
  lfs: false,
} as unknown as Application // what the form reads of it

it('build settings come back as they were', () => {
  const change = buildChange(buildValues(app), false)
  expect(change).toMatchObject({ builder: 'auto', buildCommand: 'npm run build', buildArgs: { A: '1', B: 'x=y' }, submodules: true })
  expect(buildChange(buildValues(app), true)).not.toHaveProperty('builder')
})

it('build arguments are read line by line', () => {
  const { buildArgs } = buildChange({ ...buildValues(app), buildArgs: ' A = 1\n\nB\n' }, false)
  expect(buildArgs).toEqual({ A: ' 1', B: '' })
})
