import { HERE } from '../../domain/app-data.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { DataMove } from './store.ts'

/** One move, and the job that makes it. */
export type Moving = { readonly move: DataMove; readonly app: AppRow; readonly signal: AbortSignal }

/** The id of another server, or undefined for this one. */
export const idOfOther = (server: string): string | undefined => (server === HERE ? undefined : server)

/** A server as people read it in a sentence. */
export const serverInWords = (server: string, name: string): string =>
  server === HERE ? 'the server that Berth runs on' : `the server ${name || server}`
