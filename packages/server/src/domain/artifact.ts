import type { DeploymentRow } from './rows.ts'

/** What a release is started from. It is kept with the release, so that a rollback starts the same again. */
export type Artifact =
  | { readonly kind: 'image'; readonly tag: string }
  /** The plan lies in the data directory. `mainService` has the port; where no service has it, it is the first one. */
  | { readonly kind: 'compose'; readonly mainService: string }

type Columns = Pick<DeploymentRow, 'image' | 'main_service'>

/** Nothing before the build has ended, and once the artifact has been removed. */
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
