import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { Logo } from '../../components/logo.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { type Description, description, matches, operationsOf } from './description.ts'
import { Words } from './fields.tsx'
import { OperationDetails } from './operation-details.tsx'
import { Errors, Types, WebSockets } from './reference-lists.tsx'

const idOf = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

function Index({ tags }: { tags: readonly { name: string; count: number }[] }) {
  const links = [
    ...tags.map(({ name, count }) => ({ href: `#${idOf(name)}`, name, count })),
    { href: '#websockets', name: 'WebSockets' },
    { href: '#errors', name: 'Errors' },
    { href: '#types', name: 'Types' },
  ]
  return (
    <nav aria-label="Index" className="flex flex-wrap gap-1 lg:block">
      {links.map((link) => (
        <a
          key={link.href}
          href={link.href}
          className="flex items-center justify-between gap-2 rounded-md px-2 py-1 text-sm text-ink-soft hover:bg-sunken hover:text-ink max-lg:border max-lg:border-line"
        >
          {link.name}
          {'count' in link && <span className="text-xs text-ink-faint">{link.count}</span>}
        </a>
      ))}
    </nav>
  )
}

function Contents({ api }: { api: Description }) {
  const [search, setSearch] = useState('')
  const found = operationsOf(api).filter((operation) => matches(operation, search))
  const groups = api.tags
    .map((tag) => ({ ...tag, operations: found.filter(({ tags }) => tags.includes(tag.name)) }))
    .filter(({ operations }) => operations.length > 0)
  // The page is empty when the browser looks for the place that the address names.
  useEffect(() => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView(), [])
  return (
    <div className="gap-8 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
      <aside className="mb-6 space-y-3 lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:self-start lg:overflow-y-auto lg:p-1">
        <TextField label="Search" hideLabel type="search" placeholder="Search operations" value={search} onText={setSearch} />
        <Index tags={groups.map(({ name, operations }) => ({ name, count: operations.length }))} />
      </aside>
      <div className="min-w-0 space-y-8">
        <section className="max-w-3xl space-y-2 text-sm">
          {api.info.description.split('\n\n').map((paragraph) => (
            <p key={paragraph}>
              <Words text={paragraph} />
            </p>
          ))}
        </section>
        {groups.length === 0 && <EmptyState icon="search" title="No operation matches your search" />}
        {groups.map(({ name, description: words, operations }) => (
          <section key={name} id={idOf(name)} className="scroll-mt-4">
            <h2 className="text-lg font-semibold">{name}</h2>
            <p className="mb-3 text-sm text-ink-soft">{words}</p>
            <div className="space-y-2">
              {operations.map((operation) => (
                <OperationDetails key={operation.operationId} operation={operation} description={api} />
              ))}
            </div>
          </section>
        ))}
        <WebSockets api={api} />
        <Errors api={api} />
        <Types api={api} />
      </div>
    </div>
  )
}

export function DocsPage() {
  useDocumentTitle('API')
  const query = useQuery(description)
  return (
    <main className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-6">
      <header className="mb-6 flex flex-wrap items-center justify-between gap-3">
        <div className="flex items-center gap-2.5">
          <Logo className="size-8" />
          <h1 className="text-xl font-semibold">Berth API</h1>
          <span className="text-sm text-ink-faint">{query.data?.info.version}</span>
        </div>
        <div className="flex flex-wrap gap-4 text-sm">
          <a href="/openapi.json" className="text-accent underline">
            openapi.json
          </a>
          <Link to={paths.overview()} className="text-accent underline">
            Dashboard
          </Link>
        </div>
      </header>
      <QueryView query={query}>{(api) => <Contents api={api} />}</QueryView>
    </main>
  )
}
