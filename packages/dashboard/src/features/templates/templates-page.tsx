import { useQuery } from '@tanstack/react-query'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { TemplateMark } from '../../components/template-mark.tsx'
import { templates } from './queries.ts'

export function TemplatesPage() {
  return (
    <>
      <PageHeader title="Templates" note="Templates for new databases." />
      <QueryView query={useQuery(templates)} empty={<EmptyState icon="template" title="No templates" />}>
        {(list) => (
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {list.map(({ name, title, version, description, image, port, aliases }) => (
              <li key={name} className="flex gap-3 rounded-lg border border-line bg-surface p-4">
                <TemplateMark name={name} />
                <div className="min-w-0 text-sm">
                  <h2 className="font-semibold">
                    {title} <span className="font-normal text-ink-soft">{version}</span>
                  </h2>
                  <p className="text-ink-soft">{description}</p>
                  <p className="mt-2 text-[13px] break-words text-ink-soft">
                    <code className="font-mono">{image}</code>, port {port}
                    {aliases.length > 0 && `, also called ${aliases.join(', ')}`}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </>
  )
}
