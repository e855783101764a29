import type { DeliverySummary } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { plural } from '../../lib/sizes.ts'
import { deploymentKeys } from '../deployments/queries.ts'
import { gitKeys } from './queries.ts'

/** Judges a push again with the current settings, which may deploy it. */
export function RedeliverButton({ delivery }: { delivery: DeliverySummary }) {
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: () => call('webhooks.redeliver', { id: delivery.id }),
    onSuccess: async ({ deployments, reason }) => {
      toast(deployments.length > 0 ? `Delivered again: ${plural(deployments.length, 'deployment')} started.` : `Delivered again. ${reason}`)
      await client.invalidateQueries({ queryKey: gitKeys.allDeliveries })
      await client.invalidateQueries({ queryKey: gitKeys.delivery(delivery.id) })
      await client.invalidateQueries({ queryKey: deploymentKeys.all })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
  if (delivery.repository === '') return null // not a push
  return (
    <Button icon="restart" pending={again.isPending} onClick={() => again.mutate()}>
      Deliver again
    </Button>
  )
}
