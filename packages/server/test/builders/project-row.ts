import type { GivenSettings } from '../../src/builders/detect.ts'

/** A small repository, and what must be found in it. */
export type ProjectRow = {
  readonly files: Readonly<Record<string, string>>
  readonly root?: string
  readonly settings?: Partial<GivenSettings>
  readonly builder?: 'static'
  readonly buildArgs?: readonly string[]
} & (
  | { readonly title: string; readonly start: string }
  | { readonly title: string; readonly output: string }
  /** A part of the sentence that the deployment fails with. */
  | { readonly problem: string }
)

export const json = (value: object): string => JSON.stringify(value)
export const LOCK = { 'package-lock.json': '{}' }
