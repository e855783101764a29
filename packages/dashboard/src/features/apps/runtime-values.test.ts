import type { Application } from '@berth/contract'
import { expect, it } from 'vitest'
import { internalAddress, runtimeChange, runtimeValues } from './runtime-values.ts'

const worker = {
  slug: 'worker',
  port: 0,
  healthcheck_path: '',
  cpu_limit: null,
  memory_limit: null,
  replicas: 3,
  processes: [] as Application['processes'],
  restart_policy: 'always',
  deployment_strategy: 'rolling',
} as Application // the fields that are read

it('an app without a port has an empty field, and saving it untouched keeps it without one', () => {
  expect(runtimeValues(worker)).toMatchObject({ port: '', cpuLimit: '', memoryLimit: '', replicas: '3' })
  expect(runtimeChange(runtimeValues(worker))).toMatchObject({ port: null, cpuLimit: null, memoryLimit: null, replicas: 3 })
})

it('an app with a port and limits shows them, and saving sends numbers', () => {
  const values = runtimeValues({ ...worker, port: 3000, cpu_limit: 0.5, memory_limit: 512 })
  expect(values).toMatchObject({ port: '3000', cpuLimit: '0.5', memoryLimit: '512' })
  expect(runtimeChange(values)).toMatchObject({ port: 3000, cpuLimit: 0.5, memoryLimit: 512 })
})

it('the address inside the project names the port only where there is one', () => {
  expect(internalAddress(worker)).toBe('worker')
  expect(internalAddress({ slug: 'shop', port: 3000 })).toBe('shop:3000')
})
