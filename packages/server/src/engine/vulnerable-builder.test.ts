import { expect, it } from 'vitest'
import { hasVulnerableBuilder } from './vulnerable-builder.ts'

it.each(['20.10.24+dfsg1', '19.3.1', '23.0.15', '24.0.8', '25.0.0', '25.0.1', '25.0.0-beta.1', '', 'dev', '25', '25.0', 'v25.0.2'])(
  'Docker %j has the holes',
  (version) => {
    expect(hasVulnerableBuilder(version)).toBe(true)
  },
)

it.each(['24.0.9', '24.0.9-1', '25.0.2', '25.0.10', '26.0.0', '26.1.5+dfsg1', '27.5.1', '100.0.0'])(
  'Docker %j does not have the holes',
  (version) => {
    expect(hasVulnerableBuilder(version)).toBe(false)
  },
)
