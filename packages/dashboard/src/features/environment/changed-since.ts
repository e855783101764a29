import type { Deployment, EnvVariable } from '@berth/contract'

/** The ids of variables that the live release has not seen. One that was deleted leaves no trace and is not counted. */
export function changedSince(
  variables: readonly Pick<EnvVariable, 'id' | 'updatedAt'>[],
  live: Pick<Deployment, 'created_at'> | undefined,
): ReadonlySet<number> {
  if (!live) return new Set()
  const since = Date.parse(live.created_at)
  return new Set(variables.filter(({ updatedAt }) => Date.parse(updatedAt) > since).map(({ id }) => id))
}
