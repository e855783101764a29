import Type, { type Static } from 'typebox'
import { expects, OneOf } from './fields.ts'
import { StoredVolume } from './storage.ts'

export const DISK_KINDS = ['images', 'cache', 'volumes', 'logs', 'database'] as const
export type DiskKind = (typeof DISK_KINDS)[number]
/** What a clean-up can free without losing data or stopping an app. */
export const CLEANABLE = ['images', 'cache'] as const
export type Cleanable = (typeof CLEANABLE)[number]

/** In bytes. Layers that several images share are counted for none of them, so `images` is a lower bound. */
export const DiskUsage = Type.Object({
  kinds: Type.Array(Type.Object({ kind: OneOf(DISK_KINDS), bytes: Type.Integer(), freeable: Type.Integer() })),
  /** Releases that a clean-up of `images` would make impossible to roll back to. */
  oldReleases: Type.Integer(),
})
export type DiskUsage = Static<typeof DiskUsage>

export const CleanUpRequest = Type.Object({
  kinds: Type.Array(OneOf(CLEANABLE), { minItems: 1, maxItems: 2, ...expects('a list of images, cache or both') }),
})
export const CleanUpResult = Type.Object({ freedBytes: Type.Integer() })

export const AppStorage = Type.Object({ volumes: Type.Array(StoredVolume) })
export type AppStorage = Static<typeof AppStorage>
