import type { Template } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { TemplateMark } from '../../components/template-mark.tsx'
import { templates } from './queries.ts'
import { UseTemplate } from './use-template.tsx'

export function TemplatesPage() {
  const [picked, setPicked] = useState<Template>()
  return (
    <>
      <PageHeader title="Templates" note="Start a database with one click." />
      <QueryView query={useQuery(templates)} empty={<EmptyState icon="template" title="No templates" />}>
        {(list) => (
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {list.map((template) => (
              <TemplateCard key={template.name} template={template} onUse={() => setPicked(template)} />
            ))}
          </ul>
        )}
      </QueryView>
      {picked && <UseTemplate template={picked} onClose={() => setPicked(undefined)} />}
    </>
  )
}

function TemplateCard({ template, onUse }: { template: Template; onUse: () => void }) {
  const { name, title, version, description, image, port } = template
  return (
    <li className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex gap-3">
        <TemplateMark name={name} />
        <div className="min-w-0 text-sm">
          <h2 className="font-semibold">
            {title} <span className="font-normal text-ink-soft">{version}</span>
          </h2>
          <p className="text-ink-soft">{description}</p>
          <p className="mt-2 text-[13px] break-words text-ink-soft">
            <code className="font-mono">{image}</code>, port {port}
          </p>
        </div>
      </div>
      <div className="mt-auto">
        <Button icon="plus" onClick={onUse}>
          Create<span className="sr-only"> {title}</span>
        </Button>
      </div>
    </li>
  )
}
