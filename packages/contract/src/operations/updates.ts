import { operation } from '../operation.ts'
import { Cleared, UpdateCheck, UpdateHistory, UpdateStatus, Version } from '../updates.ts'

/** New versions of Berth. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const updateOperations = {
  'updates.version': operation({
    summary: 'Get the running version',
    method: 'GET', path: '/api/updates/version', may: 'signed in', answer: Version,
  }),
  'updates.check': operation({
    summary: 'Check for a newer version',
    method: 'GET', path: '/api/updates/check', may: 'signed in', answer: UpdateCheck,
  }),
  'updates.apply': operation({
    summary: 'Update to the newest version',
    method: 'POST', path: '/api/updates/apply', may: 'owner', answer: UpdateStatus,
  }),
  'updates.status': operation({
    summary: 'Get the state of an update',
    method: 'GET', path: '/api/updates/status', may: 'owner', answer: UpdateStatus,
  }),
  'updates.history': operation({
    summary: 'List earlier updates',
    method: 'GET', path: '/api/updates/history', may: 'owner', answer: UpdateHistory,
  }),
  'updates.clear': operation({
    summary: 'Clear a stuck update',
    method: 'POST', path: '/api/updates/clear', may: 'owner', answer: Cleared,
  }),
} as const
