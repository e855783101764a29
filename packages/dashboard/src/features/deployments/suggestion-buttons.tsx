import type { Application, Deployment } from '@berth/contract'
import { Button, ButtonLink } from '../../components/button.tsx'
import { paths } from '../../paths.ts'
import { useApplySuggestion } from './actions.ts'

/** What would fix a failed deployment, one click away. */
export function SuggestionButtons({ deployment, app }: { deployment: Deployment; app: Application }) {
  const apply = useApplySuggestion(deployment)
  const { suggestions = [] } = deployment
  if (suggestions.length === 0) return null
  return (
    <ul aria-label="Suggestions" className="grid gap-2">
      {suggestions.map(({ id, title, detail, link }, index) => {
        const kind = index === 0 ? 'primary' : 'secondary'
        return (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {link === '' ? (
              <Button
                kind={kind}
                className="min-w-0 max-w-full"
                pending={apply.isPending && apply.variables === id}
                disabled={apply.isPending}
                onClick={() => apply.mutate(id)}
              >
                <span className="truncate">{title}</span>
              </Button>
            ) : (
              <ButtonLink kind={kind} to={paths.inApp(app.id, link)} search={paths.searchOf(link)}>
                {title}
              </ButtonLink>
            )}
            <span className="text-[13px] text-ink-soft">{detail}</span>
          </li>
        )
      })}
    </ul>
  )
}
