import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { paths } from '../../paths.ts'
import { DeploymentRow } from '../../shared/deployment-row.tsx'
import { recentDeployments } from '../deployments/queries.ts'

const SHOWN = 5

/** The last deployments of an app. */
export function RecentDeployments({ appId }: { appId: number }) {
  const { data: recent = [] } = useQuery(recentDeployments(appId))
  if (recent.length === 0) return null
  return (
    <Card title="Recent deployments" flush actions={<ButtonLink to={paths.deployments(appId)}>View all</ButtonLink>}>
      <ul className="divide-y divide-line">
        {recent.slice(0, SHOWN).map((deployment) => (
          <DeploymentRow key={deployment.id} deployment={deployment} />
        ))}
      </ul>
    </Card>
  )
}
