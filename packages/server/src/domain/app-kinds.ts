import { APP_TYPES, type AppType, type Builder } from '@berth/contract'

type AppKind = {
  /** What a release is made from: the repository's Dockerfile, its compose file, or the image of a template. */
  readonly madeFrom: 'dockerfile' | 'compose' | 'template'
  /** Whether visitors reach it through the edge, so that it can have domains. */
  readonly isRouted: boolean
  /** Whether a release has several containers, some of which may exit on their own. */
  readonly hasServices: boolean
  /** Whether all releases share the same data, so that two must never run at once. */
  readonly keepsData: boolean
  /** Whether a release may have several containers that do the same. */
  readonly mayHaveReplicas: boolean
  /** On which servers it may run: any, those that have its data, or the one that Berth runs on. */
  readonly runsOn: 'any' | 'its data' | 'this'
  readonly needsPort: boolean
  readonly defaultPort: number | null
}

/** Everything that differs from one type of app to the next. */
export const APP_KINDS = {
  web: {
    madeFrom: 'dockerfile',
    isRouted: true,
    hasServices: false,
    keepsData: false,
    mayHaveReplicas: true,
    runsOn: 'any',
    needsPort: true,
    defaultPort: 3000,
  },
  service: {
    madeFrom: 'dockerfile',
    isRouted: false,
    hasServices: false,
    keepsData: false,
    mayHaveReplicas: true,
    runsOn: 'any',
    needsPort: false,
    defaultPort: null,
  },
  database: {
    madeFrom: 'template', // which has the port
    isRouted: false,
    hasServices: false,
    keepsData: true,
    mayHaveReplicas: false,
    runsOn: 'its data',
    needsPort: false,
    defaultPort: null,
  },
  compose: {
    madeFrom: 'compose',
    isRouted: true,
    hasServices: true,
    keepsData: false,
    mayHaveReplicas: false,
    runsOn: 'this',
    needsPort: false,
    defaultPort: null,
  },
} as const satisfies Record<AppType, AppKind>

export const DEFAULT_APP_TYPE: AppType = 'web'

export function kindOf(app: { readonly app_type: AppType } | { readonly type: AppType }): AppKind {
  return APP_KINDS['app_type' in app ? app.app_type : app.type]
}

/** Whether it runs a ready image, so that nothing is cloned and built. */
export function deploysImage(app: { readonly app_type: AppType; readonly builder: Builder }): boolean {
  return kindOf(app).madeFrom === 'dockerfile' && app.builder === 'image'
}

/** For queries: the app types with this property. */
export function typesWhere(is: (kind: AppKind) => boolean): AppType[] {
  return APP_TYPES.filter((type) => is(APP_KINDS[type]))
}
