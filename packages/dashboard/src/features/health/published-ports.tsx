import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { exactTime } from '../../lib/time.ts'
import { paths } from '../../paths.ts'
import { publishedPorts } from './queries.ts'

/** Ports of this server that lead to services of Compose apps, bypassing the proxy. */
export function PublishedPorts() {
  return (
    <Card title="Open ports" note="Ports of this server that bypass the proxy and lead to services of Compose apps." flush>
      <QueryView query={useQuery(publishedPorts)}>
        {(ports) =>
          ports.length === 0 ? (
            <p className="px-4 py-3 text-sm text-ink-soft">No port of this server leads to an app.</p>
          ) : (
            <ul className="divide-y divide-line">
              {ports.map(({ port, protocol, address, service, target, isWanted, appId, appName, projectName, since }) => (
                <li key={`${port}/${protocol}`} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 text-sm">
                  <div className="min-w-0 [overflow-wrap:anywhere]">
                    <Link to={paths.app(appId)} className="font-medium hover:underline">
                      {appName}
                    </Link>
                    <p className="text-ink-soft">
                      {projectName}, since {exactTime(new Date(since))}
                      {!isWanted && '. Closes with the next deployment.'}
                    </p>
                  </div>
                  <code className="font-mono text-[13px]">
                    {address !== '' && `${address}:`}
                    {port}/{protocol}
                    {service !== '' && ` → ${service}:${target}`}
                  </code>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Card>
  )
}
