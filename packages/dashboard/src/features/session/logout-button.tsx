import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { IconButton } from '../../components/button.tsx'
import { call } from '../../lib/api.ts'
import { announceLogout } from '../../lib/logout-signal.ts'
import { paths } from '../../paths.ts'

export function LogoutButton() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const logout = useMutation({
    mutationFn: () => call('auth.logout'),
    onSettled: async () => {
      announceLogout()
      await navigate({ to: paths.login() })
      client.clear()
    },
  })
  return <IconButton icon="logout" label="Log out" disabled={logout.isPending} onClick={() => logout.mutate()} />
}
