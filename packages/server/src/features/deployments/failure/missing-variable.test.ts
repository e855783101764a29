import { expect, it } from 'vitest'
import { missingVariable } from './missing-variable.ts'

it.each([
  ['Error: DATABASE_URL is not set', 'DATABASE_URL'],
  ["KeyError: 'STRIPE_KEY'", 'STRIPE_KEY'],
  ['DATABASE_URL must be set: NotPresent', 'DATABASE_URL'],
  ['2026/11/16 13:00:00 DATABASE_URL is required', 'DATABASE_URL'],
  ['error: Environment variable not found: DATABASE_URL.', 'DATABASE_URL'],
  ['Missing required environment variable: STRIPE_KEY', 'STRIPE_KEY'],
  [`/app/db.rb:3:in 'ENV.fetch': key not found: "DATABASE_URL" (KeyError)`, 'DATABASE_URL'],
  ['django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.', 'SECRET_KEY'],
  ['** (RuntimeError) environment variable SECRET_KEY_BASE is missing.', 'SECRET_KEY_BASE'],
  ['x.ValidationError: 1 validation error for Settings DATABASE_URL Field required [type=missing]', 'DATABASE_URL'],
  ['no DATABASE_URL', 'DATABASE_URL'],
  ["KeyError: 'user'", undefined],
  ['Error: Cannot find module EXPRESS', undefined],
  ['connect ECONNREFUSED 10.0.0.2:5432', undefined],
  ['Error [ERR_MODULE_NOT_FOUND]: Cannot find package "pg"', undefined],
  ['ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', undefined],
])('%s', (line, name) => expect(missingVariable(line)).toBe(name))
