import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { TemplateMark } from '../../components/template-mark.tsx'
import { templates } from '../templates/queries.ts'

export function TemplatePicker({ value, onPick }: { value: string; onPick: (name: string) => void }) {
  return (
    <QueryView query={useQuery(templates)} empty={<EmptyState icon="template" title="No templates" />}>
      {(list) => (
        <fieldset className="grid gap-2 sm:grid-cols-2">
          <legend className="sr-only">Template</legend>
          {list.map(({ name, title, version, description }) => (
            <label
              key={name}
              className="flex cursor-pointer gap-3 rounded-md border border-line p-3 hover:border-line-strong has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input type="radio" name="template" className="sr-only" checked={name === value} onChange={() => onPick(name)} />
              <TemplateMark name={name} />
              <span className="min-w-0">
                <span className="block text-sm font-medium">
                  {title} <span className="font-normal text-ink-soft">{version}</span>
                </span>
                <span className="block text-[13px] text-ink-soft">{description}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </QueryView>
  )
}
