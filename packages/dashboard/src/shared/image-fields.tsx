import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TextField } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Spinner } from '../components/spinner.tsx'
import { call } from '../lib/api.ts'
import { errorWords } from '../lib/problem-words.ts'
import { useSettled } from '../lib/use-settled.ts'
import { paths } from '../paths.ts'

type Props = { projectId: number; image: string; onImage: (image: string) => void; problem: string | undefined; disabled: boolean }

/** A ready image, looked up in its registry once typing pauses. */
export function ImageFields({ projectId, image, onImage, problem, disabled }: Props) {
  const settled = useSettled(image.trim())
  const isAsked = !disabled && settled !== ''
  const query = useQuery({
    queryKey: ['image', projectId, settled],
    queryFn: () => call('apps.lookAtImage', { projectId, image: settled }),
    enabled: isAsked,
    staleTime: 60_000, // registries limit how often they are asked
    retry: false,
    placeholderData: keepPreviousData,
  })
  const checking = isAsked && (settled !== image.trim() || query.isFetching)
  const found = isAsked && !checking ? query.data : undefined
  return (
    <div className="grid gap-1.5">
      <TextField
        label="Image"
        mono
        placeholder="ghcr.io/owner/name:tag"
        autoComplete="off"
        spellCheck={false}
        value={image}
        onText={onImage}
        problem={problem}
        hint={
          <span aria-live="polite" className="flex min-h-5 items-start gap-1.5">
            {checking && (
              <>
                <Spinner /> Checking…
              </>
            )}
            {!checking && isAsked && query.error && <span className="text-bad">{errorWords(query.error)}</span>}
            {found?.found === false && <span className="[overflow-wrap:anywhere] text-bad">{found.message}</span>}
            {found?.found === true && (
              <span className="flex min-w-0 items-start gap-1.5 text-good">
                <Icon name="check" />
                <span className="[overflow-wrap:anywhere]">
                  {found.message}. <code className="font-mono">{found.digest.slice(0, 19)}</code>
                </span>
              </span>
            )}
            {!isAsked && 'From Docker Hub, such as nginx:1.27, or from any other registry.'}
          </span>
        }
      />
      {!disabled && (
        <p className="text-[13px] text-ink-soft">
          For private images,{' '}
          <Link to={paths.projectRegistries(projectId)} className="text-accent underline">
            add the registry
          </Link>
          .
        </p>
      )}
    </div>
  )
}
