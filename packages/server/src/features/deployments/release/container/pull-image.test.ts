import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../../testing/harness/test-database.ts'
import type { ImageUser } from '../../../../domain/image-user.ts'
import { type BuildConfig, buildConfigOf, type ReleaseConfig } from '../../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../../domain/rows.ts'
import type { Context } from '../../run/stage.ts'
import { createPullReadyImage } from './pull-image.ts'

const ADA = 7
const EVE = 8
/** Only the fields that are read. */
const appOf = (image: string, source_set_by: number) => ({ project_id: 3, image, source_set_by, build_args: '{}' }) as AppRow

/** What is pulled, and with whose credentials, for a deployment with these settings. */
async function pulled(app: AppRow, build: BuildConfig) {
  const asked: { image: string; user: ImageUser }[] = []
  await using test = await openTestDatabase()
  const pull = createPullReadyImage({
    db: test.db,
    pullImage: async (_context, { image, user }) => {
      asked.push({ image, user })
      return { tag: 'berth/pulled', ref: image, digest: '' }
    },
  })
  const config = { build } as ReleaseConfig // the stage reads no more of it
  const deployment = { id: 5, image_ref: '' } as DeploymentRow // the same
  await pull({ app, config, deployment, enter: async () => undefined } as unknown as Context) // the same
  return asked
}

it('an image is pulled with the credentials of the person who named it, also if somebody else has named another one since', async () => {
  const begun = buildConfigOf(appOf('ghcr.io/eve/own:1', EVE))
  expect(await pulled(appOf('ghcr.io/ada/other:1', ADA), begun)).toEqual([
    { image: 'ghcr.io/eve/own:1', user: { projectId: 3, personId: EVE } },
  ])
})

it('without a record of who named it, the credentials of no person are used', async () => {
  const { imageSetBy: _, ...before } = buildConfigOf(appOf('ghcr.io/eve/own:1', EVE))
  expect(await pulled(appOf('ghcr.io/ada/other:1', ADA), before)).toMatchObject([{ user: { projectId: 3, personId: null } }])
})
