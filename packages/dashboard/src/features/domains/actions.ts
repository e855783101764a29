import type { Domain } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { appKeys } from '../apps/queries.ts'
import { domainKeys } from './queries.ts'

/** Updates one domain in the cached list. */
function useShow() {
  const client = useQueryClient()
  return (domain: Domain): void => {
    client.setQueryData<Domain[]>(domainKeys.ofApp(domain.appId), (list) => list?.map((each) => (each.id === domain.id ? domain : each)))
  }
}

export function useCheckDomain({ id }: Domain) {
  const show = useShow()
  return useMutation({
    mutationFn: () => call('domains.check', { id }),
    onSuccess: show,
    onError: (error) => toast(error.message, 'bad'),
  })
}

/** A toggle changes immediately and goes back if the server refuses. */
export function useUpdateDomain(domain: Domain) {
  const show = useShow()
  return useMutation({
    mutationFn: (change: { redirectHttps?: boolean; hsts?: boolean }) => call('domains.update', { id: domain.id, ...change }),
    onMutate: (change) => show({ ...domain, ...change }),
    onSuccess: show,
    onError: (error) => {
      show(domain)
      toast(error.message, 'bad')
    },
  })
}

export function useRemoveCertificate({ id }: Domain) {
  const show = useShow()
  return useMutation({
    mutationFn: () => call('domains.removeCertificate', { id }),
    onSuccess: (domain) => {
      show(domain)
      toast('Certificate removed. Berth will get a new one.')
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

export function useDeleteDomain({ id, appId, domain }: Domain) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('domains.delete', { id }),
    onSuccess: async () => {
      toast(`${domain} removed.`)
      await client.invalidateQueries({ queryKey: domainKeys.ofApp(appId) })
      await client.invalidateQueries({ queryKey: appKeys.one(appId) })
    },
  })
}
