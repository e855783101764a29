import type { Input } from '@berth/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { checkInput } from '../../lib/check-input.ts'
import { errorWords, problemSentence } from '../../lib/problem-words.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { useSourceCheck } from '../../shared/source-check.ts'
import { cloneOf } from '../../shared/source-values.ts'
import type { NewAppValues } from './new-app-form.ts'

function sourceFiles(asked: Input<'apps.checkSourceFiles'>) {
  return queryOptions({
    queryKey: ['source-files', asked],
    queryFn: () => call('apps.checkSourceFiles', asked),
    staleTime: 30_000,
    retry: false,
  })
}

/** Looks for build files once the source is reachable and has the branch. */
export function useSourceFiles(projectId: number, values: NewAppValues) {
  const { url: gitCloneUrl, accountId: gitProviderId } = cloneOf(values)
  const gitBranch = values.gitBranch.trim()
  const { result } = useSourceCheck({ projectId, url: gitCloneUrl, accountId: gitProviderId }, true)
  const place = { rootDirectory: values.rootDirectory.trim(), dockerfilePath: values.dockerfilePath.trim() }
  const rootDirectory = useSettled(place.rootDirectory)
  const dockerfilePath = useSettled(place.dockerfilePath)
  const isTyping = rootDirectory !== place.rootDirectory || dockerfilePath !== place.dockerfilePath
  const canLook = result?.reachable === true && (gitBranch === '' || result.branches.includes(gitBranch))
  const asked = { projectId, gitCloneUrl, gitProviderId, gitBranch, rootDirectory, dockerfilePath }
  const [problem] = canLook ? checkInput('apps.checkSourceFiles', asked) : []
  const query = useQuery({ ...sourceFiles(asked), enabled: canLook && !isTyping && problem === undefined })
  if (!canLook) return { looking: false, files: undefined, error: undefined }
  if (isTyping || query.isFetching) return { looking: true, files: undefined, error: undefined }
  const error = problem ? problemSentence(problem.field, problem.message) : query.error ? errorWords(query.error) : undefined
  return { looking: false, files: query.data, error }
}
