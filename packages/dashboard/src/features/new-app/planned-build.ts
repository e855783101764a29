import type { Input } from '@berth/contract'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { checkInput } from '../../lib/check-input.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { cloneOf } from '../../shared/source-values.ts'
import { type NewAppValues, type Steering, steeringOf } from './new-app-form.ts'

function plannedBuild(asked: Input<'builds.planNew'>) {
  return queryOptions({
    queryKey: ['planned-build', asked],
    queryFn: () => call('builds.planNew', asked),
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  })
}

/** What a deployment would build with the values of the form. `canAsk`: the source answers. */
export function usePlannedBuild(projectId: number, values: NewAppValues, canAsk: boolean) {
  const { url: gitCloneUrl, accountId: gitProviderId } = cloneOf(values)
  const typed = JSON.stringify({ port: values.port.trim(), steering: steeringOf(values) })
  const settled = useSettled(typed)
  const { port, steering } = JSON.parse(settled) as { port: string; steering: Steering } // the line above wrote it
  const asked = {
    projectId,
    gitCloneUrl,
    gitProviderId,
    gitBranch: values.gitBranch.trim(),
    rootDirectory: values.rootDirectory.trim(),
    dockerfilePath: values.dockerfilePath.trim(),
    port: /^\d{1,5}$/.test(port) ? Number(port) : null,
    ...steering,
  }
  const enabled = canAsk && checkInput('builds.planNew', asked).length === 0
  const query = useQuery({ ...plannedBuild(asked), enabled })
  if (!enabled) return { isAsking: false, planned: undefined, error: undefined }
  return { isAsking: query.isFetching || settled !== typed, planned: query.data, error: query.error?.message }
}
