import type { ApplicationChange, AppType, Builder } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow } from '../../domain/rows.ts'
import { imageParts } from '../../engine/image-reference.ts'
import { fieldError } from '../../lib/app-error.ts'

type Input = Pick<ApplicationChange, 'builder' | 'image' | 'gitCloneUrl' | 'gitRepository' | 'gitProviderId'>
type Known = Pick<AppRow, 'app_type' | 'builder' | 'image'>

const NO_REPOSITORY = {
  git_clone_url: '',
  git_provider_id: null,
  git_repository: '',
  git_repository_id: '',
  git_branch: '',
  git_commit_url: '',
} as const satisfies Partial<AppRow>

/** What a change comes to for an app that is made from a repository or a ready image. It has one of them: to name one takes the other away. */
export function imageChange(input: Input, app: Known): Partial<AppRow> {
  const image = input.image?.trim()
  const namesRepository = Boolean(input.gitCloneUrl || input.gitRepository || input.gitProviderId)
  if (kindOf(app).madeFrom !== 'dockerfile') {
    if (image || input.builder === 'image') throw fieldError('invalid_request', 'image', `must be empty for ${NEEDS[app.app_type]}`)
    return {}
  }
  if (input.builder === undefined && input.image === undefined && !namesRepository) return {}
  const builder = input.builder ?? builderAfter(app.builder, { image, namesRepository })
  if (builder !== 'image') {
    if (image) throw fieldError('invalid_request', 'image', `needs the builder image, and the builder is ${builder}`)
    return { builder, image: '' }
  }
  const next = image ?? app.image
  if (next === '') throw fieldError('invalid_request', 'image', 'is required with the builder image, such as nginx:1.27')
  if (namesRepository) throw fieldError('invalid_request', 'image', 'cannot be given together with a repository: an app has one source')
  if (imageParts(next) === null)
    throw fieldError('invalid_source', 'image', 'must be an image such as nginx:1.27 or ghcr.io/owner/name:tag')
  return { builder, image: next, ...NO_REPOSITORY }
}

const NEEDS: Record<AppType, string> = {
  web: 'a web app',
  service: 'a service',
  database: 'a database app, which has the image of its template',
  compose: 'a compose app, whose compose file names its images',
}

function builderAfter(builder: Builder, named: { image: string | undefined; namesRepository: boolean }): Builder {
  if (named.image) return 'image'
  return builder === 'image' && named.namesRepository ? 'auto' : builder
}
