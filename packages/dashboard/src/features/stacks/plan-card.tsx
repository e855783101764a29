import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { paths } from '../../paths.ts'
import { PlanWords } from '../../shared/compose-plan.tsx'
import { composePlan } from './queries.ts'

/** What the next deployment would make of the file. */
export function PlanCard({ app }: { app: Application }) {
  const query = useQuery(composePlan(app.id))
  return (
    <Card
      title="Next deployment"
      note="What the Compose file would run, checked without deploying it."
      actions={
        <Button icon="restart" pending={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
      }
    >
      <QueryView query={query}>
        {(plan) => <PlanWords plan={plan} addVariable={(name) => ({ to: paths.environment(app.id), search: { add: name } })} />}
      </QueryView>
    </Card>
  )
}
