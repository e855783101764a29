import type { DeploymentRow } from './rows.ts'

/** What a release is started from. It is stored with the release, so that a rollback starts the same one. */
export type Artifact =
  | { readonly kind: 'image'; readonly tag: string }
  /** The plan is in the data directory, and with several nodes in the database too. `mainService` is the service with the app's port. */
  | { readonly kind: 'compose'; readonly mainService: string }

/** A name that no service can have: nobody has the app's port, and domains that name no service lead nowhere. */
export const NO_SERVICE = '-'

type Columns = Pick<DeploymentRow, 'image' | 'main_service'>

/** Undefined until the build has finished, and again once the artifact has been removed. */
export function artifactOf(row: Columns): Artifact | undefined {
  if (row.image !== '') return { kind: 'image', tag: row.image }
  return row.main_service === '' ? undefined : { kind: 'compose', mainService: row.main_service }
}

export function columnsOf(artifact: Artifact | undefined): Columns {
  return {
    image: artifact?.kind === 'image' ? artifact.tag : '',
    main_service: artifact?.kind === 'compose' ? artifact.mainService : '',
  }
}
